"""The notebook around a turn: magics, widget, two roads for answers, and the transcript that stays."""
