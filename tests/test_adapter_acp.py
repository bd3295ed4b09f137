"""The ACP adapter and an agent that asks, refuses, offers and takes up sessions."""

from pathlib import Path

import pytest
from msgspec import UNSET
from support.acp import FAKE, opened
from support.port import Question, rejects

from nbharness.adapters.acp import copilot, create
from nbharness.adapters.base import KeptSession
from nbharness.errors import (
    AdapterError,
    AdapterNotInstalled,
    AdapterProtocolError,
    AuthNeeded,
    ContextExhausted,
    NotSupported,
    RateLimited,
)
from nbharness.events import (
    ApprovalOption,
    ApprovalRequired,
    ApprovalUpdated,
    MessageDelta,
    Notice,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    SessionStarted,
    SessionUpdated,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    Unknown,
    Usage,
    UsageUpdated,
)
from nbharness.inputs import ApprovalDecision, PlanDecision


def chooses(option_id: str) -> object:
    """A person who takes one of the agent's own answers."""

    def answer(question: Question) -> ApprovalDecision | PlanDecision:
        allows = option_id in {"yes", "always"}
        return ApprovalDecision(id=str(question.id), decision="approve" if allows else "reject", option_id=option_id)

    return answer


async def test_second_turn_starts_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        first = await talk.run("say hello there")
        pid = talk.pid
        second = await talk.run("say again")
        assert talk.pid == pid
    assert (first.text, second.text) == ("hello there", "again")
    assert first.the(SessionStarted).session_id == second.the(SessionStarted).session_id == talk.session.session_id
    assert first.the(TurnCompleted).response == "hello there"


async def test_opening_starts_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        assert talk.session._link is None
        assert talk.session.session_id == ""


@pytest.mark.parametrize("option", ["yes", "always", "no", "never"])
async def test_persons_option_reaches_the_agent(tmp_path: Path, option: str) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("ask", person=chooses(option))
    assert port.text == option
    assert port.the(ApprovalUpdated).option_id == option
    assert port.the(ToolEnd).is_error is (option in {"no", "never"})


async def test_options_are_shown_as_offered(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("ask")
    asked = port.the(ApprovalRequired)
    assert asked.options == [
        ApprovalOption(id="yes", name="Yes", kind="allow_once"),
        ApprovalOption(id="always", name="Always", kind="allow_always"),
        ApprovalOption(id="no", name="No", kind="reject_once"),
        ApprovalOption(id="never", name="Never", kind="reject_always"),
    ]
    assert (asked.kind, asked.message, asked.args) == ("execute", "Run x", {"command": "x"})
    assert "approve_edited" not in (asked.choices or [])
    assert asked.tool_call_id == port.the(ToolStart).id


@pytest.mark.parametrize(
    ("offered", "approved", "chosen"),
    [
        ("", True, "yes"),
        ("", False, "no"),
        ("allow_always reject_always", True, "always"),
        ("allow_always reject_always", False, "never"),
        ("reject_once", True, "cancelled"),
        ("allow_once", False, "cancelled"),
    ],
)
async def test_mildest_fitting_option_is_taken(tmp_path: Path, offered: str, chosen: str, *, approved: bool) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run(f"ask {offered}", **({} if approved else {"person": rejects}))
    assert port.text == chosen


async def test_permission_before_the_call_makes_its_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("ask_first")
    kinds = [type(event) for event in port.events if isinstance(event, ToolStart | ApprovalRequired | ToolEnd)]
    assert kinds == [ToolStart, ApprovalRequired, ToolEnd]
    assert port.the(ToolEnd).output == "chosen yes"


async def test_nobody_there_rejects(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("ask", person=None)
    assert port.text == "no"
    assert isinstance(port.events[-1], TurnCompleted)


async def test_agent_that_ends_the_turn_after_a_rejection_completed_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("denied", person=rejects)
    assert port.the(TurnCompleted).metadata == {"stop_reason": "cancelled", "denied": 1}


@pytest.mark.parametrize(
    ("reason", "ending", "words"),
    [
        ("cancelled", TurnFailed, "by itself"),
        ("refusal", TurnFailed, "refused"),
        ("max_turn_requests", TurnFailed, "limit of model requests"),
        ("max_tokens", Notice, "limit of tokens"),
    ],
)
async def test_reasons_to_stop(tmp_path: Path, reason: str, ending: type[TurnFailed | Notice], words: str) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run(f"stop {reason}")
    said = port.the(ending)
    assert words in (said.error if isinstance(said, TurnFailed) else said.message)
    assert reason != "max_turn_requests" or port.the(TurnFailed).code == "max_turns"
    assert reason != "max_tokens" or port.the(TurnCompleted).metadata == {"stop_reason": "max_tokens"}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("-32000 Authentication required", AuthNeeded),
        ("-32603 rate limit exceeded, try again in 7 s", RateLimited),
        ("-32603 prompt is too long: context window", ContextExhausted),
        ("-32603 something else", AdapterError),
    ],
)
async def test_errors_have_their_kind(tmp_path: Path, error: str, kind: type[AdapterError]) -> None:
    async with opened(tmp_path) as talk:
        with pytest.raises(kind) as caught:
            await talk.run(f"fail {error}")
        assert type(caught.value) is kind
        assert not isinstance(caught.value, RateLimited) or caught.value.retry_after == 7
        # The conversation can go on.
        assert (await talk.run("say on")).text == "on"


async def test_missing_login_says_how(tmp_path: Path) -> None:
    async with opened(tmp_path, "--fail session/new -32000 'Authentication required'") as talk:
        with pytest.raises(AuthNeeded, match="Browser: opens a page"):
            await talk.run("say x")


async def test_a_way_to_sign_in_can_be_chosen(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("heard", options={"auth_method": "browser"})
    assert "authenticate" in port.text


async def test_another_protocol_version_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, "--protocol 9") as talk:
        with pytest.raises(AdapterProtocolError, match="version 9"):
            await talk.run("say x")


async def test_command_is_needed(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        for command, words in [(None, "--command"), ("'", "cannot be read"), ("/no/such", "no such program")]:
            with pytest.raises(AdapterError, match=words):
                await talk.run("say x", command=command)
        assert (await talk.run("say x", command=None, options={"command": talk.command})).text == "x"


async def test_missing_program_says_how_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with opened(tmp_path, adapter=copilot()) as talk:
        with pytest.raises(AdapterNotInstalled, match="npm install -g @github/copilot"):
            await talk.run("x")


async def test_unknown_things_are_tolerated(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("unknown")
    assert port.text == "-32601"
    assert (port.the(ToolStart).id, port.the(ToolStart).kind) == ("never-announced", "other")
    assert port.the(Unknown).type == "weather_update"


@pytest.mark.parametrize("can", ["modes", "config"])
async def test_mode_and_model_are_chosen_from_what_is_offered(tmp_path: Path, can: str) -> None:
    async with opened(tmp_path, f"--can {can}") as talk:
        port = await talk.run("heard", model="big", **({"mode": "plan"} if can == "modes" else {}))
        again = await talk.run("heard", model="big")
        with pytest.raises(AdapterError, match=r"no model 'huge'. It offers: small, big"):
            await talk.run("heard", model="huge")
    chosen = (
        ["session/set_config_option big"] if can == "config" else ["session/set_model big", "session/set_mode plan"]
    )
    assert [word for word in port.text.split("; ") if "set_" in word] == chosen
    assert again.text.count("set_") == len(chosen)
    updated = port.all(SessionUpdated)
    assert updated[0].model == "big"
    assert [choice.id for choice in updated[0].models or []] == ["small", "big"]
    assert [command.name for command in updated[1].commands or []] == ["test"]


async def test_choice_that_is_not_offered_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, "--can resume") as talk:
        with pytest.raises(AdapterError, match="offers no choice of model"):
            await talk.run("say x", model="big")
        with pytest.raises(AdapterError, match="no mode 'plan'"):
            await talk.run("say x", plan_mode=True)


async def test_plan_mode_is_left_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("plan", plan_mode=True)
        after = await talk.run("heard")
    assert port.the(PlanProposed).plan == "1. do it"
    assert port.all(PlanApproved)
    assert port.text == "yes"
    assert [word for word in after.text.split("; ") if "mode" in word] == [
        "session/set_mode plan",
        "session/set_mode code",
    ]


async def test_plan_is_rejected(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("plan", plan_mode=True, person=rejects)
    assert port.all(PlanRejected)
    assert port.text == "no"


@pytest.mark.parametrize("can", ["resume", "load"])
async def test_session_is_taken_up(tmp_path: Path, can: str) -> None:
    async with opened(tmp_path, f"--can {can}", session_id="old") as talk:
        assert talk.session.session_id == "old"
        port = await talk.run("heard")
        # What a load tells again is not shown again.
        assert port.text.split("; ")[1:2] == [f"session/{can}"]
        assert len(port.all(MessageDelta)) == 1
        costs = [(await talk.run("cost 1")).the(UsageUpdated).usage.cost_usd for _ in range(2)]
    assert port.the(SessionStarted).session_id == "old"
    # Without the past told again nobody knows what the session had cost before its first turn here.
    assert costs == ([1, 1] if can == "load" else [UNSET, 1])


async def test_session_that_is_not_there(tmp_path: Path) -> None:
    async with opened(tmp_path, session_id="missing") as talk:
        with pytest.raises(AdapterError, match="no such session"):
            await talk.run("say x")


async def test_agent_without_memory_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, "--can nothing", session_id="old") as talk:
        port = await talk.run("say x")
    assert "without memory" in port.the(Notice).message
    assert talk.session.session_id != "old"


async def test_fork(tmp_path: Path) -> None:
    async with opened(tmp_path, "--can fork,resume", session_id="old", fork=True) as talk:
        assert (await talk.run("say x")).the(SessionStarted).session_id == "old-copy"
        assert (await talk.run("say x")).the(SessionStarted).session_id == "old-copy"
    async with opened(tmp_path, session_id="old", fork=True) as talk:
        with pytest.raises(AdapterError, match="cannot copy"):
            await talk.run("say x")


async def test_usage_is_of_one_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        ports = [await talk.run(f"cost {cost}") for cost in (3, 4)]
    assert [port.the(UsageUpdated).usage.cost_usd for port in ports] == [3, 4]
    assert ports[1].the(TurnCompleted).usage == Usage(
        input_tokens=10, output_tokens=10, total_tokens=20, cost_usd=4, context_tokens=100, context_window=1000
    )


async def test_sessions_are_listed_page_by_page(tmp_path: Path) -> None:
    kept = await create().list_sessions(tmp_path, command=f"{FAKE} --can list")
    assert [session.session_id for session in kept] == ["s-1", "s-2"]
    assert kept[0] == KeptSession(session_id="s-1", title="One", updated_at="2026-12-01T00:00:00Z")
    # It was started where no file of the workspace can make it run something.
    assert kept[1].title != str(tmp_path)


async def test_agent_that_lists_no_sessions_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="listing sessions"):
        await create().list_sessions(tmp_path, command=FAKE)
