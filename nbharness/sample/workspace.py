"""A private sample project for this process."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import threading
import time
from pathlib import Path

from nbharness.config import home
from nbharness.errors import WorkspaceError
from nbharness.sample.project import create_sample_project

__all__ = ["sample_workspace"]

_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
_KEPT = 20

_lock = threading.Lock()
_made: list[Path] = []


def sample_workspace() -> Path:
    """Return this process's own sample project, writing it at the first call.

    It lies below :func:`nbharness.config.home`, so a conversation about it can be taken up after a restart; the newest
    20 are kept. Where home cannot be written it is a temporary directory. May be called from any thread.

    Raises:
        WorkspaceError: It cannot be written anywhere.
    """
    with _lock:
        if not _made or not _made[-1].is_dir():
            _made.append(_make())
        return _made[-1]


def _make() -> Path:
    samples = home() / "samples"
    try:
        project = create_sample_project(samples / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}" / "shop")
    except WorkspaceError:
        return create_sample_project(Path(tempfile.mkdtemp(prefix="nbharness-")) / "shop")
    _forget_old(samples)
    return project


def _forget_old(samples: Path) -> None:
    ours = sorted(folder for folder in samples.iterdir() if _NAME.fullmatch(folder.name))
    for folder in ours[:-_KEPT]:
        shutil.rmtree(folder, ignore_errors=True)
