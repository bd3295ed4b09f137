"""The sample project: a small shop with one failing test, for the demo agent and the first notebook.

It is plain Python without dependencies. Half a cent must be rounded up, but the code rounds half to even; one test says
so, and a second place has the same fault without a test.
"""

from nbharness.sample.project import create_sample_project, fixed, is_ours
from nbharness.sample.workspace import sample_workspace

__all__ = ["create_sample_project", "fixed", "is_ours", "sample_workspace"]
