"""Purge, retention and provenance against the reference."""

from __future__ import annotations

import pytest

from tests.soundness import sound
from tests.support import NOW, PEER, deviation, fresh_store, golden, put, reference_fact
from tideline_cli.errors import NotFoundError
from tideline_cli.memory.purge import Retention, doomed, purge, retain
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, links, listing
from tideline_cli.store.facts import Filter

GOVERNANCE = golden("governance")
CASES = {case["name"]: case for case in GOVERNANCE["cases"]}
PURGED = {"purge_p1": ("p1",), "purge_p2_p6": ("p2", "p6")}
RETAINED = {
    "retention_60d_owner": Retention(60),
    "retention_60d_all": Retention(60, all_origins=True),
    "retention_no_keep_confirmed": Retention(60, include_confirmed=True, all_origins=True),
    "retention_exact_age_not_expired": Retention(100, all_origins=True),
}


@pytest.fixture
def db():
    """The store that all cases start from."""
    with fresh_store() as store:
        put(
            store,
            [
                replace(reference_fact(form), derived_from=tuple(form.get("sourcePointers", ())))
                for form in GOVERNANCE["facts"]
            ],
        )
        yield store


def left(db):
    wanted = Filter(lifecycle=None)
    return [one.id for one in listing.each(db, viewer=EVERYONE, wanted=wanted, oldest_first=True)]


@pytest.mark.parametrize("name", PURGED)
def test_purge(db, name):
    """What is named goes, and all that derives from it, in every origin."""
    done = purge(db, PURGED[name], viewer=OWNER, now=NOW)
    assert list(done.ids) == CASES[name]["result"]["purged"]
    assert left(db) == CASES[name]["remaining"]
    sound(db)


def test_purge_of_what_is_not_there(db):
    """An unknown id removes nothing; here it is an error."""
    assert deviation("purge_missing")
    with pytest.raises(NotFoundError):
        purge(db, ["nope"], viewer=OWNER, now=NOW)
    assert CASES["purge_missing"]["result"]["purged"] == []
    assert left(db) == CASES["purge_missing"]["remaining"]


@pytest.mark.parametrize("name", RETAINED)
def test_retention(db, name):
    """What is older than the term goes, whatever its lifecycle; its age must exceed the term."""
    done = retain(db, RETAINED[name], viewer=OWNER, now=NOW)
    assert list(done.ids) == CASES[name]["result"]["purged"]
    assert left(db) == CASES[name]["remaining"]
    sound(db)


def test_provenance(db):
    """A fact names what it derives from, and is found by what it derives from."""
    wanted = CASES["inspect_p2"]["result"]
    fact = facts.find(db, "p2", viewer=OWNER)
    assert list(fact.derived_from) == wanted["derivedFrom"]
    derived = [one for one in doomed(db, ["p2"], viewer=OWNER).values() if one != "p2"]
    assert derived == wanted["derives"]
    assert links.leaving(db, "p2", viewer=OWNER) == wanted["outbound"]
    assert links.arriving(db, "p2", viewer=OWNER) == wanted["backlinks"]


def test_pinned_facts_are_kept_like_confirmed_ones(db):
    """Retention leaves what the owner pinned, unless it is asked for."""
    db.execute("UPDATE fact SET pinned = 1 WHERE id = 'p1'")
    assert retain(db, Retention(60), viewer=OWNER, now=NOW).ids == ("p2", "p6")
    rule = Retention(60, include_confirmed=True)
    assert retain(db, rule, viewer=OWNER, now=NOW).ids == ("p1", "p4", "p7")


def test_purge_by_another_origin(db):
    """The reference lets whoever purges reach every origin; here only the owner does."""
    assert deviation("purge_cascade")
    db.execute("""UPDATE fact SET derived_from = '["p5"]' WHERE id = 'p6'""")
    assert purge(db, ["p5"], viewer=PEER, now=NOW).ids == ("p5",)
    assert "p6" in left(db)
