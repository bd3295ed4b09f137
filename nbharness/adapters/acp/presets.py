"""The programs that we know by name: how to start each, install it and sign in. Facts only."""

from __future__ import annotations

import msgspec

from nbharness.adapters.base import Capabilities

__all__ = ["PRESETS", "Preset"]


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a program.

    Attributes:
        name: The name users give to ``--agent``.
        command: Its command; empty when the user must give one.
        capabilities: What it can do; what a running program says about itself is checked too.
        environment: Pattern of the variables that it may have, besides those of the allow list.
        fixed: Variables that are always set.
        install: The command that installs it.
        package: Its npm package.
        login: How to sign in.
        keys: Variables, any one of which signs in.
        login_files: Files, below the home directory, any one of which is there when somebody has signed in.
        home_variable: Variable that moves those files: it stands for the first part of their paths.
        model_option: Option of the command that chooses the model, for programs whose sessions offer none.
        deny_option: Option of the command that takes what the program must not do, where it has one.
        counts_prompts: It reports the tokens of each prompt, where the protocol means those of the session.
        remarks: It says things of its own as pieces of its model's message, and that a turn failed in no other way.
        unasked: What it does without asking.
    """

    name: str
    command: tuple[str, ...] = ()
    capabilities: Capabilities
    environment: str = ""
    fixed: dict[str, str] = msgspec.field(default_factory=dict)
    install: str = ""
    package: str = ""
    login: str = "sign in with the program itself, in a terminal"
    keys: tuple[str, ...] = ()
    login_files: tuple[str, ...] = ()
    home_variable: str = ""
    model_option: str = ""
    deny_option: str = ""
    counts_prompts: bool = False
    remarks: bool = False
    unasked: tuple[str, ...] = ()


_BASIC = Capabilities(approvals=True, resume=True, modes=True, models=True, mcp_servers=True, project_config=True)
_OPTIONS = frozenset({"auth_method", "command", "images"})


def _can(**more: bool) -> Capabilities:
    return msgspec.structs.replace(_BASIC, options=_OPTIONS, **more)


_READS = "It reads, lists and searches files of the workspace without asking."
_LISTS = "Tools that its own settings allow run without asking."

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="acp",
            # Whatever the program turns out to do; what it cannot is said when it is asked for.
            capabilities=_can(
                plan=True, todos=True, fork=True, questions=True, images=True, cost=True, terminal_output=True
            ),
            unasked=("What the program does without asking is known to its makers only.",),
        ),
        Preset(
            name="copilot",
            command=("copilot", "--acp"),
            capabilities=_can(images=True, terminal_output=True),
            environment=r"COPILOT_\w+|GITHUB_TOKEN|GH_TOKEN|GH_HOST",
            fixed={"COPILOT_AUTO_UPDATE": "false"},
            install="npm install -g @github/copilot",
            package="@github/copilot",
            login="run `copilot login` in a terminal, or set GH_TOKEN",
            keys=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"),
            login_files=(".copilot/config.json",),
            home_variable="COPILOT_HOME",
            deny_option="--deny-tool",
            remarks=True,
            unasked=(
                _READS,
                "It keeps notes and a checklist in its session's own folder without asking.",
                _LISTS,
            ),
        ),
        Preset(
            name="claude-acp",
            command=("claude-agent-acp",),
            capabilities=_can(plan=True, todos=True, fork=True, questions=True, images=True, cost=True),
            environment=r"ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_(AUTOUPDATER|TELEMETRY|ERROR_REPORTING)|IS_SANDBOX|AWS_(REGION|PROFILE)",
            install="npm install -g @agentclientprotocol/claude-agent-acp",
            package="@agentclientprotocol/claude-agent-acp",
            login="run `claude /login` in a terminal, or set ANTHROPIC_API_KEY",
            keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
            login_files=(".claude/.credentials.json",),
            home_variable="CLAUDE_CONFIG_DIR",
            counts_prompts=True,
            unasked=(_READS, "Commands that it holds to be safe, such as `echo` or `ls`, run without asking.", _LISTS),
        ),
        Preset(
            name="gemini",
            command=("gemini", "--acp"),
            capabilities=_can(),
            environment=r"GEMINI_\w+|GOOGLE_\w+",
            install="npm install -g @google/gemini-cli",
            package="@google/gemini-cli",
            login="run `gemini` in a terminal and sign in, or set GEMINI_API_KEY",
            keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            login_files=(".gemini/oauth_creds.json",),
            model_option="-m",
            unasked=(_READS, "After a rejection it says nothing more of the tool, which is shown as failed.", _LISTS),
        ),
        Preset(
            name="qwen",
            command=("qwen", "--acp"),
            capabilities=_can(todos=True),
            environment=r"OPENAI_\w+|QWEN_\w+|DASHSCOPE_\w+",
            install="npm install -g @qwen-code/qwen-code",
            package="@qwen-code/qwen-code",
            login="run `qwen` in a terminal and sign in, or set OPENAI_API_KEY and OPENAI_BASE_URL",
            keys=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
            login_files=(".qwen/oauth_creds.json",),
            model_option="-m",
            unasked=(_READS, _LISTS),
        ),
        Preset(
            name="opencode",
            command=("opencode", "acp"),
            capabilities=_can(fork=True, cost=True, terminal_output=True),
            environment=r"OPENCODE_\w+|ANTHROPIC_API_KEY|OPENAI_API_KEY|OPENROUTER_API_KEY|GEMINI_API_KEY",
            fixed={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
            install="npm install -g opencode-ai",
            package="opencode-ai",
            login="run `opencode auth login` in a terminal",
            keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
            login_files=(".local/share/opencode/auth.json",),
            unasked=(_READS, "It edits files and runs commands without asking unless its settings say `ask`.", _LISTS),
        ),
        Preset(
            name="goose",
            command=("goose", "acp"),
            capabilities=_can(),
            environment=r"GOOSE_\w+|ANTHROPIC_API_KEY|OPENAI_API_KEY|OPENROUTER_API_KEY|GOOGLE_API_KEY",
            install="brew install block-goose-cli",
            login="run `goose configure` in a terminal",
            login_files=(".config/goose/config.yaml",),
            unasked=("In its mode `auto` it edits files and runs commands without asking.", _LISTS),
        ),
    )
}
"""All presets by name. ``acp`` is the one for any other program."""
