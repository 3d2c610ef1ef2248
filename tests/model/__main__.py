"""Run histories at length: `python -m tests.model`. HISTORIES, LENGTH, SEED and JOBS come from the
environment."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.model import driver


def one(seed, count):
    """Run one history; return the verbs of its steps and, where it fails, how to run it again."""
    steps, different = driver.run(seed, count)
    verbs = Counter(step["do"] for step in steps)
    if different is None:
        return verbs, None
    fewer = driver.shrunk(steps, seed)
    said, _ = driver.play(fewer, seed)
    return verbs, driver.script(fewer, seed, said or different)


def main():
    """Print what was run, and each history that failed as a script; exit with 1 for any."""
    count, steps = (int(os.environ.get(name, usual)) for name, usual in
                    (("HISTORIES", "2000"), ("LENGTH", "150")))  # fmt: skip
    first, jobs = int(os.environ.get("SEED", "1")), int(os.environ.get("JOBS", "2"))
    began, total, failed = time.perf_counter(), Counter(), []
    with ProcessPoolExecutor(jobs) as pool:
        seeds = range(first, first + count)
        for seed, (verbs, told) in zip(seeds, pool.map(one, seeds, [steps] * count), strict=True):
            total += verbs
            if told is not None:
                failed.append(seed)
                print(f"{told}\n")
    took = time.perf_counter() - began
    print(f"{count:,} histories of {steps} steps, seeds {first} to {first + count - 1}, "
          f"{took:.0f} s: {len(failed)} with a difference")  # fmt: skip
    for verb, times in total.most_common():
        print(f"  {verb:<12} {times:>8,}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tideline-model-") as home:
        os.environ["TIDELINE_HOME"] = home
        main()
