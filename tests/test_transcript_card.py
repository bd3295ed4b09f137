"""What a person at the terminal is shown before they decide."""

from typing import Any

import pytest

from nbharness.events import ApprovalRequired, FileDiff, PlanProposed
from nbharness.transcript.card import argument_lines, card_lines
from nbharness.transcript.ink import Ink

PLAIN, COLOURED = Ink(on=False), Ink(on=True)


def question(args: Any, **fields: Any) -> ApprovalRequired:
    return ApprovalRequired(
        **{"id": "a1", "tool_name": "shell", "args": args, "message": None, "auto_approvable": False, **fields}
    )


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        ({"command": "ls -l"}, ["  command  ls -l"]),
        ({"path": "a.py", "n": 3}, ["  path  a.py", "  n     3"]),
        (
            {"n": "3", "yes": "true", "list": "[1]", "none": ""},
            ['  n     "3"', '  yes   "true"', '  list  "[1]"', '  none  ""'],
        ),
        ({"content": "one\ntwo\n"}, ["  content:", "  │ one", "  │ two", "  │ "]),
        ({"paths": ["a", "b"]}, ['  paths  ["a","b"]']),
        ({}, ["  (no arguments)"]),
        (None, ["  (no arguments)"]),
        ("just text", ["  │ just text"]),
    ],
)
def test_arguments_are_shown_exactly(args: Any, lines: list[str]) -> None:
    assert argument_lines(args, PLAIN) == lines


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("ls\x1b[2K\rrm", "ls⟨U+001B⟩[2K⟨U+000D⟩rm"),
        ("\u202eevil", "⟨U+202E⟩evil"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u00a0b", "a⟨U+00A0⟩b"),
        ("ls" + " " * 300 + "; rm -rf ~", "ls⟨300 spaces⟩; rm -rf ~"),
    ],
)
def test_nothing_hides_in_any_part_of_the_question(hidden: str, shown: str) -> None:
    diff = FileDiff(path=hidden, patch=f"+{hidden}\n", added=1)
    asked = question({hidden: hidden}, tool_name=hidden, message=hidden, diffs=[diff], warnings=[hidden])
    lines = "\n".join(card_lines(asked, PLAIN))
    assert lines.count(shown) == 7
    assert hidden not in lines


def test_a_diff_that_is_an_argument_is_shown_once() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    diff = FileDiff(path="x", patch=patch, added=1, removed=1)
    both = card_lines(question({"patch": patch}, diffs=[diff]), PLAIN)
    assert sum("+new" in line for line in both) == 1
    other = card_lines(question({"path": "x"}, diffs=[diff]), PLAIN)
    assert "  x +1 -1" in other
    assert sum("+new" in line for line in other) == 1


def test_a_cut_diff_says_so() -> None:
    lines = card_lines(question({}, diffs=[FileDiff(path="x", patch="+new\n", truncated=900)]), PLAIN)
    assert "  … 900 bytes of this diff are left out" in lines


def test_colour_is_for_the_eye_only() -> None:
    asked = question({"command": "ls"}, warnings=["beware"], diffs=[FileDiff(path="x", patch="+new\n")])
    coloured = "\n".join(card_lines(asked, COLOURED))
    assert "\x1b[32m+new\x1b[0m" in coloured
    assert "\x1b" not in "\n".join(card_lines(asked, PLAIN))


def test_a_plan_is_shown_whole() -> None:
    assert card_lines(PlanProposed(plan="1. look\n2. fix"), PLAIN) == [
        "The agent proposes a plan:",
        "  │ 1. look",
        "  │ 2. fix",
    ]
