"""How fast one process answers that stays: tideline, and search engines of others beside it.

    python bench/warm.py [100k] [--million] [--peers PYTHON] [--rounds 5]

Each engine runs in a process of its own, over the same facts and questions, and returns the best
eight. `tideline` is what `recall --batch` calls for a line, with trust, fading and origins, and
reads its file. `fts5` is SQLite's own ranking over the texts, by the library that tideline uses.
`tantivy` and `bm25s` are not installed with the project: --peers names the Python of an
environment where `pip install tantivy bm25s` was run; what it has not is left out. They and fts5
take every word of a question, joined by OR, and know no trust, no fading and no second stage.

A figure is the median over the questions of the processor time of the fastest round. `hit@5` counts
typed questions whose fact is among the first five: engines that answer other questions would not
be comparable.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(HERE)
LIMIT = 8
NOW = 1_790_000_000_000
ENGINES = ("tideline", "fts5", "tantivy", "bm25s")

Ask = Callable[[str], list[str]]


def _facts(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["content"]


def tideline(store: str, _: str, __: str) -> Ask:
    """The store that `bench/stores.py` keeps."""
    sys.path.insert(0, PROJECT)
    from tideline_cli.memory.query import Query
    from tideline_cli.memory.recall import recall
    from tideline_cli.model.origin import OWNER
    from tideline_cli.store import opening

    db = opening.open_for_reading(store)
    assert db is not None

    def ask(text: str) -> list[str]:
        hits = recall(db, Query(text, limit=LIMIT), viewer=OWNER, now=NOW).hits
        return [hit.fact.content for hit in hits]

    return ask


def fts5(_: str, rows: str, place: str) -> Ask:
    """A full-text table of the texts as it comes, ranked by bm25()."""
    import apsw

    path = f"{place}.db"
    if not os.path.exists(path):
        made = apsw.Connection(path + ".part")
        made.execute("CREATE VIRTUAL TABLE text USING fts5(content)")
        with made:
            made.executemany("INSERT INTO text VALUES (?)", ((one,) for one in _facts(rows)))
        made.execute("INSERT INTO text (text) VALUES ('optimize')")
        made.close()
        os.replace(path + ".part", path)
    db = apsw.Connection(path)

    def ask(text: str) -> list[str]:
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(_words(text)))
        sql = "SELECT content FROM text WHERE text MATCH ? ORDER BY rank LIMIT ?"
        return [content for (content,) in db.execute(sql, (asked, LIMIT))]

    return ask


def tantivy(_: str, rows: str, place: str) -> Ask:
    """An index of one segment, opened from its directory."""
    import tantivy as engine

    builder = engine.SchemaBuilder()
    builder.add_text_field("content", stored=True)
    schema = builder.build()
    if not os.path.exists(place):
        part = place + ".part"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        writer = engine.Index(schema, path=part).writer(500_000_000, 1)
        for content in _facts(rows):
            writer.add_document(engine.Document(content=content))
        writer.commit()
        writer.wait_merging_threads()
        os.replace(part, place)
    index = engine.Index.open(place)
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> list[str]:
        query = index.parse_query(" ".join(_words(text)), ["content"])
        found = searcher.search(query, LIMIT).hits
        return [searcher.doc(address)["content"][0] for _, address in found]

    return ask


def bm25s(_: str, rows: str, place: str) -> Ask:
    """Scores that are made beforehand, read from memory-mapped files."""
    import bm25s as engine

    texts = list(_facts(rows))
    if not os.path.exists(place):
        made = engine.BM25()
        made.index(engine.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
        made.save(place + ".part")
        os.replace(place + ".part", place)
    ranker = engine.BM25.load(place, mmap=True)

    def ask(text: str) -> list[str]:
        asked = engine.tokenize(text, stopwords=None, show_progress=False)
        found, _ = ranker.retrieve(asked, k=LIMIT, show_progress=False, n_threads=0)
        return [texts[number] for number in found[0].tolist()]

    return ask


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _measure(engine: str, store: str, rows: str, place: str, rounds: int) -> dict[str, object]:
    """Return milliseconds of processor time for each kind of question, and hit@5."""
    asked = json.load(sys.stdin)
    ask: Ask = globals()[engine](store, rows, place)
    told: dict[str, object] = {}
    for kind, questions in asked["kinds"].items():
        took = [min(_time(ask, question) for _ in range(rounds)) for question in questions]
        told[kind] = round(median(took) * 1e3, 2)
    told["hit@5"] = sum(fact in ask(question)[:5] for question, fact in asked["known"])
    return told


def _time(ask: Ask, question: str) -> float:
    begin = process_time()
    ask(question)
    return process_time() - begin


def at_size(n: int, peers: str, rounds: int) -> dict[str, dict[str, object]]:
    """Measure every engine that is there at one size."""
    import corpus
    import stores
    import timing

    known = corpus.queries(first=min(n, corpus.BLOCK))
    kinds = {
        "typed": [question for question, _ in known],
        "nine common": corpus.common_queries(),
        "fifty common": corpus.fifty_common(),
        "200 pasted": corpus.pasted(),
    }
    given = json.dumps({"kinds": kinds, "known": known})
    folder = os.path.join(timing.WORK, "warm")
    os.makedirs(folder, exist_ok=True)
    store = stores.copy(n, "warm")
    told = {}
    for engine in ENGINES:
        python = sys.executable if engine in ("tideline", "fts5") else peers
        if not python:
            continue
        place = os.path.join(folder, f"{engine}-{stores.name_of(n)}")
        argv = [python, __file__, "--engine", engine, store, stores.rows(n), place, str(rounds)]
        done = subprocess.run(argv, input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{engine}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        else:
            told[engine] = json.loads(done.stdout)
    stores.remove(store)
    return told


def _print(n: int, told: dict[str, dict[str, object]]) -> None:
    print(f"\n{n:,} facts, ms of processor time")
    kinds = list(next(iter(told.values()), {}))
    print(f"{'':<10}" + "".join(f"{kind:>14}" for kind in kinds))
    for engine, its in told.items():
        print(f"{engine:<10}" + "".join(f"{its[kind]!s:>14}" for kind in kinds), flush=True)


def main() -> None:
    """Print a table a size; with --engine, be the process of one engine."""
    if sys.argv[1:2] == ["--engine"]:
        engine, store, rows, place, rounds = sys.argv[2:]
        print(json.dumps(_measure(engine, store, rows, place, int(rounds))))
        return
    import stores

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--peers", default="", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    for n in stores.sizes_from(args.sizes) + [1_000_000] * args.million:
        _print(n, at_size(n, args.peers, args.rounds))


if __name__ == "__main__":
    main()
