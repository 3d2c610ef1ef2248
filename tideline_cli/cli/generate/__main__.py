"""`python -m tideline_cli.cli.generate` in a checkout is `python -m generate`."""

from __future__ import annotations

import sys

from generate.__main__ import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
