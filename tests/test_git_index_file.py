"""Git takes an index of any version after entries of it were marked, and looks at those files again."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from support.git_attacks import git

from nbharness.git.index_file import doubt_young

_NAMES = ["a", "directory/b", "directory/" + "c" * 200, "é", "new, in no commit"]


def _repository(top: Path, version: int, kind: str) -> Path:
    top.mkdir()
    git(top, "init", "-q", f"--object-format={kind}")
    for name in _NAMES:
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text("text\n")
    git(top, "add", *_NAMES[:-1])
    git(top, "update-index", "--index-version", str(version))
    if version > 2:
        git(top, "add", "-N", _NAMES[-1])  # its entry is one of the longer form
    return top / ".git" / "index"


def _sizes(top: Path) -> list[str]:
    return re.findall(r"size: (\d+)", git(top, "ls-files", "--debug"))


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
@pytest.mark.parametrize("version", [2, 3, 4])
def test_young_entries_are_doubted_in_every_version(version: int, kind: str, tmp_path: Path) -> None:
    index = _repository(tmp_path / "top", version, kind)
    said, before = git(tmp_path / "top", "ls-files", "-s"), index.stat()
    doubt_young(index, int(time.time()) - 3600, is_sha256=kind == "sha256")
    assert index.stat().st_mtime_ns == before.st_mtime_ns
    assert git(tmp_path / "top", "ls-files", "-s") == said
    assert set(_sizes(tmp_path / "top")) == {"0"}
    git(tmp_path / "top", "fsck")  # knows the hash at the end
    git(tmp_path / "top", "update-index", "--refresh", check=False)
    assert _sizes(tmp_path / "top").count("5") >= len(_NAMES) - 1


def test_older_entries_are_left_as_they_are(tmp_path: Path) -> None:
    index = _repository(tmp_path / "top", 2, "sha1")
    before = index.read_bytes()
    doubt_young(index, int(time.time()) + 1, is_sha256=False)
    assert index.read_bytes() == before


def test_what_is_no_index(tmp_path: Path) -> None:
    doubt_young(tmp_path / "none", 0, is_sha256=False)
    (tmp_path / "broken").write_bytes(b"DIRX" + int(time.time()).to_bytes(4, "big") + bytes(40))
    with pytest.raises(ValueError, match="DIRX"):
        doubt_young(tmp_path / "broken", int(time.time()), is_sha256=False)
