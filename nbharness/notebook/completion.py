"""Completing the options of ``%coder`` and their values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher

from nbharness.config import load
from nbharness.errors import NbHarnessError
from nbharness.notebook.options import option_names
from nbharness.turn_options import APPROVAL_MODES

__all__ = ["agent_names", "complete_coder", "offered"]

_MAGIC = re.compile(r"^\s*(?:[^\W\d]\w*\s*=\s*)?%%?coder\s+(?P<rest>.*)$")


def agent_names() -> list[str]:
    """Return the names of all agents, sorted."""
    from nbharness.adapters.registry import adapter_names  # noqa: PLC0415 (loading the extension stays quick)

    return adapter_names()


def _modes(agent: str) -> list[str]:
    from nbharness.notebook.choices import modes_of  # noqa: PLC0415 (loading the extension stays quick)

    return modes_of(agent)


def _models(agent: str) -> list[str]:
    from nbharness.notebook.choices import models_of  # noqa: PLC0415 (loading the extension stays quick)

    return models_of(agent)


def _definitions(words: Sequence[str]) -> list[str]:
    from nbharness.agents import definition_names  # noqa: PLC0415 (loading the extension stays quick)

    return definition_names(Path(_value_of("--workspace", words) or ".").expanduser())


_VALUES: dict[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "--approval": lambda _words: APPROVAL_MODES,
    "--agent": lambda _words: agent_names(),
    "--agent-def": _definitions,
    "--mode": lambda words: _modes(_agent_in(words)),
    "--model": lambda words: _models(_agent_in(words)),
}


def offered(text: str) -> list[str] | None:
    """Return what may stand at the end of a line so far.

    Args:
        text: The line up to the cursor.

    Returns:
        ``None`` when it is no ``%coder`` line, nothing inside the prompt.
    """
    match = _MAGIC.match(text)
    if match is None:
        return None
    words = match["rest"].split(" ")
    typed, before = words[-1], [word for word in words[:-1] if word]
    if not all(_belongs_to_options(before, index) for index in range(len(before))):
        return []
    values = _values(before[-1], before) if before and before[-1] in _VALUES else option_names()
    return [value for value in values if value.startswith(typed)]


@context_matcher()  # type: ignore[untyped-decorator]
def complete_coder(context: CompletionContext) -> dict[str, Any]:
    """IPython's matcher; it has the last word on ``%coder`` lines, so that prompts are not completed as Python."""
    values = offered(context.text_until_cursor)
    if values is None:
        return {"completions": []}
    typed = context.text_until_cursor.rsplit(" ", 1)[-1]
    return {
        "completions": [SimpleCompletion(text=value, type="param") for value in values],
        "matched_fragment": typed,
        "suppress": True,
        "ordered": True,
    }


def _values(option: str, words: Sequence[str]) -> Sequence[str]:
    try:
        return _VALUES[option](words)
    except NbHarnessError:  # running the line tells; completing it must not
        return []


def _agent_in(words: Sequence[str]) -> str:
    return _value_of("--agent", words) or _default_agent()


def _value_of(option: str, words: Sequence[str]) -> str:
    given = [after for word, after in itertools.pairwise(words) if word == option]
    given += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return given[-1] if given else ""


def _default_agent() -> str:
    from nbharness.adapters.default import agent_for  # noqa: PLC0415 (loading the extension stays quick)

    return agent_for(load()).agent


def _belongs_to_options(words: list[str], index: int) -> bool:
    return words[index].startswith("--") or (index > 0 and words[index - 1].startswith("--"))
