"""A home for the real Codex in which it talks to a fake model and to nobody else."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from nbharness.adapters.codex.install import find_program

KEY = "FAKE_MODEL_KEY"
"""Variable that holds the model's key."""

_known: list[str] = []


def set_up_home(home: Path, url: str) -> None:
    """Write a configuration.

    Args:
        home: Directory for CODEX_HOME, made here.
        url: Address of the model, without a path.
    """
    home.mkdir(parents=True)
    (home / "catalog.json").write_text(_catalog(home))
    (home / "config.toml").write_text(
        f"""
        model = "fake-model"
        model_provider = "fake"
        model_catalog_json = "{home / "catalog.json"}"
        check_for_update_on_startup = false
        [model_providers.fake]
        name = "fake"
        base_url = "{url}/v1"
        wire_api = "responses"
        env_key = "{KEY}"
        request_max_retries = 1
        stream_max_retries = 1
        [analytics]
        enabled = false
        [features]
        apps = false
        plugins = false
        """
    )


def _catalog(home: Path) -> str:
    """A model that Codex knows, under our name: an unknown one gets neither patches nor a checklist."""
    if not _known:
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home)}
        listing = subprocess.run([find_program(), "debug", "models"], capture_output=True, check=True, env=environment)
        entry = next(entry for entry in json.loads(listing.stdout)["models"] if entry["slug"] == "gpt-5.5")
        entry |= {"slug": "fake-model", "upgrade": None, "availability_nux": None}
        _known.append(json.dumps({"models": [entry]}))
    return _known[0]
