"""The demo adapter: a scripted agent without a key, and the template for a new adapter.

To bring another agent, copy this folder and keep

* ``adapter.py``: opens a session, sends the task, hands what the agent says to the translator, answers what it asks;
* ``translate.py``: what the agent says, as events. Pure, so that a golden file pins every quirk.

``agent/`` plays the external program: delete it. It speaks a language of its own (``agent/messages.py``) and knows no
events, as a real agent would. Then name the adapter in the entry-point group ``nbharness.adapters`` and record what
the agent says in ``tests/golden/<agent>/``.
"""

from nbharness.adapters.demo.adapter import DemoAdapter, DemoSession, create
from nbharness.adapters.demo.agent.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "DemoAdapter", "DemoSession", "create"]
