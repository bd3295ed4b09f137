"""For those who test code around agents: a fake model and the means to run real agents against it."""
