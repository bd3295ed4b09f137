"""Rules as people write them: what each covers, and that none lets more through than it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbharness.errors import ConfigError
from nbharness.policy import Call, Effect, Policy, commands_of, kind_of, parse_rule, paths_of


def says(effect: Effect, text: str, tool: str, args: object, workspace: Path = Path("/w"), **call: Any) -> bool:
    policy = Policy([parse_rule(effect, text)])
    found = policy.answer(Call(agent="demo", workspace=str(workspace), tool=tool, args=args, **call))
    return found is not None and found.effect == effect


def runs(text: str, command: str) -> bool:
    return says("allow", text, "bash", {"command": command})


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Bash", {"command": "git status", "description": "look"}),
        ("bash", {"command": "git status"}),
        ("exec_command", {"cmd": "git status"}),
        ("shell", {"command": ["git", "status"]}),
        ("shell", {"command": ["/bin/bash", "-lc", "git status"]}),
        ("commandExecution", {"command": "/bin/zsh -lc 'git status'"}),
        ("execute", {"command": "git status", "cwd": "/w"}),
    ],
)
def test_one_rule_covers_the_shell_of_every_agent(tool: str, args: dict[str, Any]) -> None:
    assert says("allow", "bash(git status)", tool, args)
    assert says("allow", "bash(git *)", tool, args)
    assert says("deny", "bash(git status)", tool, args)


@pytest.mark.parametrize(
    "command",
    ["git diff", "git diff src", "git diff HEAD..main src/a.py", "git  diff 'my file.py'", 'git diff "a b" c'],
)
def test_a_beginning_covers_plain_further_words(command: str) -> None:
    assert runs("bash(git diff *)", command)


MORE_THAN_ONE = [
    "git diff && ls", "git diff; ls", "git diff | sh", "git diff || ls", "git diff\nls", "git diff\rls",
    "git diff & ls", "git diff $(ls)", "git diff `ls`", "git diff <(ls)", "git diff >file", "git diff >>file",
    "git diff 2>&1",
    "git diff <<EOF", "git diff ${x:=ls}", "git diff $x", "git diff \\\nls", "git diff {a,b}", "git diff *.py",
    "git diff ~/x", "git diff a?", "git diff [a]", "git diff #x", "git diff !!", "git diff ^a^b", "git diff 'a && b'",
    'git diff "$(ls)"', "git diff 'unclosed", "git diff\tls", "git diff\u00a0ls", "git diff\u2028ls", "git diff \x00ls",
    "git diff " + "&& ls " * 51, "(git diff)", "{ git diff; }", "! git diff", "git diff() { ls; }", "alias git=ls",
    "X=1 git diff", "env X=1 git diff", "git -C d diff", "cd d && git diff", "sudo git diff", "command git diff",
    "/bin/git diff", "./git diff", "gitdiff", "git difftool", "git", "diff git", "GIT diff", "git diff --output=x",
    "git diff -o x", "git diff --ext-diff", "git diff +x", "git diff -- a", "git \u0501iff", "time git diff",
]  # fmt: skip


@pytest.mark.parametrize("command", MORE_THAN_ONE)
def test_a_beginning_covers_nothing_that_could_be_more(command: str) -> None:
    assert not runs("bash(git diff *)", command)


@pytest.mark.parametrize(
    ("more", "covered"),
    [
        ({"cwd": "."}, True),
        ({"workdir": "sub"}, True),
        ({"cwd": "/w"}, True),
        ({"env": {}, "timeout": 3}, True),
        ({"cwd": ".."}, False),
        ({"workdir": "/etc"}, False),
        ({"env": {"LD_PRELOAD": "x"}}, False),
        ({"additional_permissions": {"network": True}}, False),
        ({"dangerouslyDisableSandbox": True}, False),
        ({"host": "evil.example", "protocol": "https"}, False),
        ({"description": "look", "timeout": 3, "run_in_background": True}, True),
    ],
)
def test_a_command_is_covered_in_the_workspace_and_with_no_more_rights(
    more: dict[str, object],
    covered: bool,  # noqa: FBT001 (a table)
) -> None:
    assert says("allow", "bash(make test)", "Bash", {"command": "make test", **more}) is covered
    assert says("deny", "bash(make test)", "Bash", {"command": "make test", **more})


def test_an_option_must_be_named() -> None:
    assert runs("bash(git commit -m *)", "git commit -m 'a message'")
    assert not runs("bash(git commit -m *)", "git commit -m x --amend")
    assert not runs("bash(git commit *)", "git commit -m x")


OPERATORS = st.sampled_from(
    [";", "&&", "||", "|", "&", "\n", "\r", "$(", "`", ">", "<", "${", "\\", "*", "?", "{", "#"]
)
WORDS = st.lists(st.from_regex(r"[a-z0-9_./-]{1,8}", fullmatch=True), min_size=1, max_size=3)


@given(WORDS, st.text(max_size=12), OPERATORS, st.text(max_size=12), st.sampled_from(["", "'", '"']))
def test_no_beginning_lets_a_compound_command_through(
    words: list[str], before: str, operator: str, after: str, quote: str
) -> None:
    beginning = "git " + " ".join(words)
    assert not runs(f"bash({beginning} *)", f"{beginning} {quote}{before}{operator}{after}{quote}")


@given(WORDS, st.text(max_size=20))
def test_what_a_beginning_lets_through_is_its_words_and_operands(words: list[str], more: str) -> None:
    beginning = ["git", *words]
    command = " ".join([*beginning, more])
    if runs(f"bash({' '.join(beginning)} *)", command):
        assert command.isascii()
        assert not set(command) & set(";&|<>()$`\\\n\r\t{}[]*?!#~^")
        assert not [word for word in command.split()[len(beginning) :] if word.startswith(("-", "+"))]


@given(st.text(min_size=1, max_size=30).filter(lambda text: text.strip() == text), st.text(max_size=30))
def test_a_whole_command_covers_itself_only(pattern: str, command: str) -> None:
    try:
        covered = runs(f"bash({pattern})", command)
    except ConfigError:
        return
    assert not covered or command == pattern or pattern.endswith(" *")


@pytest.mark.parametrize("command", ["git push", "cd d && git push -f", "echo x; git push origin", "true\ngit push"])
def test_to_deny_any_part_counts(command: str) -> None:
    assert says("deny", "bash(git push *)", "Bash", {"command": command})
    assert not says("deny", "bash(git push *)", "Bash", {"command": "git pull"})
    assert says("ask", "bash(git push)", "Bash", {"command": "ls; git push"})


@pytest.mark.parametrize(
    ("tool", "args", "call"),
    [
        ("Edit", {"file_path": "docs/a/b.md"}, {}),
        ("apply_patch", {"changes": [{"path": "docs/a.md", "kind": "update"}, {"path": "docs/b.md"}]}, {}),
        ("fileChange", {"changes": {"docs/a.md": {}}}, {"kind": "edit"}),
        ("create", {"path": "docs/a.md", "file_text": "x"}, {}),
        ("write_file", {"absolute_path": "docs/a.md"}, {"kind": "edit"}),
        ("anything", {"note": 1}, {"kind": "edit", "paths": ("docs/x.md",)}),
    ],
)
def test_one_rule_covers_the_edits_of_every_agent(
    tool: str, args: dict[str, Any], call: dict[str, Any], tmp_path: Path
) -> None:
    assert says("allow", "edit(docs/**)", tool, args, tmp_path, **call)
    assert says("allow", "edit", tool, args, tmp_path, **call)
    assert not says("allow", "edit(src/**)", tool, args, tmp_path, **call)
    assert not says("allow", "read", tool, args, tmp_path, **call)


@pytest.mark.parametrize(
    "args",
    [
        {"path": "docs/../src/a.py"}, {"path": "/etc/passwd"}, {"path": "docs/.git/hooks/x"}, {"path": "docs/.env"},
        {"path": "docs/a.md", "move_path": "src/a.py"}, {"changes": [{"path": "docs/a.md"}, {"path": "b.md"}]}, {}, [],
        {"path": "docs/a.md", "grant_root": "/"},
        {"path": "docs/a.md", "command": "rm -rf ."}, {"path": "docs"}, {"path": "docs/\x00"}, {"path": "~/docs/a"},
    ],
)  # fmt: skip
def test_a_path_rule_covers_all_paths_or_nothing(args: object, tmp_path: Path) -> None:
    assert not says("allow", "edit(docs/**)", "edit", args, tmp_path, kind="edit")


def test_a_kind_alone_stays_in_the_workspace_and_off_hidden_files(tmp_path: Path) -> None:
    assert says("allow", "read", "view", {"path": "src/a.py"}, tmp_path)
    assert not says("allow", "read", "view", {"path": "/etc/passwd"}, tmp_path)
    assert not says("allow", "edit", "edit", {"path": ".claude/settings.json"}, tmp_path)
    assert says("allow", "edit(.claude/*)", "edit", {"path": ".claude/settings.json"}, tmp_path)
    assert says("deny", "edit", "edit", {"path": ".claude/settings.json"}, tmp_path)
    assert says("deny", "read(**/secret*)", "read", {"path": ".x/secret.txt"}, tmp_path)


def test_the_name_of_a_tool_covers_that_tool_and_no_command() -> None:
    assert says("allow", "mcp__github__get_issue", "mcp__github__get_issue", {"number": 3})
    assert not says("allow", "mcp__github__get_issue", "mcp__github__create_issue", {"number": 3})
    assert not says("allow", "mcp__x__y", "mcp__x__y", {"command": "rm -rf ."})
    assert not says("allow", "mcp__x__y", "mcp__x__y", {"path": "/etc/passwd"})


@pytest.mark.parametrize(
    ("url", "covered"),
    [
        ("https://docs.python.org/3/", True),
        ("https://DOCS.python.org", True),
        ("https://python.org", False),
        ("https://docs.python.org.evil.example/", False),
        ("https://docs.python.org@evil.example/", False),
        ("https://u@docs.python.org/", False),
        ("file://docs.python.org/etc", False),
        ("http://[", False),
    ],
)
def test_a_host_rule(url: str, covered: bool) -> None:  # noqa: FBT001 (a table)
    assert says("allow", "fetch(docs.python.org)", "WebFetch", {"url": url}) is covered
    assert says("allow", "fetch(*.python.org)", "WebFetch", {"url": url}) is covered


def test_deny_before_ask_before_allow_however_written() -> None:
    rules = [
        parse_rule("allow", "bash(git *)"),
        parse_rule("ask", "bash(git push *)"),
        parse_rule("deny", "bash(rm *)"),
    ]
    call = Call(agent="demo", workspace="/w", tool="Bash", args={"command": "git push"})
    found = Policy(rules).answer(call)
    assert found is not None
    assert (found.effect, found.rule) == ("ask", "ask bash(git push *)")


def test_a_rule_of_one_agent() -> None:
    rule = parse_rule("allow", "bash(ls)", agent="claude")
    call = Call(agent="codex", workspace="/w", tool="Bash", args={"command": "ls"})
    assert Policy([rule]).answer(call) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "of the form"),
        ("bash(ls", "of the form"),
        ("rm -rf", "of the form"),
        ("bash", "any command"),
        ("execute", "any command"),
        ("bash()", "name the command"),
        ("bash(*)", "name the command"),
        ("bash( *)", "name the command"),
        ("bash(git diff:*)", r"bash\(git diff \*\)"),
        ("bash(cd x && git *)", "operators"),
        ("bash(git * push *)", "operators"),
        ("bash(env X=1 git *)", "any command"),
        ("bash(/usr/bin/find *)", "any command"),
        ("bash(sed *)", "any command"),
        ("edit(/etc/**)", "inside the workspace"),
        ("edit(../x)", "inside the workspace"),
        ("edit(~/x)", "inside the workspace"),
        ("edit()", "inside the workspace"),
        ("fetch(https://x)", "no host"),
    ],
)
def test_a_rule_that_would_allow_more_than_it_seems_to_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        parse_rule("allow", text, where="nbharness.toml")
    assert str(caught.value).startswith(f"nbharness.toml: the rule {text!r} cannot be used to allow: ")


def test_what_is_read_off_a_call() -> None:
    assert commands_of({"command": ["./bash", "-c", "ls"]}) == ["./bash -c ls"], "may be anything"
    assert commands_of({"command": ["bash", "-c", "ls", "x"]}) == ["bash -c ls x"]
    assert commands_of({"command": "it's"}) == ["it's"]
    assert commands_of({"command": [1]}) == []
    assert paths_of({"files": ["a", {"path": "b"}, 3], "fileChanges": {"c": {}}}) == ["c", "a", "b"]
    assert kind_of("Unheard", {"cmd": "ls"}) == "execute"
    assert kind_of("Unheard", {}) is None
