"""Rules answer for exactly what they name."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nbharness.errors import ConfigError
from nbharness.policy import Call, Policy, Rule, RuleBook, args_hash, command_of, paths_of


def answer(policy: Policy, tool: str, args: object, workspace: str = "/w") -> str | None:
    verdict = policy.answer(Call(agent="demo", workspace=workspace, tool=tool, args=args))
    return verdict.effect if verdict else None


def test_no_rule_says_nothing() -> None:
    assert answer(Policy(), "bash", {"command": "ls"}) is None


def test_deny_comes_before_ask_before_allow() -> None:
    rules = [Rule(effect="allow", command="ls"), Rule(effect="ask", tool="bash"), Rule(effect="deny", tool="rm")]
    assert answer(Policy(rules), "bash", {"command": "ls"}) == "ask"
    assert answer(Policy([*rules, Rule(effect="deny", command="ls")]), "bash", {"command": "ls"}) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "git status && ls", "git status; ls", "git status | sh", "git status || ls", "git status\nls", "git status\rls",
        "git status & ls", "git status $(ls)", "git status `ls`", "git status <(ls)", "git status >file",
        "git  status", " git status", "git status ", "git status --short", "env X=1 git status", "git -C d status",
        "git\\\nstatus", "git status #", "GIT STATUS", "git status\u200b", "{git,status}",
    ],
)  # fmt: skip
def test_a_command_rule_covers_that_command_only(command: str) -> None:
    policy = Policy([Rule(effect="allow", tool="bash", command="git status")])
    assert answer(policy, "bash", {"command": "git status"}) == "allow"
    assert answer(policy, "bash", {"command": command}) is None


def test_a_remembered_rule_covers_exact_arguments_only() -> None:
    args = {"command": "ls", "cwd": "a"}
    rule = Rule(effect="allow", tool="bash", args_hash=args_hash("bash", args), agent="demo", workspace="/w")
    policy = Policy([rule])
    assert answer(policy, "bash", {"cwd": "a", "command": "ls"}) == "allow"
    assert answer(policy, "bash", {"command": "ls"}) is None
    assert answer(policy, "bash", args, workspace="/other") is None
    assert answer(policy, "sh", args) is None


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", "docs/../../x.md", "docs/deep/x.md", "docs/x.py", "docs"])
def test_a_path_rule_stays_in_its_folder(path: str, tmp_path: Path) -> None:
    policy = Policy([Rule(effect="allow", path="docs/*.md")])
    assert answer(policy, "edit", {"path": "docs/a.md"}, str(tmp_path)) == "allow"
    assert answer(policy, "edit", {"path": path}, str(tmp_path)) is None


def test_a_path_rule_follows_links(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").symlink_to("/etc/passwd")
    policy = Policy([Rule(effect="allow", path="docs/*.md")])
    assert answer(policy, "edit", {"path": "docs/a.md"}, str(tmp_path)) is None


def test_a_path_rule_allows_for_all_and_denies_for_any(tmp_path: Path) -> None:
    both = {"paths": ["docs/a.md", "src/a.py"]}
    assert answer(Policy([Rule(effect="allow", path="docs/*.md")]), "edit", both, str(tmp_path)) is None
    assert answer(Policy([Rule(effect="deny", path="docs/*.md")]), "edit", both, str(tmp_path)) == "deny"


def test_a_rule_must_name_something() -> None:
    with pytest.raises(ConfigError, match="names nothing to match"):
        Rule(effect="allow", agent="demo")


def test_callbacks_come_after_rules() -> None:
    policy = Policy([Rule(effect="deny", command="ls")], [lambda tool, _args: tool == "bash"])
    assert answer(policy, "bash", {"command": "ls"}) == "deny"
    assert answer(policy, "bash", {"command": "pwd"}) == "allow"
    assert answer(policy, "edit", {}) == "deny"


def test_the_rule_book_keeps_rules_for_its_user_only(tmp_path: Path) -> None:
    book = RuleBook(tmp_path / "config" / "rules.json")
    assert book.load() == []
    rule = Rule(effect="allow", command="ls", label="ls")
    book.remember(rule)
    book.remember(rule)
    book.remember(Rule(effect="allow", command="pwd"))
    assert [kept.command for kept in RuleBook(book.path).load()] == ["ls", "pwd"]
    assert stat.S_IMODE(book.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["nonsense", "[1]", '[{"effect":"maybe","command":"x"}]', '[{"effect":"allow"}]'])
def test_a_broken_rule_book_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"rules\.json"):
        RuleBook(path).load()


def test_hash_is_of_the_meaning_not_the_order() -> None:
    assert args_hash("t", {"a": 1, "b": [1, 2]}) == args_hash("t", {"b": [1, 2], "a": 1})
    assert args_hash("t", {"a": 1}) != args_hash("t", {"a": "1"})
    assert args_hash("t", {}) != args_hash("u", {})


def test_what_arguments_name() -> None:
    assert command_of({"command": ["ls", "-l"]}) == "ls -l"
    assert command_of("ls") is None
    assert paths_of({"file_path": "a", "paths": ["b", 3]}) == ["a", "b"]


def test_a_command_beside_the_one_that_is_allowed_is_seen() -> None:
    both = {"command": "git status", "script": "rm -rf ."}
    assert answer(Policy([Rule(effect="allow", command="git status")]), "bash", both) is None
    assert answer(Policy([Rule(effect="deny", command="rm -rf .")]), "bash", both) == "deny"


def test_a_path_rule_allows_no_command_that_names_the_path(tmp_path: Path) -> None:
    args = {"path": "docs/a.md", "command": "rm -rf ."}
    assert answer(Policy([Rule(effect="allow", path="docs/*.md")]), "bash", args, str(tmp_path)) is None
    assert answer(Policy([Rule(effect="deny", path="docs/*.md")]), "bash", args, str(tmp_path)) == "deny"


@pytest.mark.parametrize("said", ["no", "yes", 1, 0, [], object()])
def test_a_callback_that_gives_no_answer_is_an_error(said: object) -> None:
    with pytest.raises(ConfigError, match="True, False, None"):
        answer(Policy(callbacks=[lambda _tool, _args: said]), "bash", {})  # type: ignore[list-item,return-value]


def test_an_async_callback_allows_nothing() -> None:
    async def callback(_tool: str, _args: object) -> bool:
        return False

    with pytest.raises(ConfigError, match=r"callback returned .*async"):
        answer(Policy(callbacks=[callback]), "bash", {})  # type: ignore[list-item]


def test_hash_tells_deep_arguments_apart() -> None:
    def nested(inside: str) -> object:
        value: object = inside
        for _ in range(200):
            value = [value]
        return value

    assert args_hash("t", nested("ls")) != args_hash("t", nested("rm"))


_REMEMBER = """
import sys
from pathlib import Path
from nbharness.policy import Rule, RuleBook
for index in range(20):
    RuleBook(Path(sys.argv[1])).remember(Rule(effect="allow", command=f"{sys.argv[2]} {index}"))
"""


def test_processes_that_remember_at_once_lose_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    writers = [subprocess.Popen([sys.executable, "-c", _REMEMBER, str(path), str(number)]) for number in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert len(RuleBook(path).load()) == 60
    assert [left.name for left in tmp_path.iterdir() if left.name.startswith(".rules-")] == []


def test_a_rule_book_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"rules\.json cannot be written"):
        RuleBook(tmp_path / "file" / "rules.json").remember(Rule(effect="allow", command="ls"))
