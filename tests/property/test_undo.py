"""Any history, and whatever batch of it is taken back: the memory is what it was, to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.strategies import ORIGINS
from tests.property.strategies import facts as drawn_facts
from tests.soundness import sound
from tests.support import DAY, NOW, fresh_store, named_id, often
from tideline_cli.dream import consolidate
from tideline_cli.dream.plan import STAGES, Settings
from tideline_cli.dream.run import dream
from tideline_cli.errors import NotFoundError, TidelineError, WriteBlockedError
from tideline_cli.exchange import jsonl
from tideline_cli.exchange.extract import passes
from tideline_cli.exchange.extract.conversation import Message
from tideline_cli.exchange.extract.passes import facts_pass
from tideline_cli.exchange.extract.types import ExtractContext, Tally
from tideline_cli.exchange.importer.cells import STATED
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.llm.model_settings import Model
from tideline_cli.memory import amend
from tideline_cli.memory import edit as editing
from tideline_cli.memory import link as linking
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.memory.undo import redo, undo
from tideline_cli.model import codec
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.store import facts, history, listing, score_bounds, visibility
from tideline_cli.store.connection import writing

WORDS = "deploy friday monday coffee tea office lunch paris train green".split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
segments = st.sampled_from(("knowledge", "preference", "context"))
sources = st.sampled_from(("owner_message", "owner_message", "user_instruction", "extraction"))
slots = st.none() | st.sampled_from(("day", "drink"))
viewers = st.sampled_from((OWNER, OWNER, ORIGINS[1]))


class World:
    """A store with a clock, a counter of ids, and somebody who acts."""

    def __init__(self, db, draw):
        self.db = db
        self.draw = draw
        self.now = NOW
        self.made = 0
        self.viewer = OWNER
        self.said = []

    def tick(self):
        self.now += self.draw(st.sampled_from((0, 1, 1000)))
        return self.now

    def new_id(self):
        self.made += 1
        return named_id(f"F{self.made:04d}")

    def some(self, most=1, **wanted):
        """Return ids of the viewer's facts."""
        ids = [
            one.id for one in listing.each(
                self.db, viewer=self.viewer, wanted=facts.Filter(**wanted), oldest_first=True
            )
        ]  # fmt: skip
        listed = st.lists(st.sampled_from(ids), max_size=most, unique=True) if ids else st.just([])
        return self.draw(listed)


def do_remember(world):
    draw = world.draw
    new = NewFact(
        draw(texts), draw(segments), draw(sources), world.viewer, slot=draw(slots),
        tags=tuple(draw(st.lists(st.sampled_from(WORDS), max_size=2, unique=True))),
        importance=draw(st.none() | st.floats(0, 1)),
        derived_from=tuple(world.some(2, lifecycle=None)),
        supersedes=tuple(world.some(2)) if draw(st.booleans()) else (),
    )  # fmt: skip
    remember(world.db, new, fact_id=world.new_id(), now=world.tick())


def do_import(world):
    draw = world.draw
    rows = []
    for _ in range(draw(st.integers(1, 3))):
        fact_id = world.new_id()
        form = codec.fact_form(draw(drawn_facts(fact_id, st.just(world.viewer))))
        target = draw(st.sampled_from([row["id"] for row in rows] or [fact_id]))
        form["links"] = [{"kind": "supports", "target": target, "reason": draw(texts)}]
        rows.append(json.loads(codec.dumps(form)))
    merge = draw(st.booleans())
    context = ImportContext(world.viewer, world.tick(), draw(st.booleans()))
    import_rows(world.db, enumerate(rows, 1), context, merge=merge)


def do_load(world):
    """Rows that say no more than their facts do, of the owner and of others, as one file."""
    draw = world.draw
    rows = [
        {"id": world.new_id(), "content": draw(texts), "segment": draw(segments)}
        for _ in range(draw(st.integers(1, 7)))
    ]
    others = draw(st.integers(0, len(rows))) if world.viewer.is_owner else 0
    for row in rows[:others]:
        row["origin"] = ORIGINS[1].key
    if draw(st.booleans()):
        rows.insert(len(rows) // 2, {"content": "apart", "slot": "day"})
    context = ImportContext(world.viewer, world.tick(), trusted=True)
    import_rows(world.db, enumerate(rows, 1), context, merge=False)


def do_recall(world):
    query = Query(world.draw(texts), limit=3)
    answer = recall(world.db, query, viewer=world.viewer, now=world.tick())
    write_back(world.db, answer, touch=True, now=world.now)


def do_index(world):
    """What a dream or a recall makes meanwhile."""
    with writing(world.db) as db:
        origin = visibility.ensure_number(db, world.viewer)
        embed_backlog(db, origin_number=origin, limit=world.draw(st.sampled_from((2, 100))))
        limit = world.draw(st.sampled_from((2, 100)))
        score_bounds.extend(db, limit=limit, origin_number=None)


def do_forget(world):
    by = world.some() if world.draw(st.booleans()) else []
    amend.forget(
        world.db, world.some(3), superseded_by=by[0] if by else None, viewer=world.viewer,
        now=world.tick(),
    )  # fmt: skip


def do_restore(world):
    named = world.some(2, lifecycle="archived")
    amend.restore(world.db, named, viewer=world.viewer, now=world.tick())


def do_pin(world):
    amend.pin(world.db, world.some(2), viewer=world.viewer, now=world.tick())


def do_feedback(world):
    for reference in world.some():
        delta = world.draw(st.sampled_from((0.1, -0.1)))
        amend.feedback(world.db, reference, delta=delta, viewer=world.viewer, now=world.tick())


def revise(world, reference, changes, **given):
    editor = editing.Editor(
        "owner_message", typed=world.draw(st.booleans()), vouched=world.draw(st.booleans())
    )
    editing.edit(
        world.db, reference, changes, editor=editor, fact_id=world.new_id(), viewer=world.viewer,
        now=world.tick(), **given,
    )  # fmt: skip


def do_edit(world):
    for reference in world.some():
        revise(world, reference, {"content": world.draw(texts)})


def do_edit_since(world):
    """A new wording that begins in the past, now, or at a time to come."""
    since = world.now + world.draw(st.sampled_from((-5000, 0, 1, 5000)))
    for reference in world.some():
        revise(world, reference, {"content": world.draw(texts)}, since=since)


def do_edit_to_another(world):
    """The words of another fact, with a label or without."""
    for one, other in (tuple(both) for both in [world.some(2)] if len(both) == 2):
        known = facts.find(world.db, other, viewer=world.viewer)
        labels = world.draw(st.sampled_from(({}, {"slot": "day"}, {"tags": ("t",)})))
        revise(world, one, {"content": known.content, **labels})


def do_relabel(world):
    draw = world.draw
    wanted = {
        "slot": st.sampled_from(("day", "drink", "")), "segment": segments,
        "tags": st.just(("t", "u")), "title": st.sampled_from(("a title", "")),
        "metadata": st.just({"k": 1}), "importance": st.floats(0, 1), "kind": st.just("note"),
        "valid_to": st.sampled_from((world.now - 500, world.now + 5000)),
        "valid_from": st.sampled_from((world.now - 1000, world.now + 2000)),
    }  # fmt: skip
    for reference in world.some():
        names = draw(st.lists(st.sampled_from(sorted(wanted)), min_size=1, max_size=3, unique=True))
        revise(world, reference, {name: draw(wanted[name]) for name in names})


def do_link(world):
    ends = world.some(2)
    if len(ends) == 2:
        linking.link(
            world.db, ends[0], world.draw(st.sampled_from(("supports", "contradicts"))), ends[1],
            reason=world.draw(st.none() | texts), strength=world.draw(st.none() | st.just(3)),
            viewer=world.viewer, now=world.tick(),
        )  # fmt: skip


def do_unlink(world):
    ends = world.some(2)
    if len(ends) == 2:
        linking.unlink(
            world.db, ends[0], "supports", ends[1], viewer=world.viewer, now=world.tick()
        )


def do_dream(world):
    wanted = Settings(
        stages=world.draw(st.sampled_from((STAGES, ("gc",)))), max_loss=1.0,
        merge_at=world.draw(st.sampled_from((0.95, 0.5))), relate_at=0.4, confirm_count=1,
    )  # fmt: skip
    world.now += world.draw(st.sampled_from((0, 400 * DAY)))
    dream(world.db, wanted, viewer=world.viewer, now=world.tick(), dry_run=False)


def do_consolidate(world):
    """A model that names some facts, and why."""
    bucket = consolidate.gather(world.db, viewer=world.viewer)
    ids = [one.id for one in bucket.facts]
    wanted = world.draw(st.lists(st.sampled_from(ids or ["none"]), max_size=4, unique=True))
    by = world.draw(st.sampled_from(ids or ["none"]))
    said = {"archive": wanted, "because": {one: {"by": by, "reason": "why"} for one in wanted}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(consolidate, "complete", lambda *_, **__: json.dumps(said))
        consolidate.consolidate(
            world.db, bucket, Model(command="nobody"), viewer=world.viewer, now=world.tick(),
            max_loss=1.0, dry_run=False,
        )  # fmt: skip


def do_extract(world):
    """A conversation that grows by two messages, of which a model makes facts and edges."""
    world.said += [Message("user", world.draw(texts)), Message("assistant", "noted")]
    drafts = [
        {"content": world.draw(texts), "segment": world.draw(segments)} for _ in range(2)
    ]  # fmt: skip
    edge = {"a": "new:0", "b": "new:1", "type": "uses", "reason": "so", "strength": 4}
    context = ExtractContext("talk", world.viewer, world.tick(), world.new_id)
    tally = Tally()
    passes.run(
        world.db, context, facts_pass(world.db, context, world.said, tally, min_new=2), world.said,
        tally, ask=lambda *_: json.dumps({"facts": drafts, "relationships": [edge]}),
    )  # fmt: skip


def do_undo(world):
    undo(world.db, None, viewer=world.viewer, now=world.tick())


def do_undo_older(world):
    last = newest(world.db, world.viewer)
    if last is not None:
        ordinal = world.draw(st.integers(1, last.ordinal))
        undo(world.db, ordinal, viewer=world.viewer, now=world.tick())


def do_redo(world):
    redo(world.db, viewer=world.viewer, now=world.tick())


STEPS = (
    do_remember, do_remember, do_remember, do_import, do_recall, do_index, do_forget, do_restore,
    do_pin, do_feedback, do_edit, do_edit_since, do_edit_to_another, do_relabel, do_relabel,
    do_link, do_unlink, do_dream, do_dream, do_consolidate, do_extract, do_undo, do_load,
)  # fmt: skip


def act(world, steps=STEPS):
    """Do one thing; what policy refuses is done too."""
    world.viewer = world.draw(viewers)
    step = world.draw(st.sampled_from(steps))
    try:
        step(world)
    except TidelineError:
        return


def exported(db):
    """Return all facts and edges, without when they were last stated: an undo states them anew."""
    return [
        {name: form[name] for name in form if name not in STATED}
        for form in jsonl.forms(db, viewer=EVERYONE)
    ]


def newest(db, viewer):
    """Return the newest batch of an origin that changed anything, undo or not; None without one."""
    ((ordinal,),) = db.execute(
        "SELECT ifnull(max(ordinal), 0) FROM batch JOIN origin ON origin.number = origin"
        " WHERE key = ? AND outcome = 'done' AND (verb IN ('purge', 'retention')"
        " OR EXISTS (SELECT 1 FROM change WHERE change.batch = batch.number))", (viewer.key,),
    )  # fmt: skip
    return history.find(db, ordinal, viewer=viewer)


@settings(max_examples=often(30, 200))
@given(data=st.data())
def test_the_last_batch_is_taken_back_exactly(data):
    """After an undo everything is as before the batch, after another as before the undo: facts,
    links, uses, index, statistics, vectors, bounds. What a recall has used stays used; the heat
    that it moved comes back."""
    with fresh_store() as db:
        world = World(db, data.draw)
        for _ in range(data.draw(st.integers(0, 7))):
            act(world)
        number = {viewer: newest(db, viewer) for viewer in ORIGINS}
        before = exported(db)
        act(world)
        last = newest(db, world.viewer)
        if last == number[world.viewer]:
            return
        after = exported(db)
        done = undo(db, last.ordinal, viewer=world.viewer, now=world.tick())
        if last.verb == "recall":
            assert bare(exported(db)) == bare(before)
        else:
            assert exported(db) == before
        sound(db)
        undo(db, done.batch, viewer=world.viewer, now=world.tick())
        assert exported(db) == after
        sound(db)


def steps_back(world, most):
    """Undo as often as it goes, `most` at most; return the states before each undo."""
    states = []
    while len(states) < most:
        before = exported(world.db)
        try:
            undo(world.db, None, viewer=world.viewer, now=world.tick())
        except NotFoundError:
            break
        states.append(before)
    return states


@settings(max_examples=often(30, 200))
@given(data=st.data())
def test_steps_back_and_forward_to_any_depth(data):
    """So many undos and as many redos lead through the same states there and back, to the start of
    all where none is left; undo and redo of chosen batches in between change nothing of that."""
    with fresh_store() as db:
        world = World(db, data.draw)
        for _ in range(data.draw(st.integers(1, 7))):
            act(world, (*STEPS, do_undo_older, do_redo))
            world.viewer = OWNER
        if data.draw(st.booleans()):
            steps_back(world, data.draw(st.integers(0, 3)))
        states = []
        try:
            states = steps_back(world, data.draw(st.integers(1, 12)))
        except WriteBlockedError as error:  # what another origin did since stands in the way
            assert "another origin" in str(error)
            return
        for before in reversed(states):
            redo(db, viewer=OWNER, now=world.tick())
            assert exported(db) == before
        sound(db)
        assert steps_back(world, len(states)) == states


def changed_facts(db, viewer, ordinal):
    """Return the ids of the facts whose rows, not only their use, a batch changed."""
    number = history.find(db, ordinal, viewer=viewer).number
    return {
        fact_id for (fact_id,) in db.execute(
            "SELECT id FROM change JOIN fact ON seq = row WHERE entity = 'fact' AND batch = ?",
            (number,),
        )
    }  # fmt: skip


_USE = ("access_count", "last_accessed_at")


def bare(forms, but=()):
    """Return facts by id without their links and their use, those in `but` left out."""
    return {
        form["id"]: {name: form[name] for name in form if name not in ("links", *_USE)}
        for form in forms
        if form["id"] not in but
    }


@settings(max_examples=often(30, 200))
@given(data=st.data())
def test_an_older_batch_is_taken_back_alone_or_not_at_all(data):
    """An older batch is refused, and nothing changes; or its facts are as they were before it and
    all others as they are. Undoing that brings all of it back."""
    with fresh_store() as db:
        world = World(db, data.draw)
        pasts = {}
        for _ in range(data.draw(st.integers(2, 8))):
            before = bare(exported(db))
            act(world)
            found = newest(db, world.viewer)
            if found is not None:
                pasts.setdefault((world.viewer.key, found.ordinal), (world.viewer, before))
        if not pasts:
            return
        (_, ordinal), (viewer, past) = data.draw(st.sampled_from(sorted(pasts.items())))
        now = exported(db)
        try:
            done = undo(db, ordinal, viewer=viewer, now=world.tick())
        except WriteBlockedError as error:
            assert error.code == "undo_conflict"
            assert exported(db) == now
            return
        used = {*done.changed} - changed_facts(db, viewer, ordinal)
        touched = {*done.removed, *done.restored, *done.changed} - used
        then = exported(db)
        assert bare(then, but=touched) == bare(now, but=touched)
        assert {name: form for name, form in bare(then).items() if name in touched} == {
            name: form for name, form in past.items() if name in touched
        }
        sound(db)
        undo(db, done.batch, viewer=viewer, now=world.tick())
        assert exported(db) == now
        sound(db)
