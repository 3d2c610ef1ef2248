"""How long the passes that look at many facts take, each in a new process.

    python bench/passes.py [10k 100k] [--million] [--rounds 5]

The first dream of a freshly imported memory, wall and processor time of all its threads; and
`contradictions`, the median of several runs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass

import stores
import timing

FIRST_DREAM = {100_000: 8.0, 1_000_000: 480.0}  # s
DREAM_RSS = 600.0  # MB
CONTRADICTIONS = 500.0  # ms


@dataclass
class Figure:
    """One figure, its unit, and the most that it may be; 0 where nothing is demanded."""

    name: str
    value: float
    unit: str
    most: float = 0.0
    failure: str = ""

    def line(self) -> str:
        """One line of a table."""
        if self.failure:
            return f"{self.name:<32} FAILED: {self.failure}"
        demand = f"<= {self.most:g}  {'ok' if self.value <= self.most else 'MISS'}"
        return f"{self.name:<32} {self.value:10.2f} {self.unit:<3} {demand if self.most else ''}"


def first_dream(n: int) -> Iterator[Figure]:
    """Dream once in a copy of the store of n facts; the memory is that of a second dream, in a
    store of 100,000 facts at most."""
    name = f"first dream {stores.name_of(n)}"
    dream = [timing.TIDELINE, "dream", "-q", "--max-loss", "1"]
    path = stores.copy(n, "passes")
    wall, cpu, code, _ = timing.run_once(dream, timing.clean_env(TIDELINE_DB=path))
    failure = f"exit {code}" if code else ""
    yield Figure(name, wall / 1e3, "s", FIRST_DREAM.get(n, 0.0), failure)
    yield Figure(f"{name}: processor time", cpu / 1e3, "s", 0.0, failure)
    path = stores.copy(min(n, 100_000), "passes")
    rss = timing.peak_rss(dream, timing.clean_env(TIDELINE_DB=path)) * 2**20 / 1e6
    yield Figure(f"first dream {stores.name_of(min(n, 100_000))}: RSS", rss, "MB", DREAM_RSS)
    stores.remove(path)


def contradictions(n: int, rounds: int) -> Iterator[Figure]:
    """Run `contradictions` in the store of n facts."""
    name = f"contradictions {stores.name_of(n)}"
    env = timing.clean_env(TIDELINE_DB=stores.copy(n, "passes"))
    job = timing.Job(name, [timing.TIDELINE, "contradictions", "--json"], env)
    sample = timing.measure([job], rounds)[name]
    value = 0.0 if sample.failure else sample.ms
    yield Figure(name, value, "ms", CONTRADICTIONS, sample.failure)


def measure(n: int, rounds: int = 5) -> Iterator[Figure]:
    """Yield the figures of a store of n facts."""
    yield from contradictions(n, rounds)
    yield from first_dream(n)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["10k", "100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    os.makedirs(timing.WORK, exist_ok=True)
    for n in stores.sizes_from(args.sizes) + [1_000_000] * args.million:
        for figure in measure(n, args.rounds):
            print(figure.line(), flush=True)


if __name__ == "__main__":
    main()
