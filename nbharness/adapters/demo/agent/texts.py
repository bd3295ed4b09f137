"""The demo agent's words."""

from __future__ import annotations

from collections.abc import Iterable

from nbharness.adapters.demo.agent.messages import Answer

AGAIN = """\
Welcome back. Earlier in this session {deed}."""

FIX_THOUGHT = """\
A failing test says what is wrong better than I could guess. So I look around, see it fail, and then change as little \
as possible."""

FIX_BEGIN = """\
I'll look around first, and see the test fail with my own eyes before I touch anything."""

FIX_CAUSE_THOUGHT = """\
0.125 should become 0.13 and becomes 0.12. That is round(): it rounds half to even. The README wants half a cent \
rounded up, so the test is right and the code is wrong. And shop/refund.py rounds in the same way."""

FIX_CAUSE = """\
### What is wrong

`round()` rounds *half to even*, so half a cent goes down whenever the digit before it is even:

```python
>>> round(Decimal("0.125"), 2)
Decimal('0.12')
```

The README promises 0.13, so the test is right and stays as it is. I want to change:

{files}"""

FIX_DONE = """\
## Fixed

Half a cent is rounded up now, and the tests pass.

| amount | before | now |
| ---: | ---: | ---: |
| 0.124 | 0.12 | 0.12 |
| 0.125 | **0.12** | **0.13** |
| 0.135 | 0.14 | 0.14 |

{files}"""

FIX_STILL_RED = """\
## Changed, but not fixed

The change is made, but the tests do not pass; the output above says which. I changed:

{files}"""

FIX_UNCHECKED = """\
## Changed

I did not run the tests. I changed:

{files}"""

NOTE_THOUGHT = """\
I am a script and know one fault in one sample project. It is not here, so I do something small and harmless: look \
around, and leave a note."""

NOTE_BEGIN = """\
I am the demo agent: a script, with no model and no key. I don't understand your task, but what I do is real: I look \
at this folder and, if you approve, add one line to `NOTES.md`."""

NOTE_DONE = """\
## Noted

`NOTES.md` in `{folder}` has one more line; nothing else was touched.

A real agent would have read your task. To see me find and fix a fault, run me on the sample project:

```sh
nbharness demo
```"""

PLAN_UNKNOWN = """\
I follow your plan. This I cannot do, I am only a script:

{lines}"""

PLAN_EMPTY = """\
Your plan leaves nothing for me to change, so I changed nothing."""

NOT_APPLIED = """\
The patch could not be applied: {problem}.

Nothing was changed."""


def refusal(answer: Answer, what: str) -> str:
    """Return what the agent says when it may not do something.

    Args:
        answer: The refusal.
        what: What was refused, such as ``the patch``.
    """
    who = {
        "user": f"You rejected {what}.",
        "terminal": f"You rejected {what} in the terminal.",
        "rule": f"One of your rules rejects {what}.",
        "mode": f"The permission mode rejects {what}.",
        "nobody": f"Nobody could approve {what}.",
    }.get(answer.by, f"{what[0].upper()}{what[1:]} was rejected.")
    reason = "\n\n> " + answer.reason.replace("\n", "\n> ") if answer.reason else ""
    return f"{who}{reason}\n\nSo I changed nothing and stop here."


def listed(lines: Iterable[str]) -> str:
    """Return lines as a Markdown list."""
    return "\n".join(f"- {line}" for line in lines)
