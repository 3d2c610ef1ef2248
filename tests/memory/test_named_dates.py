"""Questions that name a time: few facts are weighed by it, and the answers are those of weighing
as many as before."""

from __future__ import annotations

import random

import pytest

from tests.support import DAY, NOW, fact, fresh_store, put
from tideline_cli.memory import named_dates
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER, Origin
from tideline_cli.model.window import Window
from tideline_cli.store import arrivals, sequences, visibility

HOUR = 3_600_000
GUEST = Origin("channel:a/b/c")
WORDS = [f"word{n}" for n in range(60)]
SOURCES = {
    "trusted": ("owner_message", "channel_message"),
    "untrusted": ("retrieved_document", "tool_output"),
    "both": ("owner_message", "owner_message", "tool_output", "extraction"),
}
NAMED = ("on monday", "last friday", "yesterday", "this week", "two weeks ago", "last month",
         "in 2025", "in march", "on 5 May", "on sunday and on tuesday")  # fmt: skip


def store(db, sources, rng, count=600):
    """Put facts of forty days, from some sources, a few with labels; and those of a guest."""
    weights = [1 / (n + 3) for n in range(len(WORDS))]
    put(db, [
        fact(
            " ".join(rng.choices(WORDS, weights, k=rng.randint(3, 9))), f"ID{n:024d}",
            now=NOW - rng.randrange(40 * DAY), source=rng.choice(sources),
            confidence=rng.choice((None, None, 0.5, 0.0)),
            tags=(rng.choice(WORDS),) if rng.random() < 0.1 else (),
            origin=GUEST if n % 5 == 0 else OWNER,
        )
        for n in range(count)
    ])  # fmt: skip


def answers(db, rng, count):
    for _ in range(count):
        words = rng.choices(WORDS, [1 / (n + 3) for n in range(len(WORDS))], k=rng.randint(1, 6))
        unknown = ["xylograph", "quinquennial"] * (rng.random() < 0.2)
        text = " ".join([*words, *unknown, rng.choice(NAMED)])
        query = Query(text, limit=rng.choice((1, 3, 8, 40)), mode="keyword")
        found = recall(db, query, viewer=rng.choice((OWNER, OWNER, GUEST)), now=NOW)
        hits = [(hit.fact.id, hit.score, hit.why, hit.weak) for hit in found.hits]
        yield text, hits


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_left_unread_changes_no_answer(db, kind, monkeypatch):
    """Hits, scores and what they are made of are those of weighing the best two hundred."""
    store(db, SOURCES[kind], random.Random(5))
    floors = []
    of = named_dates.DatedFloor.of
    with monkeypatch.context() as patch:
        patch.setattr(
            named_dates.DatedFloor, "of",
            lambda self, best: floors.append(of(self, best)) or floors[-1],
        )  # fmt: skip
        found = list(answers(db, random.Random(6), 60))
    assert sum(floor > 0 for floor in floors) >= 20
    with monkeypatch.context() as patch:
        patch.setattr(named_dates.DatedFloor, "of", lambda *_: 0.0)
        assert list(answers(db, random.Random(6), 60)) == found


def test_few_facts_are_weighed(db, monkeypatch):
    """Of facts of one day those are weighed that are among the best by their words."""
    rng = random.Random(3)
    put(db, [fact(f"{' '.join(rng.sample(WORDS, 4))} pear", f"ID{n:024d}", now=NOW - n)
             for n in range(400)])  # fmt: skip
    weighed = []
    places = sequences.places
    monkeypatch.setattr(
        sequences, "places",
        lambda seqs, **more: weighed.append(tuple(seqs)) or places(seqs, **more),
    )  # fmt: skip
    asked = f"pear {' '.join(WORDS[:9])} on monday"
    hits = recall(db, Query(asked, mode="keyword"), viewer=OWNER, now=NOW).hits
    assert len(hits) == 8
    (those,) = set(weighed)  # a server is asked ahead, so twice about the same ones
    assert len(those) <= 40


@pytest.mark.parametrize(
    ("made", "start", "end", "nearest"),
    [
        ((10.5,), 10, 11, 10), ((10.5,), 20, 30, 11), ((10.5,), 2, 3, 10),
        ((10.5,), 10.2, 10.4, 10.2), ((10.5, 40.5), 20, 30, 11),
        ((-10.5,), -20, -15, -11), ((-10.5,), 5, 6, -9), ((-0.5,), 5, 6, 1),
        ((0.5,), -6, -5, -1), ((), 5, 6, None),
    ],
)  # fmt: skip
def test_the_nearest_instants(made, start, end, nearest):
    """No fact of an origin is nearer to a window than the nearest instant of its hours."""
    window = Window(int(start * HOUR), int(end * HOUR), HOUR)
    with fresh_store() as db:
        put(db, [fact(f"a fact {n}", f"ID{n:024d}", now=int(hour * HOUR))
                 for n, hour in enumerate(made)])  # fmt: skip
        put(db, [fact("a fact of a guest", "G1", now=int(start * HOUR), origin=GUEST)])
        number = visibility.number(db, OWNER)
        found = list(arrivals.nearest(db, [window], origin_number=number))

    def away(at):
        return max(window.start - at, at - window.end, 0)

    assert min(map(away, found), default=None) == (
        None if nearest is None else away(int(nearest * HOUR))
    )
    assert all(min(map(away, found)) <= away(int(hour * HOUR)) for hour in made)
