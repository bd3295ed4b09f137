from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import json_values, thorough, wild_text

from nbharness.inputs import (
    Abort,
    ApprovalDecision,
    CodingInput,
    Message,
    PlanDecision,
    ToolResponse,
    parse_input,
)

EXAMPLES: list[tuple[dict[str, Any], CodingInput]] = [
    ({"type": "message", "text": "go on"}, Message(text="go on")),
    ({"type": "tool_response", "callId": "t1", "approved": True}, ToolResponse(call_id="t1", approved=True)),
    ({"type": "tool_response", "call_id": "t1", "approved": False}, ToolResponse(call_id="t1", approved=False)),
    (
        {"type": "approval", "id": "a", "decision": "approve", "argsHash": "00", "args": None, "scope": "turn"},
        ApprovalDecision(id="a", decision="approve", args_hash="00", args=None, scope="turn"),
    ),
    (
        {"type": "approval", "id": "a", "decision": "reject", "reason": "no", "stop": True},
        ApprovalDecision(id="a", decision="reject", reason="no", stop=True),
    ),
    (
        {"type": "plan", "id": "p", "decision": "approve", "plan_hash": "00", "plan": "less"},
        PlanDecision(id="p", decision="approve", plan_hash="00", plan="less"),
    ),
    ({"type": "abort"}, Abort()),
    ({"type": "abort", "reason": "enough", "unknown": 1}, Abort(reason="enough")),
]

WRONG: list[tuple[object, str]] = [
    (None, "Expected `object`"),
    ("abort", "Expected `object`"),
    ({}, "missing required field `type`"),
    ({"type": "approve"}, "Invalid value 'approve'"),
    ({"type": "message"}, "missing required field `text`"),
    ({"type": "message", "text": " \n"}, "a message must not be empty"),
    ({"type": "tool_response", "callId": "t", "approved": "yes"}, "Expected `bool`"),
    ({"type": "approval", "id": "a", "decision": "maybe"}, "Invalid enum value 'maybe'"),
    ({"type": "approval", "id": "a", "decision": "reject", "args": {}}, "args goes with 'approve' only"),
    ({"type": "approval", "id": "a", "decision": "reject", "remember": True}, "remember goes with 'approve' only"),
    ({"type": "approval", "id": "a", "decision": "reject", "scope": "turn"}, "scope goes with 'approve' only"),
    ({"type": "approval", "id": "a", "decision": "approve", "stop": True}, "stop goes with 'reject' only"),
    ({"type": "plan", "id": "p", "decision": "reject", "plan": "other"}, "plan goes with 'approve' only"),
]


@pytest.mark.parametrize(("value", "expected"), EXAMPLES)
def test_inputs_read_in_both_spellings(value: dict[str, Any], expected: CodingInput) -> None:
    assert parse_input(value) == expected


@pytest.mark.parametrize("given_input", [expected for _, expected in EXAMPLES])
def test_inputs_read_back_as_they_were_written(given_input: CodingInput) -> None:
    assert parse_input(msgspec.json.decode(msgspec.json.encode(given_input))) == given_input


@pytest.mark.parametrize(("value", "message"), WRONG)
def test_a_wrong_input_says_what_is_wrong_and_what_is_valid(value: object, message: str) -> None:
    with pytest.raises(ValueError, match=r"^not an input: ") as raised:
        parse_input(value)
    assert message in str(raised.value)
    assert "Valid types: message {text}, withdraw {id}, tool_response {callId, approved}" in str(raised.value)


@thorough
@given(
    json_values(wild_text)
    | st.dictionaries(
        st.sampled_from(["type", "id", "decision", "text", "args", "call_id"]),
        json_values(wild_text) | st.sampled_from(["message", "approval", "plan", "abort", "approve"]),
    )
)
def test_anything_is_an_input_or_a_value_error(value: object) -> None:
    try:
        assert isinstance(parse_input(value), CodingInput)
    except ValueError as error:
        assert str(error).startswith("not an input: ")  # noqa: PT017 (either outcome is right)
