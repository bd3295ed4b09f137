"""The head of a Markdown file: YAML between two lines ``---``, read as flat keys whose lines are known.

PyYAML only takes the text apart into nodes, it makes no values of them: so every key has its line, a date stays the
text that was typed, and nothing in the file can name a Python object. It belongs to nbharness's own requirements and
not to an extra, since JupyterLab brings it anyway and definitions work with every agent. A reader of our own would read
a subset of YAML that nobody knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec
import yaml

from nbharness.errors import BrokenDefinition

__all__ = ["FrontMatter", "Value", "read_front_matter"]

_FENCE = "---"
_MAX_CHARS = 4096
_MAX_BRACKETS = 64  # more of them take PyYAML seconds
_MAX_TEXT = 1024  # it stands in prompts and lists
_SHOWN_CHARS = 60


class Value(msgspec.Struct, frozen=True):
    """What a key says.

    Attributes:
        line: Line of the file, from 1.
        texts: The text, or the texts of a list.
        is_list: Whether it was a list.
    """

    line: int
    texts: tuple[str, ...]
    is_list: bool


class FrontMatter(msgspec.Struct, frozen=True):
    """A file, taken apart.

    Attributes:
        path: The file, for errors.
        values: What it says, by key; a key without a value is left out.
        body: What stands below, without blank lines around it.
    """

    path: str
    values: dict[str, Value]
    body: str

    def text(self, key: str) -> str | None:
        """Return a text on one line, or ``None`` when the key is not there.

        Raises:
            BrokenDefinition: It is a list, or empty.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if value.is_list:
            raise BrokenDefinition(self.path, value.line, f"{key} is a list; valid: one text")
        text = " ".join(value.texts[0].split())
        if len(text) > _MAX_TEXT:
            raise BrokenDefinition(
                self.path, value.line, f"{key} has {len(text)} characters; valid: at most {_MAX_TEXT}"
            )
        if not text:
            raise BrokenDefinition(self.path, value.line, f"{key} is empty; give it a value or leave it out")
        return text


def read_front_matter(path: str, text: str, valid: Collection[str]) -> FrontMatter:
    """Take a file apart. One that does not begin with ``---`` has a body only.

    Args:
        path: The file, for errors.
        text: Its content, from anywhere.
        valid: The keys that there may be.

    Raises:
        BrokenDefinition: The head cannot be read, has another key, or a value that is no text and no list of such.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        return FrontMatter(path, {}, "\n".join(lines).strip())
    end = next((number for number, line in enumerate(lines) if number and line.rstrip() == _FENCE), None)
    if end is None:
        raise BrokenDefinition(path, 1, f"the front matter does not end; put a line {_FENCE} below it")
    head = "\n".join(lines[1:end])
    if len(head) > _MAX_CHARS:
        raise BrokenDefinition(path, 1, f"the front matter has {len(head)} characters; valid: at most {_MAX_CHARS}")
    if head.count("[") + head.count("{") > _MAX_BRACKETS:
        raise BrokenDefinition(path, 1, f"the front matter has more than {_MAX_BRACKETS} brackets")
    values = {key: value for key, value in _pairs(path, head, valid) if value.texts or value.is_list}
    return FrontMatter(path, values, "\n".join(lines[end + 1 :]).strip())


def _pairs(path: str, head: str, valid: Collection[str]) -> Iterator[tuple[str, Value]]:
    node = _composed(path, head)
    if node is None:
        return
    if not isinstance(node, yaml.MappingNode):
        raise BrokenDefinition(path, _line(node), "the front matter is no list of keys; valid: key: value")
    seen: set[str] = set()
    for name, value in node.value:
        key = name.value if isinstance(name, yaml.ScalarNode) else ""
        if key not in valid:
            shown = repr(key) if key else "that is no text"
            raise BrokenDefinition(path, _line(name), f"unknown key {_short(shown)}. Valid: {', '.join(sorted(valid))}")
        if key in seen:
            raise BrokenDefinition(path, _line(name), f"{key} is there twice")
        seen.add(key)
        yield key, _value(path, key, value)


def _composed(path: str, head: str) -> yaml.Node | None:
    try:
        return yaml.compose(head, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 2 if mark is None else mark.line + 2
        raise BrokenDefinition(path, line, f"cannot be read: {error.problem or error.context}") from error
    # A character that YAML does not know, too many brackets, an escape beyond Unicode.
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        line = 2 + head[: getattr(error, "position", 0)].count("\n")
        raise BrokenDefinition(path, line, f"cannot be read: {getattr(error, 'reason', error)}") from error


def _value(path: str, key: str, node: yaml.Node) -> Value:
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    for each in nodes:
        if not isinstance(each, yaml.ScalarNode):
            raise BrokenDefinition(path, _line(each), f"{key} holds more than text; valid: a text or a list of texts")
        if not _is_text(each.value):
            raise BrokenDefinition(path, _line(each), f"{key} holds characters that no text has")
    texts = tuple(each.value for each in nodes if each.tag != "tag:yaml.org,2002:null")
    return Value(_line(node), texts, isinstance(node, yaml.SequenceNode))


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # half a character, by an escape
        return False
    return "\0" not in value


def _line(node: yaml.Node) -> int:
    """Return the line in the file: marks count from 0 and from below the fence."""
    return int(node.start_mark.line) + 2


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
