"""The modes, models and other settings that a session offers. Pure."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from nbharness.adapters.acp.values import mapping, mappings, name_of, text_of
from nbharness.events import Choice, SessionUpdated, SlashCommand

__all__ = ["Kind", "Setting", "Settings", "commands_of", "session_updated"]

Kind: TypeAlias = Literal["mode", "model"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be chosen.

    Attributes:
        choices: What can be chosen.
        current: Id of what is chosen.
        config_id: Id of the config option behind it; ``""`` when the session has a method of its own for it.
    """

    choices: tuple[Choice, ...] = ()
    current: str = ""
    config_id: str = ""


class Settings:
    """What a session offers, by what it said last. Where it offers both forms, the config option counts."""

    def __init__(self) -> None:
        self._settings: dict[Kind, Setting] = {}
        self.mode_before_plan = ""
        """Mode to go back to after a turn for which we chose the one for plans; ``""`` when we did not."""

    def of(self, kind: Kind) -> Setting:
        """Return a setting; one without choices when the session does not have it."""
        return self._settings.get(kind, Setting())

    def take(self, said: dict[str, Any]) -> SessionUpdated | None:
        """Take the answer to a session request, or an update; return what it says anew.

        Args:
            said: Holds ``modes``, ``models``, ``configOptions`` or ``currentModeId``.
        """
        before = dict(self._settings)
        self._take_states(said)
        for option in mappings(said.get("configOptions")):
            self._take_option(option)
        if mode := name_of(said.get("currentModeId")):
            self._settings["mode"] = msgspec.structs.replace(self.of("mode"), current=mode)
        changed: list[Kind] = [kind for kind, setting in self._settings.items() if setting != before.get(kind)]
        return session_updated({kind: self._settings[kind] for kind in changed}) if changed else None

    def offers(self) -> list[SessionUpdated]:
        """Return the event that tells of all that is offered; none when nothing is."""
        return [session_updated(self._settings)] if self._settings else []

    def chosen(self, kind: Kind, value: str) -> None:
        """Note that a choice was made."""
        self._settings[kind] = msgspec.structs.replace(self.of(kind), current=value)

    def _take_states(self, said: dict[str, Any]) -> None:
        modes, models = mapping(said.get("modes")), mapping(said.get("models"))
        if modes and not self.of("mode").config_id:
            choices = _choices(modes.get("availableModes"), "id")
            self._settings["mode"] = Setting(choices=choices, current=name_of(modes.get("currentModeId")))
        if models and not self.of("model").config_id:
            choices = _choices(models.get("availableModels"), "modelId")
            self._settings["model"] = Setting(choices=choices, current=name_of(models.get("currentModelId")))

    def _take_option(self, option: dict[str, Any]) -> None:
        category = option.get("category") or option.get("id")
        if category not in ("mode", "model") or option.get("type", "select") != "select":
            return
        grouped = [choice for group in mappings(option.get("options")) for choice in mappings(group.get("options"))]
        self._settings["mode" if category == "mode" else "model"] = Setting(
            choices=_choices(grouped or option.get("options"), "value"),
            current=name_of(option.get("currentValue")),
            config_id=name_of(option.get("id")),
        )


def session_updated(settings: dict[Kind, Setting]) -> SessionUpdated:
    """Return the event that tells of settings."""
    mode, model = settings.get("mode", Setting()), settings.get("model", Setting())
    return SessionUpdated(
        mode=mode.current or UNSET,
        modes=list(mode.choices) or UNSET,
        model=model.current or UNSET,
        models=list(model.choices) or UNSET,
    )


def commands_of(said: dict[str, Any]) -> SessionUpdated:
    """Return the event that tells of the commands in an ``available_commands_update``."""
    return SessionUpdated(
        commands=[
            SlashCommand(name=name, description=text_of(command.get("description")) or UNSET)
            for command in mappings(said.get("availableCommands"))
            if (name := text_of(command.get("name")).removeprefix("/"))
        ]
    )


def _choices(offered: object, id_key: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(id=id_, name=text_of(item.get("name")) or id_, description=text_of(item.get("description")) or UNSET)
        for item in mappings(offered)
        if (id_ := name_of(item.get(id_key)))
    )
