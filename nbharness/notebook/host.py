"""The small bridge to whatever runs the cell: ipykernel with a front end, headless ipykernel, or a plain terminal.

Everything that knows ipykernel's insides is here, in :mod:`~nbharness.notebook.own_comm` and in
:mod:`~nbharness.notebook.control`. None of it is public API of ipykernel, so each use is checked when the extension is
loaded and left out with a notice where it is missing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, TypeAlias

__all__ = ["Host", "HostKind"]

HostKind: TypeAlias = Literal["notebook", "headless", "terminal"]


class Host:
    """What runs the cells.

    Args:
        shell: The interactive shell of the extension.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.kernel = getattr(shell, "kernel", None)

    @property
    def kind(self) -> HostKind:
        """``notebook``: a front end that may show widgets; ``headless``: nbclient and the like; else ``terminal``.

        It may change from cell to cell, so ask in the cell.
        """
        if self.kernel is None:
            return "terminal"
        # nbclient, papermill and nbconvert run cells with stdin refused; every front end allows it.
        return "notebook" if getattr(self.kernel, "_allow_stdin", True) else "headless"

    @property
    def kernel_id(self) -> str:
        """Id of the kernel at its Jupyter server, ``""`` when there is none."""
        if self.kernel is None:
            return ""
        from ipykernel.connect import get_connection_file  # noqa: PLC0415 (only in a kernel)

        try:
            name = Path(get_connection_file()).stem
        except RuntimeError:
            return ""
        return name.removeprefix("kernel-")

    @property
    def notebook(self) -> Path | None:
        """File of the notebook, when the front end says."""
        named = os.environ.get("JPY_SESSION_NAME") or self.shell.user_ns.get("__vsc_ipynb_file__")
        return Path(named) if isinstance(named, str) and named.endswith(".ipynb") else None

    @property
    def directory(self) -> Path:
        """Directory of the notebook, else the process's own."""
        notebook = self.notebook
        return notebook.parent if notebook is not None and notebook.parent.is_dir() else Path.cwd()

    def parent(self) -> dict[str, Any]:
        """Return the request that runs the current cell, to be its outputs' parent. In the cell's thread only."""
        return dict(self.kernel.get_parent()) if self.kernel is not None else {}

    def request_id(self) -> str:
        """Return what tells the run of the current cell from every other. In the cell's thread only."""
        header = self.parent().get("header")
        return str(header.get("msg_id", "")) if isinstance(header, dict) else str(self.shell.execution_count)

    def cell_id(self) -> str | None:
        """Return the id of the cell that runs. In the cell's thread only."""
        metadata = self.parent().get("metadata")
        cell_id = metadata.get("cellId") if isinstance(metadata, dict) else None
        return cell_id if isinstance(cell_id, str) else None

    def publish(self, message_type: str, content: dict[str, Any], parent: dict[str, Any]) -> None:
        """Send a message to the front ends, from any thread."""
        kernel: Any = self.kernel
        kernel.session.send(kernel.iopub_socket, message_type, content, parent=parent)
