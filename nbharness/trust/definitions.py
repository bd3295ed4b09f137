"""What a person is asked about before a project's own agent works: the files that steer it, and those that run."""

from __future__ import annotations

from nbharness.agents import Definition
from nbharness.trust.find import ProjectFile

__all__ = ["files_of"]


def files_of(definition: Definition) -> tuple[ProjectFile, ...]:
    """Return the files of a definition as they were read, those that run in this process first."""
    code = [
        ProjectFile(
            path=source.path,
            kind=definition.folder,
            sha256=source.sha256,
            runs=("Python that runs in this process:", *_lines(source.text)),
        )
        for source in definition.code
    ]
    texts = [
        ProjectFile(path=source.path, kind=definition.folder, sha256=source.sha256, runs=_lines(source.text))
        for source in definition.texts
    ]
    return (*code, *texts)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())
