"""What a dream may do, and what it leaves alone."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, PEER, fact, put, rows, tables
from tideline_cli.dream import comparison
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream, summary
from tideline_cli.memory.amend import archive_fact
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, history, journal, links, listing, passes, visibility, writes
from tideline_cli.store.connection import put_setting, writing
from tideline_cli.store.passes import last_pass

TEXT = "The user prefers dark mode in the editor"
FREE = Settings(max_loss=1.0)


def state(db, fact_id):
    return facts.find(db, fact_id, viewer=EVERYONE)


def night(db, settings=FREE, *, viewer=OWNER, now=NOW, dry_run=False):
    return dream(db, settings, viewer=viewer, now=now, dry_run=dry_run)


@pytest.mark.parametrize("source", ["extraction", "tool_output", "retrieved_document"])
def test_a_hostile_twin_is_the_one_archived(db, source):
    """An untrusted fact that imitates a trusted one never takes its place, however rich it is."""
    mine = fact(TEXT, "MINE", now=NOW - 50 * DAY)
    hostile = fact(
        TEXT, "HOSTILE", source=source, importance=1.0, slot="theme", confidence=1.0,
        access_count=99, segment="relationship",
    )  # fmt: skip
    put(db, [mine, hostile])
    done = night(db)
    assert [(m.keeper.id, m.loser.id) for m in done.plan.merges] == [("MINE", "HOSTILE")]
    assert (state(db, "MINE").lifecycle, state(db, "HOSTILE").lifecycle) == ("active", "archived")


def test_how_often_a_hostile_twin_was_used_counts_for_nobody(db):
    """What nobody vouches for makes a trusted fact neither stronger nor confirmed, and does not
    keep it when it has faded."""
    faded = fact(TEXT, "MINE", now=NOW - 200 * DAY, agent="codex")
    put(db, [faded, fact(TEXT, "HOSTILE", source="extraction", access_count=99)])
    done = night(db)
    assert (len(done.plan.merges), len(done.plan.fades), done.skipped) == (1, 1, 0)
    assert (state(db, "MINE").access_count, state(db, "MINE").lifecycle) == (0, "archived")


def test_max_loss_archives_nothing_at_all(db):
    """Over the limit a dream archives nothing, still confirms and links, and counts what it
    refused."""
    put(db, [
        fact(TEXT, "A1"), fact(TEXT, "A2"), fact(TEXT, "A3"),
        fact("The user prefers dark mode in the old editor", "B"),
        fact("deploys happen on Friday", "C", slot="deploy", access_count=5),
        *(fact(f"something {word} entirely", f"D{word}") for word in ("red", "odd", "new")),
    ])  # fmt: skip
    done = night(db, Settings(max_loss=0.24))
    assert (done.plan.refused, done.plan.merges, done.plan.fades) == (2, (), ())
    assert [item.before.id for item in done.plan.confirms] == ["C"]
    assert {item.source.id for item in done.plan.relates} == {"A1", "A2", "A3", "B"}
    assert {f.lifecycle for f in listing.each(db, viewer=OWNER, wanted=facts.Filter(None))} == {
        "active"
    }
    assert "2 refused (over max-loss)" in summary(done.plan)
    assert night(db, Settings(max_loss=0.25)).plan.refused == 0


def test_pinned_and_ended_facts_are_no_losers(db):
    """A pinned fact is kept against a richer twin; what has ceased to hold is no twin."""
    put(db, [
        fact(TEXT, "PINNED", pinned=True), fact(TEXT, "RICH", slot="theme"),
        fact("tea at four every day", "ENDED", valid_to=NOW - 1),
        fact("tea at four every day", "LATER"),
    ])  # fmt: skip
    done = night(db)
    assert [(m.keeper.id, m.loser.id) for m in done.plan.merges] == [("PINNED", "RICH")]
    assert state(db, "PINNED").slot == "theme"


def test_pinned_facts_do_not_fade(db):
    """Neither eviction nor the sweep takes pinned, confirmed, permanent or typed facts."""
    old = NOW - 400 * DAY
    put(db, [
        fact("one", "PINNED", now=old, pinned=True),
        fact("two", "SURE", now=old, status="confirmed"),
        fact("three", "EVER", now=old, tier="permanent"),
        fact("four", "FADED", now=old, agent="codex"),
        fact("five", "SHORT", now=old, tier="short"), fact("six", "TYPED", now=old),
    ])  # fmt: skip
    swept = night(db, Settings(stages=("gc",), max_loss=1.0), dry_run=True).plan.swept
    assert [(item.fact.id, item.becomes) for item in swept] == [
        ("FADED", "archived"), ("SHORT", "pruned")
    ]  # fmt: skip
    assert [item.fact.id for item in night(db).plan.fades] == ["FADED", "SHORT"]


def test_a_weak_fact_of_the_future_is_swept(db):
    """An age below zero counts as zero: what the owner said by a clock that was ahead is swept as
    any other fact is, and once the setting lets it rest, it rests."""
    weak = fact("said by a clock that is ahead", "AHEAD", now=NOW + 9 * DAY, importance=0.1,
                last_accessed_at=NOW - 400 * DAY)  # fmt: skip
    put(db, [weak])
    for rest, gone in ((None, []), (DAY, []), (0, ["AHEAD"])):
        wanted = Settings(stages=("gc",), max_loss=1.0, evict_after_owner_ms=rest)
        swept = night(db, wanted, dry_run=True).plan.swept
        assert [item.fact.id for item in swept] == gone


def test_a_confirmed_belief_of_this_night_is_not_evicted(db):
    """Stages build on those before: what is confirmed first does not fade afterwards."""
    old = NOW - 400 * DAY
    put(db, [fact("deploys on Friday", "A", now=old, slot="deploy", access_count=2,
                  last_accessed_at=old)])  # fmt: skip
    done = night(db)
    assert ([c.before.id for c in done.plan.confirms], done.plan.fades) == (["A"], ())
    assert state(db, "A").lifecycle == "active"


def test_slots_and_sources_that_are_left_alone(db):
    """Facts in two slots stay two; a belief that nobody vouches for is never confirmed."""
    put(db, [
        fact(TEXT, "ONE", slot="home theme"), fact(TEXT, "TWO", slot="work theme"),
        fact("the vendor account is new", "WEB", source="tool_output", slot="account",
             access_count=9),
    ])  # fmt: skip
    done = night(db)
    assert (done.plan.merges, done.plan.confirms) == ((), ())
    assert len(done.plan.relates) == 2


def test_a_dream_that_was_undone_meanwhile_goes_on_in_a_new_batch(db):
    """What a pass does after somebody has taken back its first part can be taken back too."""
    put(db, [fact("one", "A"), fact("two", "B")])
    first = journal.batch(db, verb="dream", by=OWNER, now=NOW)
    with first:
        archive_fact(db, state(db, "A"), by=None, now=NOW)
    undo(db, None, viewer=OWNER, now=NOW)
    with journal.batch(db, verb="dream", by=OWNER, now=NOW, resume=first.number) as second:
        archive_fact(db, state(db, "B"), by=None, now=NOW)
    assert (first.ordinal, second.ordinal) == (1, 3)
    assert undo(db, None, viewer=OWNER, now=NOW).restored == ("B",)


def test_a_dream_that_was_cut_short_does_not_count(db):
    """Only a whole dream that came to its end puts the next one off."""
    put(db, [fact(TEXT, "A")])
    with journal.batch(db, verb="dream", by=OWNER, now=NOW):
        pass
    night(db, Settings(stages=("confirm",)))
    assert last_pass(db, "dream", viewer=OWNER) is None
    night(db, now=NOW + 5)
    assert last_pass(db, "dream", viewer=OWNER) == NOW + 5


def test_corrections_confirm(db):
    """A slot that was corrected three times is a belief that stands."""
    for n, day in enumerate(("Monday", "Tuesday", "Thursday", "Friday")):
        new = NewFact(f"Releases go out on {day}", "knowledge", "owner_message", OWNER,
                      slot="release day")  # fmt: skip
        remember(db, new, fact_id=f"F{n}", now=NOW + n)
    done = night(db, now=NOW + 10)
    assert [(c.before.id, c.corrected) for c in done.plan.confirms] == [("F3", 3)]
    confirmed = state(db, "F3")
    assert (confirmed.status, confirmed.confidence, confirmed.importance) == (
        "confirmed", 0.9, 0.8
    )  # fmt: skip


def test_what_nobody_vouches_for_corrects_nothing(db):
    """Untrusted values of a slot replace one another, and strengthen no trusted belief by that."""
    said = [("owner_message", "Oslo")] + [("tool_output", town) for town in ("A", "B", "C", "D")]
    for n, (source, town) in enumerate(said):
        new = NewFact(f"I live in {town}", "knowledge", source, OWNER, slot="town")
        remember(db, new, fact_id=f"F{n}", now=NOW + n)
    assert night(db, now=NOW + 10).plan.confirms == ()


def test_origins_are_tended_apart(db):
    """Twins in two origins are no twins, and a dream of one leaves the other's journal alone."""
    put(db, [fact(TEXT, "MINE"), fact(TEXT, "THEIRS", origin=PEER)])
    assert night(db).plan.merges == ()
    assert night(db, viewer=PEER).plan.merges == ()
    for viewer in (OWNER, PEER):
        assert [(e.verb, e.batch) for e in history.entries(db, viewer=viewer, limit=9)] == [
            ("dream", 1)
        ]


def test_a_dry_run_writes_nothing(db):
    """A dry run plans the same and leaves the file as it was, derived tables included."""
    put(db, [fact(TEXT, "A1"), fact(TEXT, "A2"), fact(TEXT + " now", "A3")])
    before = {name: rows(db, name) for name in tables()}
    planned = night(db, dry_run=True)
    assert {name: rows(db, name) for name in before} == before
    assert night(db).plan == planned.plan


def test_what_changed_meanwhile_is_left_out(db, monkeypatch):
    """A proposal whose facts changed between plan and apply is skipped, the others happen."""
    put(db, [fact(TEXT, "A1"), fact(TEXT, "A2"), fact("tea at four", "B1"),
             fact("tea at four", "B2")])  # fmt: skip
    kept = comparison.store_pairs

    def meanwhile(db, compared, *, origin_number):
        with journal.batch(db, verb="forget", by=OWNER, now=NOW):
            archive_fact(db, state(db, "A1"), by=None, now=NOW)
        kept(db, compared, origin_number=origin_number)

    monkeypatch.setattr(comparison, "store_pairs", meanwhile)
    done = night(db)
    assert ([m.loser.id for m in done.plan.merges], done.skipped) == (["B2"], 1)
    (told,) = {e.reason for e in history.entries(db, viewer=OWNER, limit=9) if e.verb == "dream"}
    assert told == "1 merged"
    assert state(db, "A2").lifecycle == "active"
    assert [(e.kind, e.target) for e in links.leaving(db, "B1", viewer=OWNER)] == [
        ("contradicts", "B2"), ("transition", "B2")
    ]  # fmt: skip


def test_a_restored_fact_is_compared_again(db):
    """A fact that was not there when its twins were compared is compared when it comes back."""
    put(db, [fact(TEXT, "A1", lifecycle="archived"), fact(TEXT, "A2"), fact("tea at four", "B")])
    night(db)
    origin = visibility.number(db, OWNER)
    assert passes.pairs(db, origin_number=origin, floor=0.8) == []
    with writing(db):
        writes.change(db, state(db, "A1"), replace(state(db, "A1"), lifecycle="active"))
    assert passes.unpaired(db, origin_number=origin) == [1]
    assert len(night(db).plan.merges) == 1
    assert passes.unpaired(db, origin_number=origin) == []


def test_another_embedder_compares_anew(db):
    """Pairs of one embedder say nothing about another's."""
    put(db, [fact(TEXT, "A1"), fact(TEXT + " today", "A2")])
    night(db)
    origin = visibility.number(db, OWNER)
    assert passes.reached(db, origin_number=origin).embedder == "hrr-256"
    with writing(db):
        put_setting(db, "embedder", "hash-256")
    done = night(db)
    assert passes.reached(db, origin_number=origin).embedder == "hash-256"
    assert done.skipped == 0


@pytest.mark.file_alone("it watches the statements of a connection to a file")
def test_no_transaction_is_long(db):
    """A pass is many short transactions, and one batch."""
    put(db, [fact(f"{word} is the word of the day", f"{n}{word}", now=NOW - 400 * DAY)
             for n, word in enumerate("alpha bravo charlie delta echo".split() * 60)])  # fmt: skip
    begun = []
    db.trace_v2(1, lambda event: begun.append(event["sql"]))
    done = night(db)
    db.trace_v2(0, None)
    assert len(done.plan.proposals) > 200
    assert sum(sql == "BEGIN IMMEDIATE" for sql in begun) > len(done.plan.proposals) / 50
    assert len({e.batch for e in history.entries(db, viewer=OWNER, limit=99)}) == 1
