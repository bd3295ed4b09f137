"""``python tests/bench [BAR ...]``: measure, and print goals and results."""

import sys
from pathlib import Path

# Started by its directory, so that is where Python looks first; the modules are named from the one above.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench.suite import main  # noqa: E402 (the path comes first)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
