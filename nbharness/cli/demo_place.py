"""The private place of a demo: nothing of the user's own Jupyter or nbharness is read or written."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import nbharness
from nbharness.errors import ConfigError

__all__ = ["NOTEBOOK", "DemoPlace"]

NOTEBOOK = "01-hello.ipynb"

_PACKAGE = Path(nbharness.__file__).parent
# In a wheel, and in a clone.
_SOURCES = (_PACKAGE / "_notebooks" / NOTEBOOK, _PACKAGE.parent / "notebooks" / NOTEBOOK)

# First start of JupyterLab: no question about news, no look for updates.
_LAB_SETTINGS = {"@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False}}


class DemoPlace:
    """A folder with a copy of the first notebook and private settings of every kind; the sample will lie in it too.

    Args:
        folder: An empty directory that only the user can enter.

    Raises:
        ConfigError: The notebook is not installed.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder / "demo"
        self.runtime = folder / "runtime"
        self._folder = folder
        source = next((file for file in _SOURCES if file.is_file()), None)
        if source is None:
            raise ConfigError(f"the notebook {NOTEBOOK} is missing; install nbharness again. Looked for {_SOURCES[0]}")
        for directory in (self.root, self.runtime):
            directory.mkdir(mode=0o700)
        shutil.copyfile(source, self.root / NOTEBOOK)
        (folder / "nbharness.toml").touch()
        for name, values in _LAB_SETTINGS.items():
            _write_json(folder / "lab-settings" / f"{name}.jupyterlab-settings", values)
        # The kernel is this Python, whatever other kernels of that name the user has.
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": "Python 3 (nbharness demo)", "language": "python"}
        _write_json(folder / "share" / "kernels" / "python3" / "kernel.json", spec)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the server and its kernels: the user's own, without their settings."""
        kept = {name: value for name, value in environ.items() if not name.startswith(("JUPYTER", "NBHARNESS_"))}
        folder = self._folder
        return kept | {
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_PATH": str(folder / "share"),
            "JUPYTER_RUNTIME_DIR": str(self.runtime),
            "JUPYTERLAB_SETTINGS_DIR": str(folder / "lab-settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "lab-workspaces"),
            "NBHARNESS_AGENT": "demo",
            "NBHARNESS_CONFIG": str(folder / "nbharness.toml"),
            "NBHARNESS_HOME": str(folder / "home"),
        }


def _write_json(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(value), encoding="utf-8")
