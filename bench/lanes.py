"""What recall pays for facts that have ended and for labels, and remember for one common word.

    python bench/lanes.py [100k] [--rounds 9]

Four copies of one store, the same question: as it is; with a fifth of the facts past their end;
with two tags, a title and metadata on every fact, so that each hit has labels; and the question of
a tag that a thousandth of the facts have. Ratios are to the store as it is. `remember` of the
commonest word reads what might say the same.

A store that was changed is large: three copies are kept while it runs, and none afterwards.
"""

from __future__ import annotations

import argparse
import time

import apsw
import corpus
import stores
import timing

from tideline_cli.store import labels

PLAIN = "recall: plain"
LAPSED = "recall: 20 % lapsed"
TAGGED = "recall: hits with labels"
BY_LABEL = "recall: by a tag"
COMMON = "remember one common word"
FRESH = "remember a new fact"
TIMES_PLAIN = {LAPSED: 1.15, TAGGED: 1.15}
"""What the same question may take, at most, beside the store as it is."""
_DAY = 86_400_000


def measure(n: int, rounds: int = timing.ROUNDS) -> dict[str, timing.Sample]:
    """Return a sample for each figure at n facts."""
    query = corpus.queries(1)[0][0]
    paths = {name: stores.copy(n, f"lanes-{i}") for i, name in enumerate(_CHANGES)}
    for name, change in _CHANGES.items():
        change(paths[name])
    recall = ("recall", query, "--no-touch")
    texts = corpus.fresh(rounds + 2)

    def job(name: str, path: str, *words: str) -> timing.Job:
        return timing.Job(name, [timing.TIDELINE, *words], timing.clean_env(TIDELINE_DB=path))

    samples = timing.measure(
        [
            *(job(name, path, *recall) for name, path in paths.items()),
            job(BY_LABEL, paths[TAGGED], "recall", "rack7", "--no-touch"),
            job(COMMON, paths[PLAIN], "remember", corpus.COMMON_WORDS[0]),
            timing.Job(
                FRESH, lambda number: [timing.TIDELINE, "remember", texts[number + 1]],
                timing.clean_env(TIDELINE_DB=paths[PLAIN]),
            ),
        ],
        rounds,
    )  # fmt: skip
    for path in paths.values():
        stores.remove(path)
    return samples


def _lapse(path: str) -> None:
    """End a fifth of the facts, at many instants of the last months."""
    db = apsw.Connection(path)
    ended = int(time.time() * 1000) - 30 * _DAY
    with db:
        db.execute(
            "UPDATE fact SET valid_to = ? - seq % 1000 * 3600000 WHERE seq % 5 = 0", (ended,)
        )
    db.close()
    stores.checkpointed(path)


def _label(path: str) -> None:
    """Give every fact two tags, a title and metadata."""
    db = apsw.Connection(path)
    with db:
        db.execute(
            "UPDATE fact SET title = 'note ' || seq, metadata = '{\"line\": 7}',"
            " tags = '[\"rack' || (seq % 1000) || '\", \"imported\"]'"
        )
        labels.make_anew(db)
    db.close()
    stores.checkpointed(path)


_CHANGES = {PLAIN: lambda _: None, LAPSED: _lapse, TAGGED: _label}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("size", nargs="?", default="100k")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    print(timing.HEADER)
    for sample in measure(stores.sizes_from([args.size])[0], args.rounds).values():
        print(sample.line())


if __name__ == "__main__":
    main()
