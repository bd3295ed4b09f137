"""Agents for tests: one that replays a script, and one that does nothing."""

from nbharness.adapters.mock.adapter import MockAdapter, MockSession, NoopAdapter, create
from nbharness.adapters.mock.script import RESPONSE_TYPES, Script, SimulatedError

__all__ = ["RESPONSE_TYPES", "MockAdapter", "MockSession", "NoopAdapter", "Script", "SimulatedError", "create"]
