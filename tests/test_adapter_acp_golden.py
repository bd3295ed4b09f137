"""What ACP agents say, as events and as state, pinned; the native files tell which program said it."""

from pathlib import Path
from typing import Any

import pytest
from support.golden import ROOT, beside, check, events_text, read_natives, stamp, state_text

from nbharness.adapters.acp.answers import is_allowing
from nbharness.adapters.acp.remarks import Remarks
from nbharness.adapters.acp.session import _ABOUT_SESSION
from nbharness.adapters.acp.settings import Settings
from nbharness.adapters.acp.translate import Asked, Translator
from nbharness.events import Event, TurnAborted, TurnStarted, Unknown
from nbharness.ledger import Ledger
from nbharness.state import fold_all

CASES = sorted((ROOT / "acp").glob("*.native.jsonl"))
MAX_BYTES = 32 * 1024


class Replay:
    """A recorded turn, translated again as the session does it."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._translator = Translator("/w", self._settings)
        self._asked: dict[object, Asked] = {}
        self._cancelled = False
        self._is_open = False

    def take(self, message: dict[str, Any]) -> list[Event | Unknown]:
        if facts := message.get("recorded"):
            if facts["agent"] == "copilot":
                self._translator = Translator("/w", self._settings, remarks=Remarks("copilot", "sign in"))
            self._is_open = facts["version"] == "handmade"
            return [TurnStarted(prompt=facts["prompt"], agent=facts["agent"], conversation_id="conversation")]
        match message.get("method"):
            case "session/update":
                update = message["params"]["update"]
                # What a load tells of the past is not shown again.
                is_shown = self._is_open or update["sessionUpdate"] in _ABOUT_SESSION
                return self._translator.update(update) if is_shown else []
            case "session/request_permission":
                events, self._asked[message["id"]] = self._translator.ask(message["params"])
                return events
            case "session/cancel":
                self._cancelled = True
                return []
            case None:
                return self._result(message["id"], message.get("result") or {})
            case _:
                return []

    def _result(self, id_: object, result: dict[str, Any]) -> list[Event | Unknown]:
        if "outcome" in result and (asked := self._asked.pop(id_, None)) is not None:
            self._translator.answered(asked, allowed=is_allowing(result, asked.options))
        elif "stopReason" in result and self._cancelled:
            return [*self._translator.close_calls(), TurnAborted(code="aborted")]
        elif "stopReason" in result:
            return self._translator.finish(result)
        elif "protocolVersion" not in result:
            self._is_open = True
            said = self._settings.take(result)
            return [] if said is None else [said]
        return []


def test_there_are_cases_of_every_program() -> None:
    assert {file.name.split("-")[0] for file in CASES} == {"claude", "copilot", "handmade"}


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name.removesuffix(".native.jsonl"))
def test_turn_is_as_recorded(file: Path) -> None:
    replay, ledger = Replay(), Ledger()
    events = [event for message in read_natives(file) for event in replay.take(message)]
    admitted = [kept for event in events for kept in ledger.admit(event)]
    assert admitted == events, "the translator leaves nothing to repair"
    assert ledger.close() == []
    envelopes = stamp(events)
    events_file = beside(file, ".events.jsonl")
    check(events_file, events_text(envelopes))
    check(beside(file, ".state.json"), state_text(fold_all(envelopes)))
    assert file.stat().st_size < MAX_BYTES
    assert not [word for word in ("/tmp/", str(ROOT.parents[2]), "sk-not-a-key") if word in file.read_text()]  # noqa: S108
