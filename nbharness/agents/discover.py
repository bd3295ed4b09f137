"""Finds the declarative agents of a workspace. Reads only: imports nothing, runs nothing, follows no link out of it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from nbharness.agents.definition import STRICTNESS, Definition, SourceFile
from nbharness.agents.front_matter import FrontMatter, read_front_matter
from nbharness.agents.reading import exists, names_in, read_source
from nbharness.agents.skills import read_skills
from nbharness.approvals import ApprovalMode
from nbharness.errors import BrokenDefinition, ConfigError, UnknownName, WorkspaceError
from nbharness.tools.base import ToolError
from nbharness.tools.tree import Tree

__all__ = ["FOLDERS", "Found", "definition_names", "discover", "select"]

FOLDERS = ("agents", "app/agents")
"""Where agents are looked for; of two with one name the first counts."""

_SHARED = "shared"
_MAX_NAMES = 1000  # the folder may be a Python package of somebody else's
_KEYS = ("agent", "approval", "description", "model", "tools")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MODULE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\.py")
_TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Found(msgspec.Struct, frozen=True):
    """What a workspace declares.

    Attributes:
        definitions: Those that can be used, by name.
        problems: What is wrong with the others.
    """

    definitions: tuple[Definition, ...]
    problems: tuple[BrokenDefinition, ...]


def discover(workspace: Path) -> Found:
    """Return the agents that a workspace declares; a broken one does not hide the others.

    Raises:
        WorkspaceError: It cannot be opened.
    """
    found: dict[str, Definition] = {}
    problems: list[BrokenDefinition] = []
    with _opened(workspace) as tree:
        for folder in FOLDERS:
            for name in _names(tree, folder, problems):
                if name in found:
                    why = f"is hidden by {found[name].folder}, which has the same name"
                    problems.append(BrokenDefinition(f"{folder}/{name}", None, why))
                    continue
                try:
                    found[name] = _read(tree, folder, name)
                except BrokenDefinition as problem:
                    problems.append(problem)
    return Found(tuple(found[name] for name in sorted(found)), tuple(problems))


def definition_names(workspace: Path) -> list[str]:
    """Return the names of the agents that a workspace declares, broken ones too, without reading them.

    Raises:
        WorkspaceError: It cannot be opened.
    """
    with _opened(workspace) as tree:
        return sorted({name for folder in FOLDERS for name in _names(tree, folder, [])})


def select(workspace: Path, name: str) -> Definition:
    """Return one agent of a workspace.

    Raises:
        UnknownName: There is none of that name.
        ConfigError: There is none at all.
        BrokenDefinition: It cannot be used; the message names file and line.
        WorkspaceError: The workspace cannot be opened.
    """
    problems: list[BrokenDefinition] = []
    with _opened(workspace) as tree:
        for folder in FOLDERS:
            if name in _names(tree, folder, problems):
                return _read(tree, folder, name)
    valid = definition_names(workspace)
    if not valid:
        why = f": {problems[0]}" if problems else "; make agents/NAME/instructions.md"
        raise ConfigError(f"no agent {name!r}: the workspace {str(workspace)!r} declares none{why}")
    raise UnknownName("agent of the workspace", name, valid)


def _opened(workspace: Path) -> Tree:
    try:
        return Tree(workspace)
    except ToolError as error:
        raise WorkspaceError(str(error), str(workspace)) from error


def _names(tree: Tree, folder: str, problems: list[BrokenDefinition]) -> list[str]:
    """Return the names of an agents folder that have instructions; other folders there are somebody else's."""
    try:
        names = names_in(tree, folder, at_most=_MAX_NAMES)
    except BrokenDefinition as problem:
        problems.append(problem)
        return []
    able = [name for name in names if _NAME.fullmatch(name) and name != _SHARED]
    return [name for name in able if exists(tree, f"{folder}/{name}/instructions.md")]


def _read(tree: Tree, folder: str, name: str) -> Definition:
    here = f"{folder}/{name}"
    path = f"{here}/instructions.md"
    source = read_source(tree, path)
    if source is None:
        raise BrokenDefinition(path, None, "is not there")
    head = read_front_matter(path, source.text, _KEYS)
    if not head.body:
        line = source.text.count("\n") + 1
        raise BrokenDefinition(
            path, line, "holds no instructions; write below the front matter what the agent is to do"
        )
    skills = read_skills(tree, here)
    tools = _tools(head)
    if skills and tools is not None and "read" not in tools:
        line = head.values["tools"].line
        raise BrokenDefinition(path, line, "tools lacks 'read', without which its skills cannot be read")
    return Definition(
        name=name,
        folder=here,
        instructions=head.body,
        description=head.text("description") or "",
        agent=head.text("agent"),
        model=head.text("model"),
        approval=_approval(head),
        tools=tools,
        tools_line=head.values["tools"].line if tools is not None else 1,
        skills=tuple(skill for skill, _ in skills),
        own_code=read_source(tree, f"{here}/agent.py"),
        shared_code=_shared(tree, folder),
        texts=(source, *(text for _, text in skills)),
    )


def _approval(head: FrontMatter) -> ApprovalMode | None:
    text = head.text("approval")
    # YAML would read a bare off as false; here it stays the word that was typed.
    if text is not None and text not in STRICTNESS:
        line = head.values["approval"].line
        raise BrokenDefinition(head.path, line, f"approval is {text!r}; valid: {', '.join(sorted(STRICTNESS))}")
    return text


def _tools(head: FrontMatter) -> tuple[str, ...] | None:
    value = head.values.get("tools")
    if value is None:
        return None
    # Both are common: a list, and names with commas between them.
    names = value.texts if value.is_list else tuple(name.strip() for name in value.texts[0].split(","))
    for name in names:
        if not _TOOL_NAME.fullmatch(name):
            raise BrokenDefinition(head.path, value.line, f"tools has {name!r}; valid: names of tools, such as read")
    return tuple(dict.fromkeys(names))


def _shared(tree: Tree, folder: str) -> tuple[SourceFile, ...]:
    here = f"{folder}/{_SHARED}/tools"
    names = [name for name in names_in(tree, here) if _MODULE.fullmatch(name)]
    sources = (read_source(tree, f"{here}/{name}") for name in names)
    return tuple(source for source in sources if source is not None)
