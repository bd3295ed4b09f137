"""The fake model's HTTP server: one thread a request, on a free port of the loopback interface."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any, Self

from nbharness.testing.fakellm import anthropic, chat, gemini, responses
from nbharness.testing.fakellm.script import Fail, Reply, Request, Script, filled, step_at

__all__ = ["FakeLLM"]

_MODELS = ("fake-model", "claude-sonnet-4-5", "gpt-4.1")
_POLL_S = 0.02
_FAILS_IN_STREAM = "context_length_exceeded"
"""The Responses API says this inside a stream that began well."""


class FakeLLM:
    """A fake model. A context manager: it serves between entering and leaving, in threads of its own.

    Args:
        scripts: Steps by the script's name.
        port: Port on 127.0.0.1; 0 picks a free one.

    Attributes:
        requests: Every request for an answer so far, in order of arrival. Appended to by other threads.
    """

    def __init__(self, scripts: Mapping[str, Script], port: int = 0) -> None:
        self.scripts = dict(scripts)
        self.requests: list[Request] = []
        self._server = _Server(self, port)

    @property
    def url(self) -> str:
        """Address without a path, such as ``http://127.0.0.1:40001``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        """Begin to serve."""
        serve = functools.partial(self._server.serve_forever, poll_interval=_POLL_S)
        threading.Thread(target=serve, name="fake model", daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    async def __aenter__(self) -> Self:
        """Begin to serve, as ``with`` does; the threads serve whatever the loop is busy with."""
        return self.__enter__()

    async def __aexit__(self, *error: object) -> None:
        """Stop serving."""
        await asyncio.to_thread(self.__exit__, *error)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: FakeLLM, port: int) -> None:
        self.model = model
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args: object) -> None:
        """Say nothing; the requests are in the log."""

    def do_GET(self) -> None:
        """List the models."""
        listed = [{"id": name, "object": "model", "type": "model"} for name in _MODELS]
        self._json(200, {"object": "list", "data": listed, "has_more": False})

    def do_POST(self) -> None:
        """Answer a conversation."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else {}
        path = self.path.partition("?")[0]
        wire = _wire(path)
        if path.endswith("count_tokens"):
            self._json(200, {"input_tokens": 10})
        elif wire is None:
            self._json(404, {"error": {"message": f"the fake model does not know {path}"}})
        else:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.model.requests.append(Request(path=self.path, headers=headers, body=body))
            self._answer(wire, body)

    def _answer(self, wire: ModuleType, body: dict[str, Any]) -> None:
        name, index = wire.place(body)
        step = step_at(self.server.model.scripts, name, index)
        if isinstance(step, Fail) and wire is responses and step.kind == _FAILS_IN_STREAM:
            self._stream(responses.failed(step))
        elif isinstance(step, Fail):
            wait = {} if step.retry_after is None else {"retry-after": str(step.retry_after)}
            self._json(step.status, wire.failure(step), {**step.headers, **wait})
        else:
            time.sleep(step.delay_s)
            self._stream(_answer_of(wire, step, body, f"{name or 'none'}_{index}"))

    def _stream(self, chunks: Iterable[bytes]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the agent was stopped
            for chunk in chunks:
                self.wfile.write(chunk)
            self.wfile.flush()

    def _json(self, status: int, body: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        encoded = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)


def _answer_of(wire: ModuleType, reply: Reply, body: dict[str, Any], key: str) -> Iterator[bytes]:
    found: Iterator[bytes] = wire.events(filled(reply, body), body, key)
    return found


def _wire(path: str) -> ModuleType | None:
    """Return the module that speaks what is posted to a path."""
    if path.endswith("/messages"):
        return anthropic
    if path.endswith("/responses"):
        return responses
    if path.endswith("/chat/completions"):
        return chat
    return gemini if path.endswith(":streamGenerateContent") else None
