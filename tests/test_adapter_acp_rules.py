"""Our rules in the words of programs that speak ACP."""

import pytest

from nbharness.adapters.acp import copilot, create
from nbharness.adapters.acp.presets import PRESETS
from nbharness.adapters.acp.rules import options_of
from nbharness.policy import Rule, parse_rule

COPILOT = PRESETS["copilot"]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("bash(git push *)", "shell(git push:*)"),
        ("bash(ls *)", "shell(ls:*)"),
        ("bash", "shell"),
        ("edit", "write"),
        ("bash(git push)", None),  # there it would also mean `git push origin`
        ("bash(echo (x *)", None),
        ("edit(docs/**)", None),
        ("read", None),
        ("fetch(python.org)", None),
        ("mcp__server__tool", None),
    ],
)
def test_rule_that_denies_is_said_where_it_means_the_same(text: str, own: str | None) -> None:
    assert copilot().compiled(parse_rule("deny", text)) == own
    assert copilot().compiled(parse_rule("ask", text)) is None
    assert create().compiled(parse_rule("deny", text)) is None


def test_rules_of_others_and_those_that_allow_stay_with_us() -> None:
    assert copilot().compiled(parse_rule("allow", "bash(git status *)")) is None
    assert copilot().compiled(parse_rule("deny", "bash(ls *)", agent="codex")) is None
    assert copilot().compiled(parse_rule("deny", "bash(ls *)", agent="copilot")) == "shell(ls:*)"
    assert copilot().compiled(Rule(effect="deny", kind="execute", args_hash="x")) is None
    assert copilot().compiled(Rule(effect="deny", kind="execute", workspace="/w")) is None


def test_options_name_each_once() -> None:
    rules = [parse_rule("deny", text) for text in ("bash(ls *)", "read", "edit", "bash(ls *)")]
    assert options_of(COPILOT, rules) == ["--deny-tool=shell(ls:*)", "--deny-tool=write"]
    assert options_of(PRESETS["gemini"], rules) == []
