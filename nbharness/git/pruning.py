"""Lets go of what shadow repositories no longer need: old trees, the contents that only they held, whole shadows."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import threading
import time
from pathlib import Path
from typing import Final

from nbharness.git.command import GitError, run_git
from nbharness.git.store import NEW

__all__ = ["prune", "start_pruning"]

_KEPT_S: Final = 30 * 86400
_ABANDONED_S: Final = 2 * 86400
_KEPT_TREES: Final = 2000
_PRUNE_EVERY_S: Final = 86400
_COLLECT_S: Final = 120.0
_OLD: Final = ".old-"


def start_pruning(state_dir: Path) -> threading.Thread | None:
    """Let a thread tidy all shadows, and remove those that nobody can use any more, once a day.

    It is a daemon: nobody waits for it, and what it leaves undone as Python ends is done another day.

    Returns:
        The thread; ``None`` when it is not yet time, or too late in the life of the process.
    """
    now, looked = time.time(), state_dir / "pruned"
    with contextlib.suppress(OSError, RuntimeError):  # no thread can be started as Python ends
        if looked.exists() and abs(now - looked.stat().st_mtime) < _PRUNE_EVERY_S:
            return None
        looked.touch()
        thread = threading.Thread(target=prune, args=(state_dir,), name="nbharness-prune", daemon=True)
        thread.start()
        return thread
    return None


def prune(state_dir: Path) -> None:
    """Remove shadows of workspaces that are gone and were not used for a month; tidy the others. Blocks.

    A workspace counts as gone when the directory that it was in is there and it is not: a drive that is not mounted
    takes no shadow with it. What cannot be removed is left for another day.
    """
    with contextlib.suppress(OSError):
        for directory in [*state_dir.iterdir()]:
            if directory.name.startswith((_OLD, NEW)):  # left by a process that was killed
                if _age(directory) > _ABANDONED_S:
                    shutil.rmtree(directory, ignore_errors=True)
            elif (directory / "workspace").is_file():
                with contextlib.suppress(OSError):
                    _prune_one(directory)


def _prune_one(directory: Path) -> None:
    workspace = Path(os.fsdecode((directory / "workspace").read_bytes()))
    is_gone = workspace.parent.is_dir() and not os.path.lexists(workspace)
    if is_gone and min(_age(directory / name) for name in ("turns", "workspace")) > _KEPT_S:
        # At one stroke: what is half removed would still look like a shadow.
        old = directory.with_name(_OLD + secrets.token_hex(6))
        directory.rename(old)
        shutil.rmtree(old, ignore_errors=True)
    elif not is_gone:
        _tidy(directory)
        _collect(directory)


def _tidy(directory: Path) -> None:
    """Let go of what is older than a month, and of what processes that were killed have left."""
    now = time.time()
    refs = sorted(((ref.stat().st_mtime, ref) for ref in (directory / "refs" / "turns").iterdir()), reverse=True)
    for number, (written, ref) in enumerate(refs):
        if now - written > _KEPT_S or number >= _KEPT_TREES:
            ref.unlink(missing_ok=True)
    for work in (directory / "turns").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if now - work.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(work, ignore_errors=True)


def _collect(directory: Path) -> None:
    """Remove the objects that no kept tree, nor the index of the last snapshot, needs any more."""
    # A turn that runs holds trees that nothing else names.
    if any((directory / "turns").iterdir()):
        return
    # What a turn writes that begins just now is younger. Where the real repository let go of an object that a kept tree
    # needs, git refuses, until that tree is old enough to go.
    with contextlib.suppress(GitError):
        run_git("prune", f"--expire={_ABANDONED_S}.seconds.ago", git_dir=directory, timeout_s=_COLLECT_S)


def _age(file: Path) -> float:
    return time.time() - file.stat().st_mtime
