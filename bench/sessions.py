"""Turns of sessions: how long it takes to keep and to find them, and how well they are found.

    python bench/sessions.py [10k 100k 1M]
    python bench/sessions.py --questions FOLDER [FOLDER …]

A size is kept in sessions of 200 turns, each one batch; then twenty queries of 3-6 words are asked
of a process each, as `sessions search`. With --questions, sets of LoCoMo or LongMemEval are kept as
turns and asked in this process: recall@5 and recall@10, and how long a question takes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict
from typing import Any

import corpus
import stores
import timing

from tideline_cli.evaluation import datasets, metrics
from tideline_cli.exchange.importer import cells
from tideline_cli.memory import turns
from tideline_cli.model.origin import Origin
from tideline_cli.model.text import index_terms
from tideline_cli.store import sessions
from tideline_cli.store.connection import setting
from tideline_cli.store.opening import open_for_writing

NOW = 1_760_000_000_000
_TURNS = 200  # of a session


def keep(db: Any, name: str, said: list[dict[str, Any]], origin: str) -> None:
    """Keep the turns of one session."""
    analyzer = setting(db, "analyzer", "standard")
    listed = []
    for number, one in enumerate(said):
        terms = index_terms(one["content"], analyzer=analyzer)  # type: ignore[arg-type]
        listed.append(sessions.NewTurn(
            one.get("source_turn") or f"t{name}-{number}", one["at"], one.get("role") or "user",
            one["content"], terms.joined(), len(terms), one.get("speaker"),
        ))  # fmt: skip
    session = sessions.NewSession("claude-code", name, None, None)
    turns.keep(db, session, listed, viewer=Origin(origin), now=NOW, again=True)


def at_size(count: int) -> str:
    """Return a line about so many turns."""
    path = os.path.join(timing.WORK, "sessions.db")
    os.makedirs(timing.WORK, exist_ok=True)
    stores.remove(path)
    db = open_for_writing(path)
    began = time.perf_counter()
    texts = corpus.facts(count)
    for number in range(0, count, _TURNS):
        said = [
            {"content": text, "at": NOW - count + number, "role": ("user", "assistant")[place % 2]}
            for place, text in enumerate(next(texts) for _ in range(min(_TURNS, count - number)))
        ]
        keep(db, f"s{number}", said, "owner")
    seconds = time.perf_counter() - began
    db.close()
    size = os.path.getsize(path) / 1e6
    env = timing.clean_env(TIDELINE_DB=path)
    jobs = [timing.Job(query, [timing.TIDELINE, "sessions", "search", query], env, (0, 1))
            for query, _ in corpus.queries(first=min(count, corpus.BLOCK))]  # fmt: skip
    jobs += [timing.Job(query, [timing.TIDELINE, "sessions", "search", query], env, (0, 1))
             for query in corpus.common_queries()]  # fmt: skip
    found = timing.measure(jobs, 5)
    each = sorted(sample.ms for sample in found.values())
    stores.remove(path)
    return (
        f"{stores.name_of(count):>5}: kept in {seconds:,.0f} s ({1e6 * seconds / count:,.0f} µs "
        "each), "
        f"{size:,.0f} MB; search median {statistics.median(each):.0f} ms, slowest {each[-1]:.0f} ms"
    )


def questions(folder: str) -> str:
    """Return a line about a set of questions, which has a corpus and queries as JSON lines."""
    told: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for _, row in datasets.own_documents(folder):
        row["at"] = cells.instants(row, "created_at", NOW)
        told[row["origin"], row["session"]].append(row)
    path = os.path.join(timing.WORK, "questions.db")
    os.makedirs(timing.WORK, exist_ok=True)
    stores.remove(path)
    db = open_for_writing(path)
    named: dict[tuple[str, str, int], str] = {}
    for (origin, session), said in told.items():
        keep(db, session, said, origin)
        for place, one in enumerate(said, 1):
            named[origin, session, place] = one["source_turn"]
    scores: dict[int, list[float]] = {5: [], 10: []}
    times: list[float] = []
    for _, one in datasets.own_questions(folder):
        viewer, now = Origin(one["origin"]), cells.instants(one, "now", NOW) or NOW
        began = time.perf_counter()
        hits = turns.search(db, turns.Asked(one["query"], 10), viewer=viewer, now=now)
        times.append(1e3 * (time.perf_counter() - began))
        found = [named[one["origin"], hit.session.name, hit.turn.place] for hit in hits]
        for k, listed in scores.items():
            listed.append(metrics.recall_at(found, one["gold"], k) or 0.0)
    db.close()
    stores.remove(path)
    five, ten = (statistics.fmean(scores[k]) for k in (5, 10))
    name = os.path.basename(folder.rstrip("/"))
    return (f"{name}: {len(times)} questions, recall@5 {five:.3f}, recall@10 {ten:.3f}, "
            f"median {statistics.median(times):.1f} ms")  # fmt: skip


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["10k", "100k"])
    parser.add_argument("--questions", nargs="+", metavar="FOLDER")
    asked = parser.parse_args()
    if asked.questions:
        for folder in asked.questions:
            print(questions(folder), flush=True)
        return
    for size in stores.sizes_from(asked.sizes):
        print(at_size(size), flush=True)


if __name__ == "__main__":
    main()
