"""`python -m tideline_cli.cli.generate` writes into the checkout; `--check` names what is stale."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli.generate.files import stale, write_file

_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


def main(argv: list[str]) -> int:
    """Write the files, or with --check say which are stale; return the exit code."""
    if not os.path.isfile(os.path.join(_ROOT, "pyproject.toml")):
        sys.stderr.write(f"{_ROOT} is not a checkout of tideline\n")
        return 2
    if "--check" in argv:
        old = stale(_ROOT)
        for path in old:
            sys.stderr.write(f"stale: {path} (make generate)\n")
        return 1 if old else 0
    write_file(_ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
