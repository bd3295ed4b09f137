"""Settings: what a turn does when nobody says otherwise, and where nbharness keeps its files.

A value comes from the environment (``NBHARNESS_AGENT``, ``NBHARNESS_MAX_TURNS``, ...), else from the file
``nbharness.toml`` in the user's configuration directory (the same names in lower case, without the prefix), else it is
the default. Options of a turn come before all three. Reading settings writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from nbharness.errors import ConfigError

__all__ = [
    "FILE_ONLY",
    "SETTING_NAMES",
    "McpSetting",
    "RuleTexts",
    "Settings",
    "Source",
    "config_file",
    "home",
    "load",
    "rules_path",
    "shadow_path",
    "trust_path",
    "variable",
]

Source: TypeAlias = Literal["default", "file", "environment"]
"""Where a value came from."""

_WEEK_S = 7 * 86400
_BUILTIN = "builtin"


class RuleTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Approval rules as the user wrote them; :mod:`nbharness.policy.grammar` reads them.

    Attributes:
        allow: What runs without asking.
        ask: What is asked about in every mode.
        deny: What never runs.
    """

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class McpSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An MCP server: a command to run, or the address of one that runs.

    Attributes:
        command: Program to run.
        args: Its arguments.
        env: Variables that it needs.
        url: Address, instead of a command.
        headers: Sent with each request to the address.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    url: str | None = None
    headers: dict[str, str] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        if bool(self.command) is bool(self.url):
            raise ValueError("give either command or url")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, each with a value that can be used.

    Attributes:
        agent: Agent of a turn that names none; ``None`` takes the first that can work.
        model: Model for that agent, or the built-in one where none is named; ``None`` leaves the choice to it.
        models: Model by agent name; comes before `model`.
        approval_mode: ``require`` asks before anything changes, ``auto`` approves and records it, ``off`` never asks.
        plan_mode: True when agents must propose a plan before they change anything.
        todos: True when agents are asked to keep a checklist.
        kernel_tools: True when agents of a notebook get the tools of its kernel, where they can take any.
        max_turns: Steps an agent may take in one turn, at least 1.
        turn_timeout_s: Seconds a turn may run, not counting the time a person is asked.
        approval_timeout_s: Seconds an approval waits for an answer; ``None`` waits for ever.
        database: File of the stored conversations.
        system_prompt: What stands at the beginning of the built-in agent's system prompt instead of its own words.
        system_prompt_append: Text put after the system prompt of agents that take one.
        pass_env: Names of variables that agents may have besides those of the allow list and their own keys.
        policy: Approval rules by agent name; those under ``""`` are for every agent.
        mcp_servers: MCP servers by name, for the agents that take them.
        sources: Where each of the above came from.
    """

    agent: Annotated[str, Meta(min_length=1)] | None = None
    model: Annotated[str, Meta(min_length=1)] | None = None
    models: dict[str, str] = msgspec.field(default_factory=dict)
    approval_mode: Literal["require", "auto", "off"] = "require"
    plan_mode: bool = False
    todos: bool = True
    kernel_tools: bool = False
    max_turns: Annotated[int, Meta(ge=1, le=100_000)] = 25
    turn_timeout_s: Annotated[float, Meta(gt=0, le=_WEEK_S)] = 600.0
    approval_timeout_s: Annotated[float, Meta(gt=0, le=_WEEK_S)] | None = None
    database: Path = msgspec.field(default_factory=lambda: home() / "nbharness.db")
    system_prompt: str = ""
    system_prompt_append: str = ""
    pass_env: tuple[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...] = ()
    policy: dict[str, RuleTexts] = msgspec.field(default_factory=dict)
    mcp_servers: dict[str, McpSetting] = msgspec.field(default_factory=dict)
    sources: dict[str, Source] = msgspec.field(default_factory=dict)

    def model_for(self, agent: str) -> str | None:
        """Return the model to ask `agent` for, or ``None`` to leave the choice to it."""
        return self.models.get(agent, self.model if agent == (self.agent or _BUILTIN) else None)


SETTING_NAMES = tuple(field.name for field in msgspec.structs.fields(Settings) if field.name != "sources")
"""Every setting, in the order to show them."""

FILE_ONLY = frozenset({"policy", "mcp_servers"})
"""Settings that are tables, so that no variable holds them."""

_TYPES = {field.name: field.type for field in msgspec.structs.fields(Settings)}

_SECONDS = f"a number of seconds, more than 0 and at most {_WEEK_S} (a week)"
_VALID = {
    "agent": "the name of an agent",
    "model": "the name of a model",
    "models": "agent=model pairs, such as claude=opus,codex=gpt-5 (in the file: a table)",
    "approval_mode": "require, auto or off",
    "plan_mode": "true or false",
    "todos": "true or false",
    "kernel_tools": "true or false",
    "max_turns": "a whole number from 1 to 100000",
    "turn_timeout_s": _SECONDS,
    "approval_timeout_s": f"{_SECONDS}, or off",
    "database": "an absolute path (~ is your home directory)",
    "system_prompt": "text",
    "system_prompt_append": "text",
    "pass_env": "names of variables, such as MY_TOKEN,OTHER (in the file: a list)",
    "policy": "lists of rules under allow, ask and deny, and tables of them by agent, such as [policy.claude]",
    "mcp_servers": "tables such as [mcp_servers.docs] with command, args and env, or with url and headers",
}

_BOOLEANS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def home(environ: Mapping[str, str] | None = None) -> Path:
    """Return the directory of everything we keep: ``NBHARNESS_HOME``, else the user's data directory.

    It need not exist yet.

    Args:
        environ: Environment to look in; ``None`` is the process's own.

    Raises:
        ConfigError: ``NBHARNESS_HOME`` is not an absolute path.
    """
    named = (os.environ if environ is None else environ).get("NBHARNESS_HOME", "")
    if not named:
        return _user_directory("data")
    try:
        return _absolute_path(named)
    except ValueError:
        raise _error("NBHARNESS_HOME", named, _VALID["database"]) from None


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """Return the settings file: ``NBHARNESS_CONFIG``, else ``nbharness.toml`` in the user's configuration directory.

    It need not exist.
    """
    named = (os.environ if environ is None else environ).get("NBHARNESS_CONFIG", "")
    return Path(named) if named else _user_directory("config") / "nbharness.toml"


def rules_path(environ: Mapping[str, str] | None = None) -> Path:
    """Return the file of remembered approval rules, in :func:`home`; it need not exist."""
    return home(environ) / "rules.json"


def trust_path(environ: Mapping[str, str] | None = None) -> Path:
    """Return the file of trusted projects, in :func:`home`; it need not exist."""
    return home(environ) / "trusted.json"


def shadow_path(environ: Mapping[str, str] | None = None) -> Path:
    """Return the directory of the snapshots of workspaces, in :func:`home`; it need not exist."""
    return home(environ) / "shadow"


def variable(name: str) -> str:
    """Return the environment variable of a setting, such as ``NBHARNESS_MAX_TURNS`` for ``max_turns``."""
    return f"NBHARNESS_{name.upper()}"


def load(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Read the settings.

    Args:
        environ: Environment to look in; ``None`` is the process's own. A variable that is empty counts as not set.
        file: Settings file; ``None`` is :func:`config_file`, which may be missing.

    Raises:
        ConfigError: A value cannot be used, the file has an unknown key, or the file cannot be read. The message names
            the variable or the file and key, the value, and what is valid.
    """
    env = os.environ if environ is None else environ
    must_exist = file is not None or bool(env.get("NBHARNESS_CONFIG"))
    path = config_file(env) if file is None else file
    in_file = _read(path, must_exist=must_exist)
    values: dict[str, Any] = {"database": home(env) / "nbharness.db"}
    sources: dict[str, Source] = dict.fromkeys(SETTING_NAMES, "default")
    for name in SETTING_NAMES:
        if name not in FILE_ONLY and env.get(variable(name)):
            values[name] = _value(name, env[variable(name)], where=variable(name), parse=_from_text)
            sources[name] = "environment"
        elif name in in_file:
            values[name] = _value(name, in_file[name], where=f"{path}: {name}", parse=_from_toml)
            sources[name] = "file"
    return Settings(**values, sources=sources)


def _user_directory(kind: Literal["data", "config"]) -> Path:
    # Loaded on use: importing nbharness must stay light.
    import platformdirs  # noqa: PLC0415

    find = platformdirs.user_data_path if kind == "data" else platformdirs.user_config_path
    return find("nbharness", appauthor=False)


def _read(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(f"the settings file {path} does not exist") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the settings file {path} cannot be read: {error}") from error
    # As above, and most people have no file.
    import tomllib  # noqa: PLC0415

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the settings file {path} is not TOML: {error}") from error
    for key in values:
        if key not in SETTING_NAMES:
            raise ConfigError(f"{path}: unknown setting {key!r}. Valid: {', '.join(SETTING_NAMES)}")
    return values


def _value(name: str, raw: Any, *, where: str, parse: Callable[[str, Any], Any]) -> Any:
    try:
        return parse(name, raw)
    except (msgspec.ValidationError, ValueError):
        raise _error(where, raw, _VALID[name]) from None


def _from_toml(name: str, raw: Any) -> Any:
    if name == "database":
        return _absolute_path(msgspec.convert(raw, str))
    if name == "approval_timeout_s" and raw == "off":
        return None
    if name == "policy":
        return _rules_by_agent(msgspec.convert(raw, dict[str, Any]))
    return msgspec.convert(raw, _TYPES[name])


def _rules_by_agent(tables: dict[str, Any]) -> dict[str, RuleTexts]:
    """Split ``[policy]`` into its own lists and its tables by agent."""
    own = {name: value for name, value in tables.items() if not isinstance(value, dict)}
    agents = {name: value for name, value in tables.items() if isinstance(value, dict)}
    return msgspec.convert({"": own, **agents}, dict[str, RuleTexts])


def _from_text(name: str, raw: str) -> Any:
    text = raw.strip()
    if name in {"plan_mode", "todos", "kernel_tools"}:
        return _from_toml(name, _BOOLEANS.get(text.lower(), text))
    if name == "models":
        pairs = [pair.partition("=") for pair in text.split(",")]
        if not all(agent.strip() and model.strip() for agent, _, model in pairs):
            raise ValueError(raw)
        return {agent.strip(): model.strip() for agent, _, model in pairs}
    if name == "pass_env":
        return msgspec.convert([word.strip() for word in text.split(",")], _TYPES[name])
    if name in {"max_turns", "turn_timeout_s", "approval_timeout_s"} and text != "off":
        return msgspec.convert(text, _TYPES[name], strict=False)
    return _from_toml(name, raw if name in {"system_prompt", "system_prompt_append"} else text)


def _absolute_path(raw: str) -> Path:
    try:
        path = Path(raw).expanduser()
    except RuntimeError as error:
        raise ValueError(raw) from error
    if not path.is_absolute() or "\0" in raw:
        raise ValueError(raw)
    return path


def _error(where: str, value: Any, valid: str) -> ConfigError:
    return ConfigError(f"{where}: {value!r} is not valid. Valid: {valid}")
