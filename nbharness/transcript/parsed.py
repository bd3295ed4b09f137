"""Parsing an agent's Markdown; raw HTML in it is text, and only a few kinds of link survive."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["host_of", "parse", "safe_address"]

_SCHEMES = frozenset({"http", "https", "mailto"})
_MAX_NESTING = 24


@lru_cache(maxsize=16)
def parse(text: str) -> tuple[Token, ...]:
    """Return the block tokens of a Markdown text: CommonMark without HTML, and GitHub's tables and strikethrough.

    Every form of a transcript reads the same ones; nobody changes them.
    """
    return tuple(_parser().parse(text))


def safe_address(href: str) -> str:
    """Return the address if a click on it is safe, else ``""``.

    A relative one is not: it would mean the server of whoever reads the notebook.
    """
    try:
        parts = urlsplit(href)
        host = parts.hostname
    except ValueError:
        return ""
    if parts.scheme.lower() not in _SCHEMES or "\\" in href or any(ord(char) <= 0x20 for char in href):  # noqa: PLR2004
        return ""
    return href if host or parts.scheme.lower() == "mailto" else ""


def host_of(address: str) -> str:
    """Return whose address it is: the host, or what a letter goes to."""
    parts = urlsplit(address)
    return parts.path if parts.scheme.lower() == "mailto" else parts.hostname or ""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Loading it takes 20 ms, which only a finished turn has to spend.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    # Every link is parsed; which of them may be followed is decided where they are written.
    parser.validateLink = lambda _url: True  # type: ignore[method-assign, assignment]
    return parser
