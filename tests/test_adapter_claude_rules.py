"""Rules of ours in Claude Code's words: the same meaning or none."""

from __future__ import annotations

import json

import pytest

from nbharness.adapters.claude.rules import compiled, settings_of
from nbharness.policy import Rule, parse_rule


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("bash(git push *)", "Bash(git push:*)"),
        ("bash(git push)", "Bash(git push)"),
        ("bash", "Bash"),
        ("bash(echo $(x))", None),
        ("bash(ls *.py)", None),
        ("read(.env)", "Read(./.env)"),
        ("read", "Read"),
        ("edit(docs/**)", "Edit(./docs/**)"),
        ("edit", "Edit(//**)"),
        ("fetch(docs.python.org)", "WebFetch(domain:docs.python.org)"),
        ("fetch(*.python.org)", None),
        ("delete", None),
        ("mcp__github__create_issue", "mcp__github__create_issue"),
    ],
)
def test_what_is_denied_or_asked_is_said_in_claudes_words(text: str, own: str | None) -> None:
    assert compiled(parse_rule("deny", text)) == own
    assert compiled(parse_rule("ask", text)) == own


def test_what_allows_stays_with_us() -> None:
    assert compiled(parse_rule("allow", "bash(git status)")) is None
    assert compiled(parse_rule("deny", "bash(ls)", agent="codex")) is None
    assert compiled(Rule(effect="deny", tool="Bash", args_hash="x")) is None


def test_settings_hold_all_that_can_be_said() -> None:
    rules = [parse_rule("deny", "bash(rm *)"), parse_rule("ask", "read(.env)"), parse_rule("allow", "read")]
    settings = settings_of(rules)
    assert settings is not None
    assert json.loads(settings) == {"permissions": {"deny": ["Bash(rm:*)"], "ask": ["Read(./.env)"]}}
    assert settings_of([parse_rule("allow", "read")]) is None
