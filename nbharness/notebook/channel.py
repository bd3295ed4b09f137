"""What the page and the kernel say to each other about a turn, whichever road it came on.

A message of the page arrives on two roads at once, as a custom message of the widget and on the control channel. Each
is answered; an input is carried out once, by its id. Pages are hostile input: what is malformed gets one clear answer
and changes nothing.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec

from nbharness.errors import ApprovalConflict, NbHarnessError, UnknownApproval
from nbharness.events import Envelope, Unknown, WorkspaceChanged
from nbharness.feed import Feed
from nbharness.git import UndoResult
from nbharness.inputs import ApprovalDecision, CodingInput, PlanDecision, Redo, Undo, parse_input
from nbharness.notebook.views import Views

__all__ = ["Channel", "ViewedTurn", "to_wire"]

_LATER = "later"
"""Stands for an answer that is being worked out; never sent."""
_ENDING = 100
"""Envelopes at the end of a turn among which is what it changed."""
_MAX_EVENTS = 500
_MAX_CHARS = 512 * 1024
_REMEMBERED_INPUTS = 1000


class ViewedTurn(msgspec.Struct, kw_only=True):
    """One turn, as its views may know it.

    Attributes:
        turn_id: The turn.
        feed: Its events.
        views: Its views.
        settled: Tells whether it has settled.
        undo: Takes back what the turn changed, or with True takes that back; blocks, in any thread but the loop's.
        undone: What it changed was taken back, as far as a view did that.
        detached: The cell that waited for it gave way.
        secret: What an input must carry; never in a trait, so that it is not saved.
    """

    turn_id: str
    feed: Feed
    views: Views
    settled: Callable[[], bool]
    undo: Callable[[bool], UndoResult]
    undone: bool = False
    detached: bool = False
    secret: str = msgspec.field(default_factory=lambda: secrets.token_urlsafe(32))


class Channel:
    """Answers the views of all turns of this kernel.

    Args:
        send: Gives an input to a turn; raises what is wrong with it.
    """

    def __init__(self, send: Callable[[str, CodingInput, str], None]) -> None:
        self._send = send
        self._turns: dict[str, ViewedTurn] = {}
        self._replies: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()
        self._undoing = asyncio.Lock()

    def add(self, turn: ViewedTurn) -> None:
        """Answer for a turn from now on. From any thread."""
        self._turns[turn.turn_id] = turn

    def remove(self, turn_id: str) -> None:
        """Answer for a turn no more. From any thread."""
        self._turns.pop(turn_id, None)

    async def answer(self, message: Any) -> dict[str, Any]:
        """Return the answer to one message of the page, also to an undo, which takes a while."""
        reply = self.handle(message)
        if reply.get("status") != _LATER:
            return reply
        key = (_text(message, "turnId"), _text(message, "inputId"))
        async with self._undoing:
            # The message has come on two roads; by now the other one may have brought the answer.
            if self._replies.get(key, reply)["status"] == _LATER:
                is_redo = isinstance(parse_input(message["input"]), Redo)
                self._replies[key] = await _undo(self._turns[key[0]], key[1], is_redo=is_redo)
            return self._replies[key]

    def handle(self, message: Any) -> dict[str, Any]:
        """Return the answer to one message of the page; never raises for what the page says. On the runtime's loop."""
        if not isinstance(message, dict):
            return _invalid("", "a message must be an object")
        view, turn_id = _text(message, "view"), _text(message, "turnId")
        if not view:
            return _invalid(_text(message, "inputId"), "a message must name its view")
        turn = self._turns.get(turn_id)
        if turn is None:
            return _invalid(
                _text(message, "inputId"), f"no turn {turn_id!r} in this kernel; it may have been restarted"
            )
        if message.get("kind") == "look":
            # From a button on a transcript, which is no view of the turn: nobody could answer a question there.
            return _looked(turn, view)
        turn.views.heard(view)
        match message.get("kind"):
            case "hello" | "resync":
                return _welcome(turn, view, message.get("lastSeq"))
            case "beat":
                return {"kind": "alive", "view": view, "turnId": turn.turn_id}
            case "input":
                return self._take(turn, message)
            case kind:
                why = f"unknown kind {kind!r:.80}. Valid: hello, resync, beat, look, input"
                return _invalid(_text(message, "inputId"), why)

    def _take(self, turn: ViewedTurn, message: dict[str, Any]) -> dict[str, Any]:
        input_id = _text(message, "inputId")
        if not secrets.compare_digest(_text(message, "secret").encode(), turn.secret.encode()):
            return _invalid(input_id, "this view does not know the turn's secret; reload the page")
        if not input_id:
            return _invalid(input_id, "an input must have an inputId")
        known = self._replies.get((turn.turn_id, input_id))
        if known is not None:
            return known
        reply = self._carry_out(turn, input_id, message.get("input"))
        self._replies[turn.turn_id, input_id] = reply
        if len(self._replies) > _REMEMBERED_INPUTS:
            self._replies.popitem(last=False)
        return reply

    def _carry_out(self, turn: ViewedTurn, input_id: str, raw: Any) -> dict[str, Any]:
        try:
            given = parse_input(raw)
        except ValueError as error:
            return _invalid(input_id, str(error))
        if (isinstance(given, ApprovalDecision) and given.args_hash is msgspec.UNSET) or (
            isinstance(given, PlanDecision) and given.plan_hash is msgspec.UNSET
        ):
            return _invalid(input_id, "an answer must name the hash of what was shown")
        if isinstance(given, ApprovalDecision) and given.scope == "turn" and given.covers is msgspec.UNSET:
            return _invalid(input_id, "an answer to all that waits must name what was on view (covers)")
        if isinstance(given, Undo | Redo):
            return _reply(input_id, _LATER)
        try:
            self._send(turn.turn_id, given, "user")
        except ApprovalConflict as error:
            return _reply(input_id, "conflict", str(error), error.recorded)
        except UnknownApproval as error:
            return _reply(input_id, "unknown", str(error))
        except NbHarnessError as error:
            return _invalid(input_id, str(error))
        return _reply(input_id, "ok")


def to_wire(envelopes: list[Envelope]) -> list[Any]:
    """Return envelopes as JSON-like values that any JSON encoder takes."""
    return [_wire_form(envelope) for envelope in envelopes]


def _wire_form(envelope: Envelope) -> Any:
    if isinstance(envelope.event, Unknown):
        return msgspec.json.decode(envelope.encode())
    # Six times as fast as by way of JSON; the writer has made sure that the values are sound.
    data = msgspec.to_builtins(envelope.event)
    kind = data.pop("type")
    return {"seq": envelope.seq, "turnId": envelope.turn_id, "at": envelope.at, "type": kind, "data": data}


def _welcome(turn: ViewedTurn, view: str, last_seq: Any) -> dict[str, Any]:
    after = last_seq if isinstance(last_seq, int) else -1
    events: list[Any] = []
    size = 0
    for envelope in turn.feed.since(after, _MAX_EVENTS):
        encoded = envelope.encode()
        size += len(encoded)
        if events and size > _MAX_CHARS:
            break
        events.append(msgspec.json.decode(encoded))
    reached = max(after, -1) + len(events)
    return {
        "kind": "welcome",
        "view": view,
        "turnId": turn.turn_id,
        "secret": turn.secret,
        "lastSeq": len(turn.feed) - 1,
        "settled": turn.settled(),
        "detached": turn.detached,
        "events": events,
        "more": reached < len(turn.feed) - 1,
    }


def _looked(turn: ViewedTurn, view: str) -> dict[str, Any]:
    ids = {"kind": "looked", "view": view, "turnId": turn.turn_id}
    return {**ids, "secret": turn.secret, "undo": _possible_undo(turn)}


def _possible_undo(turn: ViewedTurn) -> str:
    """Return ``undo`` or ``redo`` when that can be asked for, ``""`` when nothing can be taken back."""
    # What changed is told right before the end.
    last = turn.feed.since(len(turn.feed) - 1 - _ENDING)
    if not any(isinstance(each.event, WorkspaceChanged) and each.event.undoable is True for each in last):
        return ""
    return "redo" if turn.undone else "undo"


async def _undo(turn: ViewedTurn, input_id: str, *, is_redo: bool) -> dict[str, Any]:
    try:
        came_to = await asyncio.to_thread(turn.undo, is_redo)
    except NbHarnessError as error:
        return _invalid(input_id, str(error))
    if came_to.undone:
        turn.undone = not is_redo
    reply = _reply(input_id, "ok" if came_to.undone else "conflict", came_to.message)
    return {**reply, "undo": msgspec.to_builtins(came_to)}


def _reply(input_id: str, status: str, message: str = "", recorded: str = "") -> dict[str, Any]:
    return {"kind": "reply", "inputId": input_id, "status": status, "message": message, "recorded": recorded}


def _invalid(input_id: str, message: str) -> dict[str, Any]:
    return _reply(input_id, "invalid", message)


def _text(message: dict[str, Any], key: str) -> str:
    value = message.get(key)
    return value if isinstance(value, str) and len(value) <= 200 else ""  # noqa: PLR2004 (longer is no id of ours)
