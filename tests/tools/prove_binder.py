"""Prove that binder/ gives a working image: run its steps in a clean prefix and open the notebook there.

    python tests/tools/prove_binder.py [--keep FOLDER]

Does what the image builder does with these files (install the requirements, run postBuild, start JupyterLab as an
ordinary home-less user would find it) on the last commit, in a temporary folder, without its container: the system
packages of apt.txt are looked for, not installed. Ends with one line a check, and exit code 1 if one failed.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "notebooks/01-hello.ipynb"
TRANSCRIPT = "application/vnd.nbharness.transcript+json"


def python_of_the_image(checkout: Path) -> str:
    """Return the interpreter that runtime.txt names, or this one when the machine has no such Python."""
    name = (checkout / "binder" / "runtime.txt").read_text().strip().replace("-", "")
    with contextlib.suppress(OSError):
        if subprocess.run([name, "-c", "import ensurepip"], capture_output=True, check=False).returncode == 0:
            return name
    print(f"note  {name} is not on this machine, using {sys.executable}")
    return sys.executable


def build(folder: Path) -> dict[str, str]:
    """Check out the last commit and follow the steps of the image; return the environment of its user."""
    checkout, prefix, home = folder / "repo", folder / "prefix", folder / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, checkout], check=True)
    subprocess.run([python_of_the_image(checkout), "-m", "venv", prefix], check=True)
    kept = {name: os.environ[name] for name in os.environ if not name.startswith(("JUPYTER", "NBHARNESS", "NBH_"))}
    env = kept | {"HOME": str(home), "PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    for tool in (checkout / "binder" / "apt.txt").read_text().split():
        check(f"apt.txt: {tool}", found=shutil.which(tool, path=env["PATH"]) is not None)
    pip = [str(prefix / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", "binder/requirements.txt"], cwd=checkout, env=env, check=True)
    subprocess.run(["binder/postBuild"], cwd=checkout, env=env, check=True)
    return env


@contextlib.contextmanager
def jupyterlab(checkout: Path, env: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Run JupyterLab on a free loopback port; yield its address and token, then end it."""
    command = ["jupyter", "lab", "--no-browser", "--ip=127.0.0.1", "--ServerApp.port=0", "--allow-root"]
    server = subprocess.Popen(command, cwd=checkout, env=env, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        for line in server.stderr:
            if match := re.search(r"(http://127\.0\.0\.1:(\d+)/)lab\?token=(\w+)", line):
                wait_until_open(int(match[2]))
                yield match[1], match[3]
                return
        raise RuntimeError("JupyterLab ended before it told its address")
    finally:
        server.terminate()
        server.communicate()


def wait_until_open(port: int) -> None:
    """Wait for the server to listen: it tells its address a moment before."""
    for _ in range(300):
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=30):
            return
        time.sleep(0.1)
    raise RuntimeError(f"nothing listens on port {port}")


def get(address: str, token: str) -> tuple[int, bytes]:
    """Fetch a page of the server."""
    request = urllib.request.Request(address, headers={"Authorization": f"token {token}"})  # noqa: S310 - loopback
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - loopback
        return answer.status, answer.read()


def check(what: str, *, found: bool) -> None:
    """Print one result and remember a failure."""
    print(f"{'ok   ' if found else 'FAIL '} {what}", flush=True)
    FAILED.extend([] if found else [what])


FAILED: list[str] = []


def prove(folder: Path) -> None:
    """Build the prefix in an empty folder and try the notebook in it."""
    env = build(folder)
    checkout = folder / "repo"
    with jupyterlab(checkout, env) as (address, token):
        status, page = get(f"{address}lab/tree/{NOTEBOOK}", token)
        check("JupyterLab opens the notebook's address", found=status == 200 and b"jupyter-config-data" in page)
        status, _ = get(f"{address}api/contents/{NOTEBOOK}?content=0", token)
        check("the notebook is there", found=status == 200)
    outcome = folder / "out.ipynb"
    command = ["jupyter", "nbconvert", "--execute", "--to", "notebook", "--output", str(outcome), NOTEBOOK]
    done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    check("the notebook runs to its end", found=done.returncode == 0)
    if done.returncode:
        print(done.stderr)
    outputs = [
        bundle
        for cell in (json.loads(outcome.read_text())["cells"] if outcome.exists() else [])
        for output in cell.get("outputs", [])
        if TRANSCRIPT in (bundle := output.get("data", {}))
    ]
    check("it holds a transcript that needs no kernel", found=bool(outputs) and all("text/html" in o for o in outputs))
    left = subprocess.run(["git", "status", "--porcelain"], cwd=checkout, capture_output=True, text=True, check=True)
    check("the checkout is clean afterwards", found=not left.stdout)


def main() -> int:
    """Run the command line described at the top of this file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work in this new folder and leave it there")
    keep = parser.parse_args().keep
    if keep:
        keep.mkdir()
        prove(keep.resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="nbh-binder-") as folder:
            prove(Path(folder))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
