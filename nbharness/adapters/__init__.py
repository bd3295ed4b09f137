"""Adapters: one folder an agent, each driving one external program or library."""

from nbharness.adapters.base import Adapter, AgentSession, Capabilities, TurnPort, TurnRequest
from nbharness.adapters.registry import adapter_names, create_adapter

__all__ = [
    "Adapter",
    "AgentSession",
    "Capabilities",
    "TurnPort",
    "TurnRequest",
    "adapter_names",
    "create_adapter",
]
