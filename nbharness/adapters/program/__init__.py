"""What the adapters of external programs share: where a program is, what its lines say, how it ended."""

from nbharness.adapters.program.death import death, last_words
from nbharness.adapters.program.find import PackagedProgram
from nbharness.adapters.program.link import MessageLink, Refused
from nbharness.adapters.program.reading import Unreadable, read_message
from nbharness.adapters.program.waits import retry_after

__all__ = [
    "MessageLink",
    "PackagedProgram",
    "Refused",
    "Unreadable",
    "death",
    "last_words",
    "read_message",
    "retry_after",
]
