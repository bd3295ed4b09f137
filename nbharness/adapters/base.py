"""What an adapter is: the contract between a turn and the agent it runs.

An adapter opens sessions; a session runs one turn at a time. It reads its agent's messages, hands events to the turn's
port in the order in which they happened, and asks the port before the agent acts. Everything here runs on the runtime's
loop.

How a turn of a session ends:

* it emits ``turn.completed`` or ``turn.failed`` and returns; usage in it is that of this run alone;
* it raises :class:`~nbharness.errors.AdapterError`, which fails the turn with that error's code;
* it is cancelled (the turn was aborted): it stops its agent's work, then lets ``CancelledError`` through. Events it
  emits from then on are dropped.

Returning without a terminal event fails the turn with code ``protocol``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from nbharness.approvals import ApprovalMode, ApprovalRequest, Decision, PlanAnswer, QuestionReply
from nbharness.budget import Budget
from nbharness.events import Event, Question, Unknown
from nbharness.events.repair import clean_text
from nbharness.inputs import Message
from nbharness.policy import Rule
from nbharness.tools.base import Tool

__all__ = [
    "Adapter",
    "AgentSession",
    "AgentStatus",
    "Capabilities",
    "CompilesRules",
    "KeptSession",
    "KnowsModes",
    "ListsSessions",
    "McpServer",
    "TurnPort",
    "TurnRequest",
    "session_id_of",
]


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent can do; what it cannot is refused with a clear message, never ignored.

    Attributes:
        approvals: It asks before it acts.
        edited_args: An approval may carry other arguments than were asked for.
        plan: It can propose a plan first.
        todos: It keeps a checklist that we can show.
        questions: It asks questions that we can show.
        models: A model can be chosen.
        modes: It has modes of its own to choose from.
        resume: A session can be taken up again by its id.
        fork: A session can be taken up under a new id, leaving the old one as it is.
        steer: It takes further messages during a turn.
        images: It takes images.
        cost: It says what a turn cost.
        terminal_output: It sends the output of a command while that runs.
        mcp_servers: It can be given MCP servers.
        tools: It can be handed tools that run in this process.
        instructions: What stands at the beginning of its system prompt can be replaced.
        prompt_append: Text can be put after its system prompt.
        project_config: It reads files of the workspace that can run things, so these must be trusted first.
        options: Names of further options that it honours.
    """

    approvals: bool = False
    edited_args: bool = False
    plan: bool = False
    todos: bool = False
    questions: bool = False
    models: bool = False
    modes: bool = False
    resume: bool = False
    fork: bool = False
    steer: bool = False
    images: bool = False
    cost: bool = False
    terminal_output: bool = False
    mcp_servers: bool = False
    tools: bool = False
    instructions: bool = False
    prompt_append: bool = False
    project_config: bool = False
    options: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        """What it can do, as the names of the fields above, in their order."""
        return [field for field in self.__struct_fields__ if field != "options" and getattr(self, field)]


class AgentStatus(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether an agent can be used here; found out without running it and without the network.

    Attributes:
        installed: Its program and our library for it are there.
        install: The command that installs it; ``""`` when there is nothing to install.
        version: Version of the program, where it can be read.
        program: Path of the program, where it has one.
        logged_in: Whether somebody is signed in or a key is set; ``None`` when that cannot be known.
        login: How to sign in; ``""`` when that is not needed.
    """

    installed: bool
    install: str = ""
    version: str | None = None
    program: str | None = None
    logged_in: bool | None = None
    login: str = ""


class McpServer(msgspec.Struct, frozen=True, kw_only=True):
    """An MCP server that agents are given: a command to run, or an address.

    Attributes:
        name: Its name, unique in a turn.
        command: Program to run; then `args` and `env` belong to it.
        args: Its arguments.
        env: Variables that it needs.
        url: Address of a server that runs, instead of a command; then `headers` belong to it.
        headers: Sent with each request.
        eager: The model is told of its tools at once, also by an agent that would have it search for them.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    eager: bool = False


class TurnRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One turn to run.

    Attributes:
        turn_id: The turn.
        task: What the user asked, verbatim.
        workspace: Directory to work in, absolute.
        model: Model to use, or ``None`` for the agent's own choice.
        approval_mode: Permission mode; the port enforces it, an agent may be told too.
        plan_mode: Propose a plan before changing anything.
        mode: Id of the agent's own mode to work in, or ``None`` for its choice.
        command: Command line of the agent, where the adapter drives any program.
        budget: What the turn may consume. We enforce it; an agent that has such limits itself may be told too.
        todos: Keep a checklist, where the agent can be asked to.
        instructions: What stands at the beginning of the system prompt instead of the agent's own; ``""`` for its own.
        system_prompt_append: Text after the agent's system prompt, where it takes any.
        environment: Variables that the user lets through to the agent, besides those of the allow list.
        mcp_servers: MCP servers to give to the agent.
        tools: Tools of this process, besides the agent's own.
        rules: Approval rules that the user wrote. We enforce them on all that is asked; an agent that has such rules
            itself may be told those that deny or ask, see :class:`CompilesRules`.
        options: Further options, named in the adapter's capabilities.
    """

    turn_id: str
    task: str
    workspace: Path
    model: str | None = None
    approval_mode: ApprovalMode = "require"
    plan_mode: bool = False
    mode: str | None = None
    command: str | None = None
    budget: Budget = Budget()
    todos: bool = True
    instructions: str = ""
    system_prompt_append: str = ""
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    mcp_servers: tuple[McpServer, ...] = ()
    tools: tuple[Tool, ...] = ()
    rules: tuple[Rule, ...] = ()
    options: Mapping[str, Any] = msgspec.field(default_factory=dict)


class TurnPort(Protocol):
    """The turn, as its session sees it."""

    def emit(self, event: Event | Unknown) -> None:
        """Hand over one event. Order is kept; after the terminal event it is dropped."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Return whether an action may run. The adapter acts on `Decision.args`, never on its own copy."""

    async def propose(self, plan: str) -> PlanAnswer:
        """Put a plan before a person and return the answer."""

    async def ask_questions(self, questions: Sequence[Question]) -> QuestionReply:
        """Put questions before a person and return the answers, if any are given."""

    async def next_message(self) -> Message:
        """Wait for a further message of the user; it is recorded as taken when this returns."""

    def take_message(self) -> Message | None:
        """Return a further message of the user that waits already, or ``None``."""


class AgentSession(Protocol):
    """The agent's own context: it remembers from turn to turn."""

    @property
    def session_id(self) -> str:
        """The agent's id of this session, ``""`` while it has none."""

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn to its end; see the module's docstring for how it may end."""

    async def close(self) -> None:
        """Release what the session holds; its processes are gone when this returns."""


class Adapter(Protocol):
    """Drives one kind of agent. Creating one starts nothing."""

    @property
    def name(self) -> str:
        """The name users give to ``--agent``."""

    @property
    def capabilities(self) -> Capabilities:
        """What the agent can do."""

    @property
    def unasked(self) -> tuple[str, ...]:
        """What the agent does without asking, so that no approval of ours can stop it: one sentence each."""

    def status(self) -> AgentStatus:
        """Return whether the agent can be used here; in well under a second, without running it."""

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AgentSession:
        """Open a session, or take one up again.

        Args:
            workspace: Directory to work in.
            session_id: A session of this agent to resume; only when it can resume.
            fork: Leave that session as it is and go on in a copy of it; only when it can fork.

        Raises:
            AdapterError: If the agent is not installed or cannot start.
        """


@runtime_checkable
class CompilesRules(Protocol):
    """An adapter that hands rules on to its agent, which then obeys them also where it would not ask us."""

    def compiled(self, rule: Rule) -> str | None:
        """Return a rule in the agent's own words, or ``None`` when it has none that mean the same."""


@runtime_checkable
class KnowsModes(Protocol):
    """An adapter that knows its agent's modes without asking it."""

    @property
    def modes(self) -> tuple[str, ...]:
        """What may be given to ``--mode``."""


class KeptSession(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session that an agent keeps, also one that was not begun here.

    Attributes:
        session_id: The agent's id of it.
        title: What the agent calls it; ``""`` when it does not.
        updated_at: When it was used last, in the agent's words, mostly ISO 8601; ``""`` when it does not say.
    """

    session_id: str
    title: str = ""
    updated_at: str = ""


@runtime_checkable
class ListsSessions(Protocol):
    """An adapter that can tell which sessions its agent keeps."""

    async def list_sessions(self, workspace: Path, *, command: str | None = None) -> list[KeptSession]:
        """Return the sessions of a workspace, in the agent's order.

        Args:
            workspace: Whose sessions.
            command: Command line of the agent, where the adapter drives any program.

        Raises:
            NotSupported: The agent does not list sessions.
            AdapterError: It is not here, cannot start or refuses.
        """


def session_id_of(session: AgentSession) -> str:
    """Return the id that a session says it has; ``""`` when it is no text."""
    id_: object = session.session_id
    return clean_text(id_) if isinstance(id_, str) else ""
