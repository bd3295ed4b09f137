"""What agents say, in the words of our schema.

Three vocabularies translate: the rich one of ask_agent, the basic one of acp, and the ADK's stream events. Pure: no
clock, no input or output, and nothing here raises on what an agent sends.
"""

from nbharness.translator.typed import TypedTranslator
from nbharness.translator.wire import EventTranslator

__all__ = ["EventTranslator", "TypedTranslator"]
