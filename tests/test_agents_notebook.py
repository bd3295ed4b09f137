"""A declared agent from real cells: the built-in agent is it, with its words and its tool, against a fake model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.builtin import DONE, call, environment
from support.declared import put, reviewer
from support.kernels import start_kernel

from nbharness.testing.fakellm import FakeLLM


@pytest.mark.slow
def test_a_cell_works_as_the_agent_that_the_notebook_s_directory_declares(tmp_path: Path) -> None:
    reviewer(tmp_path)
    steps = [call("count_lines", text="a\nb"), call("read", path="agents/reviewer/skills/naming/SKILL.md"), DONE]
    with FakeLLM({"w": steps, "v": [DONE], "plain": [DONE]}) as model, start_kernel("python3", tmp_path) as kernel:
        kernel.run(f"import os; os.environ.update({environment(model.url, tmp_path / 'home')!r})")
        kernel.run("%load_ext nbharness")
        options = "--agent builtin --agent-def reviewer --approval auto --as h"
        # Everything waits for the click that nobody makes here, so the answer comes from another thread of the kernel.
        kernel.run(f"%coder {options} --bg SCRIPT:w")
        kernel.run("while not h.waiting: h.feed.wait(len(h.feed) - 1, 0.2)\nasked = h.waiting[0]\nh.approve()")
        asked = json.loads(kernel.run("import json; print(json.dumps(asked.args))"))
        assert list(asked)[:2] == ["agents/reviewer/agent.py", "agents/reviewer/instructions.md"]
        assert kernel.run("print(h.result().status)") == "completed\n"
        said = json.dumps(model.requests[-1].body)
        assert "2 lines, call 1" in said
        assert "Short ones." in said
        assert "The password is xyzzy." in json.dumps(model.requests[0].body["messages"][0])

        # The same agent goes on with what was said, and is asked about no more.
        kernel.run(f"%coder {options} --bg SCRIPT:v")
        assert kernel.run("print(h.result().status)") == "completed\n"
        assert "2 lines, call 1" in json.dumps(model.requests[-1].body)
        # Without it, another conversation: neither its words nor its tools.
        kernel.run("%coder --agent builtin --model openai-chat:my-model --approval auto --as h --bg SCRIPT:plain")
        assert kernel.run("print(h.result().status)") == "completed\n"
        plain = json.dumps(model.requests[-1].body)
        assert "xyzzy" not in plain
        assert "count_lines" not in plain

        put(tmp_path / "agents/bad/instructions.md", "---\nmodle: x\n---\nHi")
        told = kernel.run("%coder --agent-def bad do it")
        assert "agents/bad/instructions.md:2: unknown key 'modle'" in told
        assert "Valid: bad, reviewer" in kernel.run("%coder --agent-def nobody do it")
