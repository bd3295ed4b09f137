"""What is derived from the event and input classes, so that there is one source.

``python -m nbharness.schema`` writes ``nbharness/events.schema.json`` (JSON Schema), ``js/src/events.gen.ts`` (types
for the front end) and the README's table of events; with ``--check`` it only tells what is stale.
"""

from nbharness.schema.generate import generated, stale

__all__ = ["generated", "stale"]
