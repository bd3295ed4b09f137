"""The agent that ships with nbharness: a model of any provider in a loop with our own tools.

Nothing heavy is imported here: the library that talks to the providers is loaded when a turn first needs it.
"""

from nbharness.adapters.builtin.adapter import BuiltinAdapter, create

__all__ = ["BuiltinAdapter", "create"]
