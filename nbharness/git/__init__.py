"""What git knows of a workspace, without running anything that the workspace names.

The branch is read from git's files. Snapshots, diffs and undo go through a shadow repository that we own, in which no
driver, hook or filter is defined.
"""

from nbharness.git.branch import branch_of
from nbharness.git.command import GitError
from nbharness.git.shadow import Baseline, ShadowRepository, SnapshotRefused
from nbharness.git.undo import UndoResult

__all__ = ["Baseline", "GitError", "ShadowRepository", "SnapshotRefused", "UndoResult", "branch_of"]
