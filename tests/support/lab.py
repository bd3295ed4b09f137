"""A real Jupyter server that serves JupyterLab and Notebook 7, and a real Chromium."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Playwright
from support.agents import install

__all__ = ["Lab", "chromium", "start_lab"]

_START_S = 90
_KERNELS = Path(__file__).parents[2] / ".cache" / "share" / "jupyter"
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


def chromium(playwright: Playwright) -> Browser:
    """Start the system's Chromium."""
    path = os.environ.get("NBH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "no Chromium: install the system's chromium package or set NBH_CHROMIUM"
    return playwright.chromium.launch(executable_path=path, args=_FLAGS)


class Lab:
    """A Jupyter server on loopback with its own home, data and runtime directories.

    Attributes:
        root: Directory it serves.
        url: Base address, without the token.
        token: Its token.
        home: ``NBHARNESS_HOME`` of its kernels.
    """

    def __init__(self, root: Path, process: subprocess.Popen[bytes], port: int, token: str, home: Path) -> None:
        self.root = root
        self.url = f"http://127.0.0.1:{port}"
        self.token = token
        self.home = home
        self._process = process

    @property
    def pid(self) -> int:
        """The server's process id; its kernels, and what they start, descend from it."""
        return self._process.pid

    def call(self, path: str, method: str = "GET") -> Any:
        """Ask the server's REST API; return its answer, ``None`` when it has none."""
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.url}/{path}", headers=headers, method=method)  # noqa: S310 (loopback)
        with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310 (loopback)
            answer = response.read()
        return json.loads(answer) if answer else None

    def notebook(self, cells: Sequence[str], kernel: str = "python3", name: str | None = None) -> Path:
        """Write a notebook of code cells and return its file."""
        book = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}},
            "cells": [_code_cell(source) for source in cells],
        }
        file = self.root / f"{name or secrets.token_hex(4)}.ipynb"
        file.write_text(json.dumps(book))
        return file

    def stop(self) -> None:
        """Stop the server and its kernels."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(15)


@contextlib.contextmanager
def start_lab(place: Path, *, options: Sequence[str] = (), data: Path | None = None) -> Iterator[Lab]:
    """Run a Jupyter server until the block ends; its kernels know the agent ``scripted``.

    Args:
        place: A fresh directory for everything of it.
        options: More of its options.
        data: Data directory, when another server's is to be shared: a notebook that one of them trusts is trusted by
            the other.
    """
    root, home, data = place / "root", place / "nbharness-home", data or place / "data"
    root.mkdir(parents=True)
    (place / "nbharness.toml").touch()
    _ask_for_no_news(place / "settings")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    environment = {
        **os.environ,
        "JUPYTER_PATH": os.environ.get("JUPYTER_PATH", str(_KERNELS)),
        "JUPYTER_CONFIG_DIR": str(place / "config"),
        "JUPYTER_DATA_DIR": str(data),
        "JUPYTER_RUNTIME_DIR": str(place / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(place / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(place / "workspaces"),
        "IPYTHONDIR": str(place / "ipython"),
        "NBHARNESS_HOME": str(home),
        "NBHARNESS_CONFIG": str(place / "nbharness.toml"),
        "PYTHONPATH": install(place / "agents"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}",
        "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True",
        "--allow-root", "--ServerApp.terminals_enabled=False", "--LanguageServerManager.autodetect=False", *options,
    ]  # fmt: skip
    log = place / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, cwd=root, stdout=output, stderr=subprocess.STDOUT)
        lab = Lab(root, process, port, token, home)
        try:
            _wait_until_it_listens(lab, process, log)
            yield lab
        finally:
            lab.stop()


def _ask_for_no_news(settings: Path) -> None:
    """Answer what JupyterLab asks a new user, and let it look for no update."""
    file = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))


def _wait_until_it_listens(lab: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    port = int(lab.url.rsplit(":", 1)[1])
    for _ in range(_START_S * 5):
        if process.poll() is not None:
            raise AssertionError(f"the Jupyter server ended: {log.read_text(errors='replace')[-3000:]}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
    raise AssertionError("the Jupyter server does not listen")


def _code_cell(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": secrets.token_hex(4),
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
