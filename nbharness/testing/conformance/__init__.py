"""What an adapter must keep, as checks that anybody can run on an adapter of their own.

The author says how the agent is made to do things, in an :class:`AgentUnderTest`; the checks run real turns through the
real runtime and look at real files and processes. In a test::

    @pytest.mark.parametrize("check", CHECKS)
    def test_conforms(check: str, tmp_path: Path) -> None:
        result = run_check(check, my_setup, tmp_path)
        assert result.outcome != "failed", result.why

or as a report: ``python -m nbharness.testing.conformance --agent my_package.my_module:my_setup``. Linux only, since
processes are looked at in ``/proc``.
"""

from nbharness.testing.conformance.bench import ConformanceError, NotCheckedError
from nbharness.testing.conformance.subject import EDITED, RAN, WAITING, WRITTEN, AgentUnderTest, Setup, Task
from nbharness.testing.conformance.suite import CHECKS, CheckResult, run_check, run_checks

__all__ = [
    "CHECKS",
    "EDITED",
    "RAN",
    "WAITING",
    "WRITTEN",
    "AgentUnderTest",
    "CheckResult",
    "ConformanceError",
    "NotCheckedError",
    "Setup",
    "Task",
    "run_check",
    "run_checks",
]
