"""How long `recall` and `context` take in memories of growing size, all of one owner.

    python bench/recall.py [1k 10k 100k] [--million] [--rounds 9]

Ten queries of 3-6 words, each from one fact, one of the words a function word; five queries of
nine of the forty commonest words, two of fifty of the hundred commonest, two texts of 200 words,
two of words that no fact holds. Each query is a job of its own: a figure is the median over the
queries of the medians, and the slowest query stands beside it. `hit@5` counts the queries whose
fact is among the first five.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

import corpus
import stores
import timing


@dataclass
class Figure:
    """One kind of question at one size."""

    kind: str  # recall, nine common, fifty common, 200 pasted, no match, context
    facts: int
    sample: timing.Sample
    worst: float  # the ratio of the slowest query
    rss: float  # MiB
    hits: str = ""

    def line(self) -> str:
        """One line of a table."""
        name = f"{self.kind} {stores.name_of(self.facts)}"
        if self.sample.failure:
            return f"{name:<18} failed: {self.sample.failure}"
        return (
            f"{name:<18} {self.sample.ms:8.1f} {self.sample.least:8.1f} {self.sample.ratio:7.2f} "
            f"{self.worst:7.2f} {self.rss:7.1f}  {self.hits}"
        )


HEADER = f"{'':<18} {'median':>8} {'least':>8} {'ratio':>7} {'worst':>7} {'MiB':>7}  hit@5"


def at_size(n: int, rounds: int = timing.ROUNDS) -> list[Figure]:
    """Measure one size."""
    path = stores.copy(n, "recall")
    env = timing.clean_env(TIDELINE_DB=path)
    natural = corpus.queries(first=min(n, corpus.BLOCK))
    asked = {
        "recall": ("recall", [query for query, _ in natural]),
        "nine common": ("recall", corpus.common_queries()),
        "fifty common": ("recall", corpus.fifty_common()),
        "200 pasted": ("recall", corpus.pasted()),
        "no match": ("recall", corpus.unmatched()),
        "context": ("context", [query for query, _ in natural[:5]]),
    }
    jobs = [
        timing.Job(f"{kind} {i}", [timing.TIDELINE, verb, query], env, (0, 1))
        for kind, (verb, queries) in asked.items()
        for i, query in enumerate(queries)
    ]
    samples = timing.measure(jobs, rounds)
    figures = []
    for kind in asked:
        mine = [job for job in jobs if job.name.startswith(kind)]
        every = [samples[job.name] for job in mine]
        rss = max(timing.peak_rss(job.at(0), env) for job in mine)
        worst = max(sample.ratio for sample in every)
        figures.append(Figure(kind, n, timing.pooled(kind, every), worst, rss))
    hits = 0
    for query, fact in natural:
        *_, output = timing.run_once([timing.TIDELINE, "recall", "-n", "5", query], env)
        hits += fact in output.decode()
    figures[0].hits = f"{hits}/{len(natural)}"
    stores.remove(path)
    return figures


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["1k", "10k", "100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    sizes = stores.sizes_from(args.sizes) + [1_000_000] * args.million
    os.makedirs(timing.WORK, exist_ok=True)
    print(HEADER)
    for n in sizes:
        for figure in at_size(n, args.rounds):
            print(figure.line(), flush=True)


if __name__ == "__main__":
    main()
