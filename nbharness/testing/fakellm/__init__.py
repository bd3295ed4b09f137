"""A fake model on this machine: real coding agents talk to it as if it were their provider, and do what a script says.

It speaks the streaming forms of Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini. A prompt
picks its script by containing ``SCRIPT:name``. Which step comes next follows from how often the model has answered
since, so nothing has to be remembered between requests, and an agent may resume, repeat or fork as it likes::

    scripts = {"hello": [Reply(calls=[Call(tool="Bash", args={"command": "touch hello"})]), Reply(text="done")]}
    with FakeLLM(scripts) as model:
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "sk-not-a-key-0123456789"}
"""

from nbharness.testing.fakellm.script import Call, Fail, Reply, Request, Script, Step
from nbharness.testing.fakellm.server import FakeLLM

__all__ = ["Call", "Fail", "FakeLLM", "Reply", "Request", "Script", "Step"]
