"""``nbharness agents --defs``: the agents that a directory declares, and what is wrong with those that are broken."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nbharness.agents import Definition, definition_names, discover
from nbharness.cli.colour import ink_for
from nbharness.cli.exit_codes import DONE
from nbharness.errors import BrokenDefinition, UnknownName
from nbharness.transcript.ink import Ink
from nbharness.transcript.visible import visible

__all__ = ["list_definitions"]

_WIDTH = 80
_NAME_WIDTH = 14


def list_definitions(workspace: Path, names: Sequence[str], *, as_json: bool) -> int:
    """Print the agents that a directory declares; nothing of theirs is run.

    Args:
        workspace: The directory.
        names: Only these; all when there are none.
        as_json: As one JSON object.

    Raises:
        UnknownName: It declares no agent of that name.
        WorkspaceError: It cannot be opened.
    """
    known = definition_names(workspace)
    for name in names:
        if name not in known:
            raise UnknownName("agent of the workspace", name, known)
    found = discover(workspace)
    wanted = [definition for definition in found.definitions if not names or definition.name in names]
    problems = [problem for problem in found.problems if not names or _is_about(problem, names)]
    if as_json:
        shown = {"definitions": list(map(_as_json, wanted)), "problems": list(map(_problem_as_json, problems))}
        print(msgspec.json.format(msgspec.json.encode(shown), indent=2).decode())
    elif wanted or problems:
        ink = ink_for(sys.stdout)
        blocks = [list(_lines(definition, ink)) for definition in wanted]
        blocks += [[ink.removed(f"broken: {visible(str(problem))}")] for problem in problems]
        print("\n\n".join("\n".join(block) for block in blocks))
    else:
        print("No agents are declared here; make agents/NAME/instructions.md")
    return DONE


def _lines(definition: Definition, ink: Ink) -> Iterator[str]:
    yield ink.strong(visible(definition.name).ljust(_NAME_WIDTH)) + visible(definition.path)
    for text in filter(None, [definition.description, ", ".join(_facts(definition))]):
        for line in textwrap.wrap(visible(text), _WIDTH - _NAME_WIDTH, break_on_hyphens=False):
            yield " " * _NAME_WIDTH + ink.muted(line)


def _facts(definition: Definition) -> Iterator[str]:
    if definition.agent:
        yield f"agent {definition.agent}"
    if definition.model:
        yield f"model {definition.model}"
    if definition.approval:
        yield f"approval {definition.approval}"
    if definition.tools is not None:
        yield "tools " + (" ".join(definition.tools) or "none")
    if definition.skills:
        yield "skills " + " ".join(skill.name for skill in definition.skills)
    if definition.code:
        yield "runs " + " ".join(source.path for source in definition.code)


def _as_json(definition: Definition) -> dict[str, Any]:
    return {
        "name": definition.name,
        "path": definition.path,
        "description": definition.description,
        "agent": definition.agent,
        "model": definition.model,
        "approval": definition.approval,
        "tools": definition.tools,
        "skills": [{"name": skill.name, "description": skill.description} for skill in definition.skills],
        "runs": [source.path for source in definition.code],
    }


def _problem_as_json(problem: BrokenDefinition) -> dict[str, Any]:
    return {"path": problem.path, "line": problem.line, "problem": problem.problem}


def _is_about(problem: BrokenDefinition, names: Sequence[str]) -> bool:
    return any(name in problem.path.split("/") for name in names)
