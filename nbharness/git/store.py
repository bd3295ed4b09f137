"""The files of a shadow repository that we write ourselves: it is made without running git."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Final

from nbharness.git.place import Place

__all__ = ["NEW", "add_objects", "forget_index", "keep", "keep_index", "known_index", "open_store"]

NEW: Final = ".new-"
"""How the name of a shadow begins that is being made."""
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
    made = Path(tempfile.mkdtemp(dir=directory.parent, prefix=NEW))
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
