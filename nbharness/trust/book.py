"""Remembered trust: which contents of which workspace a person has let run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nbharness.errors import ConfigError
from nbharness.private_file import locked, write_private

__all__ = ["TrustBook"]

_KEPT = 20


class TrustBook:
    """Digests by the real path of a workspace, in one JSON file of the user's, outside every workspace.

    Args:
        path: The file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def trusts(self, workspace: Path, digest: str) -> bool:
        """Tell whether exactly these contents were trusted in that workspace.

        Raises:
            ConfigError: The file cannot be read.
        """
        return digest in self._load().get(_key(workspace), [])

    def trust(self, workspace: Path, digest: str) -> None:
        """Remember contents, atomically, in a file that only the user can read.

        Raises:
            ConfigError: The file cannot be read or written.
        """
        try:
            with locked(self.path):
                known = self._load()
                digests = [kept for kept in known.get(_key(workspace), []) if kept != digest]
                known[_key(workspace)] = [*digests, digest][-_KEPT:]
                write_private(self.path, msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n")
        except OSError as error:
            message = f"the trust cannot be remembered: {self.path} cannot be written ({error.strerror})"
            raise ConfigError(message) from error

    def _load(self) -> dict[str, list[str]]:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=dict[str, list[str]])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            message = f"the remembered trust in {self.path} cannot be read: {error}. Correct the file or delete it."
            raise ConfigError(message) from error


def _key(workspace: Path) -> str:
    return str(workspace.resolve()).encode("utf-8", "backslashreplace").decode()
