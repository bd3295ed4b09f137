"""``nbharness demo``: a real JupyterLab, private and gone without a trace."""

import html
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from support.command import Home, one_line
from support.processes import survivors

from nbharness.cli.demo import _accepts

_START_S = 60.0


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    (tmp_path / "tmp").mkdir()
    made.env |= {"TMPDIR": str(tmp_path / "tmp"), "JUPYTER_TOKEN": "", "NBHARNESS_MODEL": "one of mine"}
    made.env.pop("DISPLAY", None)
    return made


@contextmanager
def demo(home: Home, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the demo and return it with the address that it prints."""
    command = [sys.executable, *home.command("demo", *options)]
    with subprocess.Popen(command, env=home.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process, _address(process)
        finally:
            if process.poll() is None:
                process.kill()


def _address(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    said, deadline = b"", time.monotonic() + _START_S
    while b"token=" not in said or not said.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"no address within {_START_S:g} s: {said!r}"
        block = os.read(process.stdout.fileno(), 4096)
        assert block, process.stderr.read() if process.stderr else said
        said += block
    return next(word for word in said.decode().split() if word.startswith("http"))


def _get(address: str, path: str, token: str | None, method: str = "GET") -> tuple[int, bytes]:
    """Return status and body of one request to the server at `address`."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.request(method, path, headers={"Authorization": f"token {token}"} if token else {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def _descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in _read(task / "children").split()]
    return children + [below for child in children for below in _descendants(child)]


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


@pytest.mark.slow
def test_demo_serves_a_private_copy_and_leaves_nothing(home: Home) -> None:
    with demo(home, "--no-browser") as (process, address):
        parts = urlsplit(address)
        assert parts.hostname == "127.0.0.1"
        (token,) = parse_qs(parts.query)["token"]
        assert b"jupyter-config-data" in _get(address, parts.path, token)[1]
        assert _get(address, "/api/contents", None)[0] == 403
        notebook = json.loads(_get(address, "/api/contents/01-hello.ipynb", token)[1])
        assert notebook["writable"]
        assert "%load_ext nbharness" in json.dumps(notebook["content"])
        kernels = json.loads(_get(address, "/api/kernelspecs", token)[1])["kernelspecs"]
        assert kernels["python3"]["spec"]["argv"][0] == sys.executable
        assert _get(address, "/api/kernels", token, "POST")[0] == 201
        family = _descendants(process.pid)
        assert len(family) >= 3, "supervisor, server and kernel"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read().decode().strip() == "The demo has ended."
    assert survivors(family, within_s=0) == []
    assert list((home.folder / "tmp").iterdir()) == []
    assert not home.state.exists()
    assert {entry.name for entry in home.folder.iterdir()} == {"project", "tmp"}


@pytest.mark.slow
def test_demo_opens_a_browser_and_ends_with_its_server(home: Home) -> None:
    seen, browser = home.folder / "seen", home.folder / "browser"
    os.mkfifo(seen)
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o700)
    home.env |= {"DISPLAY": ":0", "BROWSER": f"{browser} %s"}
    with demo(home) as (process, address):
        page = urlsplit(seen.read_text().strip())
        assert page.scheme == "file"
        assert address in html.unescape(Path(page.path).read_text()), "the token is in a file, not in an argument"
        (token,) = parse_qs(urlsplit(address).query)["token"]
        _get(address, "/api/shutdown", token, "POST")
        assert process.wait(30) == 0
    assert list((home.folder / "tmp").iterdir()) == []


@pytest.mark.slow
def test_a_port_that_is_taken_is_said(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = home.nbharness("demo", "--no-browser", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr.startswith("nbharness: JupyterLab ended with ")
    assert str(port) in done.stderr
    assert list((home.folder / "tmp").iterdir()) == []


@pytest.mark.parametrize("port", ["0", "65536", "eight"])
def test_a_wrong_port_is_one_line(home: Home, port: str) -> None:
    done = home.nbharness("demo", "--port", port)
    assert done.returncode == 2
    assert f"'{port}' is not a port" in one_line(done)


def test_a_missing_jupyterlab_is_named_with_its_remedy(home: Home) -> None:
    program = (
        "import sys; sys.modules['jupyterlab'] = None;"
        "from nbharness.cli import main; sys.exit(main(['demo', '--no-browser']))"
    )
    done = subprocess.run([sys.executable, "-c", program], env=home.env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'nbharness[jupyter]'" in one_line(done)


async def test_a_server_counts_from_the_first_connection_that_it_takes() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert not await _accepts(url)
        server.listen()
        assert await _accepts(url)
