"""An agent's Markdown as HTML that is safe in a page that trusts it: tags and attributes are ours, text is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from nbharness.transcript import styles
from nbharness.transcript.parsed import host_of, parse, safe_address
from nbharness.transcript.visible import printable

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["code_html", "prose_html"]

_TASK = re.compile(r"\[([ xX])\] ")


def prose_html(text: str) -> str:
    """Return Markdown as HTML blocks, one a line."""
    return "".join(_Writer().block(token) for token in parse(printable(text))).rstrip("\n")


def code_html(text: str) -> str:
    """Return text as inline code."""
    return f'<code style="{styles.CODE}">{escape(text)}</code>'


def _open(tag: str, style: str) -> str:
    return f'<{tag} style="{style}">'


# Tags that open and close around what they hold, by the token's type without "_open" and "_close".
_AROUND = {
    "blockquote": _open("blockquote", styles.QUOTE),
    "bullet_list": _open("ul", styles.LIST),
    "em": "<em>",
    "list_item": "<li>",
    "s": "<s>",
    "strong": "<strong>",
    "table": _open("table", styles.TABLE),
    "tbody": "<tbody>",
    "td": _open("td", styles.CELL),
    "th": _open("th", styles.CELL),
    "thead": "<thead>",
    "tr": "<tr>",
}
_BREAK_AFTER = frozenset({"blockquote", "bullet_list", "list_item", "ordered_list", "paragraph", "table", "tr"})


class _Writer:
    """Writes tokens in order; remembers the links that are open."""

    def __init__(self) -> None:
        self._links: list[tuple[str, list[str]]] = []
        self._special: dict[str, Callable[[Token], str]] = {
            "code_block": _code_block,
            "code_inline": lambda token: code_html(token.content),
            "fence": _code_block,
            "hardbreak": lambda _token: "<br>\n",
            "heading_close": lambda _token: "</strong></p>\n",
            # Not a heading: the outline of the page belongs to the notebook.
            "heading_open": lambda _token: f"{_open('p', styles.PARAGRAPH)}<strong>",
            "hr": lambda _token: f"{_open('hr', styles.RULE)}\n",
            "image": self._image,
            "inline": lambda token: "".join(map(self.block, token.children or [])),
            "link_close": lambda _token: self._link_close(),
            "link_open": self._link_open,
            "ordered_list_close": lambda _token: "</ol>\n",
            "ordered_list_open": _ordered_list,
            "paragraph_close": lambda token: "" if token.hidden else "</p>\n",
            "paragraph_open": lambda token: "" if token.hidden else _open("p", styles.PARAGRAPH),
            "softbreak": lambda _token: "\n",
        }

    def block(self, token: Token) -> str:
        special = self._special.get(token.type)
        if special is not None:
            return special(token)
        name, _, end = token.type.rpartition("_")
        if name in _AROUND:
            tag = _AROUND[name]
            return tag if end == "open" else f"</{token.tag}>" + ("\n" if name in _BREAK_AFTER else "")
        return self._text(token.content)

    def _text(self, text: str) -> str:
        for _address, said in self._links:
            said.append(text)
        return escape(_TASK.sub(_checkbox, text, count=1) if _TASK.match(text) else text)

    def _image(self, token: Token) -> str:
        """Nothing is fetched: an image would tell its server that this notebook was opened, and when."""
        what = f"Image: {token.content}" if token.content else "Image"
        address = "" if self._links else safe_address(str(token.attrs.get("src", "")))
        return f"{_anchor(address)}{escape(what)}</a>{_whose(address, what)}" if address else escape(what)

    def _link_open(self, token: Token) -> str:
        # An address in angle brackets inside a link's text is a link too; HTML has no links in links.
        address = "" if self._links else safe_address(str(token.attrs.get("href", "")))
        self._links.append((address, []))
        return _anchor(address) if address else ""

    def _link_close(self) -> str:
        address, said = self._links.pop()
        return f"</a>{_whose(address, ''.join(said))}" if address else ""


def _code_block(token: Token) -> str:
    return f"{_open('pre', styles.PRE)}{escape(token.content.rstrip(chr(10)))}</pre>\n"


def _ordered_list(token: Token) -> str:
    start = token.attrs.get("start")
    number = f' start="{start}"' if isinstance(start, int) else ""
    return f'<ol{number} style="{styles.LIST}">'


def _anchor(address: str) -> str:
    return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow" target="_blank">'


def _whose(address: str, said: str) -> str:
    """Where a link really goes, unless its text says so."""
    host = printable(host_of(address))
    return "" if host in said else f' <span style="{styles.MUTED}">({escape(host)})</span>'


def _checkbox(found: re.Match[str]) -> str:
    return "☐ " if found[1] == " " else "☑ "
