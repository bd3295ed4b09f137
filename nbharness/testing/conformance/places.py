"""Where an agent is checked: an environment and a workspace of its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest import mock

__all__ = ["environment", "workspace_in"]


@contextlib.contextmanager
def environment(folder: Path, variables: Mapping[str, str] | None = None) -> Iterator[None]:
    """Set variables of this process within the context, and a home of nbharness below `folder`."""
    home = {"NBHARNESS_HOME": str(folder / "nbharness")}
    with mock.patch.dict(os.environ, {**home, **(variables or {})}):
        yield


def workspace_in(folder: Path) -> Path:
    """Return a new, empty workspace below `folder`."""
    workspace = folder / "workspace"
    workspace.mkdir()
    return workspace
