"""Run the machine at length, and print what was done: `make truth`.

RUNS, STEPS and SEED come from the environment.
"""

from __future__ import annotations

import os
import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.truth.machine import DONE, Memory


def main():
    runs, steps = int(os.environ.get("RUNS", "2000")), int(os.environ.get("STEPS", "50"))
    number = int(os.environ.get("SEED", "1"))
    began = time.perf_counter()
    seeded = seed(number)(Memory)
    run_state_machine_as_test(
        seeded,
        settings=settings(
            max_examples=runs, stateful_step_count=steps, deadline=None, database=None,
            suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink),
        ),
    )  # fmt: skip
    took = time.perf_counter() - began
    total = sum(DONE.values()) - DONE["runs"]
    print(f"{DONE.pop('runs'):,} runs, {total:,} steps, seed {number}, {took:.0f} s: 0 violations")
    for name, count in sorted(DONE.items()):
        print(f"  {name:<34} {count:>7,}")


if __name__ == "__main__":
    main()
