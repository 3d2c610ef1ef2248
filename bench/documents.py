"""How fast `ingest` is, how much room documents take, and whether a sentence of one is found.

    python bench/documents.py [--documents 100] [--pages 50]

Documents of made-up text, 2,500 characters a page, a heading every other page. In ten of them a
sentence is planted that no other has; `recall` is asked for it in other words.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import corpus
import stores
import timing

PAGE = 2500  # characters
PARAGRAPH = 5  # sentences
PLANTED = 10
_THINGS = ("lighthouse", "zeppelin", "harpsichord", "volcano", "glacier", "saxophone", "orchid",
           "walrus", "telescope", "caravan")  # fmt: skip


@dataclass
class Figures:
    """What an ingest of documents has shown."""

    documents: int
    characters: int
    chunks: int
    seconds: float
    rss: float
    bytes: int
    again: float  # seconds of a run without news
    changed: float  # seconds of a run in which one document of a hundred has changed
    recalls: dict[str, timing.Sample]
    ranks: list[int]  # of the planted sentences; 0 is not found

    def lines(self) -> Iterator[str]:
        """Return the figures as lines."""
        size = self.characters / 1e6
        yield f"{'ingest':<28} {self.documents:,} documents, {size:,.1f} MB of text"
        rate, share = self.chunks / self.seconds, self.bytes / self.characters
        yield f"{'  time':<28} {self.seconds:,.1f} s, {rate:,.0f} chunks/s"
        yield f"{'  memory':<28} {self.rss:,.0f} MiB"
        yield f"{'  room':<28} {self.chunks:,} chunks, {self.bytes / self.chunks:,.0f} B each, " \
              f"{share:.2f} B a character"
        yield f"{'  again, no news':<28} {self.again:,.2f} s"
        yield f"{'  again, 1 % changed':<28} {self.changed:,.2f} s"
        for name, sample in self.recalls.items():
            told = sample.failure or f"{sample.ms:.1f} ms, {sample.ratio:.2f} x pass"
            yield f"{'  ' + name:<28} {told}"
        first = sum(rank == 1 for rank in self.ranks)
        yield f"{'  planted, at rank 1':<28} {first} of {len(self.ranks)} (ranks {self.ranks})"


def planted(number: int) -> tuple[str, str]:
    """Return a sentence that is planted in a document, and the question that it answers."""
    thing = _THINGS[number % len(_THINGS)]
    code = 4000 + 37 * number
    sentence = f"The keeper of the {thing} writes down {code} before he locks the gate."
    return sentence, f"what number is written down by the {thing} keeper"


def write(folder: str, documents: int, pages: int) -> int:
    """Write the documents; return how many characters they have."""
    os.makedirs(folder, exist_ok=True)
    sentences = corpus.facts(10**9)
    total = 0
    hosts = {documents * n // PLANTED: n for n in range(PLANTED)}
    rng = random.Random(corpus.SEED)
    for number in range(documents):
        text = _document(sentences, number, pages, hosts.get(number), rng)
        with open(os.path.join(folder, f"manual-{number:04}.md"), "w", encoding="utf-8") as file:
            file.write(text)
        total += len(text)
    return total


def _document(
    sentences: Iterator[str], number: int, pages: int, plant: int | None, rng: random.Random
) -> str:
    parts: list[str] = [f"# Manual {number}"]
    place = rng.randrange(pages) if plant is not None else -1
    for page in range(pages):
        if page % 2 == 0:
            parts.append(f"## {next(sentences)[:40].rsplit(' ', 1)[0].capitalize()}")
        room = PAGE
        while room > 0:
            some = [one.capitalize() + "." for one in islice(sentences, PARAGRAPH)]
            if page == place and plant is not None:
                some.insert(2, planted(plant)[0])
                place = -1
            parts.append(" ".join(some))
            room -= len(parts[-1])
    return "\n\n".join(parts) + "\n"


def measure(documents: int, pages: int, rounds: int = 9) -> Figures:
    """Take the documents into a new store, and ask it."""
    folder = os.path.join(timing.WORK, f"documents-{documents}-{pages}")
    shutil.rmtree(folder, ignore_errors=True)
    characters = write(folder, documents, pages)
    path = os.path.join(timing.WORK, "documents.db")
    stores.remove(path)
    env = timing.clean_env(TIDELINE_DB=path)
    argv = [timing.TIDELINE, "ingest", folder, "--json", "--quiet"]
    start = time.perf_counter()
    rss = timing.peak_rss(argv, env)
    seconds = time.perf_counter() - start
    stores.checkpointed(path)
    size = os.path.getsize(path)
    again = timing.run_once(argv, env)[0] / 1e3
    for number in range(max(1, documents // 100)):
        name = os.path.join(folder, f"manual-{number * 100:04}.md")
        with open(name, "a", encoding="utf-8") as file:
            file.write("\nOne more sentence at the end of it.\n")
    changed = timing.run_once(argv, env)[0]
    chunks = stores.count(path)
    recalls = timing.measure(_jobs(env), rounds)
    recalls = {name: recalls[name] for name in (job.name for job in _jobs(env))}
    ranks = [_rank(path, number) for number in range(PLANTED)]
    return Figures(
        documents, characters, chunks, seconds, rss, size, again, changed / 1e3, recalls, ranks
    )


def _jobs(env: dict[str, str]) -> list[timing.Job]:
    _, question = planted(3)
    common = corpus.queries(1)[0][0]
    return [
        timing.Job("recall, planted", [timing.TIDELINE, "recall", question, "--no-touch"], env),
        timing.Job("recall, common words", [timing.TIDELINE, "recall", common, "--no-touch"], env),
    ]


def _rank(path: str, number: int) -> int:
    sentence, question = planted(number)
    told = stores.tideline("recall", question, "--json", "--no-touch", db=path)
    for hit in json.loads(told)["hits"]:
        if sentence in hit["content"]:
            return int(hit["rank"])
    return 0


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--pages", type=int, default=50)
    args = parser.parse_args()
    for line in measure(args.documents, args.pages).lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
