"""What a mock agent says, checked before it is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nbharness.errors import ConfigError

__all__ = ["RESPONSE_TYPES", "Script", "SimulatedError"]

RESPONSE_TYPES = (
    "assistant",
    "assistant_delta",
    "delta",
    "system",
    "thought",
    "thought_delta",
    "tool_call",
    "tool_result",
)
"""Every ``type`` that a response may have: the ADK's stream events."""


class SimulatedError(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A failure on cue.

    Attributes:
        message: What went wrong.
        after: Number of responses after which the turn fails.
        code: Error code of the result.
        retry_after: Seconds until the provider takes requests again, with the code ``rate_limited``.
    """

    message: str
    after: Annotated[int, Meta(ge=0)] = 0
    code: str = "unknown"
    retry_after: Annotated[float, Meta(ge=0)] | None = None


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a mock agent; the same in every turn.

    Attributes:
        responses: What it says, in order.
        artifacts: What it leaves behind, listed in the result's metadata.
        delay_ms: Milliseconds between two responses.
        error: How it fails, or ``None``.
    """

    responses: list[dict[str, Any]]
    artifacts: list[dict[str, Any]]
    delay_ms: Annotated[float, Meta(ge=0)] = 0
    error: SimulatedError | None = None

    @classmethod
    def read(
        cls,
        responses: Sequence[object],
        artifacts: Sequence[object],
        delay_ms: float,
        simulate_error: SimulatedError | Mapping[str, Any] | None,
    ) -> Script:
        """Check a script and return it.

        Raises:
            ConfigError: Something in it cannot be used; the message says what.
        """
        for place, response in enumerate(responses):
            kind = response.get("type") if isinstance(response, Mapping) else None
            if kind not in RESPONSE_TYPES:
                valid = ", ".join(RESPONSE_TYPES)
                raise ConfigError(f"responses[{place}] has type {kind!r}. Valid: {valid}")
        failure = dict(simulate_error) if isinstance(simulate_error, Mapping) else msgspec.to_builtins(simulate_error)
        given = {"responses": responses, "artifacts": artifacts, "delay_ms": delay_ms, "error": failure}
        try:
            script = msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            fields = "message, after, code and retry_after"
            raise ConfigError(f"not a script for a mock: {error}. A simulated error has {fields}") from error
        if script.error is not None and script.error.after > len(responses):
            message = f"the simulated error comes after {script.error.after} responses. Valid: 0 to {len(responses)}"
            raise ConfigError(message)
        return script
