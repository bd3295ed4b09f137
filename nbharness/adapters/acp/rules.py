"""Rules of ours in the words of a program's own command line, which it obeys also where it would not ask.

Copilot has them: ``--deny-tool`` takes ``shell(git push:*)``, ``shell`` and ``write``. It has no word for asking, none
for reading, and its words for files and addresses cover others than a rule of ours does, so those stay with us.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from nbharness.adapters.acp.presets import Preset
from nbharness.policy import Rule

__all__ = ["compiled", "options_of"]

_PLAIN = re.compile(r"[\w./@+-]+(?: [\w./@+-]+)*")
_BEGINNING = " *"
_KINDS = {"execute": "shell", "edit": "write"}


def compiled(preset: Preset, rule: Rule) -> str | None:
    """Return a rule in the program's words, or ``None`` when it has none that mean the same."""
    is_plain = not (rule.tool or rule.args_hash or rule.workspace or rule.path or rule.host)
    if not preset.deny_option or rule.effect != "deny" or not is_plain or rule.agent not in {"", preset.name}:
        return None
    word = _KINDS.get(rule.kind)
    if not rule.command:
        return word
    beginning = rule.command.removesuffix(_BEGINNING)
    # A whole command would be taken for all that begin with it.
    if word != "shell" or beginning == rule.command or not _PLAIN.fullmatch(beginning):
        return None
    return f"{word}({beginning}:*)"


def options_of(preset: Preset, rules: Iterable[Rule]) -> list[str]:
    """Return the options of the command that say what can be said of rules."""
    own = [word for rule in rules if (word := compiled(preset, rule)) is not None]
    return [f"{preset.deny_option}={word}" for word in dict.fromkeys(own)]
