"""Build hook: puts the built front end into wheels, sdists and editable installs.

An sdist already carries it, so installing from one needs no Node.js. From a git checkout it is built when it
is missing or stale. `NBHARNESS_SKIP_JS=1` leaves it alone, for installs that never show a widget.
"""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The hook is loaded by path, not imported from a package.
sys.path.insert(0, str(Path(__file__).parent))

import toolchain


class FrontEndHook(BuildHookInterface[Any]):
    """Runs npm before files are collected, only if it has to."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask the installer for Node.js as a Python package when this machine has none."""
        return [toolchain.NODE_WHEEL] if self._must_build() and not toolchain.find_npm() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, or keep what is there; give a wheel the notebook that `nbharness demo` opens."""
        if self.target_name == "wheel" and version != "editable":
            build_data["force_include"]["notebooks/01-hello.ipynb"] = "nbharness/_notebooks/01-hello.ipynb"
        if not self._must_build():
            return
        try:
            toolchain.npm(["ci", "--ignore-scripts"])
            toolchain.npm(["run", "build"])
        except toolchain.ToolMissingError as error:
            if not all(file.is_file() for file in toolchain.BUILT):
                raise toolchain.ToolMissingError(
                    f"the front end of nbharness is not built: {error}. To install without it: "
                    "NBHARNESS_SKIP_JS=1 (the widget then shows nothing)."
                ) from error
            self.app.display_warning(f"using the front end built earlier, older than its source: {error}")

    def _must_build(self) -> bool:
        if os.environ.get("NBHARNESS_SKIP_JS", "") not in {"", "0"}:
            return False
        unpacked_sdist = (Path(self.root) / "PKG-INFO").is_file()
        if unpacked_sdist and all(file.is_file() for file in toolchain.BUILT):
            return False
        return toolchain.is_stale()
