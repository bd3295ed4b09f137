"""The ACP adapter: any agent that speaks the Agent Client Protocol, and the programs that we know by name.

``acp`` runs the command that the turn names. The others are presets of the same adapter; add one to ``presets.py`` and
name it in the entry-point group ``nbharness.adapters``. The package ``agent-client-protocol`` carries the connection;
it is imported when the first turn starts.
"""

from __future__ import annotations

from nbharness.adapters.acp.adapter import AcpAdapter
from nbharness.adapters.acp.presets import PRESETS, Preset

__all__ = ["PRESETS", "AcpAdapter", "Preset", "claude_acp", "copilot", "create", "gemini", "goose", "opencode", "qwen"]


def create() -> AcpAdapter:
    """Return the adapter for a program of the user's choice (``--command``)."""
    return AcpAdapter(PRESETS["acp"])


def copilot() -> AcpAdapter:
    """Return the adapter for GitHub Copilot's command line."""
    return AcpAdapter(PRESETS["copilot"])


def claude_acp() -> AcpAdapter:
    """Return the adapter for Claude Code behind its ACP bridge."""
    return AcpAdapter(PRESETS["claude-acp"])


def gemini() -> AcpAdapter:
    """Return the adapter for Gemini CLI."""
    return AcpAdapter(PRESETS["gemini"])


def qwen() -> AcpAdapter:
    """Return the adapter for Qwen Code."""
    return AcpAdapter(PRESETS["qwen"])


def opencode() -> AcpAdapter:
    """Return the adapter for opencode."""
    return AcpAdapter(PRESETS["opencode"])


def goose() -> AcpAdapter:
    """Return the adapter for goose."""
    return AcpAdapter(PRESETS["goose"])
