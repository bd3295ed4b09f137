"""Where the real repository of a workspace keeps what a shadow can borrow: its objects and its index."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from nbharness.git.branch import find_git_dir, first_line

__all__ = ["Place", "find_place"]

_MAX_CONFIG = 1 << 20
_SHA256 = re.compile(rb"^\s*objectformat\s*=\s*\"?sha256", re.IGNORECASE | re.MULTILINE)
_CONVERTS = re.compile(rb"\b(filter|text|eol|crlf|ident|working-tree-encoding)\b")
_AUTOCRLF = re.compile(rb"^\s*autocrlf\s*=\s*\"?(true|input)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A work tree and what can be borrowed of its repository.

    Attributes:
        top: Top of the work tree; the workspace itself when it is in no repository.
        workspace: The directory that snapshots are about, in `top`.
        objects: The repository's object directory, or ``None``.
        index: An index whose entries hold the files' bytes as they are on disk, or ``None``.
        is_sha256: The repository names objects by SHA-256.
    """

    top: Path
    workspace: Path
    objects: Path | None = None
    index: Path | None = None
    is_sha256: bool = False


def find_place(workspace: Path) -> Place:
    """Look for the repository of a workspace. Reads files only; what is there may be hostile."""
    alone = Place(workspace, workspace)
    found = find_git_dir(workspace)
    if found is None or _is_too_wide(found[0]):
        return alone
    top, git_dir = found
    common = git_dir
    with contextlib.suppress(OSError, ValueError):
        common = git_dir / first_line(git_dir / "commondir")
    objects, index = common / "objects", git_dir / "index"
    if not objects.is_dir():
        return alone
    config = _read(common / "config")
    converts = _AUTOCRLF.search(config) is not None or _users_convert() or _attributes_convert(top, common, index)
    return Place(
        top=top,
        workspace=workspace,
        objects=objects.resolve(),
        index=None if converts or not index.is_file() else index,
        is_sha256=_SHA256.search(config) is not None,
    )


def _is_too_wide(top: Path) -> bool:
    """A repository of the home directory (for dotfiles) is no reason to look at all that is in it."""
    return Path.home().is_relative_to(top)


def _attributes_convert(top: Path, common: Path, index: Path) -> bool:
    """Tell whether the index may hold other bytes than the files; in doubt it may."""
    if _CONVERTS.search(_read(common / "info" / "attributes")) or _CONVERTS.search(_read(top / ".gitattributes")):
        return True
    # One at the top was just read; of others the index names, nobody knows yet what they say.
    return _read(index, None).count(b"gitattributes") > (1 if (top / ".gitattributes").exists() else 0)


def _users_convert() -> bool:
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return any(_AUTOCRLF.search(_read(file)) for file in (Path.home() / ".gitconfig", config / "git" / "config"))


def _read(file: Path, limit: int | None = _MAX_CONFIG) -> bytes:
    try:
        if file.is_file():
            with file.open("rb") as opened:
                return opened.read(limit)
    except (OSError, ValueError):
        pass
    return b""
