"""Putting stored transcripts into a saved notebook, in place of widgets that nothing can show any more."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from nbharness.errors import ConfigError

__all__ = ["BundleFor", "freeze_file", "freeze_notebook"]

BundleFor: TypeAlias = Callable[[str], Mapping[str, Any] | None]
"""Gives the saved form of a turn by its id, ``None`` for one that is not known or still runs."""

_WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
_FORMAT = 4
_INDENT = re.compile(r"\{\n( +|\t)")


def freeze_notebook(notebook: dict[str, Any], bundle_for: BundleFor) -> int:
    """Replace the data of every live output of ours by what is stored of its turn; touch nothing else.

    Args:
        notebook: A notebook of format 4 as JSON, changed in place; texts may be strings or lists of lines.
        bundle_for: Looks up the saved form of a turn.

    Returns:
        How many outputs were replaced; doing it again replaces none.
    """
    frozen = 0
    for output, turn_id in _live_outputs(notebook):
        bundle = bundle_for(turn_id)
        if bundle is not None:
            output["data"] = dict(bundle)
            frozen += 1
    return frozen


def freeze_file(path: Path, bundle_for: BundleFor) -> int:
    """Freeze a notebook file. It is replaced as a whole or not at all, and not written when nothing changes.

    Never do this to a notebook that is open in a page: the page would ask whose version counts.

    Args:
        path: The file; a link is followed. Its mode, indentation and line breaks stay.
        bundle_for: Looks up the saved form of a turn.

    Returns:
        How many outputs were replaced.

    Raises:
        ConfigError: It cannot be read or written, or it is no notebook of format 4.
    """
    real = path.resolve()
    try:
        raw = real.read_bytes()
        notebook = _parsed(raw, path)
        frozen = freeze_notebook(notebook, _in_lines(bundle_for))
        if frozen:
            _replace(real, _written(notebook, raw))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    return frozen


def _live_outputs(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every output that shows a widget of ours, with the id of its turn."""
    for cell in _dicts(notebook.get("cells")):
        for output in _dicts(cell.get("outputs")):
            data = output.get("data")
            if isinstance(data, dict) and _WIDGET_MIME in data and (turn_id := _turn_id(output)):
                yield output, turn_id


def _turn_id(output: dict[str, Any]) -> str:
    metadata = output.get("metadata")
    ours = metadata.get("nbharness") if isinstance(metadata, dict) else None
    turn_id = ours.get("turn") if isinstance(ours, dict) else None
    return turn_id if isinstance(turn_id, str) else ""


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _parsed(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        notebook = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not a notebook: not JSON ({error})") from error
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if version != _FORMAT or not isinstance(notebook.get("cells"), list):
        raise ConfigError(f"{path}: not a notebook of format {_FORMAT}: nbformat is {version!r}")
    return dict(notebook)


def _in_lines(bundle_for: BundleFor) -> BundleFor:
    """Give texts as lists of lines, as notebooks are written."""

    def lines_for(turn_id: str) -> Mapping[str, Any] | None:
        bundle = bundle_for(turn_id)
        if bundle is None:
            return None
        return {
            mime: value.splitlines(keepends=True) if isinstance(value, str) else value for mime, value in bundle.items()
        }

    return lines_for


def _written(notebook: dict[str, Any], before: bytes) -> bytes:
    """Return the notebook as JSON in the style of the file it came from."""
    style = before[:4096].decode(errors="ignore").replace("\r\n", "\n")
    indent = match[1] if (match := _INDENT.match(style)) else None
    text = json.dumps(notebook, indent=indent, ensure_ascii=before.isascii() and b"\\u" in before)
    end = "\n" if before.endswith(b"\n") else ""
    newline = "\r\n" if b"\r\n" in before[:4096] else "\n"
    return (text + end).replace("\n", newline).encode()


def _replace(path: Path, content: bytes) -> None:
    """Write through a temporary file beside it, so that a crash leaves the old one."""
    mode = stat.S_IMODE(path.stat().st_mode)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
