"""The agents of ours that need no program, made ready for the checks; and finding those of others."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path

from nbharness.adapters.demo.adapter import DemoAdapter
from nbharness.adapters.mock import MockAdapter
from nbharness.errors import ConfigError
from nbharness.testing.conformance.places import environment, workspace_in
from nbharness.testing.conformance.subject import AgentUnderTest, Setup
from nbharness.testing.conformance.with_model import with_model

__all__ = ["SETUPS", "environment", "find_setup", "workspace_in"]

_PIECES = 5_000


@contextlib.contextmanager
def demo(folder: Path) -> Iterator[AgentUnderTest]:
    """The demo agent."""
    with environment(folder):
        yield AgentUnderTest(
            create=lambda: DemoAdapter(delay_ms=0),
            workspace=workspace_in(folder),
            tasks={
                "say": "leave a note",
                "write": "leave a note",
                "plan": "leave a note",
                "todos": "leave a note",
                "malformed": "scenario: malformed event",
            },
            written="NOTES.md",
        )


@contextlib.contextmanager
def scripted(folder: Path) -> Iterator[AgentUnderTest]:
    """The mock agent, which says what it is told to and does nothing."""
    pieces = [{"type": "assistant_delta", "text": f"{number} "} for number in range(_PIECES)]
    with environment(folder):
        yield AgentUnderTest(
            create=lambda: MockAdapter(pieces),
            workspace=workspace_in(folder),
            tasks={"say": "count", "flood": "count"},
            said=dict.fromkeys(("say", "flood"), "".join(piece["text"] for piece in pieces)),
        )


SETUPS: dict[str, Setup] = {"builtin": with_model, "demo": demo, "mock": scripted}
"""Agents by name."""


def find_setup(name: str) -> Setup:
    """Return how an agent is set up.

    Args:
        name: One of :data:`SETUPS`, or ``module:function``.

    Raises:
        ConfigError: There is none.
    """
    if name in SETUPS:
        return SETUPS[name]
    module, _, function = name.partition(":")
    try:
        found: Setup = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        valid = ", ".join(SETUPS)
        message = f"cannot check the agent {name!r}: {error}. Valid: {valid}, or module:function that sets one up"
        raise ConfigError(message) from error
    return found
