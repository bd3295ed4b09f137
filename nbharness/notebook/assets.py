"""The front end's code, sent once a kernel: one assets model holds it, each widget only a thin loader."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from nbharness.errors import NbHarnessError
from nbharness.notebook.own_comm import open_own_comm

__all__ = ["Assets", "assets", "loader", "revision"]


@cache
def _built(name: str) -> str:
    try:
        return files("nbharness.notebook").joinpath("static", name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        message = f"the front end is not built: static/{name} is missing. Run `npm ci && npm run build` in js/"
        raise NbHarnessError(message) from error


def loader() -> str:
    """Return the ``_esm`` of every widget; it ends in a newline, so that it is not taken for a file name."""
    return _built("loader.js").rstrip() + "\n"


@cache
def revision() -> str:
    """Return the hash of the bundle's source, under which a page keeps it."""
    return hashlib.sha256(_built("widget.js").encode()).hexdigest()[:16]


class Assets(anywidget.AnyWidget):
    """Holds the bundle; shows nothing, but a page that has it can put buttons on transcripts of this kernel's turns."""

    _rev = traitlets.Unicode().tag(sync=True)
    gz = traitlets.Bytes().tag(sync=True)
    kernel_id = traitlets.Unicode().tag(sync=True)

    def __init__(self, **state: Any) -> None:
        self._esm = loader()
        super().__init__(_rev=revision(), **state)

    def open(self) -> None:
        """Open the comm with our own class."""
        open_own_comm(self)


_assets: Assets | None = None


def assets(kernel_id: str) -> Assets:
    """Return the assets model of this kernel; made anew when somebody closed it, as ``Widget.close_all()`` does."""
    global _assets  # noqa: PLW0603 (one model a kernel is the point)
    if _assets is None or _assets.comm is None:
        # mtime=0: the same source gives the same bytes.
        packed = gzip.compress(_built("widget.js").encode(), 9, mtime=0)
        _assets = Assets(gz=packed, kernel_id=kernel_id)
    return _assets
