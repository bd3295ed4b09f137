"""``nbharness run``: one turn of an agent, without a notebook."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nbharness.adapters.default import agent_for
from nbharness.audience import Anyone, Nobody
from nbharness.cli.asker import Asker
from nbharness.cli.colour import ink_for
from nbharness.cli.exit_codes import exit_code
from nbharness.cli.follow import Follower, Send
from nbharness.cli.interrupts import Interrupts
from nbharness.cli.keeping import SHORT_ID
from nbharness.cli.keyboard import has_keyboard
from nbharness.cli.options import CommandParser, add_turn_option
from nbharness.cli.output import Output, make_output
from nbharness.config import load
from nbharness.continuing import latest_conversation_in, stored_conversation
from nbharness.declared import definition_for, wanted_by
from nbharness.errors import ConfigError
from nbharness.events import WorkspaceChanged
from nbharness.handle import CodingHandle
from nbharness.inputs import CodingInput
from nbharness.results import CodingResult
from nbharness.runtime import runtime
from nbharness.spec import TurnSpec, workspace_for
from nbharness.store import ConversationRecord
from nbharness.turn_options import TURN_OPTIONS, spec_fields

__all__ = ["main"]

_EPILOG = """\
The prompt reaches the agent verbatim. Put it in quotes; - reads it from standard input; after -- nothing is an option.

On a terminal you are asked before the agent changes anything. In a pipe nobody can be asked, so what needs an approval
is rejected and the exit code is 3, unless --approval auto or off.

Ctrl-C stops the turn, a second one quits.
exit codes: 0 done, 1 failed, 2 wrong use or settings, 3 stopped, out of time or refused
"""


def main(arguments: Sequence[str]) -> int:
    """Run one turn, print it, and return the exit code of its outcome.

    Raises:
        NbHarnessError: It could not be started; nothing ran.
    """
    options = _parse(arguments)
    spec = _spec(options)
    output = make_output(json=options.json, quiet=options.quiet)
    asker = _asker(output) if has_keyboard() else None
    with Interrupts() as interrupts:
        handle = runtime().start(spec, audience=Anyone() if asker else Nobody())
        if spec.agent_because and not output.is_on_view:
            print(f"nbharness: {spec.agent_because}", file=sys.stderr)
        result = Follower(handle, _sender(handle), output, asker, interrupts).follow()
    _say_more(result, handle, output)
    return exit_code(result)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = CommandParser("run", "Run an agent on a task and print what it does.", _EPILOG)
    parser.add_argument("prompt", nargs="*", help="what to do")
    for option in TURN_OPTIONS:
        add_turn_option(parser, option)
    parser.add_argument("--json", action="store_true", help="print events, one JSON object a line, and the result")
    parser.add_argument("--quiet", action="store_true", help="print only the answer; with --json only the result")
    own, rest = _split(arguments)
    options = parser.parse_args(own)
    options.prompt = _prompt([*options.prompt, *rest])
    return options


def _split(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _prompt(words: Sequence[str]) -> str:
    if not words:
        raise ConfigError('there is no prompt; say what to do: nbharness run "make the tests pass"')
    if len(words) > 1:
        raise ConfigError(f"the prompt is in {len(words)} pieces, {words[0]!r}, {words[1]!r}, …: put it in quotes")
    if words[0] != "-":
        return words[0]
    if sys.stdin.isatty():
        print("Type the prompt; Ctrl-D on an empty line ends it.", file=sys.stderr)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"the prompt on standard input is not UTF-8: {error}") from error


def _spec(options: argparse.Namespace) -> TurnSpec:
    settings = load()
    stored = _stored(options)
    definition = definition_for(options.agent_def, _workspace(options.workspace, "", stored), stored)
    named, model = wanted_by(options, definition, stored)
    chosen = agent_for(settings, named, model=model, demo=definition is None)
    return TurnSpec.over(
        settings,
        task=options.prompt,
        agent=chosen,
        workspace=_workspace(options.workspace, chosen.agent, stored),
        conversation=stored.id if stored else None,
        definition=definition,
        **spec_fields(options),
    )


def _workspace(named: str | None, agent: str, stored: ConversationRecord | None) -> Path:
    if named is not None:
        return Path(named).expanduser().absolute()
    return Path(stored.workspace) if stored else workspace_for(agent, Path.cwd())


def _stored(options: argparse.Namespace) -> ConversationRecord | None:
    if options.resume and options.conversation is not None:
        raise ConfigError("--continue and --conversation contradict each other; give one of them")
    if options.conversation is not None:
        return stored_conversation(runtime(), options.conversation)
    if not options.resume:
        return None
    here = Path(options.workspace or ".").expanduser().absolute()
    return latest_conversation_in(runtime(), here, options.agent)


def _sender(handle: CodingHandle) -> Send:
    def send(given: CodingInput) -> None:
        runtime().send(handle.turn_id, given, "terminal")

    return send


def _asker(output: Output) -> Asker:
    return Asker(sys.stderr, sys.stdin.fileno(), ink_for(sys.stderr), is_plan_on_view=output.is_on_view)


def _say_more(result: CodingResult, handle: CodingHandle, output: Output) -> None:
    """Say on standard error what the exit code is about, and on a terminal how to go on."""
    refused = result.output.value.metadata.get("refused")
    if result.error is not None and not output.is_on_view:
        print(f"nbharness: {result.error.message}", file=sys.stderr)
    elif refused:
        what = "1 approval was" if refused == 1 else f"{refused} approvals were"
        print(f"nbharness: {what} refused, since nobody could be asked; see --approval", file=sys.stderr)
    if output.is_on_view and any(isinstance(e.event, WorkspaceChanged) for e in handle.feed.since()):
        print(f"Undo with:  nbharness undo {handle.turn_id}", file=sys.stderr)
    if output.is_on_view:
        print(f"Go on with: nbharness run --conversation {handle.conversation_id[:SHORT_ID]} …", file=sys.stderr)
