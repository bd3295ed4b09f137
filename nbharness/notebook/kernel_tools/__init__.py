"""Tools with which an agent sees and uses the kernel of the notebook it was called from; off unless asked for.

``variables`` looks, ``cells`` reads the notebook and proposes a cell, ``running`` runs code where the user's variables
are. What needs the kernel's main thread is a job of ``main_thread``.
"""

from __future__ import annotations

from nbharness.notebook.host import Host
from nbharness.notebook.kernel_tools.cells import propose_tool, read_tool
from nbharness.notebook.kernel_tools.main_thread import MainThread
from nbharness.notebook.kernel_tools.running import run_tool
from nbharness.notebook.kernel_tools.variables import inspect_tool, list_tool
from nbharness.tools.base import Tool

__all__ = ["MainThread", "kernel_tools"]


def kernel_tools(host: Host, main_thread: MainThread) -> tuple[Tool, ...]:
    """Return the tools of one kernel.

    Args:
        host: What runs the cells.
        main_thread: Runs what has to run between two lines of the user's.
    """
    return (
        list_tool(host.shell),
        inspect_tool(host.shell, main_thread),
        read_tool(host),
        run_tool(host, main_thread),
        propose_tool(host, main_thread),
    )
