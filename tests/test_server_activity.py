"""Our control messages are no activity of the kernel."""

from __future__ import annotations

from typing import Any

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

from nbharness.notebook.control import REQUEST
from nbharness.server.jupyter import CONTROL_REQUEST, prepare


def test_control_messages_are_untracked_beside_what_is_already() -> None:
    server = ServerApp()
    prepare(server)
    manager: Any = MappingKernelManager(parent=server)  # type: ignore[no-untyped-call]
    assert manager.untracked_message_types[-1] == CONTROL_REQUEST == REQUEST
    assert "status" in manager.untracked_message_types
