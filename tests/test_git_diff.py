"""What git writes about changes is read back as it was."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbharness.events import FileDiff
from nbharness.git import diff
from nbharness.git.diff import Change, parse_changes, read_diff

_paths = st.binary(min_size=1, max_size=8).map(lambda raw: b"p" + raw.replace(b"\0", b"0"))
_ids = st.text("0123456789abcdef", min_size=40, max_size=40)
_modes = st.sampled_from(["100644", "100755", "120000"])


@st.composite
def _changes(draw: st.DrawFn) -> Change:
    status = draw(st.sampled_from(["A", "D", "M", "R", "T"]))
    path = draw(_paths)
    return Change(
        path=path,
        old_path=draw(_paths) if status == "R" else path,
        status=status,
        old_mode=draw(_modes),
        new_mode=draw(_modes),
        old_id=draw(_ids),
        new_id=draw(_ids),
        added=draw(st.integers(0, 999)),
        removed=draw(st.integers(0, 999)),
    )


def _written(changes: list[Change]) -> bytes:
    raw = counts = b""
    for each in changes:
        kind = each.status + ("087" if each.status == "R" else "")
        fields = f":{each.old_mode} {each.new_mode} {each.old_id} {each.new_id} {kind}".encode()
        raw += fields + b"\0" + (each.old_path + b"\0" if each.status == "R" else b"") + each.path + b"\0"
        lines = b"%d\t%d\t" % (each.added, each.removed)
        names = b"\0" + each.old_path + b"\0" + each.path if each.status == "R" else each.path
        counts += lines + names + b"\0"
    return raw + counts


@settings(deadline=None)
@given(st.lists(_changes(), max_size=6))
def test_names_and_counts_are_read_back(changes: list[Change]) -> None:
    assert parse_changes(_written(changes)) == changes


def test_a_binary_file_has_no_lines() -> None:
    raw = b":100644 100644 " + b"0" * 40 + b" " + b"1" * 40 + b" M\0a\0-\t-\ta\0"
    assert (parse_changes(raw)[0].added, parse_changes(raw)[0].removed) == (0, 0)


def test_output_that_does_not_add_up_is_no_result() -> None:
    with pytest.raises(ValueError, match="named 1 files"):
        parse_changes(b":100644 100644 a b M\0a\x001\t2\ta\x001\t2\tb\0")


def _modified(count: int) -> list[Change]:
    names = [f"f{n}".encode() for n in range(count)]
    return [Change(name, name, "M", "100644", "100644", "1" * 40, "2" * 40, 1, 0) for name in names]


def _read(changes: list[Change], patch: bytes) -> tuple[list[Change], list[FileDiff]]:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "diff"
        file.write_bytes(_written(changes) + b"\0" + patch if changes else b"")
        return read_diff(file)


_line = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)


@settings(deadline=None)
@given(st.lists(_line | st.just("\0\0"), max_size=5))
def test_each_file_gets_its_own_patch(lines: list[str]) -> None:
    sections = [f"diff --git a/f{n} b/f{n}\n@@ -1 +1 @@\n+{line}\n" for n, line in enumerate(lines)]
    changes, diffs = _read(_modified(len(lines)), "".join(sections).encode())
    assert changes == _modified(len(lines))
    assert [each.patch for each in diffs] == sections


@settings(deadline=None)
@given(st.lists(_changes(), max_size=6))
def test_names_end_where_the_patch_begins(changes: list[Change]) -> None:
    found, diffs = _read(changes, b"".join(b"diff --git a b\n" * (1 + (each.status == "T")) for each in changes))
    assert found == changes
    assert [each.patch.count("diff --git") for each in diffs] == [1 + (each.status == "T") for each in changes]


def test_what_does_not_fit_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "MAX_FILE_BYTES", 30)
    monkeypatch.setattr(diff, "MAX_ALL_BYTES", 45)
    monkeypatch.setattr(diff, "MAX_FILES", 3)
    section = b"diff --git a/f b/f\n" + b"+" * 40 + b"\n"
    _changes, diffs = _read(_modified(4), section * 4)
    assert [(len(each.patch), each.truncated) for each in diffs] == [(30, 30), (15, 45), (0, 60)]
