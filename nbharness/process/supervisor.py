"""Keeps one command and everything it starts on a leash.

Run as ``python -I -S supervisor.py CONTROL OWNER COMMAND [ARGUMENT ...]`` in a session of its own,
with the command's standard streams, directory and environment. ``CONTROL`` is the descriptor of a
stream socket to the owner, ``OWNER`` the owner's process id. Standard library only, and few modules
of it: the time this file takes to load is the time a command waits to start.

To the owner go JSON lines, in this order:

- ``{"pid": N}`` when the command runs, or ``{"errno": N}`` when it cannot be started,
- ``{"exit_code": N, "signal": null}`` or ``{"exit_code": null, "signal": N}`` when it has ended.

From the owner comes ``stop SECONDS``: terminate, and kill what is left after so many seconds. Our
end of the socket closes when the whole tree is gone.

The tree is stopped when the owner says so, when the owner's end of the socket closes, when the
owner's process ends (a forked worker of the owner may still hold that end), when this program gets
SIGTERM, and when the command itself has ended and left others behind.

What "the whole tree" means:

- Linux: every descendant, double-forked daemons too, because this process is their subreaper. Out of
  reach: processes of another user (sudo) and those that a service outside the tree starts for the
  command (docker, systemd-run, at).
- macOS and other POSIX: the process group of the command; a child that left the group stays.
- Windows: not supported. A job object would be its counterpart.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time

# 2 s after the owner's death all must be over, also on a busy machine.
OWNER_GRACE_S = 0.75
# For what a command that has ended left running.
LEFTOVER_GRACE_S = 0.5
# A process in uninterruptible sleep survives SIGKILL for as long as its disk or network hangs.
KILL_LIMIT_S = 5.0
# Between two looks at a tree that is being stopped, and at the owner where no pidfd tells.
STOPPING_POLL_S = 0.02
OWNER_POLL_S = 0.5

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(argv: list[str]) -> int:
    """Start the command, watch over it, and return when nothing of it is left.

    Args:
        argv: ``CONTROL OWNER COMMAND [ARGUMENT ...]``.

    Returns:
        The exit status of this program: 0, or 127 when the command could not be started.
    """
    control, owner, command = int(argv[0]), int(argv[1]), argv[2:]
    os.set_inheritable(control, False)  # noqa: FBT003 (positional-only)
    wakeup = _catch_signals()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        leader = _start(command)
    except OSError as error:
        _report(control, f'{{"errno": {error.errno}}}')
        return 127
    _report(control, f'{{"pid": {leader}}}')
    Supervisor(control, owner, leader, wakeup).run()
    return 0


class Supervisor:
    """The watch over one running command."""

    def __init__(self, control: int, owner: int, leader: int, wakeup: int) -> None:
        self._control = control
        self._owner = owner
        self._leader = leader
        self._wakeup = wakeup
        self._owner_fd = _pidfd(owner)
        self._unread = b""
        self._kill_at: float | None = None
        self._poll = select.poll()
        for fd in (control, wakeup, self._owner_fd):
            if fd is not None:
                self._poll.register(fd, select.POLLIN)

    def run(self) -> None:
        """Return when no process of the tree is left, or none that can be killed."""
        while self._reap():
            # Also before the first wait: the owner may have died, and its number be taken over.
            if os.getppid() != self._owner:
                self.stop(OWNER_GRACE_S)
            for fd, _ in self._poll.poll(self._timeout_ms()):
                self._on_readable(fd)
            if self._kill_at is None:
                continue
            overdue_s = time.monotonic() - self._kill_at
            if overdue_s >= KILL_LIMIT_S:
                return
            if overdue_s >= 0:
                _signal_tree(self._leader, signal.SIGKILL)

    def stop(self, grace_s: float) -> None:
        """Terminate the tree now and kill it in ``grace_s`` seconds; a later call may only hurry.

        Args:
            grace_s: Seconds until SIGKILL; 0 skips SIGTERM.
        """
        kill_at = time.monotonic() + grace_s
        if self._kill_at is not None:
            self._kill_at = min(self._kill_at, kill_at)
            return
        self._kill_at = kill_at
        if grace_s > 0:
            _signal_tree(self._leader, signal.SIGTERM)
            # A stopped process takes its SIGTERM only when it goes on.
            _signal_tree(self._leader, signal.SIGCONT)

    def _reap(self) -> bool:
        """Collect ended processes; tell whether any is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                # A subreaper without children has no descendants; elsewhere the group may live on.
                return sys.platform != "linux" and _group_exists(self._leader)
            if pid == 0:
                return True
            if pid == self._leader:
                _report(self._control, _ending(status))
                self.stop(LEFTOVER_GRACE_S)

    def _timeout_ms(self) -> float | None:
        if self._kill_at is not None:
            return STOPPING_POLL_S * 1000
        return OWNER_POLL_S * 1000 if self._owner_fd is None else None

    def _on_readable(self, fd: int) -> None:
        if fd == self._wakeup:
            if signal.SIGTERM in os.read(fd, 256):
                self.stop(OWNER_GRACE_S)
            return
        if fd == self._control:
            try:
                said = os.read(fd, 256)
            except ConnectionError:
                said = b""
            if said:
                *lines, self._unread = (self._unread + said).split(b"\n")
                for line in lines:
                    self.stop(float(line.removeprefix(b"stop ")))
                return
        # The owner has closed its end or has ended: neither can be read again.
        self._poll.unregister(fd)
        self.stop(OWNER_GRACE_S)


def descendants(root: int) -> list[int]:
    """List the processes below ``root``, parents before children; empty without a ``/proc``."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")  # noqa: PTH208 (loading pathlib takes 10 ms)
    except FileNotFoundError:
        return []
    for name in filter(str.isdigit, names):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 (as above)
                # The command's name is in parentheses and may hold any byte.
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(name))
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found[1:]


def _signal_tree(leader: int, number: int) -> None:
    for pid in descendants(os.getpid()) or (-leader,):
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _group_exists(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start(command: list[str]) -> int:
    """Run the command in its own session; return its process id or raise the OSError of exec."""
    me = os.getpid()
    failure, failed = os.pipe()
    gate, opener = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(opener)
        # What the owner writes must break as soon as the command closes its streams, so we go first.
        os.read(gate, 1)
        _become(command, me, failed)
    _let_go_of_streams()
    for fd in (gate, opener, failed):
        os.close(fd)
    number = os.read(failure, 16)
    os.close(failure)
    if number:
        os.waitpid(pid, 0)
        raise OSError(int(number), os.strerror(int(number)))
    return pid


def _become(command: list[str], parent: int, failed: int) -> None:
    """Turn this fork into the command; never returns."""
    try:
        os.setsid()
        # What is ignored stays so through exec: by us, by Python, or by whoever started the owner.
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            os.execvp(command[0], command)  # noqa: S606 (a list, never through a shell)
    except OSError as error:
        os.write(failed, str(error.errno).encode())
    finally:
        os._exit(127)


def _catch_signals() -> int:
    """Make SIGTERM and SIGCHLD readable from the returned descriptor and be deaf to the rest."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    # The owner's thread may have had signals blocked, and a mask is inherited.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return readable


def _let_go_of_streams() -> None:
    """Drop the command's streams, so that only the command and its children keep them open."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    # The workspace may be renamed or unmounted while the command works elsewhere.
    os.chdir("/")


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f'{{"exit_code": null, "signal": {-code}}}'
    return f'{{"exit_code": {code}, "signal": null}}'


def _report(control: int, line: str) -> None:
    try:
        os.write(control, line.encode() + b"\n")
    except ConnectionError:
        return  # The owner is gone, and the poll will say so.


def _pidfd(pid: int) -> int | None:
    """Open a descriptor that turns readable when ``pid`` ends; None where the system has none."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value))


if __name__ == "__main__":
    # Nothing to tidy up, and the owner waits for our end of the socket to close.
    os._exit(main(sys.argv[1:]))
