"""Every prompt reaches the agent verbatim, and options are read before it only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.completer import provisionalcompleter
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from support.turns import ScriptedAdapter

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.errors import ConfigError
from nbharness.events import Choice, SessionUpdated, TurnCompleted
from nbharness.notebook.completion import complete_coder, offered
from nbharness.notebook.options import help_text, option_names, parse
from nbharness.notebook.transform import rewrite_coder_lines
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec


def calls(cell: str) -> list[tuple[Any, ...]]:
    """Run a cell through IPython's own transformations and return the magics it then calls."""
    manager: Any = TransformerManager()  # type: ignore[no-untyped-call]
    manager.cleanup_transforms.append(rewrite_coder_lines)
    made: list[tuple[Any, ...]] = []

    class Shell:
        def run_line_magic(self, *args: str) -> None:
            made.append(args)

        run_cell_magic = system = run_line_magic

    exec(manager.transform_cell(cell), {"get_ipython": Shell})  # noqa: S102 (what IPython itself does)
    return made


@pytest.mark.parametrize(
    "prompt",
    [
        "what does this do?", "why??", "don't", 'say "hi', "use {x} and $HOME and !ls", "a \\", "C:\\new\\table\\",
        "`backticks`", "(", "]", "'''", '"""', "# comment", "日本語 هل 🎉", "x = 1;", "%coder again?", "-- --agent x",
        "tab\tinside", "\u00a0 nbsp", "f(a, b)[0]?", "!", "{[(", "it's {name}'s \"turn\" $x ?",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("head", "tail"), [("", "%coder next\n"), ("h = ", "1 + 1\n"), ("if True:\n    ", "")])
def test_a_line_reaches_the_magic_verbatim(prompt: str, head: str, tail: str) -> None:
    assert calls(f"{head}%coder {prompt}\n{tail}")[0] == ("coder", prompt)


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1)
    .map(lambda text: text.strip(" \t"))
    .filter(bool)
)
def test_any_line_reaches_the_magic_verbatim(prompt: str) -> None:
    if prompt == "?":
        return
    assert calls(f"%coder x{prompt}\n1 + 1\n") == [("coder", f"x{prompt}")]


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip))
def test_any_body_reaches_the_cell_magic_verbatim(body: str) -> None:
    (call,) = calls(f"%%coder --bg\n{body}")
    assert call[:2] == ("coder", "--bg")
    assert parse("--bg", call[2]).prompt == body.removesuffix("\n") or body.splitlines() != body.split("\n")


def test_what_is_no_statement_stays() -> None:
    assert calls("x = '''\n%coder a?\n'''\n") == []
    assert calls("%coder?\n") == [("pinfo", "%coder")]
    assert calls("%coder one\nx = [\n1]\n%coder two?\n") == [("coder", "one"), ("coder", "two?")]
    assert calls("!ls (\n%coder hi?\n")[1] == ("coder", "hi?")


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("fix it", {"prompt": "fix it"}),
        ("--agent demo fix --agent", {"agent": "demo", "prompt": "fix --agent"}),
        ("--agent=demo --bg  fix  it ", {"agent": "demo", "bg": True, "prompt": "fix  it"}),
        ("-- --agent is a flag", {"prompt": "--agent is a flag"}),
        ("--workspace 'my dir' go", {"workspace": "my dir", "prompt": "go"}),
        ('--workspace "my dir" "quoted"', {"workspace": "my dir", "prompt": '"quoted"'}),
        ("--var a --var b x", {"var": ("a", "b"), "prompt": "x"}),
        ("--timeout 2.5 --as h x", {"timeout": 2.5, "as_name": "h", "prompt": "x"}),
        ("--allow 'bash(git status)' --allow read", {"allow": ("bash(git status)", "read")}),
        ("--ask edit --deny edit(docs/**)", {"ask": ("edit",), "deny": ("edit(docs/**)",)}),
        ('--command="copilot --acp" --mode plan', {"command": "copilot --acp", "mode": "plan"}),
        ("--max-cost $0.5 --max-tools 3", {"max_cost": 0.5, "max_tools": 3}),
        ("--continue --fork --trust-project", {"resume": True, "fork": True, "trust_project": True}),
        ("--list", {"list": True}),
        ("", {}),
    ],
)
def test_options(line: str, fields: dict[str, object]) -> None:
    options = parse(line)
    assert {name: getattr(options, name) for name in fields} == fields
    assert options.prompt == fields.get("prompt", "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--agnet demo x", "--agnet"),
        ("--agent", "--agent NAME"),
        ("--agent --bg x", "--agent NAME"),
        ("--approval maybe x", "require, auto, off"),
        ("--timeout soon x", "'soon'"),
        ("--timeout 0 x", "'0'"),
        ("--timeout nan x", "'nan'"),
        ("--max-tokens 1e3 x", "whole number above 0"),
        ("--allow bash(git status) x", "put it in quotes"),
        ("--allow bash x", "any command"),
        ("--bg=1 x", "takes no value"),
        ("--as 1x y", "'1x'"),
        ("--new --continue x", "--continue and --new"),
    ],
)
def test_wrong_options_say_what_is_valid(line: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        parse(line)


def test_a_cell_magic_takes_options_only_on_its_line() -> None:
    assert parse("--agent demo", "a\nb\n").prompt == "a\nb"
    with pytest.raises(ConfigError, match="first line"):
        parse("--agent demo fix", "body")


def test_help_names_every_option() -> None:
    assert all(name in help_text() for name in option_names())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%coder --agent mo", ["mock"]),
        ("h = %coder --agent d", ["demo"]),
        ("%coder --approval r", ["require"]),
        ("%%coder --bg --at", ["--attach"]),
        ("%coder --agent demo fix the --", []),
        ("%coder fix ", []),
        ("%coder --agent claude --mode acc", ["acceptEdits"]),
        ("%coder --agent=claude --mode def", ["default"]),
        ("%coder --agent demo --mode ", []),
        ("%coder --agent nobody --mode ", []),
        ("%coder --agent demo fix the --mode ", []),
        ("coder --agent", None),
        ("import o", None),
    ],
)
def test_completion_offers_options_and_values_and_leaves_the_prompt_alone(
    text: str, expected: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path))
    assert offered(text) == expected


def test_what_the_agent_named_last_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_DATABASE", str(tmp_path / "nbharness.db"))
    monkeypatch.setenv("NBHARNESS_AGENT", "scripted")

    async def names_them(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(SessionUpdated(models=[Choice(id="big-1", name="Big"), Choice(id="two words", name="No")]))
        port.emit(SessionUpdated(model="big-1"))
        port.emit(TurnCompleted(response="done"))

    assert offered("%coder --model ") == []
    runtime = Runtime(tmp_path / "nbharness.db")
    spec = TurnSpec(task="do it", agent="scripted", workspace=tmp_path)
    runtime.start(spec, adapter=ScriptedAdapter(names_them)).result(10)
    # Read while the store is open, as in the kernel that wrote it.
    assert offered("%coder --model ") == ["big-1"]
    assert offered("%coder --agent demo --model ") == []
    runtime.close(5)
    (tmp_path / "nbharness.db").write_bytes(b"no database")
    assert offered("%coder --model ") == []


def test_ipython_completes_with_it() -> None:
    shell: Any = InteractiveShell()  # type: ignore[no-untyped-call]
    shell.Completer.custom_matchers.append(complete_coder)
    with provisionalcompleter():
        assert [found.text for found in shell.Completer.completions("%coder --agent de", 17)] == ["demo"]
        assert list(shell.Completer.completions("%coder explain imp", 18)) == []
