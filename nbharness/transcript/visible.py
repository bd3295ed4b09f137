"""Text of an agent's, safe to print: nothing in it moves a cursor, and what matters is not invisible."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["one_line", "printable", "visible"]

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
# Drawn as nothing although their category does not say so: fillers, joiners and selectors.
_BLANK = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC, *range(0x180B, 0x1810)))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_ORDINARY = re.compile(r"[\x20-\x7e\n\t]*")
_PADDING = re.compile(r"(?<! ) {40,}+(?=\S)|\t{8,}+|\n{12,}+")
# What prose must not hold: controls, what turns the direction of reading, line separators, half pairs, hidden tags.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029"
    "\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return `text` with a code point in ``⟨ ⟩`` for every character that shows nothing, reorders or controls.

    For what somebody decides upon, such as a command. Line breaks and tabs stay. Padding that would push its end out
    of sight becomes a count.
    """
    folded = _PADDING.sub(_count, text)
    if _ORDINARY.fullmatch(folded):
        return folded
    return "".join(_chip(char) if _is_unseen(char) else char for char in folded)


def printable(text: str) -> str:
    """Return prose in which nothing controls, reorders or hides; emoji and joined letters stay whole.

    Tabs stay, and line breaks, of which only one kind is left.
    """
    return _HARMFUL.sub(lambda found: _chip(found[0]), text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, limit: int = 200) -> str:
    """Return `text` made visible, on one line, its middle left out beyond `limit` characters."""
    joined = " ".join(visible(text).split())
    if len(joined) <= limit:
        return joined
    tail = limit // 4
    return f"{joined[: limit - tail - 1].rstrip()} … {joined[-tail:].lstrip()}"


def _is_unseen(char: str) -> bool:
    return char not in "\n\t " and (char in _BLANK or unicodedata.category(char) in _UNSEEN_CATEGORIES)


def _chip(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"


def _count(padding: re.Match[str]) -> str:
    what = {" ": "spaces", "\t": "tabs", "\n": "line breaks"}[padding[0][0]]
    end = "\n" if what == "line breaks" else ""
    return f"{end}⟨{len(padding[0])} {what}⟩{end}"
