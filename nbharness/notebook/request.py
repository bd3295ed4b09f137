"""From what a cell says to the turn it means: options over settings, the notebook's directory, variables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nbharness.adapters.default import Chosen, agent_for
from nbharness.config import Settings
from nbharness.continuing import stored_conversation
from nbharness.declared import definition_for, wanted_by
from nbharness.errors import ConfigError
from nbharness.notebook.host import Host
from nbharness.notebook.options import CoderOptions
from nbharness.notebook.variables import describe
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec, workspace_for
from nbharness.store import ConversationRecord
from nbharness.turn_options import spec_fields

__all__ = ["spec_for"]


def spec_for(
    options: CoderOptions,
    settings: Settings,
    host: Host,
    get_runtime: Callable[[], Runtime],
    before: Chosen | None = None,
) -> TurnSpec:
    """Return the turn that a cell asks for.

    Args:
        options: What the cell says.
        settings: The settings.
        host: What runs the cell.
        get_runtime: Returns the runtime.
        before: The agent that was chosen for a cell before, where none was named.

    Raises:
        ConfigError: If the prompt is empty, a variable is not defined, or there is nothing to continue.
    """
    if not options.prompt.strip():
        message = "the prompt is empty; say what the agent should do: %coder fix the failing test (%coder --help)"
        raise ConfigError(message)
    stored = _stored(options, host, get_runtime)
    definition = definition_for(options.agent_def, _workspace(options, "", host, stored), stored)
    named, model = wanted_by(options, definition, stored)
    chosen = agent_for(settings, named, model=model, before=None if options.new else before, demo=definition is None)
    return TurnSpec.over(
        settings,
        task=_with_variables(options, host),
        agent=chosen,
        workspace=_workspace(options, chosen.agent, host, stored),
        conversation=stored.id if stored else None,
        definition=definition,
        open_notebook=host.notebook,
        cell_id=host.cell_id(),
        **spec_fields(options),
    )


def _workspace(options: CoderOptions, agent: str, host: Host, stored: ConversationRecord | None) -> Path:
    if options.workspace is not None:
        return (host.directory / Path(options.workspace).expanduser()).resolve()
    return Path(stored.workspace) if stored else workspace_for(agent, host.directory)


def _stored(options: CoderOptions, host: Host, get_runtime: Callable[[], Runtime]) -> ConversationRecord | None:
    name = options.conversation
    if name is None and not options.resume:
        return None
    if name is None:
        name = get_runtime().latest_conversation(str(host.notebook) if host.notebook else None)
    if name is None:
        message = "nothing to continue: no stored conversation of this notebook. Leave --continue out"
        raise ConfigError(message)
    return stored_conversation(get_runtime(), name)


def _with_variables(options: CoderOptions, host: Host) -> str:
    if not options.var:
        return options.prompt
    known = host.shell.user_ns
    missing = [name for name in options.var if name not in known]
    if missing:
        message = f"no variable named {', '.join(missing)} in this notebook; run the cell that defines it first"
        raise ConfigError(message)
    described = "\n\n".join(describe(name, known[name]) for name in options.var)
    return f"{options.prompt}\n\nVariables of the notebook:\n\n{described}"
