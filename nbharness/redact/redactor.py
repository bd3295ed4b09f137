"""Finding and masking secrets in finished text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from nbharness.redact.formats import FORMAT_SCAN
from nbharness.redact.forms import forms_of
from nbharness.redact.names import secrets_in
from nbharness.redact.rarity import grouped, rarest

__all__ = ["Redactor"]

_PROBE = 6


class Span(NamedTuple):
    """A secret in a text.

    Attributes:
        start: Index of its first character.
        end: Index after its last one.
        mask: What stands in its place.
    """

    start: int
    end: int
    mask: str


class _Literal(NamedTuple):
    """A text to look for: where its rarest character stands, `back` characters earlier it begins."""

    back: int
    text: str
    mask: str


class Redactor:
    """Masks secrets; immutable and safe to use from every thread.

    Two passes, one for the secrets and one for the known formats, each a single compiled alternation whose time is
    linear in the text and hardly depends on how many secrets there are.

    Args:
        secrets: Value -> name that is shown in its place. Values shorter than 8 characters are not looked for.

    Attributes:
        literals: Every text that is looked for as it stands; the known formats come on top.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        forms: dict[str, str] = {}
        for value, name in (secrets or {}).items():
            for form in forms_of(value):
                forms.setdefault(form, name)
        self.literals = frozenset(forms)
        self._by_char: dict[str, list[_Literal]] = defaultdict(list)
        for text, name in forms.items():
            back = rarest(text)
            self._by_char[text[back]].append(_Literal(back, text, f"[redacted: {name}]"))
        self._scan = re.compile(grouped(sorted({_probe(text) for text in forms}))) if forms else None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Redactor:
        """Return a redactor for the secrets among `environ`, such as ``os.environ``."""
        return cls(secrets_in(environ))

    def __call__(self, text: str) -> str:
        """The same as :meth:`redact`."""
        return self.redact(text)

    def redact(self, text: str) -> str:
        """Return `text` with every secret replaced by ``[redacted]`` or ``[redacted: NAME]``.

        A mask is never masked again. JSON stays valid JSON, also when it was masked as text.
        """
        spans = self.spans(text)
        if not spans:
            return text
        parts: list[str] = []
        done = 0
        for start, end, mask in spans:
            parts += (text[done:start], mask)
            done = end
        return "".join((*parts, text[done:]))

    def redact_json(self, value: Any) -> Any:
        """Return a JSON-like value with every string in it masked, keys included.

        Args:
            value: Dicts, lists, tuples, strings and scalars, nested at most as deep as JSON decoders allow.
        """
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact_json(key): self.redact_json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_json(item) for item in value]
        return value

    def spans(self, text: str) -> list[Span]:
        """Return where the secrets are, in order, without overlaps."""
        found = [Span(*match.span(match.lastindex or 0), "[redacted]") for match in FORMAT_SCAN.finditer(text)]
        if self._scan:
            found += [
                Span(start, start + len(secret), mask)
                for hit in self._scan.finditer(text)
                for back, secret, mask in self._by_char[hit[0]]
                if (start := hit.start() - back) >= 0 and text.startswith(secret, start)
            ]
        return _merged(found) if found else found


def _probe(text: str) -> tuple[str, str]:
    """Its rarest character, and the pattern of the six characters around; one character is consumed."""
    at = rarest(text)
    first = max(0, min(at, len(text) - _PROBE))
    before, after = text[first : at + 1], text[at + 1 : first + _PROBE]
    lookbehind = f"(?<={re.escape(before)})" if len(before) > 1 else ""
    return text[at], lookbehind + (f"(?={re.escape(after)})" if after else "")


def _merged(spans: list[Span]) -> list[Span]:
    """Join what overlaps; the mask that names a variable wins over the one that does not."""
    merged: list[Span] = []
    for span in sorted(spans):
        last = merged[-1] if merged else None
        if last is None or span.start > last.end or (span.start == last.end and span.mask != last.mask):
            merged.append(span)
        else:
            merged[-1] = Span(last.start, max(last.end, span.end), max(last.mask, span.mask, key=len))
    return merged
