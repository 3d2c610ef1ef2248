"""Run tests of behaviour with memories on a server: `python -m tests.postgres [TESTS]`.

The server is made for the run. Without names these are all folders of USUAL, and the walks at their
full length; with TIDELINE_AT_LENGTH set to nothing random tests try as many examples as in
`make test`. What is about files alone is left out, each test with its reason (`pytest -rs`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from tests.postgres import cluster

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USUAL = (
    "tests/postgres", "tests/memory", "tests/sessions", "tests/dream", "tests/store",
    "tests/exchange", "tests/isolation", "tests/cli", "tests/doors", "tests/serve",
    "tests/golden_cases", "tests/findability", "tests/silence", "tests/journeys",
    "tests/docs/test_seeds.py", "tests/attack", "tests/ranking", "tests/vector", "tests/llm",
    "tests/property", "tests/poison",
)  # fmt: skip


def main():
    """Exit as pytest does; with 1 where there is no server."""
    programs = cluster.programs()
    if programs is None:
        sys.exit("no PostgreSQL server is installed (Debian: apt install postgresql)")
    with cluster.Cluster(programs) as made:
        given = {"TIDELINE_AT_LENGTH": "1"} | os.environ
        given["TIDELINE_TEST_SERVER"] = made.address
        given["PYTHONPATH"] = _ROOT  # `.` would be whatever folder a test goes to
        tests = sys.argv[1:] or [*USUAL]
        argv = [sys.executable, "-m", "pytest", "-n", "3", *tests]
        start = time.monotonic()
        code = subprocess.run(argv, env=given, check=False).returncode
        print(f"{time.monotonic() - start:.0f} s on PostgreSQL")
        sys.exit(code)


if __name__ == "__main__":
    main()
