"""Which model is meant, and whether there is a key for it. Pure: looks at names and variables, asks nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from nbharness.errors import AuthNeeded, ConfigError

__all__ = [
    "AGENT",
    "NAMED_BY",
    "PROVIDERS",
    "Effort",
    "Provider",
    "chosen_model",
    "has_key",
    "has_provider",
    "login",
    "problem_with",
    "provider_of",
]

Effort: TypeAlias = Literal["minimal", "low", "medium", "high"]
"""How much a model is to think."""

AGENT = "builtin"
"""Name of the agent, in messages."""

_VARIABLE = "NBHARNESS_MODEL"
_CHAT = "openai-chat"

NAMED_BY = f"--model or {_VARIABLE}"
"""How a user names a model."""

_OWN_SERVER = "OPENAI_BASE_URL"


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """Who serves models.

    Attributes:
        keys: Variables that hold a key; one of them is enough. Empty when none is needed.
        default: Model to use when none is named; ``""`` for none.
        address: Variable and value of the server's address, where it has to be told.
        extra: Extra of ours that brings what it needs.
    """

    keys: tuple[str, ...] = ()
    default: str = ""
    address: tuple[str, str] | None = None
    extra: str = "agent"


_OPENAI = ("OPENAI_API_KEY", _OWN_SERVER)

PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider(keys=("ANTHROPIC_API_KEY",), default="claude-sonnet-5-5"),
    "openai": Provider(keys=_OPENAI, default="gpt-6.1-terra"),
    "google": Provider(keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), default="gemini-3.8-flash", extra="agent-google"),
    "openrouter": Provider(keys=("OPENROUTER_API_KEY",), default="anthropic/claude-sonnet-5.5"),
    "openai-responses": Provider(keys=_OPENAI),
    _CHAT: Provider(keys=_OPENAI),
    "deepseek": Provider(keys=("DEEPSEEK_API_KEY",), default="deepseek-chat"),
    "ollama": Provider(address=("OLLAMA_BASE_URL", "http://127.0.0.1:11434/v1")),
    "vllm": Provider(address=("VLLM_BASE_URL", "http://127.0.0.1:8000/v1")),
}
"""Providers that are known by name, in the order in which one with a key is chosen."""

_BY_BEGINNING = {
    "claude": "anthropic",
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "codex": "openai",
    "gemini": "google",
    "deepseek": "deepseek",
}


def chosen_model(named: str | None, environ: Mapping[str, str]) -> str:
    """Return the model to use, as ``provider:model``.

    Args:
        named: What the turn asks for; ``None`` leaves the choice to ``NBHARNESS_MODEL`` and then to the keys.
        environ: Usually ``os.environ``.

    Raises:
        ConfigError: The name does not tell whose model it is, or there is only a server of one's own and no name.
        AuthNeeded: The key that it needs is not set; the message names the variable.
    """
    name = named or _from_variable(environ)
    full = _by_key(environ) if name is None else _with_provider(name, environ)
    _check_key(full, environ)
    return full


def provider_of(model: str) -> tuple[str, str]:
    """Split ``provider:model``."""
    provider, _, rest = model.partition(":")
    return provider, rest


def has_provider(model: str) -> bool:
    """Tell whether a model is named together with a provider that is known here."""
    return ":" in model and provider_of(model)[0] in PROVIDERS


def has_key(environ: Mapping[str, str]) -> bool:
    """Tell whether a turn that names no model has one to use."""
    return not problem_with(None, environ)


def problem_with(model: str | None, environ: Mapping[str, str]) -> str:
    """Return why a turn with a model, or with none named, has none to use; ``""`` when it has one."""
    try:
        chosen_model(model, environ)
    except ConfigError as error:
        return str(error)
    except AuthNeeded as error:
        return error.how
    return ""


def login() -> str:
    """Return what to do when there is no key."""
    keys = ", ".join(provider.keys[0] for provider in PROVIDERS.values() if provider.default)
    return f"set one of {keys}; or name a local model, such as --model ollama:qwen3"


def _from_variable(environ: Mapping[str, str]) -> str | None:
    """Return the model of the settings where it may be meant for us: other agents have models of other names."""
    name = environ.get(_VARIABLE) or ""
    return name if name.partition(":")[0] in PROVIDERS else None


def _by_key(environ: Mapping[str, str]) -> str:
    for name, provider in PROVIDERS.items():
        if provider.default and any(environ.get(key) for key in provider.keys):
            if name == "openai" and environ.get(_OWN_SERVER):
                message = f"{_OWN_SERVER} is set and nobody knows the models there"
                raise ConfigError(f"{message}; name one with {NAMED_BY}, such as {_CHAT}:my-model")
            return f"{name}:{provider.default}"
    raise AuthNeeded(AGENT, f"no key is set; {login()}")


def _with_provider(name: str, environ: Mapping[str, str]) -> str:
    """Put the provider before a name that lacks it."""
    if ":" in name and "/" not in name.partition(":")[0]:
        return name
    if environ.get(_OWN_SERVER):
        # Servers that are compatible with OpenAI speak Chat Completions, seldom anything else.
        return f"{_CHAT}:{name}"
    if "/" in name:
        return f"openrouter:{name}"
    lowered = name.lower()
    for beginning, provider in _BY_BEGINNING.items():
        if lowered.startswith(beginning):
            return f"{provider}:{name}"
    known = ", ".join(f"{provider}:{name}" for provider in ("anthropic", "openai", "google", "ollama"))
    whose = f"the model {name!r} does not say whose it is"
    raise ConfigError(f"{whose}; name the provider too with {NAMED_BY}, such as {known}")


def _check_key(model: str, environ: Mapping[str, str]) -> None:
    provider = PROVIDERS.get(provider_of(model)[0])
    if provider is not None and provider.keys and not any(environ.get(key) for key in provider.keys):
        raise AuthNeeded(AGENT, f"the model {model!r} needs {provider.keys[0]}, which is not set")
