"""An agent that is hard to kill: it, a child and a double-forked daemon all ignore SIGTERM.

Prints one JSON line, ``{"agent": pid, "child": pid, "daemon": pid, "supervisor": pid}``, and waits
for ever. With the argument ``leave`` it exits with status 5 instead and leaves the other two behind.
"""

import json
import os
import signal
import sys
from typing import NoReturn


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    pids = {"agent": os.getpid(), "child": fork_child(), "daemon": fork_daemon()}
    pids["supervisor"] = os.getppid()
    print(json.dumps(pids), flush=True)
    if sys.argv[1:] == ["leave"]:
        sys.exit(5)
    hang()


def fork_child() -> int:
    pid = os.fork()
    if pid == 0:
        hang()
    return pid


def fork_daemon() -> int:
    readable, writable = os.pipe()
    if os.fork() == 0:
        os.setsid()
        daemon = os.fork()
        if daemon == 0:
            hang()
        os.write(writable, str(daemon).encode())
        os._exit(0)
    os.wait()
    pid = int(os.read(readable, 16))
    os.close(readable)
    os.close(writable)
    return pid


def hang() -> NoReturn:
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
