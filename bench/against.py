"""Is this checkout slower or larger than another commit? Whole commands of both, in pairs.

    python bench/against.py COMMIT [--size 10k] [--rounds 21] [--imports 3]

Every round runs each command of that commit, of this checkout, and of that commit once more, in an
order that changes. A figure is the median over the rounds of the ratio to that commit; the ratio
of that commit to itself is what noise makes of 1. What the other commit needs and this one does
not must be installed beside. Commands are run by the script that users have: `python -m` loads the
library that runs modules, and hides what a program does to be without it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from statistics import median

import corpus
import stores
import timing

ROOT = os.path.dirname(timing.BENCH)
THEN, NOW, AGAIN = "then", "now", "then again"
_OF_PROCESSOR = "· processor time"
HEADER = f"{'':<18} {'then':>10} {'now':>10} {'now/then':>9} {'then/then':>10}"


def extracted(commit: str) -> str:
    """Return a directory that holds the program as it was at a commit."""
    where = os.path.join(timing.WORK, "against")
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    archive = subprocess.run(
        ["git", "-C", ROOT, "archive", commit, "tideline_cli"], capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", where], input=archive.stdout, check=True)
    return where


class Side:
    """One of the programs that are compared, with a memory of its own."""

    def __init__(self, name: str, tree: str) -> None:
        self.db = os.path.join(timing.WORK, f"against-{name.replace(' ', '-')}.db")
        self._env = timing.clean_env(TIDELINE_DB=self.db, PYTHONPATH=tree)

    def run(self, *argv: str) -> tuple[float, float]:
        """Run one command; return wall and processor time in ms."""
        wall, cpu, code, _ = timing.run_once(self._command(argv), self._env)
        if code:
            raise SystemExit(f"{' '.join(argv)}: exit {code}")
        return wall, cpu

    def try_out(self) -> None:
        """Make the memory and compile byte code, uncounted; stop when the program cannot run."""
        stores.remove(self.db)
        argv = self._command(("remember", "the first fact of all"))
        done = subprocess.run(argv, env=self._env, cwd=timing.WORK, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr.strip())

    def _command(self, argv: Sequence[str]) -> list[str]:
        return [timing.PYTHON, timing.TIDELINE, *argv]


def line(figure: str, unit: str, runs: dict[str, list[float]]) -> str:
    """Return one line of the table."""
    ratios = {
        name: median(value / then for value, then in zip(runs[name], runs[THEN], strict=True))
        for name in (NOW, AGAIN)
    }
    return (
        f"{figure:<18} {median(runs[THEN]):7.1f} {unit:<2} {median(runs[NOW]):7.1f} {unit:<2} "
        f"{ratios[NOW]:9.3f} {ratios[AGAIN]:10.3f}"
    )


def in_turn(sides: dict[str, Side], number: int) -> list[tuple[str, Side]]:
    """Return the sides in the order of a round."""
    order = list(sides.items())
    first = number % len(order)
    return order[first:] + order[:first]


def of_imports(sides: dict[str, Side], n: int, rounds: int) -> Iterator[str]:
    """Import n facts with each side; the last memories are kept."""
    source = stores.rows(n)
    wall: dict[str, list[float]] = {name: [] for name in sides}
    cpu: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, side in in_turn(sides, number):
            stores.remove(side.db)
            os.sync()
            taken = side.run("import", source)
            wall[name].append(taken[0])
            cpu[name].append(taken[1])
    yield line(f"import {stores.name_of(n)}", "ms", wall)
    yield line(_OF_PROCESSOR, "ms", cpu)
    size = {}
    for name, side in sides.items():
        stores.checkpointed(side.db)
        size[name] = [os.path.getsize(side.db) / n]
    yield line("· bytes a fact", "B", size)


def of_commands(sides: dict[str, Side], rounds: int) -> Iterator[str]:
    """Run the commands of every day with each side."""
    natural = [query for query, _ in corpus.queries()]
    common, fresh = corpus.common_queries(), corpus.fresh(rounds + 1)
    commands = {
        "--version": lambda number: ["--version"],
        "remember": lambda number: ["remember", fresh[number]],
        "recall": lambda number: ["recall", natural[number % len(natural)]],
        "nine common": lambda number: ["recall", common[number % len(common)]],
        "context": lambda number: ["context", natural[number % len(natural)]],
        "status --json": lambda number: ["status", "--json"],
        "--help": lambda number: ["--help"],
    }
    for figure, argv in commands.items():
        wall: dict[str, list[float]] = {name: [] for name in sides}
        cpu: dict[str, list[float]] = {name: [] for name in sides}
        for number in range(rounds + 1):
            for name, side in in_turn(sides, number):
                taken = side.run(*argv(number))
                if number:  # the first round compiles byte code and warms caches
                    wall[name].append(taken[0])
                    cpu[name].append(taken[1])
        yield line(figure, "ms", wall)
        yield line(_OF_PROCESSOR, "ms", cpu)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    parser.add_argument("--size", default="10k")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--imports", type=int, default=3)
    args = parser.parse_args()
    there = extracted(args.commit)
    sides = {THEN: Side(THEN, there), NOW: Side(NOW, ROOT), AGAIN: Side(AGAIN, there)}
    [n] = stores.sizes_from([args.size])
    os.chdir(timing.WORK)
    for side in sides.values():
        side.try_out()
    list(of_imports(sides, 1000, 1))  # compiles the rest, uncounted
    print(HEADER)
    for text in of_imports(sides, n, args.imports):
        print(text, flush=True)
    for text in of_commands(sides, args.rounds):
        print(text, flush=True)
    for side in sides.values():
        stores.remove(side.db)


if __name__ == "__main__":
    main()
