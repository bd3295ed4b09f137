"""An agent's Markdown, written anew: what it meant survives, what it could do to a reader does not.

Markdown programs disagree about what is code and what is HTML. So nothing is filtered: the text is parsed, and every
block, link and letter is written again in a form that all of them read the same way. Raw HTML becomes text, images
become links, formulas and diagrams stay source text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from nbharness.transcript.parsed import host_of, parse, safe_address
from nbharness.transcript.visible import printable

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["code_span", "escape_text", "fenced", "guarded", "indented", "neutral_markdown"]

# Languages that some reader draws, or loads something for, instead of showing them.
_DRAWN = frozenset(
    {"mermaid", "math", "latex", "katex", "geojson", "topojson", "stl", "svg", "html", "dot", "graphviz"}
)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,24}")
_SPECIAL = re.compile(r"[\\`*<>\[\]~|$!&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# By name where the character itself, even escaped, means something to a reader of formulas or tags.
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\\": "&#92;"}
_LINE_START = re.compile(r"[#+=-]|\d{1,9}(?=[.)])")


def neutral_markdown(text: str) -> str:
    """Return Markdown that says the same and cannot do anything."""
    return "\n\n".join(_blocks(iter(parse(printable(text)))))


def escape_text(text: str) -> str:
    """Return plain text as Markdown that shows it, on one line or several."""
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), text)


def code_span(text: str) -> str:
    """Return text on one line as inline code, whatever it holds."""
    joined = " ".join(text.split("\n"))
    ticks = "`" * (_longest_run(joined, "`") + 1)
    pad = " " if joined[:1] in {"`", " "} or joined[-1:] in {"`", " "} else ""
    return f"{ticks}{pad}{joined}{pad}{ticks}" if joined.strip() else "` `"


def fenced(text: str, language: str = "") -> str:
    """Return text as a code block whose fence is longer than any run of backticks inside."""
    fence = "`" * max(3, _longest_run(text, "`") + 1)
    name = language if _LANGUAGE.fullmatch(language) and language.lower() not in _DRAWN else ""
    return f"{fence}{name}\n{text.rstrip(chr(10))}\n{fence}"


def indented(text: str, by: str) -> str:
    """Return text with every line but the first moved right, as the content of a list item needs it."""
    return text.replace("\n", f"\n{by}").replace(f"\n{by}\n", "\n\n")


def _longest_run(text: str, char: str) -> int:
    return max((len(run) for run in re.findall(f"{re.escape(char)}+", text)), default=0)


def _blocks(tokens: Iterator[Token], end: str = "") -> list[str]:
    """Return the blocks up to the token of type `end`, each without a final line break."""
    blocks: list[str] = []
    bullet = ""
    for token in tokens:
        if token.type == end:
            break
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                # A second list in a row needs another marker, or it is taken for more of the first.
                first, other = ("-", "*") if token.type == "bullet_list_open" else (".", ")")
                bullet = other if bullet == first else first
                blocks.append(_list(tokens, token, bullet))
                continue
            case "heading_open":
                blocks.append(_heading(int(token.tag[1]), _inline(tokens)))
            case "paragraph_open":
                blocks.append(guarded(_inline(tokens)))
            case "blockquote_open":
                quoted = "\n\n".join(_blocks(tokens, "blockquote_close"))
                blocks.append("\n".join(f"> {line}".rstrip() for line in quoted.split("\n")))
            case "fence" | "code_block":
                blocks.append(fenced(token.content, token.info.strip().split(" ")[0]))
            case "table_open":
                blocks.append(_table(tokens))
            case "hr":
                blocks.append("___")
            case _:
                blocks += [guarded(escape_text(token.content))] if token.content else []
        bullet = ""
    return blocks


def _heading(level: int, text: str) -> str:
    line = " ".join(text.replace("\\\n", "\n").split("\n"))
    # Signs at its end would be taken for decoration.
    return f"{'#' * level} {line.removesuffix('#')}\\#" if line.endswith("#") else f"{'#' * level} {line}".rstrip()


def _list(tokens: Iterator[Token], opening: Token, bullet: str) -> str:
    ordered = opening.type == "ordered_list_open"
    start = opening.attrs.get("start", 1)
    number = start if isinstance(start, int) else 1
    items: list[str] = []
    loose = False
    while next(tokens).type == "list_item_open":
        marker = f"{number + len(items)}{bullet}" if ordered else bullet
        content = _blocks(tokens, "list_item_close")
        loose = loose or any(not _is_list(block) for block in content[1:])
        items.append(f"{marker} {indented(_item(content), ' ' * (len(marker) + 1))}".rstrip())
    return ("\n\n" if loose else "\n").join(items)


def _item(blocks: list[str]) -> str:
    """Join the blocks of an item; a list may follow its text at once unless its number would make it text."""
    return "".join(
        block if not place else ("\n" if block.startswith(("- ", "* ", "1. ", "1) ")) else "\n\n") + block
        for place, block in enumerate(blocks)
    )


def _is_list(block: str) -> bool:
    return block.startswith(("- ", "* ")) or bool(re.match(r"\d+[.)] ", block))


def _table(tokens: Iterator[Token]) -> str:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(" ".join(_spans(token).split("\n")).replace("\\|", "|").replace("|", "\\|"))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) if lines else ""


def _inline(tokens: Iterator[Token]) -> str:
    """Read the inline token and the closing one that follow an opening token."""
    text = _spans(next(tokens))
    next(tokens)
    return text


def _spans(token: Token) -> str:
    writer = _Spans()
    return "".join(map(writer.write, token.children or [])).strip()


class _Spans:
    """Writes inline tokens in order; remembers the links that are open."""

    def __init__(self) -> None:
        self._links: list[tuple[str, list[str]]] = []
        self._special: dict[str, Callable[[Token], str]] = {
            "code_inline": lambda token: code_span(token.content),
            "em_close": lambda _token: "*",
            "em_open": lambda _token: "*",
            "hardbreak": lambda _token: "\\\n",
            "image": self._image,
            "link_close": lambda _token: self._link_close(),
            "link_open": self._link_open,
            "s_close": lambda _token: "~~",
            "s_open": lambda _token: "~~",
            "softbreak": lambda _token: "\n",
            "strong_close": lambda _token: "**",
            "strong_open": lambda _token: "**",
        }

    def write(self, token: Token) -> str:
        special = self._special.get(token.type)
        if special is not None:
            return special(token)
        for _address, said in self._links:
            said.append(token.content)
        return escape_text(token.content)

    def _image(self, token: Token) -> str:
        what = f"Image: {token.content}" if token.content else "Image"
        address = "" if self._links else safe_address(str(token.attrs.get("src", "")))
        return (
            f"[{escape_text(what)}]({_destination(address)}){_whose(address, what)}" if address else escape_text(what)
        )

    def _link_open(self, token: Token) -> str:
        # An address in angle brackets inside a link's text is a link to the parser, but to nobody else.
        address = "" if self._links else safe_address(str(token.attrs.get("href", "")))
        self._links.append((address, []))
        return "[" if address else ""

    def _link_close(self) -> str:
        address, said = self._links.pop()
        return f"]({_destination(address)}){_whose(address, ''.join(said))}" if address else ""


def _destination(address: str) -> str:
    return quote(address, safe=":/?#@&+,;=%-._~")


def _whose(address: str, said: str) -> str:
    host = printable(host_of(address))
    return "" if host in said else f" ({escape_text(host)})"


def guarded(text: str) -> str:
    """Return the text of a paragraph so that no line of it is read as a heading, a list or a rule."""
    return "\n".join(_guarded_line(line.lstrip()) for line in text.split("\n"))


def _guarded_line(line: str) -> str:
    start = _LINE_START.match(line)
    if start is None:
        return line
    at = start.end() if start[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"
