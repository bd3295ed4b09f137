"""Whether a request reaches for the notebook that a person has open, whose next save would undo or overwrite it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from nbharness.approvals.values import ApprovalRequest
from nbharness.policy import commands_of, paths_of

__all__ = ["reaches_notebook", "with_warning"]


def reaches_notebook(request: ApprovalRequest, workspace: Path, notebook: Path) -> bool:
    """Tell whether a request names the notebook: as a file, by whatever link, or in a command.

    Args:
        request: What an agent wants to do, its arguments JSON-like.
        workspace: Directory that relative paths start from.
        notebook: The notebook.
    """
    notebook = notebook.resolve()
    named = [*paths_of(request.args), *(diff.path for diff in request.diffs)]
    # Whatever a tool calls its argument, it ends in the name of the file.
    named += [text for text in _texts(request.args) if text.endswith(notebook.name)]
    if any(_is_same_file(workspace / path, notebook) for path in named):
        return True
    return any(notebook.name in command for command in commands_of(request.args))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _is_same_file(path: Path, notebook: Path) -> bool:
    try:
        return path.resolve() == notebook or path.samefile(notebook)
    except (OSError, ValueError, RuntimeError):  # no path, one that does not exist, or links in a circle
        return False


def with_warning(request: ApprovalRequest) -> ApprovalRequest:
    """Return a request that says so; the answer to it is for this once, never remembered."""
    return msgspec.structs.replace(
        request,
        warnings=(*request.warnings, "This file is the notebook you have open"),
        choices=tuple(choice for choice in request.choices if choice != "remember"),
    )
