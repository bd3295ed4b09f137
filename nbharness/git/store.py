"""The files of a shadow repository that we write ourselves: it is made without running git."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import tempfile
import threading
import time
import zlib
from pathlib import Path
from typing import Final

from nbharness.git.place import Place

__all__ = ["add_objects", "forget_index", "keep", "keep_index", "known_index", "open_store", "prune", "start_pruning"]

_KEPT_S: Final = 30 * 86400
_ABANDONED_S: Final = 2 * 86400
_KEPT_TREES: Final = 2000
_PRUNE_EVERY_S: Final = 86400
_OLD: Final = ".old-"
_NEW: Final = ".new-"
_HASH_BYTES: Final = 20
"""At the end of an index stands a hash of it; so many bytes of it tell two apart."""
_SHA256_DIGITS: Final = 64
_NOBODY: Final = "nbharness <> 0 +0000"
_NO_COMMIT: Final = b"ref: refs/heads/none\n"
# These beat all others: whatever the tree says, files are taken as bytes and told apart by their content.
_ATTRIBUTES: Final = "* !diff !filter !text !eol !crlf !ident !working-tree-encoding !merge\n"


def open_store(place: Place, state_dir: Path) -> Path:
    """Return the git directory of a workspace's shadow; make it when there is none.

    Raises:
        OSError: It cannot be made.
    """
    named = os.fsencode(place.workspace) + b"\0" + os.fsencode(place.top)
    kind = "256" if place.is_sha256 else ""
    directory = state_dir / (hashlib.sha256(named).hexdigest()[:20] + kind)
    if not (directory / "HEAD").exists():
        state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make(directory, place.workspace, is_sha256=place.is_sha256)
    return directory


def add_objects(directory: Path, objects: Path) -> None:
    """Borrow the objects of a real repository from now on; without effect when its path cannot be written down."""
    line = str(objects)
    file = directory / "objects" / "info" / "alternates"
    known = file.read_text(encoding="utf-8", errors="surrogateescape") if file.exists() else ""
    if "\n" in line or line.startswith(("#", '"')) or f"{line}\n" in known:
        return
    with file.open("a", encoding="utf-8", errors="surrogateescape") as opened:
        opened.write(f"{line}\n")


def keep(directory: Path, name: str, *trees: str) -> None:
    """Keep trees from being pruned for a month."""
    for number, tree in enumerate(trees):
        (directory / "refs" / "turns" / f"{name}-{number}").write_text(f"{tree}\n")


def keep_index(directory: Path, index: Path, tree: str) -> None:
    """Move an index to where the next snapshot begins; `tree` is what it holds."""
    content_hash = _hash(index)
    index.replace(directory / "index")
    _write(directory / "tree", f"{content_hash} {tree}\n".encode())
    # Git says of each file how its index differs from the commit: it has little to say when that is the same.
    head = f"{_commit(directory, tree)}\n".encode()
    if (directory / "HEAD").read_bytes() != head:
        _write(directory / "HEAD", head)


def known_index(directory: Path, copy: Path) -> str | None:
    """Copy the index of the last snapshot.

    Returns:
        The tree that it holds, empty when nobody knows; ``None`` when there is no index.
    """
    try:
        # With its time: by that git knows which entries it must not believe.
        shutil.copy2(directory / "index", copy)
    except FileNotFoundError:
        return None
    try:
        # Another process may have replaced one of the two files meanwhile.
        content_hash, tree = (directory / "tree").read_text().split()
    except (OSError, ValueError):
        return ""
    return tree if content_hash == _hash(copy) else ""


def forget_index(directory: Path) -> None:
    """Let the next snapshot begin anew: the real repository let go of objects that were taken to be there."""
    for name in ("tree", "index"):
        (directory / name).unlink(missing_ok=True)
    _write(directory / "HEAD", _NO_COMMIT)


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
    """Remove shadows of workspaces that are gone and were not used for a month; tidy the others.

    A workspace counts as gone when the directory that it was in is there and it is not: a drive that is not mounted
    takes no shadow with it. What cannot be removed is left for another day.
    """
    with contextlib.suppress(OSError):
        for directory in [*state_dir.iterdir()]:
            if directory.name.startswith((_OLD, _NEW)):  # left by a process that was killed
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


def _age(file: Path) -> float:
    return time.time() - file.stat().st_mtime


def _hash(index: Path) -> str:
    with index.open("rb") as file:
        file.seek(-_HASH_BYTES, os.SEEK_END)
        return file.read().hex()


def _commit(directory: Path, tree: str) -> str:
    """Return the id of a commit that says nothing but a tree."""
    body = f"tree {tree}\nauthor {_NOBODY}\ncommitter {_NOBODY}\n\n".encode()
    content = b"commit %d\0" % len(body) + body
    kind = hashlib.sha256 if len(tree) == _SHA256_DIGITS else hashlib.sha1
    name = kind(content, usedforsecurity=False).hexdigest()
    file = directory / "objects" / name[:2] / name[2:]
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        _write(file, zlib.compress(content))
    return name


def _write(file: Path, content: bytes) -> None:
    written = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    written.write_bytes(content)
    written.replace(file)


def _make(directory: Path, workspace: Path, *, is_sha256: bool) -> None:
    made = Path(tempfile.mkdtemp(dir=directory.parent, prefix=_NEW))
    try:
        for part in ("objects/info", "objects/pack", "refs/heads", "refs/turns", "info", "turns"):
            (made / part).mkdir(parents=True)
        (made / "HEAD").write_bytes(_NO_COMMIT)
        (made / "workspace").write_bytes(os.fsencode(workspace))
        (made / "info" / "attributes").write_text(_ATTRIBUTES)
        extension = "[extensions]\n\tobjectFormat = sha256\n" if is_sha256 else ""
        (made / "config").write_text(
            f"[core]\n\trepositoryFormatVersion = {int(is_sha256)}\n\tfileMode = true\n\tbare = false\n{extension}"
        )
        with contextlib.suppress(OSError):  # another process was faster
            made.rename(directory)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    if not (directory / "HEAD").exists():
        raise OSError(f"the shadow repository {directory} could not be made")


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
