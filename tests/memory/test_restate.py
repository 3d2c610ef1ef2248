"""Saying a fact again: what was said outright is applied, and nothing is hidden by it."""

from __future__ import annotations

import json

import pytest

JAN, FEB, MAR = "2026-01-01", "2026-02-01", "2026-03-01"
DEPLOY = "I deploy on Mondays"


def said(run, text, *more, at):
    """Return what remember printed as JSON."""
    done = run("remember", text, *more, "--json", "--now", at)
    assert done.code == 0, done.err
    return done.json


def valid(form):
    """Return the days between which the fact of a form holds, as stated."""
    fact = form["fact"]
    return tuple(fact[name] and fact[name][:10] for name in ("valid_from", "valid_to"))


def listed(run, at, *, as_of=None):
    """Return the texts of the facts that hold."""
    more = ("--as-of", as_of) if as_of else ()
    rows = run("list", "--json", *more, "--now", at).json
    return sorted(row["content"] for row in (rows["facts"] if isinstance(rows, dict) else rows))


def recalled(run, query, at):
    """Return the texts that a recall finds."""
    done = run("recall", query, "--json", "--now", at)
    return [] if done.code == 1 else [hit["content"] for hit in done.json["hits"]]


JUNE = ("--valid-to", "2026-06-01T00Z")
VALIDITY = [
    # what is known, what is said on the first of March, what it holds then (None: two facts)
    ((), (), (None, None)),
    (JUNE, JUNE, (None, "2026-06-01")),
    (("--valid-from", "2030-01-01"), ("--valid-from", "2030-01-01"), ("2030-01-01", None)),
    ((), ("--valid-from", "2025-06-01"), ("2025-06-01", None)),
    (("--valid-from", "2025-06-01"), (), ("2025-06-01", None)),
    (JUNE, ("--valid-from", "2025-01-01", *JUNE), ("2025-01-01", "2026-06-01")),
    ((), ("--valid-from", "2030-01-01"), None),
    ((), JUNE, None),
    ((), ("--valid-to", "2026-02-01T00Z"), None),
    ((), ("--valid-from", "2025-01-01", *JUNE), None),
    (JUNE, (), None),
    (JUNE, ("--valid-to", "2026-07-01T00Z"), None),
    (JUNE, ("--valid-from", "2026-04-01"), None),
    (JUNE, ("--valid-from", "2026-04-01", *JUNE), None),
    (("--valid-from", "2030-01-01"), (), None),
    (("--valid-from", "2030-01-01"), ("--valid-from", "2029-01-01"), None),
    (("--valid-from", "2025-01-01"), ("--valid-from", "2025-02-01"), None),
]  # fmt: skip


@pytest.mark.parametrize(("known", "again", "wanted"), VALIDITY)
def test_when_a_restated_fact_holds(run, known, again, wanted):
    """What is said of another time is a fact of its own; a beginning that only one states, and that
    was before the other was said, is none."""
    first = said(run, DEPLOY, *known, at=JAN)
    second = said(run, DEPLOY, *again, at=MAR)
    if wanted is None:
        assert (second["action"], second["elsewhen"]) == ("created", [first["id"]])
        assert second["similar"] == []
        assert valid({"fact": run("show", first["id"], "--json").json["fact"]}) == valid(first)
    else:
        assert (second["action"], second["id"]) == ("reinforced", first["id"])
        assert valid(second) == wanted
        assert second.get("ignored", []) == []


def test_a_later_beginning_hides_nothing(run):
    """A fact that holds is found on, though it is said again as of a later day, in a slot too."""
    for more in ((), ("--slot", "day")):
        said(run, DEPLOY, *more, at=JAN)
        said(run, DEPLOY, *more, "--valid-from", "2030-01-01", at=FEB)
        assert recalled(run, "deploy", MAR) == [DEPLOY]
        assert listed(run, MAR, as_of="2026-01-15") == [DEPLOY]


def test_what_holds_now_is_found_now(run):
    """A fact that was to begin later, said again without a time, holds from now on."""
    said(run, DEPLOY, "--valid-from", "2030-01-01", at=JAN)
    said(run, DEPLOY, at=FEB)
    assert recalled(run, "deploy", MAR) == [DEPLOY]


def test_an_end_is_applied_and_taken_off(run):
    """In a slot a stated end counts; a restatement without one says that there is none; both are
    told."""
    words = ("remember", "The office is closed", "--slot", "office")
    said(run, *words[1:], at=JAN)
    done = run(*words, "--valid-to", "yesterday", "--now", FEB)
    assert "known already, reinforced; holds until the end of 2026-01-31\n" in done.err
    assert recalled(run, "office", MAR) == []
    done = run(*words, "--now", "2026-01-20")
    assert "known already, reinforced; holds without end\n" in done.err
    assert recalled(run, "office", MAR) == ["The office is closed"]


def test_an_end_of_a_fact_without_a_slot_is_another_statement(run):
    """It is told, with the way to let the other go."""
    first = said(run, "The office is closed", at=JAN)["id"]
    done = run("remember", "The office is closed", *JUNE, "--now", FEB)
    assert f"holds at other times than {first}, which says the same" in done.err
    assert f"tideline forget {first}" in done.err
    assert listed(run, MAR) == ["The office is closed"] * 2
    assert listed(run, "2026-06-02", as_of="2026-06-02") == ["The office is closed"]


LABELS = ("--pin", "--tag", "house", "--title", "T", "--meta", "a=b", "--kind", "note", "--tier",
          "permanent", "--importance", "0.9",
          "--segment", "project", "--source-turn", "t1")  # fmt: skip


def test_labels_said_again_are_applied(run):
    """Each option of a restatement changes the known fact, and stderr and JSON name the changes."""
    code = "The boiler code is blue heron"
    note = said(run, "A note is in the cellar", at=JAN)["id"]
    first = said(run, code, "--tag", "old", "--meta", "c=d", at=JAN)
    second = said(run, code, *LABELS, "--derived-from", note, at=FEB)
    fact = second["fact"]
    assert (second["action"], fact["id"], fact["created_at"]) == (
        "reinforced", first["id"], first["fact"]["created_at"])  # fmt: skip
    wanted = {
        "pinned": True, "heat": "core", "tags": ["old", "house"], "title": "T", "kind": "note",
        "metadata": {"c": "d", "a": "b"}, "tier": "permanent", "importance": 0.9,
        "segment": "project", "source_turn": "t1", "derived_from": [note],
    }  # fmt: skip
    assert {name: fact[name] for name in wanted} == wanted
    assert "ignored" not in second
    assert run("show", first["id"], "--json").json["fact"]["title"] == "T"
    assert set(second["changed"]) == {
        "pinned", "tags", "segment", "tier", "kind", "title", "importance", "source_turn",
        "metadata", "derived_from",
    }  # fmt: skip


def test_a_restatement_is_undone(run):
    """Undo gives back the labels and the times that a restatement has changed."""
    before = said(run, DEPLOY, "--slot", "day", "--valid-to", MAR + "T00Z", at=JAN)["fact"]
    said(run, DEPLOY, *LABELS, "--slot", "day", at=FEB)
    assert run("undo").code == 0
    assert run("show", before["id"], "--json").json["fact"] == before
    assert run("doctor", "--deep").code == 0


def test_what_is_not_applied_is_named(run):
    """A lower importance or confidence, another turn and a wider segment stay, and are named."""
    said(run, DEPLOY, "--importance", "0.9", "--source-turn", "t1", "--segment", "preference",
         at=JAN)  # fmt: skip
    lower = ("--importance", "0.1", "--confidence", "0.1", "--source-turn", "t2", "--segment",
             "knowledge")  # fmt: skip
    form = said(run, DEPLOY, *lower, at=FEB)
    assert form["ignored"] == ["importance", "confidence", "source_turn", "segment"]
    fact = form["fact"]
    assert (fact["importance"], fact["confidence"], fact["source_turn"], fact["segment"]) == (
        0.9, None, "t1", "preference")  # fmt: skip
    err = run("remember", DEPLOY, *lower).err
    assert "it keeps its own importance, confidence, source-turn, segment" in err


def test_a_stated_confidence_never_demotes(run):
    """An unstated confidence is a full one; of two stated ones the higher counts."""
    assert said(run, DEPLOY, at=JAN)["fact"]["confidence"] is None
    assert said(run, DEPLOY, "--confidence", "0.1", at=FEB)["fact"]["confidence"] is None
    other = "I test on Tuesdays"
    said(run, other, "--confidence", "0.3", at=JAN)
    assert said(run, other, "--confidence", "0.6", at=FEB)["fact"]["confidence"] == 0.6
    assert said(run, other, "--confidence", "0.2", at=FEB)["fact"]["confidence"] == 0.6
    assert said(run, other, at=FEB)["fact"]["confidence"] == 0.6


@pytest.mark.parametrize("more", [("--pin",), ("--tier", "permanent")])
def test_an_untrusted_restatement_makes_nothing_permanent(run, more):
    """What an untrusted source may not ask for is refused, though the text is known."""
    said(run, DEPLOY, "--source", "tool_output", at=JAN)
    again = run("remember", DEPLOY, "--source", "tool_output", *more, "--json")
    assert (again.code, again.error["code"]) == (4, "write_gate_blocked")


def test_an_untrusted_restatement_changes_no_trusted_fact(run):
    """It is stored beside it, whatever labels it brings."""
    first = said(run, DEPLOY, at=JAN)
    again = said(run, DEPLOY, "--source", "tool_output", "--tag", "x", "--valid-to", MAR, at=FEB)
    assert again["action"] == "created"
    assert run("show", first["id"], "--json").json["fact"] == first["fact"]


def test_a_batch_and_an_import_apply_labels_too(run):
    """Lines of remember --batch and rows of import --merge do what options do; a label that a row
    does not state changes nothing."""
    first = said(run, DEPLOY, "--tier", "permanent", "--importance", "0.9", at=JAN)
    line = {"content": DEPLOY, "tags": ["x"]}
    form = run("remember", "--batch", "--now", FEB, stdin=json.dumps(line)).json
    assert (form["action"], form["changed"]) == ("reinforced", ["tags"])
    row = {"content": DEPLOY, "title": "T", "pinned": True}
    merge = ("import", "-", "--merge", "--trust", "--now", FEB)
    done = run(*merge, "--json", stdin=json.dumps(row)).json
    assert (done["reinforced"], done["ignored"]) == (1, 0)
    fact = run("show", first["id"], "--json").json["fact"]
    assert (fact["title"], fact["pinned"], fact["tags"]) == ("T", True, ["x"])
    assert (fact["tier"], fact["importance"]) == ("permanent", 0.9)
    low = json.dumps({"content": DEPLOY, "importance": 0.1})
    assert run(*merge, "--json", stdin=low).json["ignored"] == 1
    said_so = run(*merge, stdin=low)
    assert "1 reinforced, 1 of these with labels" in said_so.out + said_so.err


def test_a_clock_that_is_behind(run):
    """A restatement by a clock that is behind does not set back when a fact was used last."""
    said(run, DEPLOY, at=MAR)
    assert said(run, DEPLOY, at=JAN)["fact"]["last_accessed_at"].startswith(MAR)


def test_a_fact_that_is_derived_from_itself_does_not_cite_itself(run):
    """Who says a fact again and cites it adds nothing but the other facts that are cited."""
    first = said(run, DEPLOY, at=JAN)["id"]
    other = said(run, "the train is late", at=JAN)["id"]
    done = said(run, DEPLOY, "--derived-from", first, "--derived-from", other, at=FEB)
    assert (done["action"], done["fact"]["derived_from"]) == ("reinforced", [other])


@pytest.mark.parametrize("others", [("--valid-to", FEB), ("--source", "tool_output")])
def test_what_may_not_be_linked_crowds_nothing_out(run, others):
    """A new fact is linked to the one much like it, whatever else is as near and may not be."""
    text = (
        "Sensor {} reports cold water pressure, outdoor humidity, indoor temperature, wind"
        " speed, daily rainfall, soil moisture and battery voltage every ten minutes"
    )
    old = said(run, text.format(1), at=JAN)
    for number in range(2, 12):
        said(run, text.format(number), *others, at=JAN)
    assert said(run, text.format(20), at=MAR)["similar"] == [old["id"]]
