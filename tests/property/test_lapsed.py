"""Facts that do not hold at a moment: what is kept of them against a plain count."""

from __future__ import annotations

from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.strategies import ORIGINS, VOCABULARY
from tests.soundness import lapsed_are_sound
from tests.support import DAY, NOW, PEER, fact, fresh_store, often, put, view_at
from tideline_cli.memory import lexical
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import overview, visibility, writes
from tideline_cli.store.checks import derived
from tideline_cli.store.connection import writing

MOMENTS = tuple(NOW + days * DAY for days in range(-4, 5))
moments = st.sampled_from(MOMENTS).flatmap(lambda at: st.integers(at - 1, at + 1))
times = st.sampled_from((None, None, *MOMENTS))
texts = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5).map(" ".join)
acts = st.sampled_from(
    ("put", "put", "put", "archive", "restore", "retime", "delete", "settle", "settle", "ask")
)


def plain(db, number, now):
    """Return the count, the tokens and the frequencies of the facts that hold, by reading all."""
    rows = db.execute(
        "SELECT terms FROM fact WHERE origin = ?1 AND lifecycle = 'active'"
        " AND (valid_to IS NULL OR valid_to > ?2) AND (valid_from IS NULL OR valid_from <= ?2)",
        (number, now),
    )
    held = [row[0].split() for row in rows]
    terms = {term: sum(term in listed for listed in held) for term in VOCABULARY}
    return len(held), sum(map(len, held)), terms


def counted(db, number, now):
    """Return the same as the ranking has it."""
    view = view_at(db, origin_number=number, now=now)
    origin = view.origin
    facts, tokens = origin.facts - origin.gone.facts, origin.tokens - origin.gone.tokens
    return facts, tokens, lexical.holding_now(view, VOCABULARY)


def act(db, data, every, done):
    """Do one thing to the store: `every` is the facts that are there, by id."""
    if done == "put":
        made = fact(
            data.draw(texts), f"ID{len(every):024d}", valid_from=data.draw(times),
            valid_to=data.draw(times), origin=data.draw(st.sampled_from(ORIGINS)),
            lifecycle=data.draw(st.sampled_from(("active", "active", "archived"))),
        )  # fmt: skip
        put(db, [made], analyzer="reference")
        every[made.id] = made
    elif done == "settle":
        with writing(db):
            overview.settle(
                db, origin_number=data.draw(st.integers(1, 3)), now=data.draw(moments)
            )
    elif done != "ask" and every:
        one = every[data.draw(st.sampled_from(sorted(every)))]
        with writing(db):
            if done == "delete":
                db.execute("DELETE FROM fact WHERE id = ?", (one.id,))
                return
            after = {
                "archive": lambda: replace(one, lifecycle="archived"),
                "restore": lambda: replace(one, lifecycle="active"),
                "retime": lambda: replace(
                    one, valid_from=data.draw(times), valid_to=data.draw(times)
                ),
            }[done]()
            writes.change(db, one, after)
        every[one.id] = after





@settings(max_examples=often(30, 120))
@given(st.data())
def test_lapsed_facts_are_counted_exactly(data):
    """After any history, and for any moment, past or future, the statistics are those of the facts
    that hold then; the counts of the file are those of the instant that it names."""
    every = {}
    with fresh_store(analyzer="reference") as db, mock.patch.object(overview, "_AT_ONCE", 2):
        for done in data.draw(st.lists(acts, min_size=3, max_size=25)):
            act(db, data, every, done)
            lapsed_are_sound(db)
            number = data.draw(st.integers(1, 3))
            now = data.draw(moments)
            assert counted(db, number, now) == plain(db, number, now)
        assert list(derived.ranking_counts(db)) == []
        with writing(db):
            derived.count_anew(db)
        lapsed_are_sound(db)


def test_settling_comes_to_the_moment(db):
    """However many begin and end in between, settling again and again reaches the moment, and a
    question then reads nothing."""
    put(db, [
        fact(f"word{n} and", f"ID{n:024d}", valid_to=NOW + n % 7 * DAY, valid_from=NOW - n * DAY)
        for n in range(40)
    ])  # fmt: skip
    number = visibility.number(db, OWNER)
    with mock.patch.object(overview, "_AT_ONCE", 3):
        for now in (NOW + 9 * DAY, NOW - 20 * DAY, NOW):
            turns = 0
            while view_at(db, origin_number=number, now=now).origin.gone.read:
                with writing(db):
                    overview.settle(db, origin_number=number, now=now)
                lapsed_are_sound(db)
                turns += 1
            assert 2 <= turns < 30


def test_origins_are_settled_apart(db):
    """What one origin settles leaves the instant and the counts of the others."""
    put(db, [
        fact("green tea", f"ID{n:024d}", valid_to=NOW + DAY, origin=origin)
        for n, origin in enumerate((OWNER, PEER))
    ])  # fmt: skip
    kept = "SELECT * FROM lapsed WHERE origin = ?"
    owner, peer = visibility.number(db, OWNER), visibility.number(db, PEER)
    before = db.execute(kept, (peer,)).fetchall()
    with writing(db):
        overview.settle(db, origin_number=owner, now=NOW + 3 * DAY)
    assert db.execute(kept, (peer,)).fetchall() == before
    assert db.execute(kept, (owner,)).fetchall() == [(owner, NOW + 3 * DAY, 1, 2)]
    assert {row[0] for row in db.execute("SELECT origin FROM lapsed_term")} == {owner}
