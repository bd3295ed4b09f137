"""The words of an HTML page. Pure."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["text_of_html"]

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_BLOCKS = frozenset({
    "article", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
})  # fmt: skip


def text_of_html(page: str) -> str:
    """Return what a reader would see, one line a block."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).splitlines())
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag in _BLOCKS:
            self.parts.append("\n")
        if tag == "a" and not self._silent and (href := dict(attrs).get("href") or "").startswith("http"):
            self.parts.append(f" ({href}) ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)
