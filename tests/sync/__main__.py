"""Run histories of several machines at length: `python -m tests.sync`. RUNS, LENGTH, SEED and JOBS
come from the environment."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.sync import driver


def one(seed, count):
    """Run one history; return what happened in it and, where it fails, how to run it again."""
    history, different = driver.run(seed, count)
    steps = Counter(step["do"] for step in history.steps)
    figures = Counter({"machines": len(history.net.machines), "operations": history.operations()})
    if different is None:
        return steps, figures, history.rulings, None
    fewer = driver.shrunk(history.plan, history.steps)
    said, _ = driver.play(history.plan, fewer)
    told = driver.script(history.plan, fewer, seed, said or different)
    return steps, figures, history.rulings, told


def main():
    """Print what was run, and each history that failed as a script; exit with 1 for any."""
    count, length = (int(os.environ.get(name) or usual) for name, usual in
                     (("RUNS", "1000"), ("LENGTH", "60")))  # fmt: skip
    first, jobs = int(os.environ.get("SEED") or "1"), int(os.environ.get("JOBS") or "2")
    began, failed = time.perf_counter(), []
    steps, figures, rulings, conflicts = Counter(), Counter(), Counter(), 0
    with ProcessPoolExecutor(jobs) as pool:
        seeds = range(first, first + count)
        lengths = [length] * count
        for seed, (done, counted, ruled, told) in zip(
            seeds, pool.map(one, seeds, lengths), strict=True
        ):
            steps, figures, rulings = steps + done, figures + counted, rulings + ruled
            conflicts += bool(ruled)
            if told is not None:
                failed.append(seed)
                print(f"{told}\n", flush=True)
    took = time.perf_counter() - began
    print(f"{count:,} runs of {length} steps, seeds {first} to {first + count - 1}, {took:.0f} s: "
          f"{len(failed)} with a difference")  # fmt: skip
    print(f"  machines {figures['machines']:,}, operations told {figures['operations']:,}")
    print(f"  runs with a ruling {conflicts:,}: {rulings['slot']:,} facts of a slot, "
          f"{rulings['same']:,} said twice, {rulings['circle']:,} merged in a circle")  # fmt: skip
    for verb, times in steps.most_common():
        print(f"  {verb:<12} {times:>8,}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tideline-sync-") as home:
        os.environ["TIDELINE_HOME"] = home
        main()
