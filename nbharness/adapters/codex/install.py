"""Where Codex is, whether somebody is signed in, and which variables of ours it needs. Reads files, runs nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from nbharness.adapters.base import AgentStatus
from nbharness.adapters.codex.failures import LOGIN
from nbharness.adapters.program import PackagedProgram

__all__ = ["find_program", "own_variables", "status"]

_PROGRAM = PackagedProgram(
    name="codex",
    package="openai-codex-cli-bin",
    module="codex_cli_bin",
    folder="bin",
    install="pip install 'nbharness[codex]'",
)
_VARIABLES = ("CODEX_HOME", "CODEX_SQLITE_HOME", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE")
_OPENAI_VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT")


def find_program() -> Path:
    """Return the path of Codex: the packaged one, or else the first on PATH.

    Raises:
        AdapterNotInstalled: There is none.
    """
    return _PROGRAM.find()


def own_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that Codex needs: its own, OpenAI's, and the keys that its configuration names.

    Args:
        environ: Usually ``os.environ``.
    """
    names = {*_VARIABLES, *_OPENAI_VARIABLES, *_named_in(_config(environ))}
    return {name: environ[name] for name in names if name in environ}


def status(environ: Mapping[str, str]) -> AgentStatus:
    """Return whether Codex can be used here.

    Args:
        environ: Usually ``os.environ``.
    """
    return _PROGRAM.status(logged_in=_is_logged_in(environ), login=LOGIN)


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("CODEX_HOME") or Path(environ.get("HOME") or "~").expanduser() / ".codex")


def _config(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the user's configuration; what cannot be read is for Codex to complain about."""
    try:
        return tomllib.loads((_home(environ) / "config.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _is_logged_in(environ: Mapping[str, str]) -> bool | None:
    """Tell whether there is a key; ``None`` when a provider needs none, or the file cannot be read."""
    config = _config(environ)
    provider = config.get("model_provider")
    if isinstance(provider, str) and provider != "openai":
        key = _entry(_entry(config, "model_providers"), provider).get("env_key")
        return bool(environ.get(key)) if isinstance(key, str) else None
    if environ.get("CODEX_ACCESS_TOKEN"):
        return True
    try:
        auth = msgspec.json.decode((_home(environ) / "auth.json").read_bytes())
    except FileNotFoundError:
        # The operating system's keyring may hold it instead.
        return None if config.get("cli_auth_credentials_store") in {"keyring", "auto"} else False
    except (OSError, msgspec.DecodeError):
        return None
    return isinstance(auth, dict) and bool(auth.get("tokens") or auth.get("OPENAI_API_KEY"))


def _named_in(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield the variables that providers and MCP servers of the configuration are to get."""
    for provider in _entries(config, "model_providers"):
        yield from _texts([provider.get("env_key"), *_entry(provider, "env_http_headers").values()])
    for server in _entries(config, "mcp_servers"):
        names = server.get("env_vars")
        yield from _texts([server.get("bearer_token_env_var"), *(names if isinstance(names, list) else [])])
        yield from _texts(_entry(server, "env_http_headers").values())


def _entries(config: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return [entry for entry in _entry(config, name).values() if isinstance(entry, dict)]


def _entry(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    entry = config.get(name)
    return entry if isinstance(entry, dict) else {}


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)]
