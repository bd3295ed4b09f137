"""The small parts of a transcript: verbs, numbers, what a terminal leaves, and what must not stay unseen."""

from __future__ import annotations

import json
import time
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from nbharness.state import ApprovalItem
from nbharness.transcript import printable, visible
from nbharness.transcript.decisions import approved_words, refusal_of
from nbharness.transcript.patch import line_kinds
from nbharness.transcript.screen import screen_text
from nbharness.transcript.texts import clip, head, line_count, size, tail
from nbharness.transcript.verbs import describe
from nbharness.transcript.visible import one_line
from nbharness.transcript.words import changes, clock_time, compact, date_and_time, dollars, duration, plural

VERBS = json.loads((Path(__file__).parent / "golden" / "verbs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VERBS, ids=lambda case: case["name"] or "unnamed")
def test_a_tool_call_in_words(case: dict[str, Any]) -> None:
    kind, doing, done, subject, is_code, used = describe(
        case["name"], case["args"], case.get("known"), case.get("title", "")
    )
    said = {"kind": kind, "doing": doing, "done": done, "subject": subject, "isCode": is_code, "used": used}
    assert said == {key: case[key] for key in said}


def test_numbers_in_words() -> None:
    assert [duration(s) for s in (0, 0.84, 9.94, 9.95, 59.4, 59.5, 108, 3729)] == [
        *("0.0 s", "0.8 s", "9.9 s", "10 s", "59 s", "0:59", "1:48", "1:02:09"),
    ]
    assert [clock_time(s) for s in (-1, 21, 108)] == ["0:00", "0:21", "1:48"]
    assert [compact(n) for n in (820, 1000, 8234, 34_000, 999_499, 999_500, 12_345_678)] == [
        *("820", "1k", "8.2k", "34k", "999k", "1M", "12M"),
    ]
    assert [dollars(d) for d in (0, 0.11, 0.0004)] == ["$0.00", "$0.11", "$0.0004"]
    assert plural(1, "file") == "1 file"
    assert plural(1284, "line") == "1,284 lines"
    assert changes(1284, 2) == "+1,284 \N{MINUS SIGN}2"
    assert date_and_time(1_796_047_260, UTC) == "30 Nov 2026 14:01"
    assert date_and_time(1e300) == ""


@pytest.mark.parametrize(
    ("stream", "screen"),
    [
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("loading...\x1b[2K\rok", "ok"),
        ("\x1b[31;1mred\x1b[0m plain", "red plain"),
        ("ab\x08c", "ac"),
        ("abc\x1b[1Gx\x1b[2Cy", "xbcy"),
        ("abcdef\x1b[3D\x1b[K", "abc"),
        ("abc\x1b[1K\x1b[1Gx", "x"),
        ("abcd\x1b[4D\x1b[2P", "cd"),
        ("\x1b]0;title\x07\x1b]8;;https://x.invalid\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[6n\x1b[?25l\x1bPq\x1b\\\x9b31mtext", "text"),
        ("a\tb\n  \tc", "a\tb\n  \tc"),
        ("bell\x07 nul\0", "bell⟨U+0007⟩ nul⟨U+0000⟩"),
        ("cut \x1b[12", "cut 12"),
        ("x" * 5000 + "\ry", "x" * 4096 + "\ny" + "x" * 903),
    ],
)
def test_what_a_terminal_leaves(stream: str, screen: str) -> None:
    assert screen_text(stream) == screen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ls -la\n\tx", "ls -la\n\tx"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200bb\u00adc\ufeff", "a⟨U+200B⟩b⟨U+00AD⟩c⟨U+FEFF⟩"),
        ("x\u3164y\u2800z\ufe0f\U000e0041", "x⟨U+3164⟩y⟨U+2800⟩z⟨U+FE0F⟩⟨U+E0041⟩"),
        ("a\u00a0b\u2028c\ue000", "a⟨U+00A0⟩b⟨U+2028⟩c⟨U+E000⟩"),
        ("\x1b[31m", "⟨U+001B⟩[31m"),
        ("ls" + " " * 212 + "; rm", "ls⟨212 spaces⟩; rm"),
        ("é字🙂", "é字🙂"),
        ("a" + "\n" * 20 + "b", "a\n⟨20 line breaks⟩\nb"),
    ],
)
def test_what_somebody_decides_upon_hides_nothing(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_prose_keeps_emoji_and_joined_letters_but_nothing_that_controls() -> None:
    family = "👨\u200d👩\u200d👧 ⚠\ufe0f \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert printable(family) == family
    assert printable("a\u202eb\r\nc\rd\x1b[2J\x9b\u2028") == "a⟨U+202E⟩b\nc\nd⟨U+001B⟩[2J⟨U+009B⟩⟨U+2028⟩"


def test_a_long_line_loses_its_middle_and_keeps_its_end() -> None:
    line = one_line("echo " + "x" * 500 + "\n; rm -rf build/", 100)
    assert len(line) <= 102
    assert line.startswith("echo x")
    assert line.endswith("; rm -rf build/")


def test_cutting_keeps_characters_and_lines_whole() -> None:
    assert head("one\ntwo\nthree", 9) == "one\ntwo\n"
    assert tail("one\ntwo\nthree", 11) == "two\nthree"
    assert head("éééé", 5) == "éé"
    assert tail("éééé", 5) == "éé"
    assert head("x" * 10, 4) == "xxxx"
    assert tail("abc", 0) == ""
    assert (line_count(""), line_count("a"), line_count("a\n"), line_count("a\nb")) == (0, 1, 1, 2)


def test_what_is_cut_is_counted_to_the_byte() -> None:
    text = "é" * 100
    kept, missing = clip(text, 51)
    assert kept == "é" * 25 + "\n\n… 150 bytes left out"
    assert missing == size(text) - 50
    assert clip("short", 51) == ("short", 0)
    cut_code, _ = clip("```py\n" + "x = 1\n" * 100, 100)
    assert cut_code.count("```") == 2


def test_a_diff_line_is_what_its_hunk_says() -> None:
    lines = [
        "--- a/x.sql",
        "+++ b/x.sql",
        "@@ -1,2 +1,2 @@ head",
        "--- comment",
        "+++ plus",
        " same",
        "--- stray",
        "\\ No newline",
    ]
    assert line_kinds(lines) == ["header", "header", "hunk", "removed", "added", "same", "header", "same"]
    assert line_kinds(["@@ -1,9 +1,9 @@", "+a", "+b"]) == ["hunk", "added", "added"]
    assert line_kinds(["+lying", "-patch"]) == ["added", "removed"]


def decided(**fields: Any) -> ApprovalItem:
    return ApprovalItem(id="a", tool_name="Bash", args={}, asked_at=0.0, **fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "approved", "by": "user"}, "approved by you"),
        ({"status": "approved", "by": "user", "edited": True}, "approved, edited by you"),
        ({"status": "approved", "by": "terminal"}, "approved in the terminal"),
        ({"status": "approved", "by": "code"}, "approved by code"),
        ({"status": "approved", "by": "rule", "reason": "git status"}, "by rule: git status"),
        ({"status": "approved", "by": "rule"}, "by a rule"),
        ({"status": "approved", "by": "mode"}, ""),
        ({}, "not decided yet"),
    ],
)
def test_who_approved(fields: dict[str, Any], words: str) -> None:
    assert approved_words(decided(**fields)) == words
    assert refusal_of(decided(**fields)) is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "rejected", "by": "user", "reason": "no\nway"}, ("Rejected", "by you", "“no way”")),
        ({"status": "rejected", "by": "terminal"}, ("Rejected", "in the terminal", "")),
        ({"status": "rejected", "by": "nobody", "reason": "headless"}, ("Refused", "", "nobody could answer")),
        ({"status": "rejected", "by": "rule", "reason": "rm"}, ("Refused", "by rule: rm", "")),
        ({"status": "rejected", "by": "mode", "reason": "plan mode"}, ("Refused", "", "plan mode")),
        ({"status": "expired", "by": "nobody"}, ("Expired", "", "nobody answered in time")),
        ({"status": "cancelled", "by": "turn"}, ("Expired", "", "the turn ended first")),
    ],
)
def test_who_refused(fields: dict[str, Any], words: tuple[str, str, str]) -> None:
    assert refusal_of(decided(**fields)) == words


ENDLESS = [
    " ",
    "\t",
    "\n",
    "\x1b[1K",
    "\x1b[P",
    "\x1b]",
    "\x1bP",
    "\x1b",
    "\x9b",
    "a\r",
    "\x08",
    "\x1b[0;1;2",
    "\t\r",
    "\u200b",
]


@pytest.mark.parametrize("seed", ENDLESS)
def test_time_is_linear_in_hostile_text(seed: str) -> None:
    def seconds(length: int) -> float:
        text, best = (seed * length)[:length], float("inf")
        for _ in range(3):
            start = time.process_time()
            screen_text(text)
            visible(text)
            best = min(best, time.process_time() - start)
        return best

    # A quadratic step takes 64 times as long for 8 times the text.
    assert seconds(40_000) < 32 * seconds(5_000) + 0.02
