"""The home directory is shown as ``~``: it names a person and says nothing else."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

__all__ = ["tilde"]


def tilde(text: str, home: str | None = None) -> str:
    """Return `text` with the home directory written as ``~`` wherever a path begins with it.

    Args:
        text: Any text; paths may be inside JSON strings.
        home: The directory; this user's when omitted. A file system root is never replaced.
    """
    directory = (_own_home() if home is None else home).rstrip("/\\")
    if len(directory) < 2 or directory not in text.replace("\\\\", "\\"):  # noqa: PLR2004 (a root has nothing to hide)
        return text
    return _pattern(directory).sub("~", text)


@lru_cache(maxsize=1)
def _own_home() -> str:
    return str(Path.home())


@lru_cache(maxsize=8)
def _pattern(directory: str) -> re.Pattern[str]:
    # "/mnt/root" and "/rootfs" are other places than "/root".
    escaped = re.escape(directory).replace(r"\\", r"\\{1,2}")
    return re.compile(rf"(?<![\w.\-/\\]){escaped}(?![\w.\-])|(?<=file://){escaped}(?=/)")
