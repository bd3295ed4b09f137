"""How a kernel gets the changed code of modules that it imported before."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["reload_command"]


def reload_command(modules: Iterable[str]) -> str:
    """Return one line to run in a cell; ``""`` when there is nothing to reload.

    Args:
        modules: Dotted names; what could not be one is left out, since somebody will run the line.
    """
    names = [name for name in modules if all(part.isidentifier() for part in name.split("."))]
    reloads = (f"import {name}; importlib.reload({name})" for name in names)
    return "; ".join(["import importlib", *reloads]) if names else ""
