"""An environment in which nobody has a key, a sign-in or a setting, whatever the machine that runs the tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["stranger", "without_accounts"]

_OURS = re.compile(r"NBHARNESS_(?!SKIP_JS)\w+")
_ACCOUNTS = re.compile(
    r"\w+_(API_KEY|TOKEN|BASE_URL)|(ANTHROPIC|CLAUDE|CODEX|COPILOT|DEEPSEEK|GEMINI|GOOGLE|OLLAMA|OPENAI|OPENROUTER)_\w+"
)


def without_accounts(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are no settings of ours and no account of anybody's."""
    return {
        name: value for name, value in environ.items() if not _OURS.fullmatch(name) and not _ACCOUNTS.fullmatch(name)
    }


def stranger(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the variables of somebody who has just come: an empty home directory, and no agent is named."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in without_accounts(environ).items() if not name.startswith("XDG_")}
    return kept | {"HOME": str(home), "NBHARNESS_HOME": str(home / "nbharness"), "NBHARNESS_DEMO_DELAY_MS": "0"}
