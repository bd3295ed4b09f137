"""What the demo agent remembers of a session, kept in a small file so that it can be taken up again later."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import msgspec

__all__ = ["Memory"]

_ID = re.compile(r"demo-[0-9a-f]{8}")
_KEPT = 20


class Memory:
    """The deeds of one session, oldest first, in the agent's own words; never what the user said.

    Args:
        folder: Where sessions are kept; made when first needed.
        session_id: The session.
        deeds: What is known of it.
    """

    def __init__(self, folder: Path, session_id: str, deeds: list[str]) -> None:
        self.session_id = session_id
        self.deeds = deeds
        self._folder = folder

    @classmethod
    def new(cls, folder: Path) -> Memory:
        """Return the memory of a session that begins."""
        return cls(folder, f"demo-{secrets.token_hex(4)}", [])

    @classmethod
    def load(cls, folder: Path, session_id: str) -> Memory:
        """Return the memory of an earlier session.

        Raises:
            LookupError: There is none with that id, or it cannot be read.
        """
        if not _ID.fullmatch(session_id):
            raise LookupError(session_id)
        try:
            deeds = msgspec.json.decode((folder / f"{session_id}.json").read_bytes(), type=list[str])
        except (OSError, msgspec.DecodeError) as error:
            raise LookupError(session_id) from error
        return cls(folder, session_id, deeds)

    def add(self, deed: str) -> None:
        """Remember one more deed.

        Raises:
            OSError: It cannot be kept; it is remembered as long as the process lives.
        """
        self.deeds = [*self.deeds, deed][-_KEPT:]
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self._folder / f"{self.session_id}.json"
        file.touch(mode=0o600)
        file.write_bytes(msgspec.json.encode(self.deeds))
