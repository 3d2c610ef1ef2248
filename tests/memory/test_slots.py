"""One slot, one value at any instant: what ends when a value comes, and what --supersedes adds."""

from __future__ import annotations

import json

import pytest

from tests.memory.test_restate import listed, recalled, said, valid
from tests.support import DAY, NOW

JAN, FEB, MAR, NEXT = "2026-01-01", "2026-02-01", "2026-03-01", "2027-01-01"
ROME, OSLO, BERN = "I live in Rome", "I live in Oslo", "I live in Bern"
CITY = ("--slot", "city")


def shown(run, fact_id):
    """Return a fact as it is."""
    return run("show", fact_id, "--json").json["fact"]


def test_a_value_that_begins_later(run):
    """The present value holds until then, and stderr says from when it is replaced."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    done = run("remember", OSLO, *CITY, "--valid-from", NEXT, "--now", FEB)
    assert f"replaces {rome} from 2027-01-01 on" in done.err
    assert recalled(run, "where do I live", MAR) == [ROME]
    assert listed(run, MAR, as_of="2026-06-01") == [ROME]
    assert recalled(run, "where do I live", "2027-02-01") == [OSLO]
    assert listed(run, "2027-02-01", as_of="2027-02-01") == [OSLO]
    assert (shown(run, rome)["lifecycle"], shown(run, rome)["valid_to"][:10]) == ("active", NEXT)
    assert run("undo", "--now", MAR).code == 0
    assert (shown(run, rome)["lifecycle"], shown(run, rome)["valid_to"]) == ("active", None)


def test_a_value_that_began_earlier(run):
    """The old value ends where the new one begins, also in the past."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    form = said(run, OSLO, *CITY, "--valid-from", FEB, at=MAR)
    assert (form["action"], form["superseded"]) == ("superseded", [rome])
    assert listed(run, MAR, as_of="2026-02-15") == [OSLO]
    assert listed(run, MAR, as_of="2026-01-15") == [ROME]
    assert (shown(run, rome)["lifecycle"], shown(run, rome)["valid_to"][:10]) == ("archived", FEB)


def test_a_plan_that_a_fact_of_no_slot_replaces(run):
    """The present value has no end any more, as when the plan is forgotten; an export of it is read
    back as it is."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    oslo = said(run, OSLO, *CITY, "--valid-from", NEXT, at=FEB)["id"]
    said(run, "the move is off", "--supersedes", oslo, at=MAR)
    assert (shown(run, rome)["lifecycle"], shown(run, rome)["valid_to"]) == ("active", None)
    assert recalled(run, "where do I live", "2027-02-01")[0] == ROME
    whole = run("export", "--all-origins").out
    run("import", "-", "--trust", "--db", "other.db", "--now", "2027-03-01", stdin=whole)
    assert run("export", "--all-origins", "--db", "other.db").out == whole
    assert run("undo", "--now", MAR).code == 0
    assert shown(run, rome)["valid_to"][:10] == NEXT


def test_a_value_that_never_held(run):
    """A value that begins before the old one leaves that one no time."""
    rome = said(run, ROME, *CITY, at=FEB)
    said(run, OSLO, *CITY, "--valid-from", JAN, at=MAR)
    assert valid({"fact": shown(run, rome["id"])}) == (None, FEB)
    assert listed(run, MAR, as_of="2026-02-15") == [OSLO]


def test_values_one_after_the_other(run):
    """A value that holds at other times than the one that is there leaves it alone."""
    oslo = said(run, OSLO, *CITY, "--valid-from", NEXT, at=JAN)
    rome = said(run, ROME, *CITY, "--valid-to", NEXT + "T00Z", at=FEB)
    assert (rome["action"], rome["superseded"]) == ("created", [])
    assert recalled(run, "live", MAR) == [ROME]
    assert valid({"fact": shown(run, oslo["id"])}) == (NEXT, None)
    gone = said(run, BERN, *CITY, "--valid-from", "2025", "--valid-to", "2025-06", at=MAR)
    assert (gone["superseded"], recalled(run, "live", MAR)) == ([], [ROME])
    over = said(run, BERN, *CITY, "--valid-to", "2025-12-01T00Z", at=MAR)
    assert (over["superseded"], recalled(run, "live", MAR)) == ([], [ROME])


def test_a_plan_outlives_the_present_value_said_again(run):
    """The present value, said again, in the slot or without it, holds until what was planned."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    oslo = said(run, OSLO, *CITY, "--valid-from", NEXT, at=FEB)["id"]
    for more in (CITY, ()):
        again = said(run, ROME, *more, at=MAR)
        assert (again["action"], again["id"], again["superseded"]) == ("reinforced", rome, [])
        assert listed(run, "2027-02-01", as_of="2027-02-01") == [OSLO]
        assert shown(run, oslo)["lifecycle"] == "active"


def test_a_value_to_come_that_is_so_now(run):
    """A value that was to begin later, said again, replaces the present one now."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    said(run, OSLO, *CITY, "--valid-from", NEXT, at=FEB)
    again = said(run, OSLO, *CITY, at=MAR)
    assert (again["action"], again["superseded"]) == ("superseded", [rome])
    assert recalled(run, "live", "2026-03-02") == [OSLO]
    assert recalled(run, "live", "2027-03-02") == [OSLO]
    assert shown(run, rome)["valid_to"][:10] == MAR


def test_a_known_text_moves_into_a_slot(run):
    """Said without a slot first, it keeps its id, and what the slot held ends."""
    rome = said(run, "Rome is my home town", at=JAN)["id"]
    assert said(run, "Rome is my home town", *CITY, at=FEB)["id"] == rome
    assert shown(run, rome)["slot"] == "city"
    done = said(run, "Oslo is my home town", *CITY, at=MAR)
    assert (done["superseded"], listed(run, MAR)) == ([rome], ["Oslo is my home town"])


def test_a_known_text_moves_in_and_replaces(run):
    """The slot's value ends when a text that was known without the slot moves into it, also where
    the text is said to begin later than it does."""
    for more in ((), ("--valid-from", NEXT)):
        oslo = said(run, OSLO, *CITY, at=JAN)["id"]
        rome = said(run, ROME, at=JAN)["id"]
        done = said(run, ROME, *CITY, *more, at=FEB)
        assert (done["action"], done["id"], done["superseded"]) == ("reinforced", rome, [oslo])
        assert recalled(run, "live", MAR) == [ROME]
        assert run("undo", "--now", FEB).code == 0
        assert sorted(recalled(run, "live", MAR)) == [OSLO, ROME]
        run("forget", rome, oslo, "--now", FEB)


@pytest.mark.parametrize("by_edit", [True, False])
def test_a_known_text_that_moves_in_leaves_the_past(run, by_edit):
    """It is a value from then on; before, it holds where the slot had none."""
    said(run, BERN, *CITY, at=JAN)
    rome = said(run, ROME, at=FEB)["id"]
    if by_edit:
        assert run("edit", rome, *CITY, "--now", MAR).code == 0
    else:
        assert said(run, ROME, *CITY, at=MAR)["id"] == rome
    assert listed(run, MAR, as_of="2026-02-15") == [BERN]
    assert recalled(run, "live", "2026-03-02") == [ROME]


def test_in_another_slot_it_is_another_fact(run):
    """The same words in two slots are two facts, each with its own life."""
    home = said(run, "Rome is the place", "--slot", "home", at=JAN)
    work = said(run, "Rome is the place", "--slot", "work", at=JAN)
    assert (work["action"], work["id"] != home["id"]) == ("created", True)
    assert shown(run, home["id"])["slot"] == "home"


def test_supersedes_adds_to_the_slot(run):
    """What is named ends, and so does what the slot holds."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    other = said(run, "my flat is in the old town", at=JAN)["id"]
    done = said(run, OSLO, *CITY, "--supersedes", other, at=FEB)
    assert (set(done["superseded"]), listed(run, FEB)) == ({rome, other}, [OSLO])
    kinds = {(link["kind"], link["id"]) for link in
             run("show", done["id"], "--json").json["links"]}  # fmt: skip
    assert {("supersedes", other), ("contradicts", rome), ("transition", rome)} <= kinds


def test_an_unknown_id_stores_nothing(run):
    """A mistyped --supersedes is an error, in a slot too."""
    said(run, ROME, *CITY, at=JAN)
    assert run("remember", BERN, *CITY, "--supersedes", "01ZZZZ", "--now", FEB).code == 3
    assert listed(run, FEB) == [ROME]


def test_supersedes_ends_where_the_new_one_begins(run):
    """A named fact holds until the new one begins, and nothing is stored twice."""
    old = said(run, ROME, at=JAN)["id"]
    done = run("remember", OSLO, "--supersedes", old, "--valid-from", NEXT, "--now", FEB)
    assert f"replaces {old} from 2027-01-01 on" in done.err
    assert recalled(run, "live", MAR) == [ROME]
    known = said(run, BERN, at=FEB)["id"]
    again = said(run, BERN, "--supersedes", old, at=MAR)
    assert (again["action"], again["id"], again["superseded"]) == ("reinforced", known, [old])
    assert shown(run, old)["lifecycle"] == "archived"


@pytest.mark.parametrize("more", [(), ("--valid-from", NEXT)])
def test_an_untrusted_value_ends_no_trusted_one(run, more):
    """It stands beside it, whenever it begins."""
    rome = said(run, ROME, *CITY, at=JAN)
    done = said(run, OSLO, *CITY, *more, "--source", "tool_output", at=FEB)
    assert done["superseded"] == []
    assert shown(run, rome["id"]) == rome["fact"]


def test_a_value_that_began_before_others(run):
    """What begins in the past ends the values of that time too, but for its own."""
    rome = said(run, ROME, *CITY, at=JAN)["id"]
    oslo = said(run, OSLO, *CITY, at=FEB)["id"]
    done = said(run, BERN, *CITY, "--valid-from", "2026-01-15", at=MAR)
    assert set(done["superseded"]) == {rome, oslo}
    assert listed(run, MAR, as_of="2026-01-10") == [ROME]
    assert listed(run, MAR, as_of="2026-01-20") == [BERN]
    assert run("undo", "--now", MAR).code == 0
    again = said(run, ROME, *CITY, "--valid-from", JAN, at=MAR)
    assert set(again["superseded"]) == {rome, oslo}
    assert set(listed(run, MAR, as_of="2026-01-20")) == {ROME}


def test_a_known_value_of_the_past_that_comes_into_a_slot(run):
    """What was known without a slot is said again with one, and is over: what has held beside it
    holds again behind it."""
    said(run, ROME, at=JAN)
    oslo = said(run, OSLO, *CITY, at=JAN)["id"]
    form = said(run, ROME, *CITY, "--valid-to", FEB, at=MAR)
    assert (form["action"], form["superseded"]) == ("reinforced", [oslo])
    assert listed(run, MAR, as_of="2026-01-15") == [ROME]
    assert recalled(run, "live", MAR) == [OSLO]


def test_what_is_named_ends_when_a_value_of_the_past_is_said(run):
    """A fact that the writer names as replaced held until now."""
    said(run, ROME, at=JAN)
    oslo = said(run, OSLO, at=JAN)["id"]
    said(run, ROME, *CITY, "--valid-to", FEB, "--supersedes", oslo, at=MAR)
    assert shown(run, oslo)["valid_to"][:10] == MAR


def test_an_untrusted_value_that_comes_in_beneath_makes_no_edge(run):
    """A row of a file that a trusted value has painted over already leaves that one as it is."""
    friday = said(run, "deploy on friday", "--slot", "a", at=JAN)["id"]
    for _ in range(2):
        said(run, "deploy on friday", "--slot", "a", "--source", "tool_output", at=JAN)
    row = {"content": "never deploy on friday", "slot": "a", "id": friday}
    assert run("import", "-", "--now", JAN, stdin=json.dumps(row)).code == 0
    assert run("show", friday, "--json").json["links"] == []


def test_what_is_forgotten_brings_nothing_back(run):
    """Behind a value that is forgotten nothing holds, also not what nobody vouches for and what
    began when that value did."""
    at = str(NOW)
    run("remember", "the pump is green", "--slot", "pump", "--source", "tool_output", "--now", at)
    run("remember", "the pump is blue", "--slot", "pump", "--now", at)
    for fact in run("list", "--json", "--now", str(NOW + DAY)).json["facts"]:
        run("forget", fact["id"], "--now", str(NOW + DAY))
    assert run("list", "--now", str(NOW + 2 * DAY)).out == ""
