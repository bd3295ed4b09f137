"""The comm of our widgets.

ipykernel 7.4 sends what arrives on a comm of its own class back to the shell that last published on it, which is the
busy main thread. It does not do so for another class, and the front end's choice, a subshell, then stands.
"""

from __future__ import annotations

import threading
from typing import Any

import comm
import comm.base_comm
from ipykernel.kernelbase import Kernel
from ipywidgets.widgets.widget import _remove_buffers

__all__ = ["OwnComm", "open_own_comm"]

_PROTOCOL = "2.1.0"


class OwnComm(comm.base_comm.BaseComm):
    """A comm that publishes from any thread."""

    def publish_msg(
        self,
        msg_type: str,
        data: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        buffers: list[bytes] | None = None,
        **keys: Any,
    ) -> None:
        """Send one comm message to the front ends."""
        kernel: Any = Kernel.instance()
        # A message sent from our loop belongs to no cell.
        parent = kernel.get_parent() if threading.current_thread() is threading.main_thread() else {}
        kernel.session.send(
            kernel.iopub_socket,
            msg_type,
            {"data": data or {}, "comm_id": self.comm_id, **keys},
            metadata=metadata or {},
            parent=parent,
            ident=b"comm-" + self.comm_id.encode(),
            buffers=buffers,
        )


def open_own_comm(widget: Any) -> None:
    """Open a widget's comm with our class; does nothing when it is open. In the cell's thread."""
    if widget.comm is not None:
        return
    state, paths, buffers = _remove_buffers(widget.get_state())
    widget.comm = OwnComm(
        target_name="jupyter.widget",
        data={"state": state, "buffer_paths": paths},
        buffers=buffers,
        metadata={"version": _PROTOCOL},
    )
    comm.get_comm_manager().register_comm(widget.comm)
