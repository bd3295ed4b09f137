"""What a turn is to be: everything a user may ask for, checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from nbharness.adapters.base import Capabilities, McpServer
from nbharness.adapters.default import DEMO, Chosen, agent_for
from nbharness.agents import Definition, stricter
from nbharness.approvals import ApprovalMode
from nbharness.budget import Budget
from nbharness.config import RuleTexts, Settings
from nbharness.errors import ConfigError, NotSupported, WorkspaceError
from nbharness.policy import Effect, Rule, parse_rules
from nbharness.sample import sample_workspace
from nbharness.tools.base import Tool

__all__ = ["TurnSpec", "rules_of", "workspace_for"]


class TurnSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A turn to start.

    Attributes:
        task: The prompt, verbatim; ``""`` in a spec that still waits for one.
        agent: Name of the adapter.
        agent_because: Why it is this one, where nobody named one: said at the beginning of a new conversation.
        workspace: Directory to work in.
        model: Model, or ``None`` for the agent's choice.
        approval_mode: Permission mode.
        plan_mode: Propose a plan first.
        timeout_s: Seconds the agent may work, or ``None``.
        approval_timeout_s: Seconds until an approval expires, or ``None``.
        session_id: A session of the agent's to take up again.
        conversation: Conversation to continue, by id or a prefix of it; ``None`` starts one.
        open_notebook: The notebook on view.
        cell_id: The cell that asks.
        fork: Go on in a copy of the session, or conversation, that is named.
        mode: Id of the agent's own mode.
        command: Command line of the agent, for an adapter that drives any program.
        budget: What the turn may consume.
        trust_project: Files of the workspace that the agent would run may run, whoever watches.
        todos: Ask the agent to keep a checklist, where it can be asked.
        instructions: What stands at the beginning of the system prompt instead of the agent's own.
        shared_instructions: Those of the settings, for an agent that takes any when the turn names none.
        system_prompt_append: Text after the agent's system prompt, where it takes any.
        definition: An agent that the workspace declares, which the agent is to be.
        environment: Variables that are let through to the agent.
        mcp_servers: MCP servers for the agent.
        tools: Tools of this process for the agent, besides its own.
        shared_mcp_servers: Those of the settings, for agents that take any when the turn names none.
        rules: Approval rules that the user wrote: those of the settings and those of this turn.
        options: Further options of the agent.
    """

    task: str = ""
    agent: str
    agent_because: str = ""
    workspace: Path
    model: str | None = None
    approval_mode: ApprovalMode = "require"
    plan_mode: bool = False
    timeout_s: float | None = 600.0
    approval_timeout_s: float | None = None
    session_id: str | None = None
    conversation: str | None = None
    open_notebook: Path | None = None
    cell_id: str | None = None
    fork: bool = False
    mode: str | None = None
    command: str | None = None
    budget: Budget = Budget()
    trust_project: bool = False
    todos: bool = True
    instructions: str = ""
    shared_instructions: str = ""
    system_prompt_append: str = ""
    definition: Definition | None = None
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    mcp_servers: tuple[McpServer, ...] = ()
    tools: tuple[Tool, ...] = ()
    shared_mcp_servers: tuple[McpServer, ...] = ()
    rules: tuple[Rule, ...] = ()
    options: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @classmethod
    def over(
        cls,
        settings: Settings,
        *,
        workspace: Path,
        agent: str | Chosen | None = None,
        model: str | None = None,
        approval_mode: ApprovalMode | None = None,
        plan_mode: bool | None = None,
        timeout_s: float | None = None,
        approval_timeout_s: float | None = None,
        budget: Budget | None = None,
        rules: RuleTexts | Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> TurnSpec:
        """Return what is asked for, and the settings where nothing is said (``None``).

        Args:
            settings: The settings.
            workspace: As in the spec.
            agent: Its name, or the choice itself; ``None`` for that of the settings, or the first that can work.
            model: Falls back on the settings' model for that agent.
            approval_mode: See there.
            plan_mode: See there.
            timeout_s: See there.
            approval_timeout_s: See there.
            budget: See there; the settings know one limit, ``max_turns``, which counts once it is set.
            rules: Rules of this turn, besides those of the settings; a mapping has lists under allow, ask and deny.
            **fields: Further fields of the spec. An environment comes on top of what the settings let through; what
                a definition wants comes before the settings, its approval mode only when that is the stricter one.

        Raises:
            ConfigError: A rule cannot be read.
        """
        wanted = fields.get("definition") or _ANY
        chosen, settings = _choice(settings, agent or wanted.agent, model or wanted.model, demo=wanted is _ANY)
        return cls(
            agent=chosen.agent,
            agent_because=chosen.why,
            workspace=workspace,
            model=model or wanted.model or settings.model_for(chosen.agent),
            approval_mode=approval_mode or stricter(settings.approval_mode, wanted.approval),
            plan_mode=settings.plan_mode if plan_mode is None else plan_mode,
            timeout_s=timeout_s or settings.turn_timeout_s,
            approval_timeout_s=approval_timeout_s or settings.approval_timeout_s,
            budget=_within(settings, budget or Budget()),
            environment={**_let_through(settings), **fields.pop("environment", {})},
            rules=(*rules_of(settings), *_rules(_texts(rules))),
            **{**_standing(settings), **fields},
        )

    def check(self, capabilities: Capabilities) -> None:
        """Refuse what cannot work.

        Args:
            capabilities: What the agent can do.

        Raises:
            ConfigError: If the prompt is empty, the approval mode unknown, or a timeout not positive.
            WorkspaceError: If the workspace is not a directory that can be entered.
            NotSupported: If the agent cannot honour an option.
        """
        if not self.task.strip():
            message = f"the prompt is empty ({self.task!r}); say what the agent should do"
            raise ConfigError(message)
        self.check_circumstances(capabilities)

    def check_circumstances(self, capabilities: Capabilities) -> None:
        """Refuse what cannot work whatever the task; raises as :meth:`check`."""
        if self.approval_mode not in get_args(ApprovalMode):
            valid = ", ".join(get_args(ApprovalMode))
            message = f"the approval mode is {self.approval_mode!r}; valid: {valid}"
            raise ConfigError(message)
        for name, seconds in (("timeout", self.timeout_s), ("approval timeout", self.approval_timeout_s)):
            if seconds is not None and not seconds > 0:
                message = f"the {name} is {seconds!r}; give seconds above 0, or leave it out for none"
                raise ConfigError(message)
        self.budget.check()
        _check_workspace(self.workspace)
        self._check_options(capabilities)

    def _check_options(self, capabilities: Capabilities) -> None:
        known = capabilities
        needs = [
            *_needs_of(self.definition, known),
            (self.plan_mode, known.plan, "plan mode", "it cannot propose a plan first; leave --plan out"),
            (self.model, known.models, f"the model {self.model!r}", "its model cannot be chosen; leave --model out"),
            (self.mode, known.modes, f"the mode {self.mode!r}", "it has no modes; leave --mode out"),
            (self.session_id, known.resume, "resuming a session", "start a new conversation with it"),
            (self.fork, known.fork, "forking a conversation", "continue it, or start a new one"),
            (self.command, "command" in known.options, "--command", "name an agent that takes one: acp"),
            (self.mcp_servers, known.mcp_servers, "MCP servers", "leave them out for this agent"),
            (self.tools, known.tools or known.mcp_servers, "tools of this process", "leave them out, or use builtin"),
            (self.instructions, known.instructions, "instructions", "append to its system prompt instead"),
            (
                self.budget.max_cost_usd,
                known.cost,
                "--max-cost",
                "it does not say what it costs; limit it with --max-tokens, --max-turns or --timeout",
            ),
        ]
        for wanted, able, what, hint in needs:
            if wanted and not able:
                raise NotSupported(self.agent, what, hint)
        if self.instructions and self.definition is not None:
            raise ConfigError("instructions and a declared agent exclude each other; give one of them")
        if self.fork and not (self.session_id or self.conversation):
            raise ConfigError("there is nothing to fork; name a conversation, or a session of the agent's")
        for name in self.options:
            if name not in capabilities.options:
                valid = ", ".join(sorted(capabilities.options)) or "none"
                raise NotSupported(self.agent, f"the option {name!r}", f"its options are: {valid}")


def _choice(
    settings: Settings, agent: str | Chosen | None, model: str | None, *, demo: bool
) -> tuple[Chosen, Settings]:
    chosen = agent if isinstance(agent, Chosen) else agent_for(settings, agent, model=model, demo=demo)
    # A model of the settings is for the agent that they name, or else for the one that takes its place.
    return chosen, msgspec.structs.replace(settings, agent=chosen.agent) if chosen.why else settings


def _standing(settings: Settings) -> dict[str, Any]:
    return {
        "todos": settings.todos,
        "shared_instructions": settings.system_prompt,
        "system_prompt_append": settings.system_prompt_append,
        "shared_mcp_servers": _servers(settings),
    }


_ANY = Definition(name="", folder="", instructions="")


def _needs_of(definition: Definition | None, known: Capabilities) -> list[tuple[Any, bool, str, str]]:
    if definition is None:
        return []
    where = f"see {definition.path}, or use the builtin agent"
    return [
        (True, known.instructions or known.prompt_append, "instructions of a declared agent", where),
        (definition.code, known.tools, f"tools in Python, which {definition.name!r} has", where),
        (
            definition.tools is not None,
            "only_tools" in known.options,
            f"a choice of tools, which {definition.name!r} makes",
            where,
        ),
    ]


def _within(settings: Settings, budget: Budget) -> Budget:
    if budget.max_turns is not None or settings.sources.get("max_turns", "default") == "default":
        return budget
    return msgspec.structs.replace(budget, max_turns=settings.max_turns)


def workspace_for(agent: str, here: Path) -> Path:
    """Return where an agent works when nobody says: `here`.

    The demo agent shows its work in a project of its own, never in somebody's files by surprise.
    """
    return sample_workspace() if agent == DEMO else here


def rules_of(settings: Settings) -> list[Rule]:
    """Return the approval rules of the settings; a rule of one agent says so.

    Raises:
        ConfigError: One cannot be used.
    """
    return [
        rule
        for agent, texts in settings.policy.items()
        for rule in _rules(texts, agent=agent, where=f"[policy.{agent}]" if agent else "[policy]")
    ]


def _let_through(settings: Settings) -> dict[str, str]:
    return {name: os.environ[name] for name in settings.pass_env if name in os.environ}


def _servers(settings: Settings) -> tuple[McpServer, ...]:
    return tuple(
        McpServer(name=name, **msgspec.structs.asdict(server)) for name, server in settings.mcp_servers.items()
    )


def _texts(rules: RuleTexts | Mapping[str, Any] | None) -> RuleTexts:
    try:
        return msgspec.convert(rules or {}, RuleTexts)
    except msgspec.ValidationError as error:
        message = f"the rules {rules!r} cannot be read: {error}. Valid: lists of rules under allow, ask and deny"
        raise ConfigError(message) from error


def _rules(texts: RuleTexts, *, agent: str = "", where: str = "") -> list[Rule]:
    effects: tuple[tuple[Effect, tuple[str, ...]], ...] = (
        ("deny", texts.deny),
        ("ask", texts.ask),
        ("allow", texts.allow),
    )
    return [rule for effect, lines in effects for rule in parse_rules(effect, lines, agent=agent, where=where)]


def _check_workspace(workspace: Path) -> None:
    # These two, unlike those of Path, take any text for a path, also one that is too long.
    if not os.path.exists(workspace):  # noqa: PTH110
        message = f"the workspace {str(workspace)!r} does not exist; create it or name another directory"
        raise WorkspaceError(message, str(workspace))
    if not os.path.isdir(workspace):  # noqa: PTH112
        message = f"the workspace {str(workspace)!r} is not a directory; name the directory to work in"
        raise WorkspaceError(message, str(workspace))
