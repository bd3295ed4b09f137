"""One rule, and the call of a tool that it may speak about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from nbharness.errors import ConfigError
from nbharness.events import ToolKind
from nbharness.policy.arguments import (
    args_hash,
    commands_of,
    kind_of,
    only_runs,
    paths_of,
    places_of,
    urls_of,
    wants_rights,
)
from nbharness.policy.commands import command_matches
from nbharness.policy.paths import is_inside, path_matches

__all__ = ["Call", "Effect", "Rule"]

Effect: TypeAlias = Literal["allow", "ask", "deny"]

_NEEDS_A_PATH = frozenset({"edit", "delete", "move"})
_WEB = frozenset({"http", "https"})


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that waits for an answer.

    Attributes:
        agent: Agent that makes it.
        workspace: Its directory.
        tool: The tool, as the agent calls it.
        args: Its arguments.
        kind: What the tool does; ``None`` has it read off its name and arguments.
        paths: Paths that it is about besides those in its arguments.
    """

    agent: str
    workspace: str
    tool: str
    args: Any
    kind: ToolKind | None = None
    paths: tuple[str, ...] = ()


class Rule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One rule. Everything that is set must match; a rule that sets nothing to match on is refused.

    To allow, a rule must speak about all that a call names; to ask or to deny, about any of it. A rule that allows and
    names no command lets none through, and paths outside the workspace are never allowed.

    Attributes:
        effect: What it does.
        tool: Tool name, exact.
        kind: What the tool does.
        args_hash: Hash of the exact arguments, see :func:`args_hash`.
        command: A whole command, or a beginning and `` *``; see :mod:`nbharness.policy.commands`.
        path: Glob over the path, relative to the workspace; ``*`` does not cross a ``/``, ``**`` does.
        host: Host of an address; ``*.`` before it covers those below it.
        agent: Only for this agent.
        workspace: Only in this directory.
        label: The rule in words.
    """

    effect: Effect
    tool: str = ""
    kind: ToolKind | Literal[""] = ""
    args_hash: str = ""
    command: str = ""
    path: str = ""
    host: str = ""
    agent: str = ""
    workspace: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        if not (self.args_hash or self.command or self.path or self.host or self.tool or self.kind):
            message = (
                f"rule {msgspec.to_builtins(self)} names nothing to match: give tool, kind, args_hash, command, path "
                "or host"
            )
            raise ConfigError(message)

    def matches(self, call: Call) -> bool:
        """Tell whether this rule speaks about the call."""
        return (
            self.agent in {"", call.agent}
            and self.workspace in {"", call.workspace}
            and self.tool in {"", call.tool}
            and (not self.kind or self.kind == (call.kind or kind_of(call.tool, call.args)))
            and self._matches_arguments(call)
        )

    def words(self) -> str:
        """Return the rule in words."""
        return self.label or self.command or self.path or self.host or self.tool or self.kind

    def _matches_arguments(self, call: Call) -> bool:
        if self.args_hash:
            return self.args_hash == args_hash(call.tool, call.args) and self._matches_patterns(call)
        return self._matches_patterns(call) and (self.effect != "allow" or self._covers(call))

    def _matches_patterns(self, call: Call) -> bool:
        return (
            self._agrees(self.command, (self._is_command(named) for named in commands_of(call.args)))
            and self._agrees(self.path, (self._is_path(self.path, path, call) for path in _paths(call)))
            and self._agrees(self.host, (_is_host(self.host, url) for url in urls_of(call.args)))
        )

    def _covers(self, call: Call) -> bool:
        """Tell whether the rule may let through all that the call does besides what its patterns are about."""
        if wants_rights(call.args) or (commands_of(call.args) and not self.command):
            # Whoever may write a file may not run a command that happens to name it, nor write all the others.
            return False
        if self.command:
            # Elsewhere, or with more rights, the same words do something else.
            return only_runs(call.args) and all(is_inside(place, call.workspace) for place in places_of(call.args))
        if self.path:
            return True
        inside = [self._is_path("**", path, call) for path in _paths(call)]
        return all(inside) and (bool(inside) or self.kind not in _NEEDS_A_PATH)

    def _agrees(self, pattern: str, matches: Iterable[bool]) -> bool:
        if not pattern:
            return True
        found = list(matches)
        return bool(found) and (all(found) if self.effect == "allow" else any(found))

    def _is_command(self, command: str) -> bool:
        return command_matches(self.command, command, allows=self.effect == "allow")

    def _is_path(self, pattern: str, path: str, call: Call) -> bool:
        return path_matches(pattern, path, call.workspace, allows=self.effect == "allow")


def _paths(call: Call) -> list[str]:
    return [*paths_of(call.args), *call.paths]


def _is_host(pattern: str, url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    host = (parts.hostname or "").lower()
    if parts.scheme not in _WEB or parts.username is not None:
        return False
    below = pattern.removeprefix("*")
    return host.endswith(below) if below != pattern else host == pattern
