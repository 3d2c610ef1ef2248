"""One origin beside a crowd: what it is told, and how long that takes."""

from __future__ import annotations

import statistics
import time

import pytest

from tests import backends
from tests.conftest import run_main
from tests.support import DAY, NOW, empty_store_at, fact, put
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.store import score_bounds, visibility
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing

OTHER = channel("wa", "crowd", "1")
_TOPICS = ("deploys on Friday", "drinks coffee", "reads about trains", "likes the green office")
LOOKS = (
    ("export",), ("recall", "user deploys on Friday", "--json", "--explain", "--limit", "50"),
    ("recall", "riding to work", "--mode", "semantic", "--json", "--explain"),
    ("context", "user coffee"), ("status", "--json"), ("history", "--json"), ("list",),
    ("contradictions", "--json"), ("dream", "--dry-run", "--json"), ("gc", "--dry-run", "--json"),
    ("retention", "--days", "30", "--dry-run", "--json"),
    ("recall", "coffee trains", "--json"), ("recall", "coffee", "--archived", "--json"),
    ("list", "--archived", "--json"), ("fading", "--within", "900d", "--json"),
    ("timeline", "--json"), ("timeline", "--slot", "slot_5"),
)  # fmt: skip


def own_facts():
    """Return forty facts of the owner's, some strong, some about to fade."""
    return [
        fact(
            f"the user {_TOPICS[number % 4]} since {1980 + number}", f"A{number:025d}",
            now=NOW - number * 10 * DAY, importance=(number % 10) / 10,
            slot=f"slot_{number}" if number % 5 == 0 else None,
        )
        for number in range(40)
    ]  # fmt: skip


def flood(db, count):
    """Store facts of the other origin: the same texts, words and slots, newer and weightier."""
    for start in range(0, count, 5_000):
        put(db, [
            fact(
                f"the user {_TOPICS[number % 4]} since {1980 + number % 977} or {number}",
                f"B{number:025d}", origin=OTHER, importance=1.0, slot=f"slot_{number % 50}",
                access_count=9,
            )
            for number in range(start, min(start + 5_000, count))
        ])  # fmt: skip


def fill(path, count):
    """Make a store of the owner's facts with a crowd of `count` before and after them."""
    path.mkdir()
    file = empty_store_at(path / "memory.db")
    db = open_for_writing(str(file))
    flood(db, count // 2)
    put(db, own_facts())
    if count:
        put(db, [fact("one more of the crowd", "C" * 26, origin=OTHER)])
    return file, db


def told(path, count):
    """Return what the owner is told after all passes over everybody, in a store with a crowd."""
    file, db = fill(path, count)
    flood_after = [
        fact(f"the user {_TOPICS[number % 4]} number {number}", f"D{number:025d}", origin=OTHER)
        for number in range(count - count // 2)
    ]
    put(db, flood_after)
    db.close()
    answers = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIDELINE_DB", str(file))
        for number, words in enumerate((
            ("recall", "user"), ("dream", "--quiet"), ("gc", "--quiet"),
            ("dream", "--quiet", "--origin", OTHER.key),
        )):  # fmt: skip
            done = run_main(*words, "--now", str(NOW + (number + 1) * 40 * DAY))
            assert done.code in (0, 1), done.err
        for words in LOOKS:
            done = run_main(*words, "--origin", "owner", "--now", str(NOW + 200 * DAY))
            out = backends.unnamed(done.out.replace(str(path), ""))
            answers.append((words, done.code, out, done.err))
    return answers


def recall_times(path, count, *, rounds=60):
    """Return the milliseconds of the owner's recalls beside a crowd, in one process."""
    _, db = fill(path, 2 * count)
    with writing(db):
        for viewer in (OWNER, OTHER):
            embed_backlog(db, origin_number=visibility.ensure_number(db, viewer), limit=10**7)
        score_bounds.extend(db, limit=10**7, origin_number=None)
    times = []
    for number in range(rounds):
        query = Query(f"user {_TOPICS[number % 4]}")
        began = time.perf_counter()
        recall(db, query, viewer=OWNER, now=NOW)
        times.append((time.perf_counter() - began) * 1000)
    db.close()
    return statistics.median(times)
