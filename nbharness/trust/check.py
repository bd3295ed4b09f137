"""Asks, before an agent starts, whether what the workspace carries may run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from nbharness.adapters.base import TurnPort
from nbharness.approvals import ApprovalRequest, Decision
from nbharness.errors import ConfigError, Untrusted
from nbharness.events import Notice
from nbharness.trust.book import TrustBook
from nbharness.trust.find import ProjectFile, digest_of, find

__all__ = ["TOOL_NAME", "TrustCheck"]

TOOL_NAME = "trust project"
_SHOWN_FILES, _SHOWN_RUNS, _SHOWN_CHARS, _NAMED_FILES = 50, 20, 300, 5


class TrustCheck:
    """Run before each turn of an agent that reads such files; asks when they are not known, or not these any more.

    Only a person can answer: neither a rule nor a permission mode trusts a project.

    Args:
        agent: The agent that would run them.
        workspace: Its directory.
        book: Remembers what was trusted.
        look: Returns the files of the workspace that matter.
    """

    def __init__(
        self, agent: str, workspace: Path, book: TrustBook, look: Callable[[Path], Sequence[ProjectFile]] = find
    ) -> None:
        self._agent = agent
        self._workspace = workspace
        self._book = book
        self._look = look

    async def __call__(self, port: TurnPort) -> None:
        """Return when the agent may start.

        Raises:
            Untrusted: Somebody said no, nobody could say yes, or what is remembered cannot be read.
        """
        while files := await asyncio.to_thread(self._look, self._workspace):
            digest = digest_of(files)
            if self._is_known(digest):
                return
            decision = await port.ask(self._request(files))
            if not decision.approved:
                raise Untrusted(_refusal(self._agent, files, decision))
            # What was shown is what is trusted, so files that changed meanwhile are asked about again.
            if all(file.sha256 for file in files):
                self._remember(digest, port)
            if digest_of(await asyncio.to_thread(self._look, self._workspace)) == digest:
                return

    def _is_known(self, digest: str) -> bool:
        try:
            return self._book.trusts(self._workspace, digest)
        except ConfigError as error:
            raise Untrusted(str(error)) from error

    def _remember(self, digest: str, port: TurnPort) -> None:
        try:
            self._book.trust(self._workspace, digest)
        except ConfigError as error:
            port.emit(Notice(message=f"{error}; it will be asked again", level="warning"))

    def _request(self, files: Sequence[ProjectFile]) -> ApprovalRequest:
        warning = f"{self._agent} runs or obeys what these files of the project say without asking about it"
        return ApprovalRequest(
            tool_name=TOOL_NAME,
            args=_as_args(files),
            choices=("approve", "reject"),
            warnings=(warning,),
            person_only=True,
        )


def _as_args(files: Sequence[ProjectFile]) -> dict[str, list[str] | str]:
    shown: dict[str, list[str] | str] = {file.path: _some(file.runs) for file in files[:_SHOWN_FILES]}
    if len(files) > _SHOWN_FILES:
        shown["…"] = f"and {len(files) - _SHOWN_FILES} more files"
    return shown


def _some(runs: Sequence[str]) -> list[str]:
    more = len(runs) - _SHOWN_RUNS
    shown = [run if len(run) <= _SHOWN_CHARS else f"{run[:_SHOWN_CHARS]}… ({len(run)} characters)" for run in runs]
    return [*shown[:_SHOWN_RUNS], f"… and {more} more"] if more > 0 else shown


def _refusal(agent: str, files: Sequence[ProjectFile], decision: Decision) -> str:
    names = ", ".join(file.path for file in files[:_NAMED_FILES])
    more = f" and {len(files) - _NAMED_FILES} more" if len(files) > _NAMED_FILES else ""
    who = "nobody could be asked" if decision.by == "nobody" else "you did not trust them"
    return (
        f"the project carries files that {agent} would run or obey unasked, and {who}: {names}{more}. "
        "Look at them, then approve when asked, or pass --trust-project (in Python trust_project=True) for one turn"
    )
