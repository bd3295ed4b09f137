"""What goes wrong with a model, what a turn does about it, and how it is told. Pure."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from nbharness.adapters.builtin.models import AGENT, NAMED_BY, PROVIDERS, provider_of
from nbharness.errors import AdapterError, AuthNeeded, ContextExhausted, RateLimited

__all__ = ["CallFailed", "FaultKind", "ModelFault", "Patience", "as_error", "notice_of"]

FaultKind: TypeAlias = Literal[
    "rate_limited", "overloaded", "connection", "overflow", "auth", "quota", "unknown_model", "rejected", "behaviour"
]

_PASSING: dict[FaultKind, str] = {
    "rate_limited": "The provider takes no more requests for now",
    "overloaded": "The provider has a problem",
    "connection": "The connection to the provider broke",
}
"""What time may heal, in words."""

_MESSAGE_CHARS = 500


class CallFailed(Exception):
    """A tool call has no result; the message is for the model."""


class ModelFault(Exception):
    """A request to the model failed.

    Attributes:
        kind: What is wrong.
        status: HTTP status, or ``None``.
        retry_after: Seconds that the provider asks to wait, or ``None``.
    """

    def __init__(
        self, kind: FaultKind, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        self.kind = kind
        self.status = status
        self.retry_after = retry_after
        super().__init__(message if len(message) <= _MESSAGE_CHARS else f"{message[:_MESSAGE_CHARS]}...")


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how long a turn waits for its provider.

    Attributes:
        retries: Further tries without any progress in between.
        first_s: Seconds before the first of them; each later wait is twice as long.
        most_s: Seconds that one wait may take. A provider that asks for more is not waited for.
    """

    retries: int = 5
    first_s: float = 1.0
    most_s: float = 60.0

    def wait_s(self, fault: ModelFault, tried: int) -> float | None:
        """Return how long to wait before the next try, or ``None`` to give up.

        Args:
            fault: What went wrong.
            tried: Further tries that were made already.
        """
        if fault.kind not in _PASSING or tried >= self.retries:
            return None
        wait = max(fault.retry_after or 0.0, min(self.most_s, self.first_s * 2**tried))
        return wait if wait <= self.most_s else None


def notice_of(fault: ModelFault, wait_s: float, tried: int, retries: int) -> str:
    """Return the sentence that a reader sees before a further try."""
    status = f" (HTTP {fault.status})" if fault.status else ""
    again = f"trying again in {wait_s:.2g} s ({tried + 1} of {retries})"
    return f"{_PASSING[fault.kind]}{status}; {again}. It says: {fault}"


def as_error(fault: ModelFault, model: str) -> AdapterError:
    """Return the error that ends the turn: what is wrong, and what to do.

    Args:
        fault: What went wrong.
        model: The model, as ``provider:model``.
    """
    name, _ = provider_of(model)
    provider = PROVIDERS.get(name)
    keys = " or ".join(provider.keys) if provider is not None and provider.keys else "its key"
    match fault.kind:
        case "auth":
            return AuthNeeded(AGENT, f"{name} refused the key; check {keys}. It says: {fault}")
        case "rate_limited":
            return RateLimited(f"{name} takes no more requests for now. It says: {fault}", fault.retry_after)
        case "quota":
            return RateLimited(f"the account at {name} is used up; see its billing. It says: {fault}", None)
        case "unknown_model":
            return AdapterError(f"{name} knows no model {model!r}; name another with {NAMED_BY}. It says: {fault}")
        case "overflow":
            return ContextExhausted(f"the conversation does not fit into {model} any more; start a new one. {fault}")
        case "connection" if provider is not None and provider.address is not None:
            variable, address = provider.address
            where = f"{variable} says where it is, or else it is looked for at {address}"
            return AdapterError(f"nothing answers for {model}; start its server. {where}. It says: {fault}")
        case "overloaded" | "connection":
            return AdapterError(f"{_PASSING[fault.kind].lower()} ({model}). It says: {fault}")
        case _:
            return AdapterError(f"{model} could not be used. It says: {fault}")
