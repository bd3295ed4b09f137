"""A stand-in for the kernel: spawns a stubborn tree from a loop in a thread, and waits to be killed.

Arguments: nothing; or ``fork``, to fork a worker the way multiprocessing does; or ``fork-holding``,
to fork one that also holds copies of our descriptors which no fork hook knows. Prints the tree's own
line, with the key ``worker`` added when there is one. The worker lives until its standard input ends.
"""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

from nbharness.process import agent_environment, descriptors, read_lines, spawn

TREE = Path(__file__).with_name("stubborn_tree.py")


async def serve(mode: str) -> None:
    process = await spawn([sys.executable, "-I", "-S", str(TREE)], cwd="/", env=agent_environment(os.environ, {}))
    async for line in read_lines(process.stdout):
        assert isinstance(line, bytes)
        pids = json.loads(line)
        break
    else:
        sys.exit(f"the tree did not start: {process.stderr_tail}")
    if mode:
        pids["worker"] = fork_worker(mode)
    print(json.dumps(pids), flush=True)
    await process.wait()


def fork_worker(mode: str) -> int:
    copies = [os.dup(fd) for fd in descriptors._owned] if mode == "fork-holding" else []
    running, runs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(runs, b".")
        os.read(0, 1)
        os._exit(0)
    os.read(running, 1)
    for fd in (*copies, running, runs):
        os.close(fd)
    return pid


if __name__ == "__main__":
    runtime = threading.Thread(target=lambda: asyncio.run(serve("".join(sys.argv[1:]))))
    runtime.start()
    runtime.join()
