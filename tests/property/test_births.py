"""A journal that keeps births in runs tells what one tells that keeps each by itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import test_undo as undoing
from tests.property.strategies import ORIGINS
from tests.soundness import sound
from tests.support import DAY, NOW, fresh_store, often
from tideline_cli.errors import TidelineError
from tideline_cli.memory.purge import purge
from tideline_cli.memory.undo import plan_undo
from tideline_cli.model.origin import EVERYONE
from tideline_cli.store import archivals, history, images, listing, statements, stats
from tideline_cli.store.checks import structure
from tideline_cli.store.facts import Filter

NEVER = 1_000_000
FILTERS = (Filter(segments=("knowledge",)), Filter(lifecycle=None))


def do_purge(world):
    gone = world.some(2, lifecycle=None)
    if gone:
        purge(world.db, gone, viewer=world.viewer, now=world.tick())


STEPS = (
    undoing.do_load, undoing.do_load, undoing.do_load, do_purge, do_purge, undoing.do_undo,
    undoing.do_undo, undoing.do_undo_older,
    undoing.do_redo, undoing.do_forget, undoing.do_relabel, undoing.do_dream, undoing.do_import,
    undoing.do_link, undoing.do_remember, undoing.do_restore, undoing.do_consolidate,
)  # fmt: skip


def told(db, viewer):
    """Return all that an origin is told of the journal."""
    batches = list(history.batches(db, viewer=viewer))
    seqs = [seq for (seq,) in db.execute("SELECT seq FROM fact ORDER BY seq")]
    numbers = {batch.ordinal: batch.number for batch in batches}
    return {
        "batches": batches,
        "entries": list(history.entries(db, viewer=viewer, limit=-1)),
        "first": list(history.entries(db, viewer=viewer, limit=3, most=2)),
        "lives": [
            list(history.with_whole_images(db, history.entries_of(db, seq, viewer=viewer)))
            for seq in range(max(seqs, default=0) + 2)
        ],
        "about": [about(db, batches, wanted, viewer) for wanted in FILTERS],
        "days": stats.by_day(db, viewer=viewer, since=NOW - DAY, days=500),
        "deeds": history.deeds_of(db, numbers, viewer=viewer),
        "departures": archivals.of(db, seqs),
        "added": [added(db, number) for number in numbers.values()],
        "times": statements.times(db, viewer=viewer),
        "plans": [planned(db, ordinal, viewer) for ordinal in numbers],
    }


def about(db, batches, wanted, viewer):
    did = history.changes_of(db, wanted, viewer=viewer)
    return did, [
        list(history.entries_about(db, batch, wanted, viewer=viewer, most=most))
        for batch in batches for most in (-1, 2)
    ]  # fmt: skip


def added(db, number):
    wanted = Filter(lifecycle=None, batch=number)
    return [one.id for one in listing.each(db, viewer=EVERYONE, wanted=wanted)]


def planned(db, ordinal, viewer):
    try:
        return plan_undo(db, history.find(db, ordinal, viewer=viewer), viewer=viewer)
    except TidelineError as error:
        return str(error), error.hint


def lived(db, draw, steps):
    """Go through some steps; return what is told after each of them."""
    world = undoing.World(db, draw)
    tales = []
    for _ in range(steps):
        undoing.act(world, STEPS)
        tales.append([told(db, viewer) for viewer in ORIGINS[:2]])
        assert list(structure.journal(db)) == list(structure.images(db)) == []
    sound(db)
    tales.append((undoing.exported(db), db.execute("SELECT * FROM batch_count").fetchall()))
    return tales


@settings(max_examples=often(20, 150))
@given(data=st.data())
def test_runs_tell_what_single_births_tell(data):
    """History, days, undo, purge and the rest are the same, to the numbers of the changes."""
    steps, drawn = data.draw(st.integers(1, 7)), []

    def draw(strategy):
        drawn.append(data.draw(strategy))
        return drawn[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "_LEAST", 1)
        with fresh_store() as db:
            tales = lived(db, draw, steps)
        again = iter(drawn)
        patch.setattr(images, "_LEAST", NEVER)
        with fresh_store() as db:
            assert lived(db, lambda _: next(again), steps) == tales
            assert db.execute("SELECT count(*) FROM change WHERE entity = 'facts'").get == 0
