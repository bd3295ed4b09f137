"""Where a program is that a Python package brings along. Looks at files, runs nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nbharness.adapters.base import AgentStatus
from nbharness.errors import AdapterNotInstalled

__all__ = ["PackagedProgram"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedProgram:
    """A program that is looked for in a package of its own first, and then on ``PATH``.

    Attributes:
        name: Its name on ``PATH``, and the name users give to ``--agent``.
        package: The package, as it is installed.
        module: The package, as it is imported; it is not imported here.
        folder: Folder of the module that holds the program.
        install: The command that installs the package.
    """

    name: str
    package: str
    module: str
    folder: str
    install: str

    def find(self) -> Path:
        """Return its path.

        Raises:
            AdapterNotInstalled: It is nowhere.
        """
        program = self._packaged() or self._on_path()
        if program is None:
            raise AdapterNotInstalled(self.name, self.install)
        return program

    def status(self, *, logged_in: bool | None, login: str, version_of: str = "") -> AgentStatus:
        """Return whether it can be used here.

        Args:
            logged_in: Whether somebody is signed in; ``None`` when that cannot be known.
            login: How to sign in.
            version_of: What the package's version is that of, as ``SDK``, where that is not the program.
        """
        packaged = self._packaged()
        program = packaged or self._on_path()
        return AgentStatus(
            installed=program is not None,
            install=self.install,
            version=self._version(version_of) if packaged else None,
            program=str(program) if program else None,
            logged_in=logged_in,
            login=login,
        )

    def _packaged(self) -> Path | None:
        spec = importlib.util.find_spec(self.module)
        for place in (spec.submodule_search_locations or []) if spec else []:
            program = Path(place, self.folder, f"{self.name}.exe" if os.name == "nt" else self.name)
            if program.is_file():
                return program
        return None

    def _on_path(self) -> Path | None:
        found = shutil.which(self.name)
        return Path(found) if found else None

    def _version(self, version_of: str) -> str | None:
        try:
            return f"{version_of} {version(self.package)}".strip()
        except PackageNotFoundError:
            return None
