"""Tools of this process for agents that run elsewhere and speak MCP (Model Context Protocol).

``session`` gives them to an agent's session with each turn, ``offer`` runs their calls, ``server`` serves them on the
loopback interface.
"""

from __future__ import annotations

from nbharness.tool_server.session import ServedSession, is_served

__all__ = ["ServedSession", "is_served"]
