"""Budgets are ours, whatever the agent: the event that goes beyond one ends the turn."""

from __future__ import annotations

import asyncio

import pytest
from support.turns import OneTurn

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.budget import Budget
from nbharness.errors import ConfigError
from nbharness.events import Event, ToolEnd, ToolStart, TurnCompleted, Usage, UsageUpdated


def spends(*events: Event) -> OneTurn:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        for event in events:
            port.emit(event)
        port.emit(TurnCompleted(response="done"))
        await asyncio.sleep(0)

    return OneTurn(script, budget=BUDGET)


BUDGET = Budget(max_cost_usd=0.5, max_tokens=100, max_turns=3, max_tools=2)


def tool(id_: str) -> list[Event]:
    return [
        ToolStart(id=id_, name="bash", args={}),
        ToolEnd(id=id_, name="bash", output="", is_error=False, duration_ms=1),
    ]


@pytest.mark.parametrize(
    ("usage", "status", "code", "says"),
    [
        (Usage(cost_usd=0.51), "aborted", "budget", r"the turn cost \$0.51, more than \$0.5"),
        (Usage(input_tokens=90, output_tokens=11), "aborted", "budget", "101 tokens"),
        (Usage(total_tokens=200), "aborted", "budget", "200 tokens"),
        (Usage(model_calls=4), "max_turns", "max_turns", "more than 3 times"),
    ],
)
async def test_beyond_a_limit(usage: Usage, status: str, code: str, says: str) -> None:
    turn = spends(UsageUpdated(usage=usage))
    result = await turn.run()
    assert result.status == status
    assert result.error is not None
    assert result.error.code == code
    assert turn.types()[-1] in {"turn.aborted", "turn.failed"}
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(result.error.message)
    assert "continue the conversation" in result.error.message
    assert result.usage == usage


async def test_within_all_limits() -> None:
    usage = Usage(cost_usd=0.5, input_tokens=60, output_tokens=40, model_calls=3)
    assert (await spends(*tool("a"), *tool("b"), UsageUpdated(usage=usage)).run()).status == "completed"


async def test_one_tool_too_many() -> None:
    turn = spends(*tool("a"), *tool("b"), ToolStart(id="c", name="bash", args={}))
    result = await turn.run()
    assert (result.status, result.error and result.error.code) == ("aborted", "budget")
    assert turn.types()[-2:] == ["tool.end", "turn.aborted"]


async def test_what_is_not_known_stops_nothing() -> None:
    assert (await spends(UsageUpdated(usage=Usage())).run()).status == "completed"


@pytest.mark.parametrize("budget", [Budget(max_tools=0), Budget(max_cost_usd=-1.0), Budget(max_tokens=-5)])
def test_a_limit_is_above_zero(budget: Budget) -> None:
    with pytest.raises(ConfigError, match="give a number above 0"):
        budget.check()
