"""Imports go one way: the contracts of pyproject.toml, and a home for every foreign package."""

import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]

# In a process of its own: it switches off every logger there is, and the tests that come after look at ours.
LINT = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(config_filename="pyproject.toml", no_logo=True, no_cache=True))
"""

# Foreign packages that only one room may know. Everything else is free to be imported anywhere.
HOMES = {
    "IPython": ("nbharness.notebook",),
    "aiosqlite": ("nbharness.store",),
    "anywidget": ("nbharness.notebook",),
    "comm": ("nbharness.notebook",),
    "ipykernel": ("nbharness.notebook",),
    "ipywidgets": ("nbharness.notebook",),
    "jupyter_server": ("nbharness.server",),
    "nbformat": ("nbharness.transcript", "nbharness.notebook", "nbharness.cli", "nbharness.server"),
    "sqlite3": ("nbharness.store",),
    "tornado": ("nbharness.server", "nbharness.notebook"),
    "traitlets": ("nbharness.notebook",),
    # Agents' SDKs
    "acp": ("nbharness.adapters.acp",),
    "anthropic": ("nbharness.adapters.builtin",),
    "claude_agent_sdk": ("nbharness.adapters.claude",),
    "google": ("nbharness.adapters.builtin",),
    "openai": ("nbharness.adapters.builtin",),
    "openai_codex": ("nbharness.adapters.codex",),
    "pydantic_ai": ("nbharness.adapters.builtin",),
}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("nbharness", include_external_packages=True, cache_dir=None)


def test_contracts_of_the_layers_hold() -> None:
    lint = subprocess.run([sys.executable, "-c", LINT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert lint.returncode == 0, lint.stdout + lint.stderr


@pytest.mark.parametrize("package", HOMES)
def test_foreign_package_is_imported_in_its_home_only(graph: grimp.ImportGraph, package: str) -> None:
    if package not in graph.modules:
        assert package in sys.stdlib_module_names or not graph.find_matching_modules(package)
        return
    strangers = [
        module
        for module in graph.find_modules_that_directly_import(package)
        if not any(module == home or module.startswith(f"{home}.") for home in HOMES[package])
    ]
    assert not strangers, f"{package} belongs in {HOMES[package]}"


def test_translators_know_events_only(graph: grimp.ImportGraph) -> None:
    """What an agent said becomes events without I/O, approvals or state of ours: pure, so golden files prove it."""
    allowed = ("nbharness.events", "nbharness.errors", "nbharness.translator")
    wrong = {
        (module, imported)
        for module in graph.modules
        if module.startswith("nbharness.adapters.") and module.endswith(".translate")
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.startswith("nbharness.") and not imported.startswith((*allowed, module.rpartition(".")[0]))
    }
    assert not wrong
