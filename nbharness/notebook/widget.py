"""The widget of one turn: a thin model. What it draws comes as messages; its traits are a small snapshot."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from nbharness.notebook.assets import assets, loader, revision
from nbharness.notebook.own_comm import open_own_comm

__all__ = ["TurnWidget"]


class TurnWidget(anywidget.AnyWidget):
    """A turn on view.

    Attributes:
        kernel_id: Kernel at the Jupyter server, for the control road.
        turn_id: The turn.
        status: How it stands: ``waiting``, ``running``, ``completed``, ``failed`` or ``aborted``.
        seq: Last seq that was sent. Never sent by itself; a reloaded page gets it with the state.
    """

    _rev = traitlets.Unicode().tag(sync=True)
    _assets = anywidget.WidgetTrait().tag(sync=True)
    kernel_id = traitlets.Unicode().tag(sync=True)
    turn_id = traitlets.Unicode().tag(sync=True)
    status = traitlets.Unicode("waiting").tag(sync=True)
    seq = traitlets.Int(-1).tag(sync=True)

    def __init__(self, *, kernel_id: str, turn_id: str) -> None:
        self._esm = loader()
        super().__init__(_rev=revision(), _assets=assets(kernel_id), kernel_id=kernel_id, turn_id=turn_id)

    def open(self) -> None:
        """Open the comm with our own class."""
        open_own_comm(self)

    def _should_send_property(self, key: str, value: Any) -> bool:
        return key != "seq" and bool(super()._should_send_property(key, value))
