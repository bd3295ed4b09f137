"""What nbharness adds to a Jupyter server; importing this imports no server.

Switch it off with ``jupyter server extension disable nbharness.server``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

__all__ = [
    "_jupyter_server_extension_points",
    "_link_jupyter_server_extension",
    "_load_jupyter_server_extension",
]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Name the modules that a Jupyter server loads; it calls this."""
    return [{"module": "nbharness.server"}]


def _link_jupyter_server_extension(server: ServerApp) -> None:
    """Prepare the server's configuration; the Jupyter server calls this before it makes its kernel manager."""
    from nbharness.server.jupyter import prepare  # noqa: PLC0415 (only a server needs it)

    prepare(server)


def _load_jupyter_server_extension(server: ServerApp) -> None:
    """Put the extension to work; the Jupyter server calls this once."""
    from nbharness.server.jupyter import load  # noqa: PLC0415 (only a server needs it)

    load(server)
