"""What the agent asks: put once, answered once, by whoever is there."""

from __future__ import annotations

import pytest
from support.turns import OneTurn, Ticking

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.audience import Nobody
from nbharness.errors import AdapterProtocolError, ApprovalConflict, UnknownApproval
from nbharness.events import Question, QuestionAnswered, QuestionAsked, QuestionOption, TurnCompleted
from nbharness.inputs import Abort, QuestionAnswer

ROUND = Question(
    id="round",
    text="How should refunds round?",
    options=[QuestionOption(label="Half up"), QuestionOption(label="Half to even", description="As banks do")],
    free_text=False,
)
TAGS = Question(
    id="tags", text="Which tags?", options=[QuestionOption(label="a"), QuestionOption(label="b")], multiple=True
)
KEY = Question(id="key", text="Your key?", secret=True)


async def asks(_request: TurnRequest, port: TurnPort) -> None:
    reply = await port.ask_questions([ROUND, TAGS, KEY])
    port.emit(TurnCompleted(response=f"{reply.answered} {sorted(reply.answers.items())}"))


async def asked(**desk: object) -> OneTurn:
    turn = OneTurn(asks, **desk)  # type: ignore[arg-type]
    turn.begin()
    event = await turn.until("question.asked")
    assert event == QuestionAsked(id="q1", questions=[ROUND, TAGS, KEY])
    return turn


async def test_answers_reach_the_agent_and_secrets_stay_with_it() -> None:
    turn = await asked()
    answers = {"round": ["Half up"], "tags": ["a", "b"], "key": ["sesame"]}
    turn.turn.send(QuestionAnswer(id="q1", answers=answers), "user")
    result = await turn.settled()
    assert "sesame" in result.output.text
    shown = {"round": ["Half up"], "tags": ["a", "b"]}
    assert turn.all(QuestionAnswered) == [QuestionAnswered(id="q1", status="answered", answers=shown, by="user")]


async def test_questions_can_be_skipped() -> None:
    turn = await asked()
    turn.turn.send(QuestionAnswer(id="q1", skip=True), "user")
    assert (await turn.settled()).output.text == "False []"
    assert turn.all(QuestionAnswered) == [QuestionAnswered(id="q1", status="skipped", by="user")]


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"round": ["Down"]}, "'Down' was not offered; offered: Half up, Half to even"),
        ({"round": ["Half up", "Half to even"]}, "takes one answer, not 2"),
        ({"colour": ["red"]}, "no question 'colour'; asked: round, tags, key"),
    ],
)
async def test_an_answer_that_does_not_fit_changes_nothing(answers: dict[str, list[str]], why: str) -> None:
    turn = await asked()
    with pytest.raises(ApprovalConflict, match=why):
        turn.turn.send(QuestionAnswer(id="q1", answers=answers), "user")
    assert turn.turn.desk.waiting == ["q1"]
    turn.turn.send(Abort(), "user")
    await turn.settled()


async def test_the_first_answer_stands() -> None:
    turn = await asked()
    first = QuestionAnswer(id="q1", answers={"round": ["Half up"]})
    turn.turn.send(first, "user")
    turn.turn.send(first, "user")
    with pytest.raises(ApprovalConflict, match="the first answer stands"):
        turn.turn.send(QuestionAnswer(id="q1", skip=True), "user")
    with pytest.raises(UnknownApproval, match="q7"):
        turn.turn.send(QuestionAnswer(id="q7", skip=True), "user")
    await turn.settled()
    assert len(turn.all(QuestionAnswered)) == 1


async def test_nobody_there_means_skipped() -> None:
    turn = OneTurn(asks, audience=Nobody())
    assert (await turn.run()).output.text == "False []"
    assert turn.all(QuestionAnswered) == [QuestionAnswered(id="q1", status="skipped", by="nobody")]


async def test_questions_die_with_the_turn() -> None:
    turn = await asked()
    turn.turn.send(Abort(), "user")
    assert (await turn.settled()).status == "aborted"
    assert turn.all(QuestionAnswered) == [QuestionAnswered(id="q1", status="cancelled", by="turn")]


async def test_the_clock_stands_still_while_a_question_waits() -> None:
    clock = Ticking()
    turn = await asked(clock=clock, timeout_s=5)
    clock.time += 3600
    turn.turn.send(QuestionAnswer(id="q1", skip=True), "user")
    assert (await turn.settled()).status == "completed"


@pytest.mark.parametrize("questions", [[], [ROUND, ROUND]])
async def test_questions_that_cannot_be_answered_are_refused(questions: list[Question]) -> None:
    async def asks_badly(_request: TurnRequest, port: TurnPort) -> None:
        with pytest.raises(AdapterProtocolError):
            await port.ask_questions(questions)
        port.emit(TurnCompleted(response="survived"))

    assert (await OneTurn(asks_badly).run()).output.text == "survived"
