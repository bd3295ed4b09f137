"""The words of an HTML page. Pure.

The scanner is our own: ``html.parser`` takes minutes for a hostile page of some kilobytes, and raises for others. This
one reads every character a fixed number of times and raises for none.
"""

from __future__ import annotations

import html
import re

__all__ = ["text_of_html"]

_TOKEN = re.compile(
    r"""
    (?P<text> [^<]++ )
    | <!-- (?> .*?--> | .*+ )
    | <[!?] [^>]*+ >?
    | < (?P<end>/?) (?P<tag>[a-zA-Z][^\s/>]*+)
        (?P<rest> (?: [^>=]++ | = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s>"'][^\s>]*+ )?+ )*+ ) (?: > | \Z )
    | </ [^>]*+ >?
    | (?P<sign> (?: < (?=<) )++ | < )
    """,
    re.DOTALL | re.VERBOSE,
)
_HREF = re.compile(r"""(?<!\S) href \s*+ = \s*+ ["']? (?P<address> https?://[^\s"'>]*+ )""", re.IGNORECASE | re.VERBOSE)
_ENDLESS_NUMBER = re.compile(r"&#[0-9]{8,}+;?")

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_OF_THE_HEAD = frozenset({"base", "head", "link", "meta", "noscript", "script", "style", "template", "title"})
_BLOCKS = frozenset({
    "article", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
})  # fmt: skip


def text_of_html(page: str) -> str:
    """Return what a reader would see, one line a block; preformatted text keeps its indentation. Raises for no page."""
    return _Reader().read(page)


class _Reader:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._silent = ""
        self._depth = 0
        self._is_pre = False

    def read(self, page: str) -> str:
        at = 0
        while at < len(page):
            token = _TOKEN.match(page, at)
            if token is None:  # cannot be: every character begins one
                break
            at = self._take(token, page)
        self._break()
        return "\n".join(self._lines)

    def _take(self, token: re.Match[str], page: str) -> int:
        """Take one token; return where the next begins."""
        tag = (token["tag"] or "").lower()
        if not tag:
            self._say(token["text"] or token["sign"] or "")
        elif token["end"]:
            self._end(tag)
        else:
            self._start(tag, token["rest"])
            if tag in _RAW:
                close = _RAW[tag].search(page, token.end())
                return close.start() if close else len(page)
        return token.end()

    def _start(self, tag: str, rest: str) -> None:
        if self._silent == "head" and tag not in _OF_THE_HEAD:
            self._silent = ""  # its end tag may be left out
        if self._silent:
            self._depth += tag == self._silent
        elif tag in _SILENT:
            self._silent, self._depth = ("", 0) if rest.endswith("/") else (tag, 1)
        elif tag == "a" and (link := _HREF.search(rest)):
            self._line.append(f" ({html.unescape(link['address'])}) ")
        elif tag in _BLOCKS:
            self._break()
            self._is_pre = self._is_pre or tag == "pre"

    def _end(self, tag: str) -> None:
        if self._silent:
            self._depth -= tag == self._silent
            self._silent = self._silent if self._depth else ""
        elif tag in _BLOCKS:
            self._break()
            self._is_pre = self._is_pre and tag != "pre"

    def _say(self, text: str) -> None:
        if self._silent:
            return
        words = html.unescape(_ENDLESS_NUMBER.sub("\ufffd", text))
        if not self._is_pre:
            self._line.append(words)
            return
        first, *more = words.split("\n")
        self._line.append(first)
        for line in more:
            self._break()
            self._line.append(line)

    def _break(self) -> None:
        line = "".join(self._line)
        self._line.clear()
        line = line.rstrip() if self._is_pre else " ".join(line.split())
        if line.strip():
            self._lines.append(line)
