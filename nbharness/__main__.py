"""``python -m nbharness``."""

import sys

from nbharness.cli import main

if __name__ == "__main__":
    sys.exit(main())
