"""``nbharness run`` in a pipe: what it prints, what it answers, how it exits."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.command import Home, one_line, read_json

from nbharness.events import ApprovalRequired, ApprovalUpdated, MessageDelta, TurnStarted

FIX = "fix the failing test"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def passes_tests(project: Path) -> bool:
    return not subprocess.run(
        [sys.executable, "run_tests.py"], cwd=project, capture_output=True, check=False
    ).returncode


def test_in_a_pipe_what_needs_an_approval_is_refused(home: Home) -> None:
    done = home.run(FIX)
    assert done.returncode == 3
    assert "\x1b" not in done.stdout
    assert "1 approval was refused" in one_line(done)
    assert not passes_tests(home.project)


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_unless_told_to_go_on(home: Home, mode: str) -> None:
    done = home.run(FIX, "--approval", mode)
    assert (done.returncode, done.stderr) == (0, "")
    assert passes_tests(home.project)


def test_json_is_one_envelope_a_line_and_the_result(home: Home) -> None:
    done = home.run(FIX, "--approval", "auto", "--json")
    envelopes, result = read_json(done.stdout)
    assert envelopes[0].type == "turn.started"
    assert envelopes[-1].type == "turn.completed"
    answered = [envelope.event for envelope in envelopes if isinstance(envelope.event, ApprovalUpdated)]
    assert [answer.by for answer in answered] == ["mode"]
    assert result.status == "completed"
    assert result.output.value.modified_files == ["shop/cart.py", "shop/refund.py"]


def test_quiet_prints_the_answer_only(home: Home) -> None:
    _, result = read_json(home.run("scenario: malformed event", "--json").stdout)
    done = home.run("scenario: malformed event", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{result.output.text}\n", "")
    envelopes, only = read_json(home.run("scenario: malformed event", "--quiet", "--json").stdout)
    assert not envelopes
    assert only.output == result.output


@pytest.mark.parametrize(
    ("task", "said"), [("scenario: failure", "the settings are missing"), ("scenario: crash", "Segmentation fault")]
)
def test_a_failed_turn_exits_with_1(home: Home, task: str, said: str) -> None:
    done = home.run(task, "--quiet")
    assert done.returncode == 1
    assert said in one_line(done)


def test_a_turn_out_of_time_exits_with_3(home: Home) -> None:
    done = home.run("scenario: slow stream", "--timeout", "0.5", "--json", env={"NBHARNESS_DEMO_DELAY_MS": "50"})
    _, result = read_json(done.stdout)
    assert done.returncode == 3
    assert result.status == "max_duration"


PROMPTS = [
    "does it work?",
    "  two  blanks and a tab\t",
    "--approval off",
    "--",
    "'single' \"double\" {braces} $HOME `id` !! \\n %s",
    "日本語 und Ümläute\nsecond line\n",
]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_prompt_arrives_verbatim(home: Home, prompt: str) -> None:
    by_pipe = [home.run("-", "--json", stdin=prompt)] if "\n" in prompt else []
    for done in [home.run(prompt, "--json"), *by_pipe]:
        envelopes, _ = read_json(done.stdout)
        assert isinstance(envelopes[0].event, TurnStarted)
        assert envelopes[0].event.prompt == prompt


WRONG = [
    ([], "there is no prompt"),
    ([""], "the prompt is empty"),
    (["fix", "it"], "in 2 pieces, 'fix', 'it'"),
    (["x", "--agent", "nobody"], "unknown agent: 'nobody'. Valid: "),
    (["x", "--workspace", "/no/such/place"], "'/no/such/place' does not exist"),
    (["x", "--model", "opus"], "does not support the model 'opus'"),
    (["x", "--approval", "maybe"], "choose from"),
    (["x", "--timeout", "-1"], "'-1' is not a number of seconds above 0"),
    (["x", "--max-tools", "0"], "'0' is not a whole number above 0"),
    (["x", "--max-cost", "free"], "'free' is not an amount in US dollars"),
    (["x", "--max-cost", "1"], "does not support --max-cost"),
    (["x", "--mode", "plan"], "does not support the mode 'plan'"),
    (["x", "--command", "true"], "does not support --command"),
    (["x", "--fork"], "does not support forking"),
    (["x", "--deny", "rm -rf"], "the rule 'rm -rf' cannot be used to deny"),
    (["x", "--allow", "bash"], "would allow any command"),
    (["x", "--continue"], "nothing to continue: no conversation was held in"),
    (["x", "--continue", "--conversation", "a"], "contradict each other"),
    (["x", "--timeout", "nan"], "'nan' is not a number of seconds above 0"),
    (["x", "--conversation", "beef"], "'beef'"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_use_is_one_line_and_exit_code_2(home: Home, arguments: list[str], said: str) -> None:
    done = home.nbharness("run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in one_line(done)


def test_a_prompt_that_is_no_text_is_refused(home: Home) -> None:
    done = subprocess.run(
        [sys.executable, *home.command("run", "-")],
        env=home.env,
        input=b"caf\xe9",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert b"not UTF-8" in done.stderr


def test_a_conversation_goes_on_where_it_was(home: Home) -> None:
    first, _ = read_json(home.run(FIX, "--approval", "auto", "--json").stdout)
    assert isinstance(first[0].event, TurnStarted)
    conversation = str(first[0].event.conversation_id)
    done = home.nbharness("run", "and now?", "--conversation", conversation[:6], "--approval", "auto", "--json")
    second, result = read_json(done.stdout)
    assert isinstance(second[0].event, TurnStarted)
    assert second[0].event.conversation_id == conversation
    assert second[0].event.workspace == first[0].event.workspace
    said = "".join(envelope.event.delta for envelope in second if isinstance(envelope.event, MessageDelta))
    assert "to round half a cent up" in said, "the agent remembers the first turn"
    assert result.status == "completed"


def test_the_latest_conversation_of_this_directory_goes_on(home: Home) -> None:
    first, _ = read_json(home.run("scenario: failure", "--json").stdout)
    done = home.nbharness("run", "again", "--continue", "--workspace", str(home.project), "--json")
    second, _ = read_json(done.stdout)
    assert isinstance(first[0].event, TurnStarted)
    assert isinstance(second[0].event, TurnStarted)
    assert second[0].event.conversation_id == first[0].event.conversation_id


@pytest.mark.parametrize(
    ("options", "code", "by"),
    [
        (("--allow", "edit", "--allow", "apply_patch"), 0, "rule"),
        (("--deny", "edit", "--approval", "auto"), 0, "rule"),
        (("--ask", "edit", "--approval", "auto"), 3, "nobody"),
        (("--max-tools", "1", "--approval", "auto"), 3, ""),
    ],
)
def test_rules_and_limits_of_one_turn(home: Home, options: tuple[str, ...], code: int, by: str) -> None:
    done = home.run(FIX, "--json", *options)
    envelopes, result = read_json(done.stdout)
    assert done.returncode == code, result
    answered = {envelope.event.by for envelope in envelopes if isinstance(envelope.event, ApprovalUpdated)}
    assert answered == ({by} if by else set())


def test_a_reader_that_has_seen_enough_stops_the_turn(home: Home) -> None:
    env = home.env | {"NBHARNESS_DEMO_DELAY_MS": "50"}
    arguments = home.command("run", "scenario: slow stream 50", "--agent", "demo", "--json")
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"turn.started" in process.stdout.readline()
        process.stdout.close()
        assert process.wait(30) == 3
        assert process.stderr.read() == b""
    assert "nobody reads the output" in home.nbharness("show", newest(home)).stdout


def newest(home: Home) -> str:
    return home.nbharness("sessions").stdout.split()[0]


def test_approvals_are_shown_to_be_asked_in_json_too(home: Home) -> None:
    envelopes, result = read_json(home.run(FIX, "--json").stdout)
    asked = [envelope.event for envelope in envelopes if isinstance(envelope.event, ApprovalRequired)]
    answered = [envelope.event for envelope in envelopes if isinstance(envelope.event, ApprovalUpdated)]
    assert [event.id for event in asked] == [event.id for event in answered]
    assert {event.by for event in answered} == {"nobody"}
    assert result.output.value.metadata["refused"] == len(asked)
