"""What a project's file makes an agent run, in words. Whatever is not understood counts as something that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

__all__ = ["runs_of_env", "runs_of_json", "runs_of_mcp", "runs_of_text", "runs_of_toml", "runs_of_yarn"]

_MAX_DEPTH = 40

# Keys of an agent's settings that only say how it looks, thinks or speaks.
_HARMLESS_WORDS = """
$schema model outputStyle theme language includeCoAuthoredBy cleanupPeriodDays effortLevel alwaysThinkingEnabled
spinnerTipsEnabled prefersReducedMotion version ui model_reasoning_effort model_verbosity instructions autoupdate share
username small_model
"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_TAKES_AWAY = frozenset(["deny", "ask"])
_ENV_NAME = re.compile(
    r"""
    (ANTHROPIC|CLAUDE|CODEX|OPENAI|COPILOT|GEMINI|GOOGLE_GEMINI|QWEN|OPENCODE|GOOSE|CURSOR)_?\w*
        (HOME|DIR|CONFIG\w*|BASE_URL|URL|ENDPOINT|PATH|HEADERS|SETTINGS|COMMAND)
    | (HTTPS?|ALL)_PROXY | NODE_OPTIONS | LD_PRELOAD | LD_LIBRARY_PATH | DYLD_\w+ | PYTHONPATH | PYTHONSTARTUP | PATH
    | BASH_ENV | ENV | GIT_\w+ | NODE_EXTRA_CA_CERTS | SSL_CERT_FILE | EDITOR | PAGER | SHELL | HOME
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$", re.MULTILINE)
_YARN = re.compile(r"^(?:yarnPath|plugins)\s*:.*$", re.MULTILINE)


def runs_of_mcp(text: str) -> list[str]:
    """Return the MCP servers that a file declares: what each runs, or where it connects."""
    settings = _object(text)
    if settings is None:
        return [_UNREADABLE]
    return [line for key in ("mcpServers", "servers", "mcp") for line in _servers(settings.get(key))]


def runs_of_json(text: str) -> list[str]:
    """Return what settings in JSON, comments allowed, would run or let an agent do unasked."""
    settings = _object(text)
    return [_UNREADABLE] if settings is None else list(_settings(settings))


def runs_of_toml(text: str) -> list[str]:
    """Return what settings in TOML would run or let an agent do unasked."""
    # Loaded on use: a turn in a project without such a file needs no parser.
    import tomllib  # noqa: PLC0415

    try:
        settings = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return [_UNREADABLE]
    return list(_settings(settings))


def runs_of_env(text: str) -> list[str]:
    """Return the variables that move an agent's home, its server or what programs load; other ones are no matter."""
    found = _ASSIGNMENT.findall(text)
    return [f"sets {name}={value.strip()}" for name, value in found if _ENV_NAME.fullmatch(name)]


def runs_of_yarn(text: str) -> list[str]:
    """Return the programs that yarn loads."""
    return list(_YARN.findall(text))


def runs_of_text(text: str) -> list[str]:
    """Return the beginning of a file that runs as a whole, or whose frontmatter can name hooks and tools."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return [first] if first else []


_UNREADABLE = "cannot be understood, so it may run anything"


def _settings(settings: Mapping[str, Any]) -> Iterator[str]:
    for key, value in settings.items():
        if key in _HARMLESS or not value:
            continue
        if key in {"mcpServers", "mcp_servers", "mcp"}:
            yield from _servers(value)
        elif key == "hooks":
            yield from (f"hook: {command}" for command in list(_commands(value)) or [_words(value)])
        elif key == "env" and isinstance(value, dict):
            yield from (f"sets {name}={inner}" for name, inner in value.items())
        elif key == "permissions" and isinstance(value, dict):
            yield from (f"permits {name}: {_words(inner)}" for name, inner in value.items() if _grants(name, inner))
        else:
            yield f"{key}: {_words(value)}"


def _grants(name: str, value: Any) -> bool:
    return name not in _TAKES_AWAY and bool(value) and value not in ("default", "plan")


def _servers(servers: Any) -> Iterator[str]:
    if not isinstance(servers, dict):
        if servers is not None:
            yield _UNREADABLE
        return
    for name, server in servers.items():
        if not isinstance(server, dict):
            yield f"MCP server {name}: {_words(server)}"
            continue
        command = server.get("command")
        words = [*command] if isinstance(command, list) else [command] if command else []
        words += server["args"] if isinstance(server.get("args"), list) else []
        target = " ".join(map(str, words)) or server.get("url") or server.get("httpUrl") or _words(server)
        yield f"MCP server {name}: {target}"


def _commands(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every text below a table of hooks that is run or called."""
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for key, inner in value.items():
            if isinstance(inner, str) and key in {"command", "bash", "powershell", "url", "prompt", "run"}:
                yield inner
            else:
                yield from _commands(inner, depth + 1)
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for inner in value:
            yield from _commands(inner, depth + 1)


def _object(text: str) -> dict[str, Any] | None:
    for candidate in (text, _without_comments(text)):
        try:
            return msgspec.json.decode(candidate, type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            continue
    return None


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda match: match[1] or "", text)


def _words(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
