"""Starting programs so that nothing of them outlives us.

``spawn`` starts an agent, ``run_command`` runs a tool to its end; both put the whole process tree
under a small supervisor. ``read_lines`` reads what a process writes, line by line.
"""

from nbharness.process.child import AgentProcess, ProcessGoneError, ProcessStartError
from nbharness.process.descriptors import close_inherited
from nbharness.process.environment import agent_environment
from nbharness.process.lines import Line, LineSplitter, LineTooLong, PartialLine, read_lines
from nbharness.process.link import ExitStatus
from nbharness.process.run import CommandResult, run_command
from nbharness.process.spawn import spawn

__all__ = [
    "AgentProcess",
    "CommandResult",
    "ExitStatus",
    "Line",
    "LineSplitter",
    "LineTooLong",
    "PartialLine",
    "ProcessGoneError",
    "ProcessStartError",
    "agent_environment",
    "close_inherited",
    "read_lines",
    "run_command",
    "spawn",
]
