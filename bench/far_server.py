"""What does a memory on a server cost where each round trip takes its time?

    python -m bench.far_server [--facts 100k] [--trip 5] [--runs 7]

A server is made for the run, and reached by its socket and by a way that makes each round trip take
TRIP milliseconds. Printed are the medians of whole commands in new processes. Run it as
`python -m bench.far_server`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import corpus  # noqa: E402
import timing  # noqa: E402

from tests.postgres.cluster import Cluster, programs  # noqa: E402
from tests.postgres.delaying import Delayed  # noqa: E402


def main() -> None:
    """Print a table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--facts", default="100k")
    asked.add_argument("--trip", type=float, default=5.0)
    asked.add_argument("--runs", type=int, default=7)
    given = asked.parse_args()
    found = programs()
    if found is None:
        sys.exit("no PostgreSQL server is installed")
    count = int(given.facts.replace("k", "000"))
    with (
        tempfile.TemporaryDirectory() as home, Cluster(found) as server,
        Delayed(server.address, given.trip / 1000) as far,
    ):  # fmt: skip
        lines = "\n".join(json.dumps({"content": text}) for text in corpus.facts(count))
        _run(home, server.address, ["import", "-", "--trust"], lines)
        # It makes the vectors that are missing.
        _run(home, server.address, _argv("recall", 0))
        print(f"{count:,} facts, {given.runs} runs: medians in ms, and of the client's processor")
        for where, address in (("socket", server.address), (f"{given.trip:g} ms", far.address)):
            for verb in ("recall", "remember"):
                took, worked = _median(home, address, verb, given.runs)
                print(f"{verb:9} {where:8} {took:7.0f} {worked:7.0f}", flush=True)


def _argv(verb: str, place: int) -> list[str]:
    if verb == "recall":
        return ["recall", corpus.queries(1)[0][0]]
    return ["remember", f"the {place} lamps of the far house are of brass {os.urandom(4).hex()}"]


def _median(home: str, address: str, verb: str, runs: int) -> tuple[float, float]:
    """Return the milliseconds that a command takes, and those of its processor time."""
    took, worked = [], []
    for place in range(runs):
        start, before = perf_counter(), _worked()
        _run(home, address, _argv(verb, place))
        took.append((perf_counter() - start) * 1000)
        worked.append((_worked() - before) * 1000)
    return statistics.median(took), statistics.median(worked)


def _worked() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(home: str, address: str, argv: list[str], stdin: str = "") -> None:
    subprocess.run(
        [timing.TIDELINE, *argv], input=stdin, capture_output=True, text=True, check=True,
        env=timing.clean_env(TIDELINE_DB=address, TIDELINE_HOME=home),
    )  # fmt: skip


if __name__ == "__main__":
    main()
