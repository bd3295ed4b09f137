"""Real kernels without a page: what a front end would send, sent by hand."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from support.agents import install

__all__ = ["KERNELS", "Kernel", "start_kernel"]

Answer = Callable[[dict[str, Any]], dict[str, Any] | None]

_TERMINAL = {"turn.completed", "turn.failed", "turn.aborted"}

KERNELS = ["nbh-k6", "nbh-k73", "python3"]
"""ipykernel 6.31, 7.3 and the newest."""


class Kernel:
    """A running kernel.

    Attributes:
        manager: Its manager.
        client: A client with started channels.
    """

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def submit(self, code: str) -> str:
        """Send code to run and return the request's id."""
        return str(self.client.execute(code, allow_stdin=True))

    def finish(self, request: str, timeout_s: float = 60) -> tuple[str, list[dict[str, Any]]]:
        """Wait for a request to end; return its status and every message of its outputs."""
        messages: list[dict[str, Any]] = []
        while True:
            message = self.client.get_iopub_msg(timeout=timeout_s)
            if message["parent_header"].get("msg_id") != request:
                continue
            messages.append(message)
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        reply = self.client.get_shell_msg(timeout=timeout_s)
        while reply["parent_header"].get("msg_id") != request:
            reply = self.client.get_shell_msg(timeout=timeout_s)
        return str(reply["content"]["status"]), messages

    def run(self, code: str, timeout_s: float = 60) -> str:
        """Run code and return what it printed or, when it failed, its traceback."""
        status, messages = self.finish(self.submit(code), timeout_s)
        text = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")
        if status != "ok":
            text += "\n".join(line for m in messages if m["msg_type"] == "error" for line in m["content"]["traceback"])
        return text

    def reply_to(self, request: str, timeout_s: float = 60) -> dict[str, Any]:
        """Wait for a request to end; return what the kernel answers on the shell channel."""
        while True:
            reply = self.client.get_shell_msg(timeout=timeout_s)
            if reply["parent_header"].get("msg_id") == request:
                content: dict[str, Any] = reply["content"]
                return content

    def shown_turn(self, request: str, timeout_s: float = 30) -> str:
        """Wait until a cell that runs shows its turn; return the turn's id."""
        while True:
            message = self.client.get_iopub_msg(timeout=timeout_s)
            if message["msg_type"] == "display_data" and message["parent_header"]["msg_id"] == request:
                return str(message["content"]["metadata"]["nbharness"]["turn"])

    def run_answered(self, code: str, answer: Answer) -> tuple[str, list[dict[str, Any]]]:
        """Run a cell that waits for its turn, as a page does: hear its events, and send what is answered to them.

        Args:
            code: The cell.
            answer: Given each event in its JSON form; returns an input in its JSON form, or ``None``.

        Returns:
            The cell's status, and the messages of its outputs.
        """
        request = self.submit(code)
        turn_id, last, secret, ended = self.shown_turn(request), -1, "", False
        while not ended:
            hello = {"kind": "hello", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": last}
            welcome = self.ask_over_control(hello)
            secret = welcome.get("secret") or secret
            for event in welcome["events"]:
                last = event["seq"]
                ended = ended or event["type"] in _TERMINAL
                if (given := answer(event)) is not None:
                    said = {"kind": "input", "view": "v", "inputId": f"{last}", "turnId": turn_id, "secret": secret}
                    self.ask_over_control({**said, "input": given})
        return self.finish(request)

    def ask_over_control(self, content: dict[str, Any], timeout_s: float = 20) -> dict[str, Any]:
        """Send one of the page's messages on the control channel and return the kernel's answer."""
        request = self.client.session.msg("nbharness_request", content)
        self.client.control_channel.send(request)
        while True:
            reply = self.client.get_control_msg(timeout=timeout_s)
            if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
                answer: dict[str, Any] = reply["content"]
                return answer


@contextlib.contextmanager
def start_kernel(name: str, place: Path) -> Iterator[Kernel]:
    """Run a kernel with its own NBHARNESS_HOME, and with the agent ``scripted`` installed, until the block ends."""
    (place / "nbharness.toml").touch()
    path = install(place / "agents")
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "NBHARNESS_HOME": str(place / "home"),
        "NBHARNESS_CONFIG": str(place / "nbharness.toml"),
        "IPYTHONDIR": str(place / "ipython"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    manager = KernelManager(kernel_name=name)
    manager.start_kernel(env=environment, cwd=str(place))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
