"""Chooses the mode and the model that a turn asks for, of those that the session offers."""

from __future__ import annotations

from nbharness.adapters.acp.link import AgentLink
from nbharness.adapters.acp.presets import Preset
from nbharness.adapters.acp.settings import Kind, Settings
from nbharness.adapters.base import TurnRequest
from nbharness.errors import AdapterError
from nbharness.events import Choice

__all__ = ["Chooser"]


class Chooser:
    """Makes a turn's choices.

    Args:
        preset: The agent.
        link: The connection to it.
        settings: What the session offers.
        session_id: The session.
    """

    def __init__(self, preset: Preset, link: AgentLink, settings: Settings, session_id: str) -> None:
        self._preset = preset
        self._link = link
        self._settings = settings
        self._session_id = session_id

    async def choose(self, request: TurnRequest) -> None:
        """Choose what the turn asks for, and leave a plan mode of ours when it no longer asks for one.

        Raises:
            AdapterError: It is not offered; the message lists what is.
        """
        if request.model is not None and not self._preset.model_option:
            await self._set("model", request.model)
        plan = self._plan_mode()
        if request.mode is not None:
            await self._set("mode", request.mode)
        elif request.plan_mode:
            if not plan:
                raise self._not_offered("mode", "plan")
            self._settings.mode_before_plan = self._settings.mode_before_plan or self._settings.of("mode").current
            await self._set("mode", plan)
        elif self._settings.mode_before_plan:
            before, self._settings.mode_before_plan = self._settings.mode_before_plan, ""
            if self._settings.of("mode").current == plan:
                await self._set("mode", before)

    def _plan_mode(self) -> str:
        """The mode in which the agent plans, ``""`` when it has none."""
        return next((choice.id for choice in self._settings.of("mode").choices if "plan" in _names(choice)), "")

    async def _set(self, kind: Kind, value: str) -> None:
        setting = self._settings.of(kind)
        named = next((choice.id for choice in setting.choices if value in _names(choice)), None)
        if named is None:
            raise self._not_offered(kind, value)
        if named == setting.current:
            return
        value = named
        params = {"sessionId": self._session_id}
        if setting.config_id:
            choice = {"configId": setting.config_id, "value": value}
            self._settings.take(await self._link.request("session/set_config_option", params | choice))
        elif kind == "mode":
            await self._link.request("session/set_mode", params | {"modeId": value})
        else:
            await self._link.request("session/set_model", params | {"modelId": value})
        self._settings.chosen(kind, value)

    def _not_offered(self, kind: Kind, value: str) -> AdapterError:
        offered = ", ".join(_names(choice)[-1] for choice in self._settings.of(kind).choices)
        hint = f"It offers: {offered}" if offered else f"It offers no choice of {kind}; leave --{kind} out"
        return AdapterError(f"the agent {self._preset.name!r} has no {kind} {value!r}. {hint}")


def _names(choice: Choice) -> list[str]:
    """What a person may call a choice: its id, or the end of an id that is an address."""
    return list(dict.fromkeys([choice.id, choice.id.rpartition("#")[2]]))
