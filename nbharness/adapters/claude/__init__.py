"""The Claude adapter: drives Claude Code over its control protocol. Nothing of its SDK is imported; its program is run.

The SDK's own transport hands all of our environment to the program and leaves its children behind, and its parser stops
at a message that it does not know. The protocol itself is small, so it is spoken here.

* ``adapter``: what the agent can do, and its sessions; ``install``: where it is and who is signed in.
* ``session``: one session from turn to turn; ``turn``: one turn; ``asks``: what Claude asks, and the answers.
* ``process``: one process of it; ``command``: how that is started.
* ``translate``: what Claude tells, as events, with ``tools``, ``todos``, ``usage`` and ``endings``. All of these are
  pure.
"""

from nbharness.adapters.claude.adapter import ClaudeAdapter, create

__all__ = ["ClaudeAdapter", "create"]
