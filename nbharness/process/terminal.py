"""A pseudo-terminal for programs that show colour and progress only on one."""

import os
import sys

if sys.platform != "win32":
    import termios

_ROWS, _COLUMNS = 24, 80
_OUTPUT_FLAGS = 1


def open_terminal() -> tuple[int, int]:
    """Open a terminal whose output comes out as it was written.

    Returns:
        The end to read from and the end for the process, both close-on-exec.
    """
    ours, theirs = os.openpty()
    attributes = termios.tcgetattr(theirs)
    # As it comes, a terminal turns every line feed into two characters.
    attributes[_OUTPUT_FLAGS] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    termios.tcsetwinsize(theirs, (_ROWS, _COLUMNS))
    return ours, theirs
