"""Does a memory on a PostgreSQL server answer as one in a file does, to the last bit?

    python -m bench.server_answers [SET ...] [--questions 200]

A SET is a folder with corpus.jsonl and queries.jsonl, as `bench/sets.py` takes them; all its
questions are asked by `recall --batch --json`, each in its origin and at its time. Then QUESTIONS
are asked of 600 facts with all labels, in every way of asking, with scopes, roles and moments of
the past. Each is done with both analysers. What is printed has ids, scores and factors with all
their digits, and is compared as text. The exit code is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import timing  # noqa: E402

from tests.postgres import test_same_ways as ways  # noqa: E402
from tests.postgres.cluster import Cluster, programs  # noqa: E402
from tests.postgres.test_same import WORDS  # noqa: E402
from tests.support import NOW  # noqa: E402

ANALYZERS = ("standard", "reference")
FACTS = 600
WAYS = [one for one in ways.WAYS if one != ("--fusion", "score")]  # of learned embedders alone


class Pair:
    """A memory in a file and one on a server, with the same facts."""

    def __init__(self, folder: Path, address: str, analyzer: str, corpus: str) -> None:
        self._places = (str(folder / "file.db"), address)
        self._home = folder
        for place in self._places:
            self._run(place, ("config", "set", "analyzer", analyzer))
        self._run(self._places[0], ("import", "-", "--trust"), corpus)
        whole = self._run(self._places[0], ("export", "--all-origins"))
        self._run(self._places[1], ("import", "-", "--trust"), whole)
        if self.said("export", "--all-origins")[0] != whole:
            raise SystemExit("the server has other facts than the file")

    def said(self, *argv: str, stdin: str = "") -> list[str]:
        """Return what a command prints of the file, and what of the server."""
        return [self._run(place, argv, stdin) for place in self._places]

    def _run(self, place: str, argv: tuple[str, ...], stdin: str = "") -> str:
        done = subprocess.run(
            [timing.TIDELINE, *argv], input=stdin, capture_output=True, text=True, check=False,
            env=timing.clean_env(
                TIDELINE_DB=place, TIDELINE_HOME=str(self._home), TIDELINE_NOW=str(NOW)
            ),
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise SystemExit(f"{argv}: exit {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout


def told(name: str, analyzer: str, pairs: list[tuple[str, str]]) -> bool:
    """Print how many answers are equal; return whether all are."""
    apart = [number for number, (one, other) in enumerate(pairs) if one != other]
    hits = sum(len(json.loads(one)["hits"]) for one, _ in pairs if one)
    print(f"{name:<16} {analyzer:<10} {len(pairs):>5} questions {hits:>6} hits "
          f"{len(pairs) - len(apart):>5} equal", flush=True)  # fmt: skip
    if apart:
        one, other = pairs[apart[0]]
        print(f"  question {apart[0]}:\n  file   {one[:600]}\n  server {other[:600]}")
    return not apart


def of_set(pair: Pair, folder: Path) -> list[tuple[str, str]]:
    """Return both answers to each question of a set."""
    asked = []
    for line in (folder / "queries.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        asked.append(json.dumps({k: one[k] for k in ("id", "query", "origin", "now") if k in one}))
    argv = ("recall", "--batch", "--limit", "10", "--json")
    one, other = pair.said(*argv, stdin="\n".join(asked) + "\n")
    if len(one.splitlines()) != len(asked):
        raise SystemExit("not every question was answered")
    return list(zip(one.splitlines(), other.splitlines(), strict=True))


def generated(pair: Pair, count: int) -> list[tuple[str, str]]:
    """Return both answers to questions that are made up, asked in every way in turn."""
    chance = random.Random(count)
    found = []
    for number in range(count):
        question = " ".join(chance.choices([*WORDS, *ways.TOPICS], k=chance.randint(1, 5)))
        more = WAYS[number % len(WAYS)]
        one, other = pair.said("recall", question, "--json", "--explain", *more)
        found.append((one, other))
    return found


def main() -> int:
    """Print a line for each set and analyser."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--questions", type=int, default=200)
    asked = parser.parse_args()
    folder = programs()
    if folder is None:
        raise SystemExit("no PostgreSQL server is installed here")
    made = "\n".join(ways.labelled(random.Random(11), FACTS))
    names = [*asked.sets, None]
    are_equal = []
    with Cluster(folder) as server, tempfile.TemporaryDirectory() as scratch:
        for number, (one, analyzer) in enumerate((x, y) for x in names for y in ANALYZERS):
            home = Path(scratch, str(number))
            home.mkdir()
            corpus = made if one is None else (one / "corpus.jsonl").read_text("utf-8")
            pair = Pair(home, f"{server.address}&schema=answers{number}", analyzer, corpus)
            found = generated(pair, asked.questions) if one is None else of_set(pair, one)
            name = "made up" if one is None else one.resolve().name
            are_equal.append(told(name, analyzer, found))
    return 0 if all(are_equal) else 1


if __name__ == "__main__":
    sys.exit(main())
