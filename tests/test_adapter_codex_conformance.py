"""The Codex adapter keeps, with the real program, what every adapter must."""

from pathlib import Path

import pytest
from support.codex_conformance import real

from nbharness.testing.conformance import run_check

# The others are in test_adapter_codex_real; the report of the kit has them all.
CHECKED = [
    "opening_starts_nothing",
    "takes_up_a_session",
    "nobody_there",
    "aborted_while_asking",
    "aborted_while_running",
    "killed_at_each_step",
    "flooded",
]


@pytest.mark.agents
@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKED)
def test_codex_conforms(check: str, tmp_path: Path) -> None:
    result = run_check(check, real, tmp_path)
    assert result.outcome == "passed", result.why
