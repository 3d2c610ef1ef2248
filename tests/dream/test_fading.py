"""When a fact fades: the day that is foretold, and what lets it rest longer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import DAY, NOW, PEER, fact, fresh_store, named_id, often, put
from tideline_cli.dream import consolidate
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.model.origin import OWNER
from tideline_cli.ranking.fading import ALWAYS, Eviction, Traits, fades_at, weak_at
from tideline_cli.store import facts, reads, uses
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing

SHARES = st.floats(0.0, 1.0)
YEAR = 365 * DAY


def rows(db, sql):
    return db.execute(sql).fetchall()


@st.composite
def traits(draw):
    created = NOW - draw(st.integers(0, 2 * YEAR))
    return Traits(
        draw(st.sampled_from(("short", "long"))), draw(SHARES), draw(st.floats(0.0, 3.0)),
        draw(st.integers(0, 500)),
        created + draw(st.integers(0, YEAR)), created,
        draw(st.sampled_from(("owner_message", "tool_output"))),
        draw(st.sampled_from((None, "codex"))), draw(st.none() | st.integers(NOW - YEAR, NOW)),
    )  # fmt: skip


@given(traits(), st.floats(0.001, 1.0))
def test_the_curve_is_solved_to_the_millisecond(one, below):
    """At the instant that is computed the strength is below the line, a millisecond before not."""
    at = weak_at(one, below)
    assert at is not None
    if at == ALWAYS:
        assert one.strength_at(now=one.last_accessed_at) < below
    else:
        assert one.strength_at(now=at) < below <= one.strength_at(now=at - 1)


@settings(max_examples=often(20, 80))
@given(traits(), st.sampled_from((None, 100 * DAY, YEAR)))
def test_a_dream_archives_a_fact_on_the_day_that_is_foretold(one, after_owner):
    """A dream at the foretold instant archives the fact; one a day, or a millisecond, earlier does
    not. What is never to fade is kept for ever."""
    at = fades_at(one, Eviction(after_owner_ms=after_owner))
    is_kept = one.source == "owner_message" and one.agent is None and one.tier == "long"
    assert (at is None) == (is_kept and after_owner is None)
    wanted = Settings(stages=("evict",), max_loss=1.0, evict_after_owner_ms=after_owner)
    with fresh_store() as db:
        (seq,) = put(db, [fact(
            "the boiler wants 1.5 bar", named_id("A"), now=one.created_at, source=one.source,
            agent=one.agent, tier=one.tier, importance=one.importance, decay_rate=one.decay_rate,
            access_count=one.access_count,
            last_accessed_at=one.last_accessed_at,
        )])  # fmt: skip
        if one.given_at is not None:
            with writing(db):
                reads.alone(db, uses.note_given({seq: named_id("A")}, now=one.given_at))
        days = ((NOW + 9 * YEAR, 0),) if at is None else ((at - DAY, 0), (at - 1, 0), (at, 1))
        for now, gone in days:
            done = dream(db, wanted, viewer=OWNER, now=now, dry_run=now != at)
            assert len(done.plan.fades) == gone


def test_no_line_lets_nothing_fade():
    """Below zero is nothing."""
    one = Traits("short", 0.5, 0.03, 0, NOW, NOW, "owner_message")
    assert fades_at(one, Eviction(below=0.0)) is None


def _old_fact(run, *more):
    run("remember", "the boiler wants 1.5 bar", "-s", "context", "--now", str(NOW), *more)


def test_what_context_gave_out_does_not_fade(run, monkeypatch):
    """A fact that context printed within 30 days is kept by dream and gc, and fades afterwards;
    its use and strength are as before."""
    _old_fact(run)
    late = str(NOW + 80 * DAY)
    assert run("dream", "--dry-run", "--json", "--now", late, "--max-loss", "1").json["origins"][0][
        "evicted"
    ]
    before = run("list", "--json").json["facts"]
    with monkeypatch.context() as patch:
        patch.setenv("TIDELINE_NOW", str(NOW + 60 * DAY))
        assert "boiler" in run("context", "boiler").out
    assert run("list", "--json").json["facts"] == before
    for verb in ("dream", "gc"):
        (row,) = run(verb, "--json", "--now", late, "--max-loss", "1").json["origins"]
        assert row["archived"] == []
    later = str(NOW + 90 * DAY)
    (row,) = run("dream", "--json", "--now", later, "--max-loss", "1").json["origins"]
    assert len(row["evicted"]) == 1


@pytest.mark.parametrize("more", [("--auto",), ("--auto", "--json")])
def test_a_program_leaves_no_trace(run, home, more):
    """context --auto notes nothing."""
    _old_fact(run)
    assert "boiler" in run("context", "boiler", *more).out
    db = open_for_writing(str(home / "tideline.db"))
    assert rows(db, "SELECT * FROM given") == []
    db.close()
    run("context", "boiler", "--format", "xml")
    db = open_for_writing(str(home / "tideline.db"))
    assert rows(db, "SELECT fact, at FROM given") == [(1, NOW)]
    assert rows(db, "SELECT * FROM usage") == []
    assert rows(db, "SELECT entity FROM change WHERE batch > 1") == []
    db.close()


def test_only_what_was_printed_counts_as_given(run, home):
    """A fact beyond the budget is not noted, nor one that was withheld."""
    run("remember", "the boiler wants 1.5 bar")
    run("remember", "the boiler room smells of oil and has a small green door")
    run("context", "boiler bar", "--max-chars", "50")
    db = open_for_writing(str(home / "tideline.db"))
    assert rows(db, "SELECT fact FROM given") == [(1,)]
    db.close()


def test_a_later_gift_counts_and_none_moves_back(db):
    """The time of the last gift never moves backwards, and a number with another id is nobody."""
    (seq,) = put(db, [fact("one", named_id("A"))])
    with writing(db):
        reads.alone(db, uses.note_given({seq: named_id("A")}, now=NOW))
        reads.alone(db, uses.note_given({seq: named_id("A")}, now=NOW - DAY))
        reads.alone(db, uses.note_given({seq: named_id("B"), 99: named_id("C")}, now=NOW + DAY))
    assert rows(db, "SELECT fact, at FROM given") == [(seq, NOW)]
    assert uses.given_since(db, NOW - 1, viewer=OWNER) == {named_id("A")}
    assert uses.given_since(db, NOW - 1, viewer=PEER) == frozenset()


def test_purge_and_undo_take_the_gift_with_the_fact(run, home):
    """Nothing of a purged fact is left in the tables of fading."""
    _old_fact(run)
    fact_id = run("list", "--json").json["facts"][0]["id"]
    run("context", "boiler")
    run("purge", fact_id, "--yes")
    db = open_for_writing(str(home / "tideline.db"))
    assert rows(db, "SELECT * FROM given") == []
    db.close()


def test_a_model_archives_nothing_that_context_gave_out(db, monkeypatch):
    """consolidate denies what was given out lately and has no successor, and grants the rest."""
    names = [named_id(str(n)) for n in range(8)]
    seqs = put(db, [fact(f"the word number {n} is {n * 7}", name) for n, name in enumerate(names)])
    with writing(db):
        reads.alone(db, uses.note_given({seqs[0]: names[0]}, now=NOW - 29 * DAY))
        reads.alone(db, uses.note_given({seqs[1]: names[1]}, now=NOW - 30 * DAY))
    reply = json.dumps({"archive": names[:2]})
    monkeypatch.setattr(consolidate, "complete", lambda *_, **__: reply)
    bucket = consolidate.gather(db, viewer=OWNER)
    done = consolidate.consolidate(
        db, bucket, None, viewer=OWNER, now=NOW, max_loss=1.0, dry_run=False
    )
    assert [item.loser.id for item in done.verdict.granted] == [names[1]]
    assert done.verdict.denied == ((names[0], "context gave it out in the last 30 days"),)
    assert facts.find(db, names[0], viewer=OWNER).lifecycle == "active"


def _evicted(run, verb, days):
    done = run(verb, "--json", "--dry-run", "--max-loss", "1", "--now", str(NOW + days * DAY))
    (row,) = done.json["origins"]
    return len(row["archived"]) + len(row.get("pruned", ()))


@pytest.mark.parametrize("verb", ["dream", "gc"])
def test_what_a_person_typed_does_not_fade(run, verb, monkeypatch):
    """Only what others said fades, and what was called short-lived; a duration, and reference, let
    the rest fade once it is so old."""
    run("remember", "the boiler wants 1.5 bar")
    run("remember", "I sit in Rome", "--slot", "desk")
    fading = (
        ("the stove is hot", "-s", "context"),
        ("the lift is broken", "--tier", "short"),
        ("the mailman said it rains", "--source", "tool_output"),
        ("the build needs Python 3.12", "--agent", "codex"),
        ("the build runs on Linux", "--agent", "codex", "--slot", "runner"),
    )
    for more in fading:
        run("remember", *more)
    assert run("config", "get", "evict_after_owner").out == "never\n"
    assert _evicted(run, verb, 4000) == 5
    run("config", "set", "evict_after_owner", "4001d")
    assert (_evicted(run, verb, 4000), _evicted(run, verb, 4002)) == (5, 7)
    assert run("config", "get", "evict_after_owner").out == "4001d\n"
    for value, left in (("never", 5), ("reference", 7), ("10d", 7)):
        monkeypatch.setenv("TIDELINE_EVICT_AFTER_OWNER", value)
        assert _evicted(run, verb, 200) == left
    monkeypatch.delenv("TIDELINE_EVICT_AFTER_OWNER")
    for value, kept in (("reference", "30d\n"), ("never", "never\n")):
        run("config", "set", "evict_after_owner", value)
        assert run("config", "get", "evict_after_owner").out == kept
    assert run("config", "set", "evict_after_owner", "sometimes").code == 2


def test_what_an_agent_says_too_stays_typed(run, tmp_path):
    """What a person typed does not fade because an agent has said or imported it as well."""
    run("remember", "I am allergic to nuts")
    assert "keeps its own agent" in run("remember", "I am allergic to nuts", "--agent", "codex").err
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"content": "I am allergic to nuts", "agent": "codex", "segment": "project"}')
    run("import", str(rows), "--trust")
    run("dream", "--max-loss", "1")
    assert _evicted(run, "dream", 4000) == 0
    assert [one["agent"] for one in run("list", "--json").json["facts"]] == [None]


def test_a_project_does_not_change_what_fades(run, tmp_path):
    """A project file that names evict_after_owner is refused, as are all settings of the user's."""
    _old_fact(run)
    (tmp_path / ".tideline.toml").write_text('evict_after_owner = "3650d"\n')
    done = run("dream", "--dry-run", "--max-loss", "1", "--now", str(NOW + 100 * DAY))
    assert done.code == 2
    assert "a project file may not set evict_after_owner" in done.err
