"""``nbharness demo``: a real JupyterLab on the first notebook, with an agent that needs no key."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import html
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from nbharness.cli.demo_place import NOTEBOOK, DemoPlace
from nbharness.cli.exit_codes import DONE
from nbharness.cli.options import CommandParser
from nbharness.cli.progress import Progress
from nbharness.errors import ConfigError, NbHarnessError
from nbharness.process import AgentProcess, spawn

__all__ = ["main"]

_LOOK_S = 0.1
_GRACE_S = 3.0
_MAX_PORT = 65535
_KEPT_LINES = 15

_EPILOG = """\
The notebook is a private copy beside a small sample project; both are removed when the demo ends, and no setting of
yours is read or changed. The server listens on this machine only and wants its token, which is part of the address.
"""


def main(arguments: Sequence[str]) -> int:
    """Run JupyterLab until it is stopped with Ctrl-C or from its own menu.

    Raises:
        ConfigError: JupyterLab or the notebook is not installed.
        NbHarnessError: JupyterLab does not start.
    """
    parser = CommandParser("demo", "Open JupyterLab on a first notebook, with an agent that needs no key.", _EPILOG)
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--port", type=_port, help="port to listen on; by default 8888 or the next one that is free")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("jupyterlab") is None:
        raise ConfigError("JupyterLab is not installed. Install it with: pip install 'nbharness[jupyter]'")
    with tempfile.TemporaryDirectory(prefix="nbharness-demo-", ignore_cleanup_errors=True) as folder:
        place = DemoPlace(Path(folder))
        try:
            asyncio.run(_serve(place, options.port, open_browser=not options.no_browser and _has_display()))
        except asyncio.CancelledError:
            print("\nThe demo has ended.", file=sys.stderr)
    return DONE


async def _serve(place: DemoPlace, port: int | None, *, open_browser: bool) -> None:
    """Run the server until it ends by itself or a signal asks us to end; nothing of it is left then.

    Raises:
        asyncio.CancelledError: A signal came.
        NbHarnessError: The server failed.
    """
    _cancel_on_signals()
    server = await spawn(
        _command(place, port), cwd=place.root, env=place.environment(os.environ), stdin=False, merge_stderr=True
    )
    said: deque[str] = deque(maxlen=_KEPT_LINES)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_listen(server, said))
            address = await _address(server, place)
            if address is not None:
                _announce(address, place, open_browser=open_browser)
        status = await server.wait()
    finally:
        await server.aclose(_GRACE_S)
    if status.code != 0:
        raise NbHarnessError(f"JupyterLab ended with {status}:\n" + "\n".join(said))


def _cancel_on_signals() -> None:
    task = asyncio.current_task()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if task is not None and hasattr(signal, name):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), task.cancel)


def _command(place: DemoPlace, port: int | None) -> list[str]:
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    # Looking for language servers runs npm, which writes to the user's home.
    command.append("--LanguageServerManager.autodetect=False")
    if port is not None:
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return [*command, str(place.root / NOTEBOOK)]


async def _listen(server: AgentProcess, said: deque[str]) -> None:
    """Read what the server says, so that it never waits for us; the last lines are kept for an error."""
    rest = ""
    while block := await server.stdout.read():
        *lines, rest = (rest + block.decode(errors="replace")).split("\n")
        said.extend(lines)


async def _address(server: AgentProcess, place: DemoPlace) -> str | None:
    """Wait until the server takes connections; return the address of the notebook, or ``None`` if the server ended."""
    progress = Progress(sys.stderr, "Starting JupyterLab")
    try:
        while server.status is None:
            for file in place.runtime.glob("jpserver-*.json"):
                found = _read(file)
                if found is not None and await _accepts(found["url"]):
                    return f"{found['url']}lab/tree/{NOTEBOOK}?token={found['token']}"
            progress.tick()
            await asyncio.sleep(_LOOK_S)
    finally:
        progress.clear()
    return None


def _read(file: Path) -> dict[str, str] | None:
    try:
        found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it is being written
        return None
    return found


async def _accepts(url: str) -> bool:
    """Tell whether a server takes connections; it writes its file a moment before."""
    place = urlsplit(url)
    try:
        _, writer = await asyncio.open_connection(place.hostname, place.port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _announce(address: str, place: DemoPlace, *, open_browser: bool) -> None:
    print(f"JupyterLab runs here, with the demo agent on a sample project:\n\n    {address}\n", flush=True)
    print("Ctrl-C ends it and removes everything it made.", flush=True)
    if open_browser:
        # The token must not show up among the arguments of a process.
        page = place.runtime / "open.html"
        target = html.escape(address, quote=True)
        page.write_text(f'<meta http-equiv="refresh" content="0; url={target}">', encoding="utf-8")
        # In a process of its own: some browsers return when they are closed, and most have something to say.
        subprocess.Popen(
            [sys.executable, "-m", "webbrowser", page.as_uri()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _has_display() -> bool:
    """Tell whether a browser of the desktop can be opened; one that draws in this terminal would take it over."""
    if sys.platform in {"darwin", "win32"}:
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a whole number from 1 to {_MAX_PORT}")
    return int(text)
