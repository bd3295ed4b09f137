from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import beside, cases, check, events_text, read_natives, stamp
from support.strategies import Hostile, foreign_values, thorough

from nbharness.events import (
    TERMINAL_EVENTS,
    ApprovalRequired,
    ApprovalUpdated,
    Event,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnStarted,
    Unknown,
)
from nbharness.translator import EventTranslator, TypedTranslator

RICH: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("turn.started", {}, "turn.started", {}),
    ("model.streaming", {"delta": "hi"}, "message.delta", {"delta": "hi"}),
    ("model.streaming", {}, "message.delta", {"delta": None}),
    ("model.thinking", {"delta": "hm"}, "message.thinking", {"delta": "hm"}),
    (
        "tool.use",
        {"toolCallId": "t1", "id": "other", "toolName": "bash", "input": {"command": "ls"}, "args": 1},
        "tool.start",
        {"id": "t1", "name": "bash", "args": {"command": "ls"}},
    ),
    ("tool.use", {"id": 5, "args": '{"a": [1]}'}, "tool.start", {"id": 5, "name": None, "args": {"a": [1]}}),
    ("tool.use", {"args": "ls -l"}, "tool.start", {"id": None, "name": None, "args": "ls -l"}),
    ("tool.use", {"args": "NaN"}, "tool.start", {"id": None, "name": None, "args": "NaN"}),
    ("tool.use", {"args": "1e999"}, "tool.start", {"id": None, "name": None, "args": "1e999"}),
    ("tool.use", {"args": "[" * 100_000}, "tool.start", {"id": None, "name": None, "args": "[" * 100_000}),
    ("tool.use", {"id": 0, "input": {}}, "tool.start", {"id": 0, "name": None, "args": {}}),
    (
        "tool.delta",
        {"toolCallId": 1, "toolName": "b", "partial": "x"},
        "tool.delta",
        {"id": 1, "name": "b", "partial": "x"},
    ),
    (
        "tool.result",
        {"toolCallId": "t1", "toolName": "bash", "output": {"a": 1}, "isError": True, "durationMs": 3},
        "tool.end",
        {"id": "t1", "name": "bash", "output": {"a": 1}, "isError": True, "durationMs": 3},
    ),
    ("tool.result", {}, "tool.end", {"id": None, "name": None, "output": None, "isError": False, "durationMs": None}),
    (
        "approval.required",
        {"actionId": "a1", "toolName": "write", "input": '{"path": "x"}', "message": "may I?", "autoApprovable": True},
        "approval.required",
        {"id": "a1", "toolName": "write", "args": {"path": "x"}, "message": "may I?", "autoApprovable": True},
    ),
    (
        "approval.required",
        {},
        "approval.required",
        {"id": None, "toolName": None, "args": None, "message": None, "autoApprovable": False},
    ),
    ("approval.updated", {"actionId": 9, "status": "approved"}, "approval.updated", {"id": 9, "status": "approved"}),
    ("plan.proposed", {"plan": "1."}, "plan.proposed", {"plan": "1."}),
    ("plan.approved", {"plan": "1."}, "plan.approved", {"plan": "1."}),
    ("plan.rejected", {"plan": "1."}, "plan.rejected", {"plan": "1."}),
    ("todos.updated", {"todos": [{"content": "x"}]}, "todos.updated", {"todos": [{"content": "x"}]}),
    ("turn.completed", {"response": "done"}, "turn.completed", {"response": "done"}),
    ("turn.failed", {"error": {"message": "no"}}, "turn.failed", {"error": "no"}),
    ("turn.failed", {"error": "no"}, "turn.failed", {"error": "no"}),
    ("turn.failed", {"error": ValueError("no")}, "turn.failed", {"error": "no"}),
    ("turn.aborted", {}, "turn.aborted", {}),
    ("error", {"error": {"message": "no", "code": 1}}, "error", {"error": "no"}),
    ("error", {"error": {"code": 1}}, "error", {"error": '{"code": 1}'}),
    ("error", {}, "error", {"error": ""}),
]

ADK: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    ({"type": "assistant", "text": "hi"}, {"type": "message.delta", "data": {"delta": "hi"}}),
    ({"type": "assistant_delta", "delta": "hi"}, {"type": "message.delta", "data": {"delta": "hi"}}),
    ({"type": "thought", "payload": {"text": "hm"}}, {"type": "message.thinking", "data": {"delta": "hm"}}),
    (
        {"type": "tool_call", "name": "write", "args": {"path": "a"}},
        {"type": "tool.start", "data": {"id": None, "name": "write", "args": {"path": "a"}}},
    ),
    (
        {"type": "tool_call", "callId": "c", "id": "i", "name": "write", "args": "{}"},
        {"type": "tool.start", "data": {"id": "c", "name": "write", "args": {}}},
    ),
    (
        {"type": "tool_result", "name": "write", "result": "File written"},
        {
            "type": "tool.end",
            "data": {"id": None, "name": "write", "output": "File written", "isError": False, "durationMs": None},
        },
    ),
    (
        {"type": "tool_result", "id": 3, "name": "write", "error": {"message": "full"}, "durationMs": 2},
        {"type": "tool.end", "data": {"id": 3, "name": "write", "output": "full", "isError": True, "durationMs": 2}},
    ),
    (
        {"type": "tool_result", "name": "ls", "result": [], "error": False, "isError": 1},
        {"type": "tool.end", "data": {"id": None, "name": "ls", "output": [], "isError": True, "durationMs": None}},
    ),
    (
        {"type": "tool_result", "name": "ls", "error": False},
        {"type": "tool.end", "data": {"id": None, "name": "ls", "output": None, "isError": False, "durationMs": None}},
    ),
    ({"type": "system", "text": "resumed"}, {"type": "notice", "data": {"message": "resumed", "level": "info"}}),
    ({"type": "system"}, None),
    ({"type": "artifact", "text": "x"}, None),
]

OURS = {"adk", "basic", "rich"}
"""The vocabularies; agents have translators of their own."""


@pytest.mark.parametrize(("name", "payload", "to", "data"), RICH)
def test_each_message_of_the_rich_vocabulary(name: str, payload: dict[str, Any], to: str, data: dict[str, Any]) -> None:
    assert EventTranslator().translate({"type": name, "payload": payload}) == {"type": to, "data": data}


@pytest.mark.parametrize("name", sorted({row[0] for row in RICH}))
@pytest.mark.parametrize("event", [{}, {"payload": None}, {"payload": []}, {"payload": "x"}])
def test_a_payload_that_is_missing_or_no_object_counts_as_empty(name: str, event: dict[str, Any]) -> None:
    translate = EventTranslator().translate
    assert translate({"type": name, **event}) == translate({"type": name, "payload": {}})


@pytest.mark.parametrize(("event", "expected"), ADK)
def test_each_event_of_the_adk(event: dict[str, Any], expected: dict[str, Any] | None) -> None:
    assert EventTranslator().translate(event) == expected


def test_a_whole_text_adds_only_what_was_not_streamed() -> None:
    translate = EventTranslator().translate
    assert translate({"type": "assistant_delta", "delta": "Hello"}) is not None
    assert translate({"type": "assistant", "text": "Hello, you"}) == {
        "type": "message.delta",
        "data": {"delta": ", you"},
    }
    assert translate({"type": "assistant_delta", "delta": "Bye"}) is not None
    assert translate({"type": "assistant", "text": "Bye"}) is None
    assert translate({"type": "assistant", "text": "Bye"}) == {"type": "message.delta", "data": {"delta": "Bye"}}


@pytest.mark.parametrize(
    "event", [None, 3, "tool.use", [], {}, {"type": None}, {"type": ["x"]}, {"type": "x"}, Hostile()]
)
def test_what_is_no_message_translates_to_nothing(event: object) -> None:
    assert EventTranslator().translate(event) is None


NAMES = [row[0] for row in RICH] + [str(event["type"]) for event, _ in ADK] + ["unheard.of"]
FIELDS = sorted(
    {key for _, payload, _, _ in RICH for key in payload} | {key for event, _ in ADK for key in event} - {"type"}
)
messages = st.builds(
    lambda name, payload, beside_it: {**beside_it, "type": name, "payload": payload},
    st.sampled_from(NAMES),
    st.dictionaries(st.sampled_from(FIELDS), foreign_values(), max_size=5) | foreign_values(),
    st.dictionaries(st.sampled_from(FIELDS), foreign_values(), max_size=3),
)
streams = st.lists(messages | foreign_values(), max_size=12)


@thorough
@given(streams)
def test_nothing_that_an_agent_sends_raises(stream: list[object]) -> None:
    wire = EventTranslator()
    for message in stream:
        translated = wire.translate(message)
        assert translated is None or set(translated) == {"type", "data"}


# Few ids and names, so that calls, results and answers meet, miss and repeat each other.
_ids = st.sampled_from(["a", "b", 1, None])
plausible = st.builds(
    lambda name, fields: {"type": name, "payload": {key: value for key, value in fields.items() if value is not None}},
    st.sampled_from([*NAMES, *["tool.use", "tool.result", "approval.required", "approval.updated"] * 3]),
    st.fixed_dictionaries(
        {"toolCallId": _ids, "actionId": _ids, "toolName": st.sampled_from(["x", "y", None]), "delta": st.just("d")},
        optional={
            "status": st.sampled_from(["approved", "rejected", "odd"]),
            "partial": st.just("p"),
            "plan": st.just("p"),
        },
    ),
)


def assert_in_order(events: list[Event | Unknown]) -> None:
    """What every reader of a turn may rely on."""
    tools: dict[str, bool] = {}
    approvals: dict[str, bool] = {}
    plans: dict[str, bool] = {}
    for event in events:
        match event:
            case ToolStart():
                assert tools.setdefault(event.id, True)
            case ToolDelta():
                assert tools[event.id]
            case ToolEnd():
                assert tools[event.id]
                tools[event.id] = False
            case ApprovalRequired():
                assert approvals.setdefault(event.id, True)
            case ApprovalUpdated():
                assert approvals[event.id]
                approvals[event.id] = False
            case PlanProposed():
                assert plans.setdefault(str(event.id), True)
            case PlanApproved() | PlanRejected():
                assert plans[str(event.id)]
                plans[str(event.id)] = False
    assert not any([*tools.values(), *approvals.values(), *plans.values()])
    ends = [index for index, event in enumerate(events) if isinstance(event, TERMINAL_EVENTS)]
    assert ends in ([], [len(events) - 1])


@thorough
@given(st.lists(plausible, max_size=20) | streams)
def test_the_typed_form_is_complete_and_in_order_whatever_comes(stream: list[object]) -> None:
    translator = TypedTranslator()
    events = [event for message in stream for event in translator.translate(message)]
    events += translator.finish("gone")
    assert_in_order(events)
    assert translator.finish("gone") == []


def typed(*messages: dict[str, Any], namespace: str = "") -> list[Event | Unknown]:
    translator = TypedTranslator(namespace)
    return [event for message in messages for event in translator.translate(message)]


def test_finish_closes_what_is_open_and_says_why() -> None:
    translator = TypedTranslator()
    for name in ("tool.use", "approval.required", "plan.proposed"):
        translator.translate({"type": name, "payload": {"toolName": "bash", "plan": "go"}})
    assert translator.finish("the agent died") == [
        ApprovalUpdated(id="approval-1", status="cancelled", by="turn", reason="the agent died"),
        PlanRejected(plan="go", id="plan-1", by="turn", reason="the agent died"),
        ToolEnd(id="call-1", name="bash", output=None, is_error=True, duration_ms=None, synthetic=True),
    ]


def test_an_approval_names_the_open_call_with_its_arguments() -> None:
    asks = {"type": "approval.required", "payload": {"actionId": "a", "toolName": "bash", "input": {"n": 2}}}
    *_, asked = typed(
        {"type": "tool.use", "payload": {"toolName": "bash", "input": {"n": 1}}},
        {"type": "tool.use", "payload": {"toolName": "bash", "input": '{"n": 2}'}},
        asks,
    )
    assert isinstance(asked, ApprovalRequired)
    assert asked.tool_call_id == "call-2"


def test_ids_carry_the_namespace() -> None:
    events = typed({"type": "tool.use", "payload": {"id": 1}}, {"type": "tool.use"}, namespace="sub")
    assert [event.id for event in events if isinstance(event, ToolStart)] == ["sub:1", "sub:call-1"]


@pytest.mark.parametrize("file", [case for case in cases(".native.jsonl") if str(case.id).split("/")[0] in OURS])
def test_golden_native_to_events(file: Path) -> None:
    translator = TypedTranslator()
    events = [event for native in read_natives(file) for event in translator.translate(native)]
    events = [event for event in events if not isinstance(event, TurnStarted)]  # the turn writes its own
    envelopes = stamp([TurnStarted(), *events, *translator.finish("The agent is gone.")])
    check(beside(file, ".events.jsonl"), events_text(envelopes))
