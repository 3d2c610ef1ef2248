"""Run many programs, a large crowd, and take the time: `make isolation`.

PROGRAMS and CROWD come from the environment. Times are printed, never judged.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.isolation import crowd
from tests.isolation.programs import Arena, difference, drawn
from tests.support import NOW

say = partial(print, flush=True)  # it takes a quarter of an hour, and more on a busy machine


def main():
    os.environ["TIDELINE_HOME"] = tempfile.mkdtemp(prefix="tideline-isolation-home-")
    os.environ["TIDELINE_NOW"] = str(NOW)
    programs = int(os.environ.get("PROGRAMS", "300"))
    people = int(os.environ.get("CROWD", "100000"))
    found = commands = 0
    began = time.perf_counter()
    arena = Arena()
    for seed in range(programs):
        if seed and seed % 25 == 0:
            took = time.perf_counter() - began
            say(f"  {seed:,} of {programs:,} programs, {took:.0f} s")
        commands += len(drawn(seed)[2])
        pair = difference(arena, seed)
        if pair is not None:
            found += 1
            say(f"seed {seed}: {pair}")
    arena.close()
    took = time.perf_counter() - began
    say(
        f"{programs:,} programs, {commands:,} commands, {took:.0f} s: {found} differences",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="tideline-crowd-") as folder:
        place = Path(folder)
        began = time.perf_counter()
        say(f"  what one origin reads beside {people:,} facts of others")
        same = crowd.told(place / "a", people) == crowd.told(place / "b", 0)
        took = time.perf_counter() - began
        say(f"a crowd of {people:,}: {'no' if same else 'A'} difference, {took:.0f} s")
        base = crowd.recall_times(place / "t0", 0)
        for count in (people // 50, people // 5, people):
            ms = crowd.recall_times(place / f"t{count}", count)
            say(f"recall beside {count:,}: p50 {ms:.2f} ms, {ms / base:.2f} of {base:.2f} alone")
    return int(found or not same)


if __name__ == "__main__":
    sys.exit(main())
