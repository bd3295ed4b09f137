"""The Jupyter Server extension: a notebook that is saved holds transcripts, not widgets.

A page that was reloaded during a turn misses the moment when the widget becomes a transcript, and a page saved during a
turn holds a widget anyway; reopened, both would say "model not found". So every save is looked through, and what is
settled by then is put in from the store. The page itself keeps its widgets.

``c.NbHarness.freeze_on_save = False`` in ``jupyter_server_config.py`` switches it off.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from nbharness.server.stored import bundle_for_turn
from nbharness.transcript.notebook import freeze_notebook

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

__all__ = ["CONTROL_REQUEST", "freeze_on_save", "load", "prepare"]

CONTROL_REQUEST = "nbharness_request"
"""Type of the control messages by which views reach a busy kernel; `nbharness.notebook.control` answers them."""

_log = logging.getLogger(__name__)


def prepare(server: ServerApp) -> None:
    """Keep our control messages out of the kernel's activity.

    A view's heartbeat is answered by the control thread, with a status of its own: without this the page would show a
    kernel that runs a cell as idle, and culling would take an open page for somebody at work.
    """
    server.config.MappingKernelManager.untracked_message_types.append(CONTROL_REQUEST)


def load(server: ServerApp) -> None:
    """Look through every save of this server from now on, after the hooks it has already."""
    if str(server.config.get("NbHarness", {}).get("freeze_on_save", True)).lower() == "false":
        _log.info("nbharness: freeze_on_save is off; saved notebooks keep their widgets")
        return
    register = getattr(server.contents_manager, "register_pre_save_hook", None)
    if register is None:
        _log.warning("nbharness: %s takes no hooks; run `nbharness freeze` instead", type(server.contents_manager))
        return
    register(freeze_on_save)


def freeze_on_save(model: dict[str, Any], path: str = "", **_: Any) -> None:
    """Freeze what is settled in a notebook that is about to be written; whatever goes wrong, the save goes on.

    Args:
        model: The contents model; ``content`` is changed in place.
        path: Where it is saved, for the log.
    """
    if model.get("type") != "notebook" or not isinstance(content := model.get("content"), dict):
        return
    try:
        frozen = freeze_notebook(content, bundle_for_turn)
    except Exception:  # noqa: BLE001 (nothing of ours may cost somebody a save)
        _log.exception("nbharness: %s is saved with its widgets", path)
        return
    if frozen:
        _log.info("nbharness: put %d stored transcripts into %s", frozen, path)
