"""A diff of two texts counts lines as git does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.git_attacks import git, repository

from nbharness.file_diff import file_diff


@pytest.mark.parametrize("odd", ["\f", "\v", "\x1c", "\x85", "\u2028", "\r"])
def test_only_a_line_feed_ends_a_line(odd: str, tmp_path: Path) -> None:
    old, new = f"one{odd}two\nthree\n", f"one{odd}2\nthree\n"
    diff = file_diff("a.txt", old, new)
    assert (diff.added, diff.removed) == (1, 1)
    top = repository(tmp_path / "top")
    (top / "a.txt").write_bytes(old.encode())
    (tmp_path / "patch").write_bytes(diff.patch.encode())
    git(top, "apply", str(tmp_path / "patch"))
    assert (top / "a.txt").read_bytes() == new.encode()
