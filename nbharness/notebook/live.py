"""A turn on view: follows its feed, sends what is new to the page, and in the end leaves the transcript in the cell."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable
from typing import Any

from nbharness.events import TERMINAL_EVENTS, ApprovalRequired, ApprovalUpdated, Envelope, PlanProposed, TurnStarted
from nbharness.handle import CodingHandle
from nbharness.notebook.channel import Channel, ViewedTurn, to_wire
from nbharness.notebook.host import Host
from nbharness.notebook.pacer import Pacer
from nbharness.notebook.views import Views
from nbharness.notebook.widget import TurnWidget
from nbharness.redact import Redactor
from nbharness.state import fold_all
from nbharness.transcript import transcript_bundle

__all__ = ["LiveTurn", "frozen_bundle", "output_metadata"]

_URGENT = (TurnStarted, ApprovalRequired, ApprovalUpdated, PlanProposed, *TERMINAL_EVENTS)
_STATUS = {"turn.completed": "completed", "turn.failed": "failed", "turn.aborted": "aborted"}
_WIDGET_MIME = "application/vnd.jupyter.widget-view+json"


def frozen_bundle(handle: CodingHandle, redactor: Redactor) -> dict[str, Any]:
    """Return what a settled turn leaves in the notebook, by MIME type."""
    return transcript_bundle(fold_all(handle.feed.since()), redactor=redactor)


def output_metadata(handle: CodingHandle) -> dict[str, Any]:
    """Return the metadata of every output that shows a turn; by it a saved notebook is frozen later."""
    return {"nbharness": {"turn": handle.turn_id}}


class LiveTurn:
    """One turn with its widget and the outputs that show it.

    Args:
        handle: The turn.
        views: Its views.
        host: What runs the cells.
        channel: Answers its views.
        pacer: Paces the messages of all widgets.
        redactor: Masks secrets in what is saved.
        answer: Gets what a view says over the comm, and what sends the answer.
    """

    def __init__(
        self,
        handle: CodingHandle,
        *,
        views: Views,
        host: Host,
        channel: Channel,
        pacer: Pacer,
        redactor: Redactor,
        answer: Callable[[Any, Callable[[dict[str, Any]], None]], None],
    ) -> None:
        self.handle = handle
        self.views = views
        self._viewed = ViewedTurn(
            turn_id=handle.turn_id,
            feed=handle.feed,
            views=views,
            settled=lambda: handle.done,
            undo=lambda is_redo: handle.redo() if is_redo else handle.undo(),
        )
        channel.add(self._viewed)
        self._host = host
        self._pacer = pacer
        self._redactor = redactor
        self._parent = host.parent()
        self._displays: list[str] = []
        self._lock = threading.Lock()
        self._is_frozen = False
        self._widget = TurnWidget(kernel_id=host.kernel_id, turn_id=handle.turn_id)
        self._widget.on_msg(lambda _widget, content, _buffers: answer(content, self._send))

    def show(self) -> None:
        """Put the turn on view as an output of the current cell. In the cell's thread."""
        # The loop may freeze the turn right now: a display that it does not know would keep a closed widget.
        with self._lock:
            if self._is_frozen:
                self._display(frozen_bundle(self.handle, self._redactor))
            else:
                self.views.shown_again()
                self._display(self._live_bundle())

    def detach(self) -> None:
        """Tell the views that the cell gave way. From any thread."""
        self._viewed.detached = True
        self._send({"kind": "detached", "turnId": self.handle.turn_id})

    async def follow(self) -> None:
        """Send what is new until the turn has settled, then freeze. On the runtime's loop."""
        sent = -1
        async for batch in self.handle.feed.follow():
            if batch[-1].seq <= sent:
                continue
            if not any(isinstance(envelope.event, _URGENT) for envelope in batch):
                await self._pacer.turn()
            fresh = self.handle.feed.since(sent)
            sent = fresh[-1].seq
            self._batch(fresh)
        await self.handle
        # A long turn takes a second to write down; other turns go on meanwhile.
        self._freeze(await asyncio.to_thread(frozen_bundle, self.handle, self._redactor))

    def _batch(self, envelopes: list[Envelope]) -> None:
        self._send({"kind": "batch", "turnId": self.handle.turn_id, "events": to_wire(envelopes)})
        self._widget.seq = envelopes[-1].seq
        status = _STATUS.get(envelopes[-1].type, "running")
        if status != self._widget.status:
            self._widget.status = status

    def _freeze(self, bundle: dict[str, Any]) -> None:
        with self._lock:
            self._is_frozen = True
            for display_id in self._displays:
                content = {"data": bundle, "metadata": output_metadata(self.handle)}
                content["transient"] = {"display_id": display_id}
                self._host.publish("update_display_data", content, self._parent)
        # A page that was reloaded has lost the display id and still shows the widget: leave it there, settled.
        if self.views.count <= len(self._displays):
            self._widget.close()

    def _send(self, content: dict[str, Any]) -> None:
        if self._widget.comm is not None:
            self._widget.send(content)

    def _live_bundle(self) -> dict[str, Any]:
        view = {"model_id": self._widget.model_id, "version_major": 2, "version_minor": 0}
        text = f"nbharness: turn {self.handle.turn_id} of {self.handle.agent} runs; its transcript appears here"
        return {_WIDGET_MIME: view, "text/plain": text}

    def _display(self, data: dict[str, Any]) -> None:
        display_id = f"nbharness-{secrets.token_hex(8)}"
        self._displays.append(display_id)
        self._host.shell.display_pub.publish(
            data=data, metadata=output_metadata(self.handle), transient={"display_id": display_id}
        )
