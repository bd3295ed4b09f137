"""Everything a kernel publishes, as it is on the wire."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import zmq
from bench.agent import install
from support.kernels import Kernel, start_kernel

from nbharness.events import Envelope, MessageDelta, decode

__all__ = ["Message", "Tap", "bench_kernel", "text_of"]

_DELIMITER = b"<IDS|MSG>"
_POLL_MS = 100


@dataclasses.dataclass(frozen=True)
class Message:
    """One message.

    Attributes:
        at: When it came, on the monotonic clock.
        size: Bytes on the wire, all frames.
        kind: Its type.
        content: Its content.
    """

    at: float
    size: int
    kind: str
    content: Any

    @property
    def envelopes(self) -> list[Envelope]:
        """The events in it, when it is a batch for the page."""
        said = self.content.get("data", {}).get("content", {}) if self.kind == "comm_msg" else {}
        decoded = (decode(msgspec.json.encode(event)) for event in said.get("events", []))
        return [envelope for envelope in decoded if isinstance(envelope, Envelope)]


class Tap:
    """Listens to a kernel from a thread of its own."""

    def __init__(self, kernel: Kernel) -> None:
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
        self._socket.set_hwm(0)
        self._socket.setsockopt(zmq.SUBSCRIBE, b"")
        self._socket.connect(kernel.client._make_url("iopub"))
        self._raw: list[tuple[float, list[bytes]]] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop(self) -> list[Message]:
        """Stop listening and return what came, in order."""
        self._stopped.set()
        self._thread.join()
        self._socket.close()
        return [_message(at, frames) for at, frames in self._raw]

    def _listen(self) -> None:
        while not self._stopped.is_set():
            if self._socket.poll(_POLL_MS):
                frames = self._socket.recv_multipart()
                self._raw.append((time.monotonic(), frames))


@contextlib.contextmanager
def bench_kernel(name: str, place: Path) -> Iterator[Kernel]:
    """Run a kernel that knows the agent ``bench``, the extension loaded, until the block ends."""
    install(place / "agents")
    with start_kernel(name, place) as kernel:
        said = kernel.run("%load_ext nbharness")
        assert not said, said
        yield kernel


def text_of(messages: Sequence[Message]) -> str:
    """Return the text that a page has seen, each event once."""
    seen: dict[int, str] = {}
    for message in messages:
        for envelope in message.envelopes:
            if isinstance(envelope.event, MessageDelta):
                seen[envelope.seq] = envelope.event.delta
    return "".join(seen[seq] for seq in sorted(seen))


def _message(at: float, frames: list[bytes]) -> Message:
    start = frames.index(_DELIMITER)
    header, content = msgspec.json.decode(frames[start + 2]), msgspec.json.decode(frames[start + 5])
    return Message(at, sum(map(len, frames)), header["msg_type"], content)
