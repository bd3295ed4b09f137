"""Remembered rules."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nbharness.errors import ConfigError
from nbharness.policy.rule import Rule
from nbharness.private_file import locked, write_private

__all__ = ["RuleBook"]


class RuleBook:
    """Remembered rules in one JSON file of the user's, outside every workspace."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> list[Rule]:
        """Return the rules; none when there is no file.

        Raises:
            ConfigError: If the file cannot be read as rules.
        """
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            message = f"cannot read the remembered rules in {self.path}: {error.strerror}"
            raise ConfigError(message) from error
        try:
            return msgspec.json.decode(raw, type=list[Rule])
        except (msgspec.DecodeError, ConfigError) as error:
            message = f"the remembered rules in {self.path} cannot be read: {error}. Correct the file or delete it."
            raise ConfigError(message) from error

    def remember(self, rule: Rule) -> None:
        """Add one rule, atomically, in a file that only the user can read; several processes may do so at once.

        Raises:
            ConfigError: If the file cannot be read as rules, or written.
        """
        try:
            with locked(self.path):
                rules = self.load()
                if rule not in rules:
                    rules.append(rule)
                    write_private(self.path, msgspec.json.format(msgspec.json.encode(rules), indent=2) + b"\n")
        except OSError as error:
            message = f"the rule cannot be remembered: {self.path} cannot be written ({error.strerror})"
            raise ConfigError(message) from error
