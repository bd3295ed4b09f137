"""``python -m nbharness.schema [--check]``, in a clone."""

from __future__ import annotations

import argparse
import sys

from nbharness.schema.generate import ROOT, stale


def main() -> int:
    """Write what is stale, or only name it; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m nbharness.schema", description="Regenerate what is derived.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is stale")
    check = parser.parse_args().check
    if not (ROOT / "js" / "src").is_dir():
        sys.stderr.write(f"{ROOT} is no clone of the repository: it has no js/src\n")
        return 2
    changed = stale()
    for path, text in changed.items():
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}\n")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
