"""What the commands cost that look at a whole memory: history, status, list, the past, gc, purge.

    python bench/store_reads.py [100k] [--million] [--rounds 9]

Also what the same commands of an origin of ten facts cost in that store and in one of its own, and
how many bytes a fact takes that replaces another.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator

import corpus
import stores
import timing

SMALL = "channel:bench/small/1"
QUERY = corpus.queries(1)[0][0]
FAR = "2100-01-01T00:00:00Z"


def own_id(path: str) -> str:
    """Return the id of the newest fact of a store."""
    found = json.loads(stores.tideline("list", "--limit", "1", "--json", db=path))
    return str(found["facts"][0]["id"])


def with_ten(path: str) -> str:
    """Give a store an origin of ten facts; return its path."""
    lines = "".join(json.dumps({"content": text}) + "\n" for text in corpus.fresh(10))
    stores.tideline("remember", "--batch", "--origin", SMALL, db=path, stdin=lines.encode())
    return path


def reads(path: str, name: str, *origin: str) -> list[timing.Job]:
    """Return the commands that read, for an origin of a store."""
    env = timing.clean_env(TIDELINE_DB=path)
    calls = {
        "history": ["history"],
        "status --json": ["status", "--json"],
        "list": ["list"],
        "list --as-of": ["list", "--as-of", FAR],
        "recall --as-of": ["recall", QUERY, "--as-of", FAR],
    }
    return [
        timing.Job(f"{what} {name}", [timing.TIDELINE, *argv, *origin], env, (0, 1))
        for what, argv in calls.items()
    ]


def jobs(n: int) -> list[timing.Job]:
    """Return all commands for a store of n facts; they work on copies."""
    size = stores.name_of(n)
    path = with_ten(stores.copy(n, "reads"))
    alone = os.path.join(timing.WORK, "alone.db")
    stores.remove(alone)
    with_ten(alone)
    env = timing.clean_env(TIDELINE_DB=path)
    one = own_id(path)
    return [
        *reads(path, size),
        timing.Job(f"history ID {size}", [timing.TIDELINE, "history", one], env),
        timing.Job(f"gc --dry-run {size}", [timing.TIDELINE, "gc", "--dry-run"], env),
        *reads(path, f"10 in {size}", "--origin", SMALL),
        *reads(alone, "10 alone", "--origin", SMALL),
    ]


def purges(n: int, rounds: int) -> timing.Sample:
    """Measure purges of one fact each, of a copy of the n-fact store."""
    path = stores.copy(n, "purge")
    listed = json.loads(stores.tideline("list", "-n", str(rounds + 2), "--json", db=path))
    ids = [fact["id"] for fact in listed["facts"]]
    name = f"purge {stores.name_of(n)}"

    def argv(number: int) -> list[str]:
        return [timing.TIDELINE, "purge", ids[number + 1], "--yes"]

    job = timing.Job(name, argv, timing.clean_env(TIDELINE_DB=path))
    return timing.measure([job], rounds)[name]


def bytes_of_supersede(n: int = 5000) -> float:
    """Return the bytes that a value takes which replaces another one of its slot."""
    path = os.path.join(timing.WORK, "supersede.db")
    stores.remove(path)
    texts = list(corpus.facts(2 * n))
    sizes = []
    for part in (texts[:n], texts[n:]):
        lines = "".join(
            json.dumps({"content": text, "slot": f"slot {number}"}) + "\n"
            for number, text in enumerate(part)
        )
        stores.tideline("remember", "--batch", db=path, stdin=lines.encode())
        stores.checkpointed(path)
        sizes.append(os.path.getsize(path))
    stores.remove(path)
    return (sizes[1] - sizes[0]) / n


def figures(n: int, rounds: int) -> Iterator[tuple[timing.Sample, float]]:
    """Yield the sample and the peak memory in MiB of each command in a store of n facts; 0 where it
    is not taken."""
    every = jobs(n)
    for job, sample in zip(every, list(timing.measure(every, rounds).values())[1:], strict=True):
        yield sample, timing.peak_rss(job.at(0), job.env) if 0 in job.codes else 0.0
    yield purges(n, 3), 0.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    print(f"a value that replaces another: {bytes_of_supersede():.0f} bytes")
    print(timing.HEADER + "   MiB")
    for n in stores.sizes_from(args.sizes) + [1_000_000] * args.million:
        for sample, rss in figures(n, args.rounds):
            print(f"{sample.line()}   {rss:.0f}" if rss else sample.line(), flush=True)


if __name__ == "__main__":
    main()
