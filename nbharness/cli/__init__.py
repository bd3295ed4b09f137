"""The command line: ``nbharness COMMAND …``, one module a command.

Exit codes: 0 done, 1 failed, 2 wrong use or settings, 3 stopped or refused.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

from nbharness.cli.commands import run_command
from nbharness.cli.exit_codes import ABORTED, DONE, FAILED, USAGE
from nbharness.errors import AdapterNotInstalled, ConfigError, NbHarnessError, WorkspaceError

__all__ = ["main"]

_FLAGS = {"--help": "help", "-h": "help", "--version": "version", "-V": "version"}
# What writing to a closed pipe, and to a terminal whose window was closed, comes to.
_READER_GONE = (errno.EPIPE, errno.EIO)
_WRONG_USE = (ConfigError, WorkspaceError, AdapterNotInstalled)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; what goes wrong is one line on standard error.

    Args:
        argv: Arguments without the program's name; by default the process's own.

    Returns:
        The exit code.
    """
    _write_anything()
    name, *arguments = list(sys.argv[1:] if argv is None else argv) or ["help"]
    try:
        code = run_command(_FLAGS.get(name, name), arguments)
        sys.stdout.flush()
    except NbHarnessError as error:
        print(f"nbharness: {error}", file=sys.stderr)
        return USAGE if isinstance(error, _WRONG_USE) else FAILED
    except OSError as error:
        if error.errno not in _READER_GONE:
            print(f"nbharness: {error}", file=sys.stderr)
            return FAILED
        _write_nowhere()
        return ABORTED
    except KeyboardInterrupt:
        return ABORTED
    except SystemExit as request:  # argparse, after printing a command's help
        return request.code if isinstance(request.code, int) else DONE
    return code


def _write_anything() -> None:
    """Let no character that the terminal's encoding lacks end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _write_nowhere() -> None:
    """Nobody reads us any more; the interpreter's last flush must not complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
