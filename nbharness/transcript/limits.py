"""How much of a turn a notebook keeps: a ladder from everything down to the verdict alone."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LADDER", "Limits"]


class Limits(NamedTuple):
    """How much of each part may stay: bytes of UTF-8, and for `items` a number.

    Attributes:
        answer: The agent's last message, and what went wrong.
        diff: One file's patch.
        text: Any other message, plan or notice.
        output: What one tool printed or returned.
        args: One text in the arguments of a call.
        label: A name, path or the like.
        items: Items of the turn; the newest stay.
    """

    answer: int
    diff: int
    text: int
    output: int
    args: int
    label: int
    items: int


_SHRINK = 0.75
_RUNGS = 36


def _rung(step: int) -> Limits:
    part = _SHRINK**step
    return Limits(
        answer=max(1024, int(65_536 * part)),
        diff=int(65_536 * part),
        text=max(256, int(32_768 * part)),
        output=int(32_768 * part**1.5),
        args=max(64, int(8_192 * part)),
        label=max(128, int(2_048 * part)),
        items=int(8_192 * part),
    )


LADDER = (*map(_rung, range(_RUNGS)), Limits(answer=512, diff=0, text=256, output=0, args=0, label=64, items=0))
"""The first rung that fits is taken. Output goes first, the answer last; the last rung has a bounded size."""
