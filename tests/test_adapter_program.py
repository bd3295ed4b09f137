"""What the adapters of programs share: reading their lines, and what is read off their errors."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nbharness.adapters.program import Unreadable, last_words, read_message, retry_after
from nbharness.process import Line, LineTooLong, PartialLine

DECODER = msgspec.json.Decoder(dict[str, Any])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached. Please try again in 20s.", 20),
        ("try again in 1.5 minutes", 90),
        ("Please try again in 6m0s. Visit the site", 360),
        ("try again in 1h2m3.5s", 3723.5),
        ("try again in 200ms", 0.2),
        ("Try again in 2 days", 172800),
        ("retry-after: 7", 7),
        ("HTTP 429 {'retry-after': '30'}", 30),
        ('"retryDelay": "37s"', 37),
        ("Retry after 12 seconds", 12),
        ("retried 5 times (total retry wait time: 11.04 seconds)", None),
        ("retry 2 of 5 failed", None),
        ("try again later", None),
        ("", None),
    ],
)
def test_wait_is_read_off_an_error(text: str, seconds: float | None) -> None:
    assert retry_after(text) == seconds


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"a": 1}', {"a": 1}),
        (PartialLine(b'{"a": 1}'), {"a": 1}),
        (b'{"a": "\\ud83d"}', {"a": "\ufffd"}),
        (b'{"a": NaN, "b": 1}', {"a": None, "b": 1}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b"  ", None),
    ],
)
def test_line_is_read_and_repaired(line: Line, message: dict[str, Any] | None) -> None:
    assert read_message("codex", line, DECODER) == message


@pytest.mark.parametrize("line", [b"no json", b"[1]", b"null", b"[" * 100_000, PartialLine(b'{"a": ')])
def test_line_that_is_no_message_is_shown(line: bytes | PartialLine) -> None:
    data = line.data if isinstance(line, PartialLine) else line
    read = read_message("codex", line, DECODER)
    assert read == Unreadable("protocol", f"codex sent a line that is no message: {data[:500].decode()}")


def test_long_line_is_left_out() -> None:
    assert read_message("codex", LineTooLong(9), DECODER) == Unreadable(
        "line_too_long", "codex sent a line of 9 bytes; it was left out"
    )


def test_last_words_are_few_and_plain() -> None:
    assert last_words("a\nb\nc\nd\n\x1b[31me\x1b[0m\nf\n\n") == "b\nc\nd\ne\nf"
    assert last_words(" \n") == ""
    assert len(last_words("x" * 5000)) == 1000
