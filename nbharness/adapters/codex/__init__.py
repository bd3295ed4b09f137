"""The Codex adapter: drives ``codex app-server``. Nothing of Codex is imported; its program is run.

* ``adapter``: what the agent can do, and its sessions; ``install``: where it is and who is signed in.
* ``session``: one thread from turn to turn; ``turn``: one turn; ``asks``: what Codex asks, and the answers.
* ``server``: one app-server; ``rpc``: JSON-RPC over its streams.
* ``translate``: what Codex tells, as events, with ``messages``, ``items``, ``patches``, ``usage``, ``failures`` and
  ``coalesce``. All of these are pure.
"""

from nbharness.adapters.codex.adapter import CodexAdapter, create

__all__ = ["CodexAdapter", "create"]
