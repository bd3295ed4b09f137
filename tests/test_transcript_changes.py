"""What a transcript says of questions, of the workspace's changes and of what adapters know of their tools."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from support.transcripts import PATCH, asked, call, edited, envelopes, state

from nbharness.events import (
    ApprovalOption,
    Choice,
    Event,
    FileDiff,
    MessageDelta,
    MessageQueued,
    MessageWithdrawn,
    Question,
    QuestionAnswered,
    QuestionAsked,
    QuestionOption,
    SessionUpdated,
    SlashCommand,
    ToolEnd,
    ToolKind,
    ToolStart,
    TurnCompleted,
    WorkspaceChanged,
)
from nbharness.state import ToolItem
from nbharness.transcript import TRANSCRIPT_MIME, PlainWriter, read_transcript, reload_command, transcript_bundle
from nbharness.transcript.verbs import describe

Part = Event | float

MINUS = "\N{MINUS SIGN}"
QUESTIONS = [
    Question(id="q1", text="Which store?", options=[QuestionOption(label="SQLite"), QuestionOption(label="files")]),
    Question(id="q2", text="Which key?", secret=True),
]
SHOP = FileDiff(path="shop/cart.py", patch=PATCH, added=1, removed=1)
OTHER = FileDiff(path="made by make.txt", patch="@@ -0,0 +1 @@\n+built\n", added=1)
CHANGED = WorkspaceChanged(
    diffs=[OTHER, SHOP],
    files=3,
    added=9,
    removed=1,
    ignored=[".env", "build/"],
    nested=["vendor/lib"],
    stale_modules=["shop.cart", "shop"],
)


def forms(*parts: Part) -> dict[str, Any]:
    return transcript_bundle(state(*parts))


def plain(*parts: Part) -> str:
    return str(forms(*parts)["text/plain"]).split("> fix the failing test\n\n", 1)[1]


def written(*parts: Part) -> str:
    pieces: list[str] = []
    writer = PlainWriter(pieces.append)
    for envelope in envelopes(*parts):
        writer.event(envelope)
    return "".join(pieces)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (
            QuestionAnswered(id="q", status="answered", answers={"q1": ["SQLite", "files"]}, by="user"),
            """✓ Question answered by you · after 6.0 s
      Which store? → SQLite; files
      Which key? → answered, not kept""",
        ),
        (
            QuestionAnswered(id="q", status="skipped", by="terminal"),
            "⊘ Question skipped in the terminal · after 6.0 s\n      Which store?\n      Which key?",
        ),
        (
            QuestionAnswered(id="q", status="cancelled", by="turn"),
            "⊘ Question the turn ended first\n      Which store?\n      Which key?",
        ),
    ],
)
def test_a_question_and_how_it_ended(end: Event, said: str) -> None:
    assert f"1 step\n  {said}\n" in plain(QuestionAsked(id="q", questions=QUESTIONS), 6.0, end)


def test_the_clock_stands_still_while_a_question_waits() -> None:
    end = QuestionAnswered(id="q", status="answered", answers={}, by="user")
    assert plain(1.0, QuestionAsked(id="q", questions=QUESTIONS), 6.0, end, TurnCompleted(response=None)).endswith(
        "✓ Done · 0:01\n"
    )


def test_what_changed_in_the_workspace_and_what_no_call_told_of() -> None:
    text = plain(edited("t1", "shop/cart.py"), MessageDelta(delta="Fixed."), CHANGED, TurnCompleted(response="Fixed."))
    after = text.split("\nFixed.\n\n", 1)[1]
    assert after == (
        f"Changed in the workspace · 3 files +9 {MINUS}1\n\n"
        f"made by make.txt +1 {MINUS}0 · not asked\n@@ -0,0 +1 @@\n+built\n\n"
        f"shop/cart.py +1 {MINUS}1\n" + PATCH.split("\n", 2)[2] + "\n"
        "Note: 1 file more, not shown.\n\n"
        "New, but ignored by git and so not shown: .env, build/\n\n"
        "Repositories inside, not looked into: vendor/lib\n\n"
        "Careful: the kernel still runs the old code of shop.cart, shop; "
        "`import importlib; import shop.cart; importlib.reload(shop.cart); import shop; importlib.reload(shop)`"
        f" loads the new one.\n\n✓ Done · 0:00 · 3 files +9 {MINUS}1\n"
    )


def test_a_file_that_a_call_names_without_a_diff_was_not_hidden() -> None:
    write = call("t1", "Write", {"file_path": "/w/made by make.txt", "content": "built"})
    turn = state(*write, WorkspaceChanged(diffs=[OTHER], files=1, added=1))
    assert "not asked" in transcript_bundle(turn)["text/plain"]
    known = call("t1", "Write", {"file_path": "~/shop/made by make.txt", "content": "built"})
    assert "not asked" not in forms(*known, WorkspaceChanged(diffs=[OTHER], files=1, added=1))["text/plain"]


def test_a_workspace_that_is_as_it_was_is_not_mentioned() -> None:
    assert "Changed" not in plain(WorkspaceChanged(diffs=[]), TurnCompleted(response=None))


def test_every_form_tells_of_the_workspace() -> None:
    bundle = forms(CHANGED, TurnCompleted(response=None))
    html, markdown = bundle["text/html"], bundle["text/markdown"]
    assert f"<strong>Changed in the workspace</strong> · 3 files +9 {MINUS}1" in html
    assert f"**Changed in the workspace** · 3 files +9 {MINUS}1" in markdown
    assert html.count("· not asked</summary>") == markdown.count("· not asked</summary>") == 2
    assert html.count("<details open") == markdown.count("<details open") == 1
    assert "importlib.reload(shop.cart)" in html
    assert "importlib.reload" in markdown


def test_a_saved_transcript_still_knows_what_changed() -> None:
    kept = read_transcript(forms(CHANGED, TurnCompleted(response=None))[TRANSCRIPT_MIME])
    assert [envelope.event for envelope in kept if isinstance(envelope.event, WorkspaceChanged)] == [CHANGED]


def test_a_module_whose_name_is_no_name_is_not_put_into_a_command() -> None:
    assert reload_command(["a.b", "os; import evil", ""]) == "import importlib; import a.b; importlib.reload(a.b)"
    assert reload_command(["x y"]) == ""


def test_the_answer_that_was_chosen_of_those_the_agent_offered() -> None:
    options = [
        ApprovalOption(id="o1", name="Yes, always", kind="allow_always"),
        ApprovalOption(id="o2", name="No, never", kind="reject_always"),
    ]
    for decision, said in (
        ({"status": "approved", "option_id": "o1"}, "✓ Ran ls · approved by you: “Yes, always”"),
        ({"status": "rejected", "option_id": "o2"}, "⊘ Rejected ls by you · “No, never”"),
    ):
        end = ToolEnd(id="t", name="Bash", output=None, is_error=decision["status"] != "approved", duration_ms=0)
        assert said in plain(*asked("t", "Bash", {"command": "ls"}, {"by": "user", **decision}, end, options=options))


@pytest.mark.parametrize(
    ("name", "args", "kind", "title", "said"),
    [
        ("frobnicate", {"path": "a.py"}, "read", "", "read Read a.py"),
        ("LS", {"path": "src"}, "read", "", "list Listed src"),
        ("Write", {"path": "a.py"}, "edit", "", "write Wrote a.py"),
        ("bash", {"path": "a.py"}, "delete", "", "delete Deleted a.py"),
        ("mv", {"path": "a.py"}, "move", "", "move Moved a.py"),
        ("run_it", {"command": "ls"}, "execute", "List", "command Ran ls"),
        ("bash", {"command": "ls"}, "other", "Ask the oracle", "other Used Ask the oracle"),
        ("x", {}, "fetch", "Open the manual", "fetch Used Open the manual"),
        ("x", {}, "edit", "Tidy up", "edit Used Tidy up"),
        ("Bash", {"command": "ls"}, None, "List", "command Ran ls"),
    ],
)
def test_what_the_adapter_knows_counts_more_than_a_name(
    name: str, args: dict[str, Any], kind: ToolKind | None, title: str, said: str
) -> None:
    described = describe(name, args, kind, title)
    assert f"{described.kind} {described.done} {described.subject}" == said


def test_a_title_is_prose_and_shows_in_the_row() -> None:
    start = ToolStart(id="t", name="mcp", args={}, kind="other", title="Look <b>up</b>")
    html = forms(start, ToolEnd(id="t", name="mcp", output=None, is_error=False, duration_ms=0))["text/html"]
    assert "✓ Used Look &lt;b&gt;up&lt;/b&gt;" in html


def test_what_a_session_offers_is_not_saved_and_what_waits_is() -> None:
    commands = [SlashCommand(name=f"c{n}") for n in range(1000)]
    bundle = forms(SessionUpdated(commands=commands, mode="ask"), MessageQueued(id="m", text="and then?"))
    events = [envelope.event for envelope in read_transcript(bundle[TRANSCRIPT_MIME])]
    assert SessionUpdated(mode="ask") in events
    assert MessageQueued(id="m", text="and then?") in events


def test_all_of_it_as_it_happens() -> None:
    text = written(
        QuestionAsked(id="q", questions=QUESTIONS),
        6.0,
        QuestionAnswered(id="q", status="answered", answers={"q1": ["files"]}, by="user"),
        MessageQueued(id="m1", text="and then?"),
        MessageWithdrawn(id="m1"),
        CHANGED,
        TurnCompleted(response=None),
    )
    assert "? Waits for an answer:\n  Which store?\n    1  SQLite\n    2  files\n  Which key?\n" in text
    assert "✓ Question answered by you · after 6.0 s\n    Which store? → files\n    Which key? → answered" in text
    assert "Queued: and then?\nA queued message was withdrawn.\n" in text
    assert f"\nChanged in the workspace · 3 files +9 {MINUS}1\n  made by make.txt +1 {MINUS}0\n" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)


def test_a_huge_change_is_cut_to_the_cap_and_says_so() -> None:
    paths = [f"build/{n}/{'x' * 200}" for n in range(20_000)]
    diffs = [FileDiff(path=path, patch="@@ -0,0 +1,99 @@\n" + "+line\n" * 99, added=99) for path in paths[:1000]]
    changed = WorkspaceChanged(
        diffs=diffs, files=20_000, added=99_000, ignored=paths, nested=paths, stale_modules=["a.b"] * 20_000
    )
    bundle = transcript_bundle(state(changed, TurnCompleted(response=None)), cap=200_000)
    assert len(msgspec.json.encode(bundle)) <= 200_000
    assert "Shortened for the notebook" in bundle["text/plain"]
    assert f"20,000 files +99,000 {MINUS}0" in bundle["text/plain"]


def test_hostile_names_control_nothing() -> None:
    bad = "`](http://x)\x1b[2J<img src=x>\n# title"
    changed = WorkspaceChanged(
        diffs=[FileDiff(path=bad, patch="+x\n")], files=1, ignored=[bad], nested=[bad], stale_modules=[bad]
    )
    asks = QuestionAsked(id="q", questions=[Question(id="q", text=bad, options=[QuestionOption(label=bad)])])
    answered = QuestionAnswered(id="q", status="answered", answers={"q": [bad]})
    parts: list[Part] = [asks, answered, changed, TurnCompleted(response=None)]
    bundle = forms(*parts)
    for text in (bundle["text/html"], bundle["text/markdown"], bundle["text/plain"], written(*parts)):
        assert "\x1b" not in text
    assert "<img" not in bundle["text/html"]
    assert "<img" not in bundle["text/markdown"]
    assert "\n# title" not in bundle["text/markdown"]
    assert not any(isinstance(item, ToolItem) for item in state(*parts).items)


def test_html_names_the_turn_only_where_it_can_be_taken_back() -> None:
    kept = msgspec.structs.replace(CHANGED, undoable=True, baseline="a", result="b")
    assert str(forms(kept, TurnCompleted(response="Done."))["text/html"]).startswith(
        '<div class="mathjax_ignore tex2jax_ignore nbh-frozen nbh-turn-'
    )
    assert "nbh-" not in str(forms(CHANGED, TurnCompleted(response="Done."))["text/html"])


def test_the_head_names_model_mode_and_title_as_the_agent_does() -> None:
    told = SessionUpdated(
        model="s-4",
        models=[Choice(id="s-4", name="Sonnet 4")],
        mode="acceptEdits",
        modes=[Choice(id="default", name="Default"), Choice(id="acceptEdits", name="Accept edits")],
        title="Round half up",
    )
    head = str(forms(told, TurnCompleted(response="Done."))["text/plain"]).splitlines()[0]
    assert "Sonnet 4 · asks first · mode Accept edits · Round half up" in head
    usual = msgspec.structs.replace(told, mode="default")
    assert "mode" not in str(forms(usual, TurnCompleted(response="Done."))["text/plain"]).splitlines()[0]
