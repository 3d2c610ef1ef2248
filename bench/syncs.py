"""What a sync costs through an encrypted place: the first one of two machines, one of 100 new
facts, and one of nothing; time, bytes in the place, and what the registers add to the file.

    python bench/syncs.py [--facts 100000]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import corpus
import stores
import timing

NEW = 100


@dataclass
class Cost:
    """One sync: seconds of the whole process, of its processor, bytes that it left in the place."""

    seconds: float
    cpu: float
    octets: int


@dataclass
class Costs:
    """`sent` and `taken` are the first syncs of the machine with the facts and of the empty one,
    `news` and `heard` those of 100 new facts, `idle` one with nothing new. `more` are the bytes a
    fact that the registers add to the file of the first."""

    sent: Cost
    taken: Cost
    news: Cost
    heard: Cost
    idle: Cost
    more: float


def sync(db: str, home: str, place: str, *options: str) -> Cost:
    """Sync a memory, and return what that cost."""
    keys = os.path.join(os.path.dirname(place), "sync.keys")
    env = timing.clean_env(TIDELINE_DB=db, TIDELINE_HOME=home, TIDELINE_SYNC_KEY=keys)
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run(
        [timing.TIDELINE, "sync", place, "--json", *options],
        env=env, capture_output=True, check=True, cwd=timing.WORK,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Cost(seconds, cpu, json.loads(done.stdout)["places"][0]["bytes"])


def room(path: str) -> int:
    """Return the bytes of a memory file."""
    stores.checkpointed(path)
    return os.path.getsize(path)


def costs(facts: int) -> Costs:
    """Return what the syncs of two machines cost, of which one has so many facts."""
    work = Path(timing.WORK) / "syncs"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("one", "other", "place"):
        (work / name).mkdir(parents=True, mode=0o700)
    one = stores.copy(facts, "syncs-one")
    size = room(one)
    other = str(work / "other.db")
    homes, place = [str(work / name) for name in ("one", "other")], str(work / "place")
    sent = sync(one, homes[0], place, "--encrypt")
    more = (room(one) - size) / facts
    taken = sync(other, homes[1], place)
    lines = "".join(
        json.dumps({"content": f"{text} ({number})"}) + "\n"
        for number, (text, *_) in enumerate(corpus.queries(NEW))
    )
    stores.tideline("remember", "--batch", "-", db=one, stdin=lines.encode())
    news = sync(one, homes[0], place)
    heard = sync(other, homes[1], place)
    return Costs(sent, taken, news, heard, sync(one, homes[0], place), more)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--facts", type=int, default=100_000)
    asked = parser.parse_args()
    found = costs(asked.facts)
    for name in ("sent", "taken", "news", "heard", "idle"):
        cost = getattr(found, name)
        print(f"{name:<6} {cost.seconds:8.2f} s {cost.cpu:8.2f} s cpu {cost.octets:12,} bytes")
    print(f"registers: {found.more:.0f} bytes a fact more")


if __name__ == "__main__":
    main()
