"""Standing rules that answer an approval before a person is asked: read from text, matched, remembered."""

from __future__ import annotations

from nbharness.policy.arguments import args_hash, command_of, commands_of, kind_of, paths_of
from nbharness.policy.book import RuleBook
from nbharness.policy.grammar import parse_rule, parse_rules
from nbharness.policy.policy import Callback, Policy, Verdict
from nbharness.policy.rule import Call, Effect, Rule

__all__ = [
    "Call",
    "Callback",
    "Effect",
    "Policy",
    "Rule",
    "RuleBook",
    "Verdict",
    "args_hash",
    "command_of",
    "commands_of",
    "kind_of",
    "parse_rule",
    "parse_rules",
    "paths_of",
]
