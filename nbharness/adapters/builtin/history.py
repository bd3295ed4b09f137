"""Where a session's messages are kept, so that it can be taken up again after a restart.

One file a session, one message a line, secrets masked. Messages are added as they come; when earlier ones change, as
when a long history is made short, the file is written anew.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from nbharness.private_file import write_private

__all__ = ["SessionFile", "new_session_id"]

_ID = re.compile(r"builtin-[0-9a-f]{16}")


def new_session_id() -> str:
    """Return an id that no session has."""
    return f"builtin-{secrets.token_hex(8)}"


class SessionFile:
    """The file of one session. Its methods block, shortly; they are called one at a time.

    Args:
        folder: Where sessions are kept; made when first needed.
        session_id: The session.
        mask: Masks secrets in a line.
    """

    def __init__(self, folder: Path, session_id: str, mask: Callable[[str], str]) -> None:
        self.session_id = session_id
        self._path = folder / f"{session_id}.jsonl"
        self._mask = mask

    @property
    def is_there(self) -> bool:
        """True when something was kept, so that the session can be taken up again."""
        return self._path.is_file()

    def load(self) -> list[bytes]:
        """Return the messages that are kept, as JSON.

        A last line that was cut off by a crash is left out. It is still in the file, so what is kept next is kept with
        :meth:`replace`.

        Raises:
            LookupError: There is no such session, or it cannot be read.
        """
        if not _ID.fullmatch(self.session_id):
            raise LookupError(self.session_id)
        try:
            text = self._path.read_bytes()
        except OSError as error:
            raise LookupError(self.session_id) from error
        return text[: text.rfind(b"\n") + 1].splitlines()

    def add(self, messages: Sequence[bytes]) -> None:
        """Keep further messages.

        Raises:
            OSError: They cannot be kept.
        """
        if messages:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            with self._path.open("ab") as file:
                file.write(self._lines(messages))

    def replace(self, messages: Sequence[bytes]) -> None:
        """Keep these messages and no others.

        Raises:
            OSError: They cannot be kept; what was kept before still is.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(self._path, self._lines(messages))

    def _lines(self, messages: Sequence[bytes]) -> bytes:
        return "".join(f"{self._mask(message.decode())}\n" for message in messages).encode()
