"""What turns consumed, summed: an unknown part never makes a sum look smaller than it is."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET
from support.command import Home, one_line, read_json
from support.kernels import start_kernel
from support.turns import ScriptedAdapter

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.errors import NbHarnessError
from nbharness.events import TurnCompleted, Usage, UsageUpdated
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.usage import TurnUsage, by_conversation, combined, total_of
from nbharness.usage_table import usage_lines

PRICED = Usage(input_tokens=1000, output_tokens=200, model_calls=2, cost_usd=0.25, context_tokens=1200)
UNPRICED = Usage(input_tokens=3000, output_tokens=800)


def turn(conversation: str, usage: Usage | None, **more: str) -> TurnUsage:
    return TurnUsage(turn_id="t", conversation_id=conversation, agent="claude", usage=usage, **more)


def test_what_all_turns_say_is_summed() -> None:
    total = total_of([PRICED, PRICED])
    assert total.usage == Usage(input_tokens=2000, output_tokens=400, total_tokens=2400, model_calls=4, cost_usd=0.5)
    assert (total.turns, total.unpriced, total.known) == (2, 0, total.usage)


@pytest.mark.parametrize("silent", [UNPRICED, None])
def test_a_cost_that_one_turn_does_not_say_is_unknown(silent: Usage | None) -> None:
    total = total_of([PRICED, silent])
    assert total.usage.cost_usd is UNSET
    assert (total.known.cost_usd, total.unpriced) == (0.25, 1)
    assert "costUsd" not in msgspec.json.decode(msgspec.json.encode(total))["usage"]


def test_a_total_counts_where_its_parts_are_not_said() -> None:
    assert total_of([PRICED, Usage(total_tokens=10)]).usage.total_tokens == 1210
    assert total_of([PRICED, Usage(input_tokens=10)]).usage.total_tokens is UNSET


def test_nothing_is_the_sum_of_no_turns() -> None:
    assert total_of([]).usage == Usage()


def test_sums_of_sums_keep_what_is_unknown() -> None:
    both = combined([total_of([PRICED]), total_of([UNPRICED, PRICED])])
    assert (both.turns, both.unpriced, both.usage.cost_usd, both.known.cost_usd) == (3, 1, UNSET, 0.5)
    assert both.usage.total_tokens == 6200


def test_turns_are_grouped_by_conversation_in_order() -> None:
    found = by_conversation([turn("b", PRICED), turn("a", None), turn("b", PRICED)])
    assert [(each.id, each.total.turns) for each in found] == [("b", 2), ("a", 1)]


def test_the_table_says_what_is_known_at_least() -> None:
    lines = usage_lines(by_conversation([turn("b" * 12, PRICED, title="mend\x1b it"), turn("a", UNPRICED)]))
    assert lines[1].split()[:5] == ["bbbbbbbb", "claude", "1", "1.2k", "$0.25"]
    assert "\x1b" not in lines[1]
    assert lines[2].split() == ["a", "claude", "1", "3.8k", "unknown"]
    assert lines[3].split() == ["total", "2", "5k", "≥", "$0.25"]
    assert lines[4] == "What 1 of 2 turns cost is unknown: their agents do not say."
    assert usage_lines([]) == ["no turns yet"]


def test_a_handle_tells_the_usage_of_its_turn_and_of_its_conversation(tmp_path: Path) -> None:
    async def spends(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(UsageUpdated(usage=PRICED))
        await port.next_message()
        port.emit(TurnCompleted(response="done"))

    made = Runtime(tmp_path / "nbharness.db")
    asked = TurnSpec(task="do it", agent="scripted", workspace=tmp_path, open_notebook=tmp_path / "a.ipynb")
    first = made.start(asked, adapter=ScriptedAdapter(spends))
    first.send({"type": "message", "text": "go on"})
    assert first.result(10).usage == first.usage == PRICED
    again = msgspec.structs.replace(asked, conversation=first.conversation_id)
    unkept = made.start(again, adapter=ScriptedAdapter(spends), record=False)
    second = made.start(again, adapter=ScriptedAdapter(spends))
    for handle in (unkept, second):
        handle.send({"type": "message", "text": "go on"})
        handle.result(10)
    assert second.conversation_usage().known.cost_usd == 0.75
    assert [each.total.turns for each in made.usage(notebook=str(tmp_path / "a.ipynb"))] == [2]
    assert made.usage(notebook="b.ipynb") == made.usage() == []

    async def on_the_loop() -> None:
        second.conversation_usage()

    with pytest.raises(NbHarnessError, match="own loop"):
        made.thread.call(on_the_loop())
    made.close(5)


def test_the_command_tells_what_conversations_consumed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.nbharness("usage").stdout == "no turns yet\n"
    envelopes, _ = read_json(home.run("scenario: failure", "--json").stdout)
    conversation = str(json.loads(envelopes[0].encode())["data"]["conversationId"])
    said = home.nbharness("usage", conversation[:8])
    assert (said.returncode, said.stdout.splitlines()[1].split()[:5]) == (
        0,
        [conversation[:8], "demo", "1", "unknown", "unknown"],
    )
    assert json.loads(home.nbharness("usage", "--json").stdout)[0]["total"]["unpriced"] == 1
    wrong = home.nbharness("usage", "--notebook", "nowhere.ipynb")
    assert wrong.returncode == 2
    assert "nowhere.ipynb" in one_line(wrong)


@pytest.mark.slow
def test_the_magic_tells_what_the_notebook_consumed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run("%load_ext nbharness\nimport os; os.environ['NBHARNESS_DEMO_DELAY_MS'] = '0'")
        assert "no turns yet" in kernel.run("%coder --usage")
        kernel.run(f"h = %coder --bg --workspace {home.project} scenario: failure\nh.result(60)")
        said = kernel.run("%coder --usage")
        assert "demo" in said
        assert "What it cost is unknown" in said
