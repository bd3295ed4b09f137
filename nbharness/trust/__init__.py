"""Whether what a workspace carries may run: its files that make an agent run things are listed and asked about once."""

from __future__ import annotations

from nbharness.trust.book import TrustBook
from nbharness.trust.check import TrustCheck
from nbharness.trust.definitions import files_of
from nbharness.trust.find import ProjectFile, digest_of, find

__all__ = ["ProjectFile", "TrustBook", "TrustCheck", "digest_of", "files_of", "find"]
