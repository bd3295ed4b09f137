"""A scripted model that repairs the sample project: it shows the built-in agent at work without a key.

What the model says is written down here. Everything else is real: the agent, its tools, the approvals, what the tests
say and what becomes of the files.
"""

from __future__ import annotations

import difflib

from nbharness.sample.files import FAULTS, FILES
from nbharness.sample.project import fixed
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Script

__all__ = ["SHOP", "serve_shop_model"]

_STEPS = ("Run the tests", "Find what is wrong, everywhere", "Repair it", "Run the tests again")


def serve_shop_model() -> dict[str, str]:
    """Serve the model on 127.0.0.1 until this process ends.

    Returns:
        The variables with which the built-in agent finds it, for ``os.environ.update``.
    """
    model = FakeLLM({"": SHOP}).__enter__()
    return {
        "NBHARNESS_MODEL": "openai-chat:scripted",
        "OPENAI_API_KEY": "none-is-needed",
        "OPENAI_BASE_URL": f"{model.url}/v1",
    }


def _todo(done: int) -> Call:
    """The checklist with so many lines done, and the next one begun."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(_STEPS)
    lines = [{"content": step, "status": state} for step, state in zip(_STEPS, states, strict=False)]
    return Call(tool="todo", args={"todos": lines})


def _patch() -> Call:
    """Both files without their fault, as one patch and so as one approval."""
    lines = ["*** Begin Patch"]
    for name in FAULTS:
        before, after = (text.splitlines() for text in (FILES[name], fixed(name, FILES[name])))
        lines.append(f"*** Update File: {name}")
        hunks = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
        lines += ["@@" if line.startswith("@@") else line for line in hunks]
    return Call(tool="apply_patch", args={"paths": list(FAULTS), "patch": "\n".join([*lines, "*** End Patch"])})


_TESTS = Call(tool="python", args={"code": "import run_tests\nrun_tests.main()"})

SHOP: Script = (
    Reply(text="I run the tests first, to see what fails.", calls=[_todo(0), _TESTS]),
    Reply(
        text="Half a cent should become a whole one. I look where the till rounds.",
        calls=[
            _todo(1),
            Call(tool="read", args={"path": "shop/cart.py"}),
            Call(tool="grep", args={"pattern": r"round\(", "files": "*.py"}),
        ],
    ),
    Reply(
        text=(
            "`round()` rounds half **to even**, so 0.125 becomes 0.12. `shop/refund.py` has the same fault, and no "
            "test that would show it. One patch for both:"
        ),
        calls=[_todo(2), _patch()],
    ),
    Reply(calls=[_todo(3), _TESTS]),
    Reply(calls=[_todo(4)]),
    Reply(
        text=(
            "That was all I had to do:\n\n"
            "| file | change |\n|---|---|\n"
            "| `shop/cart.py` | half a cent is rounded up |\n"
            "| `shop/refund.py` | the same, before somebody notices |\n\n"
            "Whether it worked is not for me to say: look at the last run of the tests, and at what changed, below."
        )
    ),
    Reply(text="I put `quantize(…, ROUND_HALF_UP)` in the place of `round(…, 2)`, in `cart.py` and in `refund.py`."),
)
"""What the model says, step by step; the last step answers a second question."""
