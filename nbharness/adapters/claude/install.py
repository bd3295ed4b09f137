"""Where Claude Code is, whether somebody is signed in, and which variables of ours it needs. Runs nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from nbharness.adapters.base import AgentStatus
from nbharness.adapters.claude.endings import LOGIN
from nbharness.adapters.program import PackagedProgram

__all__ = ["find_program", "own_variables", "status"]

_PROGRAM = PackagedProgram(
    name="claude",
    package="claude-agent-sdk",
    module="claude_agent_sdk",
    folder="_bundled",
    install="pip install 'nbharness[claude]'",
)
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_ELSEWHERE = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
"""With one of these a cloud's own credentials count."""

_OWN = re.compile(r"ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_(AUTOUPDATER|TELEMETRY|ERROR_REPORTING)|IS_SANDBOX")
_CLOUD = re.compile(r"AWS_\w+|GOOGLE_\w+|CLOUD_ML_REGION|AZURE_\w+")
_OF_THE_PARENT = {"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"}
"""Set for us when we run inside Claude Code; a child of ours is none of its."""


def find_program() -> Path:
    """Return the path of Claude Code: the one in the SDK's package, or else the first on PATH.

    Raises:
        AdapterNotInstalled: There is none.
    """
    return _PROGRAM.find()


def own_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that Claude Code needs: its own, and a cloud's when it is told to use that.

    Args:
        environ: Usually ``os.environ``.
    """
    cloud = any(environ.get(name) for name in _ELSEWHERE)
    own = {name: value for name, value in environ.items() if _OWN.fullmatch(name) and name not in _OF_THE_PARENT}
    return own | ({name: value for name, value in environ.items() if _CLOUD.fullmatch(name)} if cloud else {})


def status(environ: Mapping[str, str]) -> AgentStatus:
    """Return whether Claude Code can be used here.

    Args:
        environ: Usually ``os.environ``.
    """
    return _PROGRAM.status(logged_in=_is_logged_in(environ), login=LOGIN, version_of="SDK")


def _is_logged_in(environ: Mapping[str, str]) -> bool | None:
    """Tell whether there is a key or a sign-in; ``None`` where a keychain or a cloud may hold it."""
    if any(environ.get(name) for name in _KEYS):
        return True
    home = Path(environ.get("CLAUDE_CONFIG_DIR") or Path(environ.get("HOME") or "~").expanduser() / ".claude")
    if (home / ".credentials.json").is_file():
        return True
    return None if sys.platform == "darwin" or any(environ.get(name) for name in _ELSEWHERE) else False
