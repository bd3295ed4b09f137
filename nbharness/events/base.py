"""What all events and all values inside them have in common."""

from __future__ import annotations

import msgspec


class WireValue(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of the values inside events."""


class WireEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """Base of all events."""

    @property
    def type(self) -> str:
        """The event's name on the wire, such as ``message.delta``."""
        return str(self.__struct_config__.tag)
