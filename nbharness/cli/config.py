"""``nbharness config``: every setting, its value and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nbharness.cli.exit_codes import DONE
from nbharness.cli.options import CommandParser
from nbharness.cli.table import print_table
from nbharness.config import FILE_ONLY, SETTING_NAMES, McpSetting, RuleTexts, Settings, config_file, load, variable

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print the settings.

    Raises:
        ConfigError: A setting cannot be used.
    """
    parser = CommandParser(
        "config",
        "Print every setting, its value and where it comes from: the environment, else the settings file, else the "
        "default.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)
    settings = load()
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(_as_json(settings), enc_hook=str), indent=2).decode())
        return DONE
    rows = [(name, _in_words(getattr(settings, name)), _source(settings, name)) for name in SETTING_NAMES]
    print_table(("setting", "value", "from"), rows)
    print(f"\nsettings file: {config_file()}{'' if config_file().exists() else ' (none yet)'}")
    return DONE


def _as_json(settings: Settings) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "value": _without_secrets(getattr(settings, name)),
            "source": settings.sources[name],
            "variable": None if name in FILE_ONLY else variable(name),
        }
        for name in SETTING_NAMES
    }


def _without_secrets(value: Any) -> Any:
    """Return a setting as it may be shown around: of what a server is given, the names only."""
    if isinstance(value, dict) and any(isinstance(inner, McpSetting) for inner in value.values()):
        return {
            name: msgspec.structs.replace(
                server, env=dict.fromkeys(server.env, "…"), headers=dict.fromkeys(server.headers, "…")
            )
            for name, server in value.items()
        }
    return value


def _in_words(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ", ".join(_entry(name, inner) for name, inner in value.items()) or "-"
    if isinstance(value, tuple):
        return ", ".join(value) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"


def _entry(name: str, value: object) -> str:
    """Return one entry of a table: rules are counted, of a server only its name is told, which holds no secret."""
    if isinstance(value, RuleTexts):
        count = len(value.allow) + len(value.ask) + len(value.deny)
        return f"{count} rules" + (f" for {name}" if name else "")
    return f"{name}={value}" if isinstance(value, str) else name


def _source(settings: Settings, name: str) -> str:
    source = settings.sources[name]
    return variable(name) if source == "environment" else source
