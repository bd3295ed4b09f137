"""The engine: a model in a loop with tools, on pydantic-ai.

The only module that imports it. That takes seconds, so it is loaded in a thread when a turn first needs it. What
pydantic-ai knows how to do is left to it: the providers' wire forms, streams, the repair of histories that break off.
Retries, approvals, compaction and what is shown are ours.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, Self, TypeAlias

from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    AgentStreamEvent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    RunContext,
    TextPartDelta,
    Tool,
    ToolCallPart,
    ToolDefinition,
    UsageLimits,
    UserPromptPart,
)
from pydantic_ai import exceptions as errors
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import Model, ModelRequestContext, infer_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.settings import ModelSettings
from pydantic_graph import End

from nbharness.adapters.builtin.faults import CallFailed, FaultKind, ModelFault
from nbharness.adapters.builtin.models import AGENT, NAMED_BY, PROVIDERS, Effort, login, provider_of
from nbharness.errors import AdapterError, AuthNeeded

__all__ = ["Bridge", "Engine", "History", "Message", "Offered", "dumped", "loaded", "spoken", "without_ruins"]

_EVENTS: TypeAdapter[AgentStreamEvent] = TypeAdapter(AgentStreamEvent)
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]+)` environment variable")

_WRONG_ARGUMENTS = 5
"""How often in a row a model may call a tool in a way that cannot be understood."""

_KINDS: tuple[tuple[type[Exception], FaultKind], ...] = (
    (errors.ModelContextWindowExceededError, "overflow"),
    (errors.ModelQuotaExceededError, "quota"),
    (errors.ModelRateLimitError, "rate_limited"),
    (errors.ModelAuthenticationError, "auth"),
    (errors.ModelNotFoundError, "unknown_model"),
    (errors.ModelRequestRejectedError, "rejected"),
    (errors.ModelConnectionError, "connection"),
    (errors.ModelRequestTimeout, "connection"),
    (errors.ModelUnavailableError, "overloaded"),
    (errors.ModelServerError, "overloaded"),
)

Message: TypeAlias = ModelMessage
History: TypeAlias = list[Message]


class _Settings(ModelSettings, total=False):
    """Settings of models, with those of single providers that we use."""

    openai_reasoning_summary: str


class Offered(Protocol):
    """A tool as the engine needs to know it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """What it does and how it is used, for the model."""

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of its arguments."""

    @property
    def asks(self) -> bool:
        """True when it may change something; then nothing else runs beside it."""


class Bridge(Protocol):
    """The turn, as the engine sees it. Everything runs on the turn's loop, in order."""

    def say(self, said: Mapping[str, Any]) -> None:
        """Take what happens, as the translator reads it."""

    async def call(self, name: str, args: dict[str, Any], call_id: str) -> str:
        """Run a tool, asking first if need be, and return the result.

        Raises:
            CallFailed: It did not run, or failed.
        """

    def offers(self, name: str) -> bool:
        """Tell whether the model may use a tool now."""

    async def before_request(self, history: History) -> History:
        """Return the history to go on from; the last message is what the model is about to be told."""


class Engine:
    """A model, ready to be asked. Belongs to the loop on which it was opened.

    Args:
        name: The model, as ``provider:model``.
        model: The model.

    Attributes:
        name: The model, as ``provider:model``.
    """

    def __init__(self, name: str, model: Model) -> None:
        self.name = name
        self._model = model
        self._doubted = False

    @classmethod
    async def open(cls, name: str) -> Self:
        """Make a model ready; nothing is sent yet.

        Raises:
            AdapterError: There is no such provider, or its library is missing.
            AuthNeeded: Its key is not set; the message names the variable.
        """
        model = await asyncio.to_thread(_model, name)
        await model.__aenter__()
        return cls(name, model)

    async def close(self) -> None:
        """Close the connections."""
        await self._model.__aexit__(None, None, None)

    @property
    def context_window(self) -> int | None:
        """Tokens that the model's context holds, where that is known."""
        return self._model.context_window

    async def run(
        self,
        prompt: str | None,
        history: History,
        *,
        bridge: Bridge,
        instructions: str,
        tools: Sequence[Offered],
        effort: Effort | None,
    ) -> str:
        """Let the model work until it gives an answer without calling a tool.

        Args:
            prompt: What the user says; ``None`` when the history ends with what the model has to be told.
            history: What was said before. Replaced in place by all that was said, also when the run breaks off.
            bridge: The turn.
            instructions: The system prompt.
            tools: What the model may call.
            effort: How much it should think, or ``None`` for its own choice.

        Returns:
            The answer.

        Raises:
            ModelFault: The model could not be asked, or does not do what it should.
        """
        agent = Agent(
            self._model,
            instructions=instructions,
            tools=[_tool(tool, bridge) for tool in tools],
            capabilities=[_Hooks(bridge, self)],
            model_settings=self._settings(effort),
            retries={"tools": _WRONG_ARGUMENTS},
        )
        run = None
        try:
            async with agent.iter(
                prompt, message_history=list(history), usage_limits=UsageLimits(request_limit=None)
            ) as run:
                node = run.next_node
                while not isinstance(node, End):
                    node = await run.next(node)
        except errors.AgentRunError as error:
            raise _fault(error) from error
        finally:
            if run is not None:
                history[:] = run.all_messages()
        return str(node.data.output)

    async def ask(self, text: str, bridge: Bridge) -> str:
        """Ask the model one thing, outside of any conversation and without tools; only what it cost is told.

        Raises:
            ModelFault: The model could not be asked.
        """
        try:
            # Streamed, since a provider may refuse to think for minutes without a sign of life.
            async with Agent(self._model, model_settings=self._settings(None)).run_stream(text) as answer:
                output = await answer.get_output()
        except errors.AgentRunError as error:
            raise _fault(error) from error
        bridge.say({"event_kind": "model_response", "usage": _usage(answer.response, self.context_window)})
        return output

    def check_end(self, response: ModelResponse) -> None:
        """Look whether an answer is whole: a connection that is closed in order, but too early, looks like the end.

        Raises:
            ModelFault: It does not say why it ended. Some servers never do; theirs is believed the second time.
        """
        told = (response.provider_details or {}).get("finish_reason")
        if told is None and not (self._doubted and response.finish_reason):
            self._doubted = True
            raise ModelFault("connection", "the answer broke off before its end")

    def _settings(self, effort: Effort | None) -> ModelSettings:
        # Retries of the SDKs cannot be seen, and know nothing of a stream that broke.
        settings = _Settings()
        if "max_retries" not in self._model.unsupported_settings:
            settings["max_retries"] = 0
        provider, _ = provider_of(self.name)
        if provider == "anthropic":
            settings["cache"] = True
        if effort:
            settings["thinking"] = effort
        if provider in {"openai", "openai-responses"} and self._model.profile.get("supports_thinking"):
            # Without it the Responses API keeps its reasoning to itself.
            settings["openai_reasoning_summary"] = "auto"
        return settings


@dataclass
class _Hooks(AbstractCapability[None]):
    """Ties a run to its turn."""

    bridge: Bridge
    engine: Engine

    async def on_event(self, ctx: RunContext[None], *, event: AgentStreamEvent) -> None:  # noqa: ARG002 (theirs)
        self.bridge.say(_native(event))

    async def prepare_tools(
        self,
        ctx: RunContext[None],  # noqa: ARG002 (as above)
        tool_defs: list[ToolDefinition],
    ) -> list[ToolDefinition]:
        return [tool for tool in tool_defs if self.bridge.offers(tool.name)]

    async def after_tool_validate(
        self,
        ctx: RunContext[None],  # noqa: ARG002 (as above)
        *,
        call: ToolCallPart,  # noqa: ARG002 (as above)
        tool_def: ToolDefinition,
        args: Any,
    ) -> dict[str, Any]:
        if not isinstance(args, dict):
            raise errors.ModelRetry(f"The arguments of {tool_def.name} must be a JSON object, not {args!r}.")
        return args

    async def before_model_request(
        self, ctx: RunContext[None], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        history = await self.bridge.before_request(list(request_context.messages))
        request_context.messages = list(history)
        ctx.messages[:] = history
        return request_context

    async def after_model_request(
        self,
        ctx: RunContext[None],  # noqa: ARG002 (as above)
        *,
        request_context: ModelRequestContext,  # noqa: ARG002 (as above)
        response: ModelResponse,
    ) -> ModelResponse:
        self.engine.check_end(response)
        self.bridge.say({"event_kind": "model_response", "usage": _usage(response, self.engine.context_window)})
        return response


def dumped(history: History) -> list[bytes]:
    """Return messages as JSON, one line each."""
    return [ModelMessagesTypeAdapter.dump_json([message])[1:-1] for message in history]


def loaded(lines: Sequence[bytes]) -> History:
    """Return messages that were kept.

    Raises:
        ValueError: One cannot be read.
    """
    return ModelMessagesTypeAdapter.validate_json(b"[" + b",".join(lines) + b"]")


def spoken(text: str) -> ModelMessage:
    """Return what a user says, as a message."""
    return ModelRequest(parts=[UserPromptPart(content=text)])


def without_ruins(history: History) -> History:
    """Return a history from which a run can go on by itself: answers that broke off at its end are left out.

    Otherwise the half of an answer would count as the whole.
    """
    kept = list(history)
    while kept and isinstance(kept[-1], ModelResponse):
        kept.pop()
    return kept


def _model(name: str) -> Model:
    known = PROVIDERS.get(provider_of(name)[0])
    try:
        return infer_model(name, provider_factory=_provider)
    except ImportError as error:
        package = f"nbharness[{known.extra}]" if known else f"pydantic-ai-slim[{provider_of(name)[0]}]"
        message = f"the model {name!r} needs a library that is missing. Install it with: pip install '{package}'"
        raise AdapterError(message) from error
    except (errors.UserError, ValueError) as error:
        missing = _VARIABLE.search(str(error))
        if missing is not None:
            raise AuthNeeded(AGENT, f"the model {name!r} needs {missing[1]}, which is not set") from error
        message = f"the model {name!r} cannot be used: {error}. Name another with {NAMED_BY}; for its key, {login()}"
        raise AdapterError(message) from error


def _provider(name: str) -> Provider[Any]:
    """Return who serves models, at the usual address of a local server where none is set."""
    known = PROVIDERS.get(name)
    if known is not None and known.address is not None and not os.environ.get(known.address[0]):
        local: Callable[..., Provider[Any]] = infer_provider_class(name)
        return local(base_url=known.address[1])
    return infer_provider(name)


def _tool(offered: Offered, bridge: Bridge) -> Tool[None]:
    async def call(ctx: RunContext[None], /, **args: Any) -> str:
        try:
            return await bridge.call(offered.name, args, ctx.tool_call_id or "")
        except CallFailed as error:
            raise errors.ToolFailed(str(error)) from error

    return Tool.from_schema(
        call, offered.name, offered.description, offered.parameters, takes_ctx=True, sequential=offered.asks
    )


def _native(event: AgentStreamEvent) -> Mapping[str, Any]:
    # Nearly all events are pieces of a text, and the long way takes ten times as long.
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        delta = {"part_delta_kind": "text", "content_delta": event.delta.content_delta}
        return {"event_kind": "part_delta", "index": event.index, "delta": delta}
    said: Mapping[str, Any] = _EVENTS.dump_python(event, mode="json", exclude_none=True)
    return said


def _usage(response: ModelResponse, window: int | None) -> dict[str, Any]:
    """Return what one request consumed, in the words of our events."""
    used = response.usage
    return {
        "inputTokens": used.input_tokens,
        "outputTokens": used.output_tokens,
        "cachedTokens": used.cache_read_tokens,
        "contextTokens": used.input_tokens + used.output_tokens,
        **({"contextWindow": window} if window else {}),
        **({"costUsd": float(used.cost)} if isinstance(used.cost, Decimal) else {}),
    }


def _fault(error: errors.AgentRunError) -> ModelFault:
    kind: FaultKind = next((kind for known, kind in _KINDS if isinstance(error, known)), "behaviour")
    return ModelFault(
        kind,
        _words(error),
        status=getattr(error, "status_code", None),
        retry_after=getattr(error, "retry_after", None),
    )


def _words(error: errors.AgentRunError) -> str:
    """Return what the provider said, without the frame that the library puts around it."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else None
    return said if isinstance(said, str) and said else str(error)
