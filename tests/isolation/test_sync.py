"""What one origin sees on two machines does not depend on what the others have there."""

from __future__ import annotations

import re

from tests import backends
from tests.conftest import run_main
from tests.support import DAY, NOW, named_id
from tests.sync.machines import HOUR, Machine, Wire, settle
from tideline_cli.memory import amend, purge, recall, remember, undo
from tideline_cli.memory.query import Query
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.model.record import replace
from tideline_cli.sync import rulings

_REPLICA = re.compile("of [0-9a-f]{8}:")  # replicas are named by chance here
PEER, OTHER = channel("wa", "c1", "s1"), channel("wa", "c2", "s1")
LOOKS = (
    ("recall", "live deploy"), ("recall", "live", "--as-of", "2025-10-10"), ("history",),
    ("status",), ("timeline",), ("slots",), ("contradictions",), ("tags",), ("export",),
    ("show", named_id("A1")), ("show", named_id("B1")), ("history", "--of", named_id("A1")),
)  # fmt: skip


def say(machine, text, name, *, by, now, **given):
    source = "owner_message" if by is OWNER else "channel_message"
    remember.remember(machine.db, NewFact(text, "knowledge", source, by, **given),
                      fact_id=named_id(name), now=now + machine.skew)  # fmt: skip


def mine(step, one, other, by):
    """Take a step of a small program on two machines."""
    now = NOW + step * HOUR
    match step:
        case 0:
            say(one, "I live in Rome", "A1", by=by, now=now, slot="town")
            say(other, "I live in Oslo", "A2", by=by, now=now, slot="town")
        case 1:
            say(one, "I deploy on Mondays", "A3", by=by, now=now)
            say(other, "I deploy on Mondays", "A4", by=by, now=now)
        case 3:
            amend.forget(one.db, [named_id("A3")], superseded_by=None, viewer=by, now=now)
            answer = recall.recall(other.db, Query("live", limit=5), viewer=by, now=now)
            recall.write_back(other.db, answer, touch=True, now=now)
        case 4:
            undo.undo(one.db, None, viewer=by, now=now)


def theirs(step, one, other):
    """What others do meanwhile: the same texts and slots, and what empties them again."""
    now = NOW + step * HOUR + 1000
    for place, by in enumerate((OWNER, OTHER)):
        letter = "BC"[place]
        match step:
            case 0:
                say(other, "I live in Rome", f"{letter}1", by=by, now=now, slot="town")
            case 1:
                say(one, "I live in Bern", f"{letter}2", by=by, now=now, slot="town")
                say(other, "I deploy on Mondays", f"{letter}3", by=by, now=now)
            case 2:
                amend.pin(one.db, [named_id(f"{letter}2")], viewer=by, now=now)
            case 4:
                purge.purge(other.db, [named_id(f"{letter}3")], viewer=by, now=now)


def told(tmp_path, *, crowded):
    """Return what an origin is told on each machine in the end."""
    one, other = Machine(tmp_path, "one"), Machine(tmp_path, "other", skew=4000)
    wire = Wire()
    for step in range(6):
        mine(step, one, other, PEER)
        if crowded:
            theirs(step, one, other)
        if step % 2:
            settle([one, other], wire, NOW + step * HOUR + 60_000)
    settle([one, other], wire, NOW + DAY)
    one.close()
    other.close()
    answers = []
    for path in (one.path, other.path):
        for look in LOOKS:
            done = run_main(*look, "--db", path, "--origin", PEER.key, "--now", str(NOW + 2 * DAY))
            out = _REPLICA.sub("of another:", backends.unnamed(done.out.replace(str(tmp_path), "")))
            answers.append((look, done.code, out, done.err))
    return answers


def ruled_as_of_one_origin(ruled):
    """Return `ruled` as it would be if all facts were of one origin."""

    def across(stated):
        of = {one.fact.id: one.fact.origin for one in stated}
        found = ruled([replace(one, fact=replace(one.fact, origin=PEER)) for one in stated])
        return {
            fact_id: replace(one, fact=replace(one.fact, origin=of[fact_id]))
            for fact_id, one in found.items()
        }

    return across


def test_nobody_notices_the_others_of_a_memory_that_syncs(tmp_path):
    """Answers are the same to the byte, of conflicts, copies, undos and purges of others too."""
    for name in ("alone", "crowded"):
        (tmp_path / name).mkdir()
    alone = told(tmp_path / "alone", crowded=False)
    crowded = told(tmp_path / "crowded", crowded=True)
    for quiet, loud in zip(alone, crowded, strict=True):
        assert quiet == loud
    assert any("I live in" in str(answer) for answer in alone)


def test_a_rule_across_origins_would_be_noticed(tmp_path, monkeypatch):
    """The comparison is no formality: rulings that do not ask whose facts they are about change
    answers."""
    for name in ("alone", "crowded"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(rulings, "ruled", ruled_as_of_one_origin(rulings.ruled))
    monkeypatch.setattr(amend, "pin", lambda *_, **__: None)  # what gave way cannot be pinned
    alone = told(tmp_path / "alone", crowded=False)
    assert told(tmp_path / "crowded", crowded=True) != alone
