"""Finding an adapter by name. Adapters are entry points, so a package can bring its own agent."""

from __future__ import annotations

from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, metadata

import msgspec

from nbharness.adapters.base import Adapter, AgentStatus
from nbharness.errors import AdapterNotInstalled, UnknownName
from nbharness.events.repair import in_words

__all__ = ["GROUP", "KnownAdapter", "adapter_names", "create_adapter", "known_adapter", "known_adapters"]

GROUP = "nbharness.adapters"
"""Entry-point group. Each entry is a callable without arguments that returns an adapter and starts nothing."""

_OURS = "nbharness"


class KnownAdapter(msgspec.Struct, frozen=True, kw_only=True):
    """An adapter that some package brings.

    Attributes:
        name: The name users give to ``--agent``.
        package: Package that brings it.
        adapter: The adapter, or ``None`` when it cannot be loaded.
        status: Whether its agent can be used here, or ``None`` when that cannot be told.
        problem: Why the adapter is missing, or what it did wrong; ``""`` when all is well.
    """

    name: str
    package: str
    adapter: Adapter | None = None
    status: AgentStatus | None = None
    problem: str = ""


def adapter_names() -> list[str]:
    """Return the names of all adapters, sorted; nothing is imported."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def create_adapter(name: str) -> Adapter:
    """Return a new adapter.

    Raises:
        UnknownName: No adapter has that name; the message lists those that exist.
        AdapterNotInstalled: What the adapter needs is missing.
    """
    return _create(_entry(name))


def known_adapters() -> list[KnownAdapter]:
    """Return every adapter with the state of its agent, by name. One that is broken hides no other."""
    return [known_adapter(name) for name in adapter_names()]


def known_adapter(name: str) -> KnownAdapter:
    """Return an adapter with the state of its agent; one that is broken comes with what is wrong.

    Raises:
        UnknownName: No adapter has that name.
    """
    entry = _entry(name)
    package = _package(entry)
    try:
        adapter = _create(entry)
        status = adapter.status()
        # A stranger's class may lack them, which is better found here than where they are shown.
        _ = adapter.capabilities.names, adapter.unasked
        return KnownAdapter(name=name, package=package, adapter=adapter, status=status)
    except AdapterNotInstalled as error:
        missing = AgentStatus(installed=False, install=error.install)
        return KnownAdapter(name=name, package=package, status=missing, problem=str(error))
    except Exception as error:  # noqa: BLE001 (the boundary: code of any package runs here)
        problem = f"{type(error).__name__}: {in_words(error)}"
        return KnownAdapter(name=name, package=package, problem=f"cannot be loaded from {package}: {problem}")


def _create(entry: EntryPoint) -> Adapter:
    try:
        create = entry.load()
    except ModuleNotFoundError as error:
        raise AdapterNotInstalled(entry.name, f"{_install(entry)}  (missing module: {error.name})") from error
    adapter: Adapter = create()
    return adapter


def _entry(name: str) -> EntryPoint:
    found = [entry for entry in entry_points(group=GROUP) if entry.name == name]
    if not found:
        raise UnknownName("agent", name, adapter_names())
    # No other package takes the place of one of ours.
    return min(found, key=lambda entry: _package(entry) != _OURS)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unknown package"


def _install(entry: EntryPoint) -> str:
    """Return the command that brings what an adapter needs."""
    package, extra = _package(entry), entry.module.rpartition(".")[2]
    if package == _OURS and extra in _extras():
        return f"pip install '{_OURS}[{extra}]'"
    return f"pip install --force-reinstall {package}"


def _extras() -> list[str]:
    try:
        return metadata(_OURS).get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return []
