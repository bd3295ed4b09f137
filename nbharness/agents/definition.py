"""What a declarative agent is: immutable values, read from its folder in one go.

All that was read is kept with it, so that what a person is asked to trust is what runs, whatever becomes of the files.
"""

from __future__ import annotations

import hashlib

import msgspec

from nbharness.approvals import ApprovalMode

__all__ = ["STRICTNESS", "Definition", "Skill", "SourceFile", "stricter"]

STRICTNESS: tuple[ApprovalMode, ...] = ("off", "auto", "require")
"""The approval modes, the strictest last."""


class SourceFile(msgspec.Struct, frozen=True):
    """A file as it was read.

    Attributes:
        path: Relative to the workspace, with ``/``.
        text: Its content.
    """

    path: str
    text: str

    @property
    def sha256(self) -> str:
        """Of its content, hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Skill(msgspec.Struct, frozen=True):
    """Something that the agent can read up on when it needs it.

    Attributes:
        name: Its name.
        description: When it is of use.
        path: The file to read, relative to the workspace.
    """

    name: str
    description: str
    path: str


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """A declarative agent.

    Attributes:
        name: Name of its folder.
        folder: Its folder, relative to the workspace.
        instructions: What stands at the beginning of the system prompt.
        description: What it is for, in a sentence or two; ``""`` when it does not say.
        agent: The coding agent that it wants, or ``None``.
        model: The model that it wants, or ``None``.
        approval: The permission mode that it wants, or ``None``.
        tools: The only tools that it may use besides those of its ``agent.py``; ``None`` when it names none.
        tools_line: Line of `tools` in its instructions.
        skills: What it can read up on.
        own_code: Its ``agent.py``, or ``None``.
        shared_code: Python that all agents of its folder share.
        texts: The other files that steer it: its instructions and its skills.
    """

    name: str
    folder: str
    instructions: str
    description: str = ""
    agent: str | None = None
    model: str | None = None
    approval: ApprovalMode | None = None
    tools: tuple[str, ...] | None = None
    tools_line: int = 1
    skills: tuple[Skill, ...] = ()
    own_code: SourceFile | None = None
    shared_code: tuple[SourceFile, ...] = ()
    texts: tuple[SourceFile, ...] = ()

    @property
    def path(self) -> str:
        """Its instructions, relative to the workspace."""
        return f"{self.folder}/instructions.md"

    @property
    def code(self) -> tuple[SourceFile, ...]:
        """All Python that choosing it runs, in that order."""
        return self.shared_code if self.own_code is None else (*self.shared_code, self.own_code)


def stricter(one: ApprovalMode, other: ApprovalMode | None) -> ApprovalMode:
    """Return the one of two permission modes that asks more."""
    return one if other is None else max(one, other, key=STRICTNESS.index)
