"""undo, purge, retention and history at the door: outputs, exit codes, questions."""

from __future__ import annotations

import json
import os
import sys

import pexpect
import pytest

from tests.support import NOW, named_id, seed
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import parse_origin

PEER = "channel:wa/c1/s1"


def remembered(run, *argv):
    done = run("remember", *argv, "--json")
    assert done.code == 0, done.err
    return done.json["id"]


def test_undo_says_what_it_did_and_how_to_take_that_back(run):
    """One line in a pipe; redo brings everything back, as an undo of the undo does."""
    remembered(run, "I deploy on Fridays", "--slot", "day")
    remembered(run, "I deploy on Mondays", "--slot", "day")
    before = run("export").out
    assert run("undo").out == (
        "undid batch 2 (remember): 1 fact removed, 1 fact restored, 2 links removed; "
        "`tideline redo` brings it back\n"
    )
    assert run("redo").out == (
        "brought back batch 2 (remember): 1 fact restored, 1 fact changed, 2 links restored; "
        "`tideline undo` takes that back\n"
    )
    assert run("export").out == before
    assert run("undo", "4").out == (
        "undid batch 4 (redo): 1 fact removed, 1 fact restored, 2 links removed; "
        "`tideline undo 5` takes that back\n"
    )


def test_undo_as_json(run):
    """--json lists the facts by id; a dry run is the same without a batch of its own."""
    old = remembered(run, "I deploy on Fridays", "--slot", "day")
    new = remembered(run, "I deploy on Mondays", "--slot", "day")
    form = {
        "batch": None, "undone": 2, "verb": "remember",
        "facts": {"removed": [new], "restored": [old], "changed": []},
        "links": {"removed": 2, "restored": 0}, "turns": {"removed": 0, "restored": 0},
        "dry_run": True, "passed_over": [],
    }  # fmt: skip
    assert run("undo", "--dry-run", "--json").json == form
    assert run("undo", "-n", "2").out == (
        "would undo batch 2 (remember): 1 fact removed, 1 fact restored, 2 links removed\n"
    )
    assert run("undo", "2", "--json").json == form | {"batch": 3, "dry_run": False}


def test_redo_as_json(run):
    """--json has the keys of undo, and which batch stands again."""
    new = remembered(run, "I deploy on Fridays")
    run("undo")
    form = {
        "batch": None, "undone": 2, "redone": 1, "verb": "remember",
        "facts": {"removed": [], "restored": [new], "changed": []},
        "links": {"removed": 0, "restored": 0}, "turns": {"removed": 0, "restored": 0},
        "dry_run": True, "kept": [],
    }  # fmt: skip
    assert run("redo", "-n", "--json").json == form
    assert run("redo", "--json").json == form | {"batch": 3, "dry_run": False}
    assert run("redo", "--json").error["message"] == "there is nothing to redo"
    assert run("redo").code == 3
    assert run("redo", "2").code == 2


def test_a_redo_behind_newer_work(run):
    """A redo says which batches are newer than what it brings back: it leaves them."""
    remembered(run, "coffee at noon")
    run("undo")
    remembered(run, "I deploy on Fridays")
    remembered(run, "the cat sleeps on the stove")
    told = "made since that undo, and kept: batches 3 (remember), 4 (remember)"
    for more in (("--dry-run",), ()):
        done = run("redo", *more)
        assert done.code == 0 and told in done.err
    texts = {fact["content"] for fact in run("list", "--json").json["facts"]}
    assert texts == {"coffee at noon", "I deploy on Fridays", "the cat sleeps on the stove"}


def test_undo_behind_a_purge_names_the_batch_before_it(run):
    """What is final is not stepped over; the hint leads to older ones, and calls none of them."""
    remembered(run, "coffee at noon")
    run("purge", remembered(run, "I deploy on Fridays"), "--yes")
    done = run("undo")
    assert (done.code, done.out) == (4, "")
    assert "the last batch (3, purge) is final" in done.err
    assert "`tideline undo --list` shows older ones" in done.err
    assert "the newest is 1 (remember)" in done.err and "undo 1`" not in done.err
    assert run("undo", "1").code == 0
    assert "there is nothing older to undo" in run("undo").err


def test_a_redo_says_what_it_passed(run):
    """What something stands against stays undone, and a note says why."""
    remembered(run, "coffee at noon")
    remembered(run, "I deploy on Fridays", "--slot", "day")
    run("undo", "1")
    run("undo", "2")
    remembered(run, "I deploy on Mondays", "--slot", "day")
    done = run("redo")
    assert done.out.startswith("brought back batch 1 (remember): 1 fact restored")
    assert done.err.startswith(
        "tideline: left as it is: batch 4 cannot be undone: batch 5 (remember)"
    )


def test_what_could_be_undone(run):
    """--list names the batches that undo would take back one after the other, newest first."""
    first = remembered(run, "I deploy on Fridays\nat noon")
    remembered(run, "coffee at noon")
    run("pin", first)
    run("undo")
    at = iso(NOW)
    assert run("undo", "--list").out == (
        f"2\t{at}\tremember\tcoffee at noon\n1\t{at}\tremember\tI deploy on Fridays ⏎ at noon\n"
    )
    form = run("undo", "--list", "--limit", "1", "--json").json
    facts = {"added": 1, "changed": 0, "removed": 0}
    assert form == {
        "batches": [{
            "batch": 2, "at": at, "verb": "remember", "final": False, "facts": facts,
            "links": dict.fromkeys(facts, 0), "id": form["batches"][0]["id"],
            "content": "coffee at noon",
        }],
        "truncated": True,
    }  # fmt: skip
    assert "--limit 0 shows all" in run("undo", "--list", "--limit", "1").err
    assert run("undo", "--list", "2").code == 2
    assert run("undo", "--list", "--dry-run").code == 2
    empty = run("undo", "--list", "--origin", PEER)
    assert (empty.code, empty.out, empty.err) == (0, "", "tideline: there is nothing to undo\n")


def test_a_purge_is_listed_as_final(run):
    """undo --list says of a purge that it cannot be taken back, as undo does."""
    remembered(run, "coffee at noon")
    run("purge", remembered(run, "I deploy on Fridays"), "--yes")
    for more in ((), ("--limit", "1")):
        assert "\tpurge\tfinal: gone for good" in run("undo", "--list", *more).out
    listed = run("undo", "--list", "--json").json["batches"]
    assert [(one["verb"], one["final"]) for one in listed] == [("purge", True), ("remember", False)]
    assert run("undo").code == 4


def test_undo_refused(run):
    """A conflict ends with 4 and says what to undo first."""
    fact = remembered(run, "I deploy on Fridays")
    run("pin", fact)
    done = run("undo", "1", "--json")
    assert (done.code, done.out) == (4, "")
    assert done.error == {
        "code": "undo_conflict",
        "message": f"batch 1 cannot be undone: batch 2 (pin) changed {fact}",
        "hint": "undo batch 2 first",
    }


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (("undo", "7"), 3, "no such batch: 7"),
        (("undo", "1", "--origin", PEER), 3, "no such batch: 1"),
        (("undo", "--origin", PEER), 3, "there is nothing to undo"),
        (("undo", "--origin", "unknown"), 3, "there is nothing to undo"),
        (("undo", "first"), 2, "not a batch: 'first'"),
        (("undo", "9" * 30), 2, f"not a batch: '{'9' * 30}'"),
        (("undo", "²"), 2, "not a batch: '²'"),
        (("undo", "1", "2"), 2, "name one batch at most"),
        (("purge", "NOTHERE", "--yes"), 3, "no such id: NOTHERE"),
        (("purge", "--yes"), 2, "name the facts to remove"),
        (("retention", "--yes"), 2, "say how old facts may get"),
        (("retention", "--days", "0"), 2,
         "--days: '0' is not a whole number from 1 to 2,147,483,647"),
        (("retention", "--days", "9", "--all-origins", "--origin", PEER), 2,
         "only the owner may reach all origins"),
    ],
)  # fmt: skip
def test_bad_requests(run, argv, code, message):
    """What cannot be is said in one line, with its exit code."""
    remembered(run, "I deploy on Fridays")
    done = run(*argv, "--json")
    assert (done.code, done.error["message"]) == (code, message)
    assert len(run("list").out.splitlines()) == 1


@pytest.mark.file_alone("no file is made at the usual path")
def test_an_empty_home_stays_empty(run, home):
    """Nothing to undo or purge makes no store."""
    assert run("undo").code == 3
    assert run("purge", "ABCD", "--yes").code == 3
    assert run("retention", "--days", "3", "--yes", "--json").json == {
        "purged": [], "pending": False, "dry_run": False, "earlier": [], "again": [], "batch": None,
        "days": 3,
    }  # fmt: skip
    assert os.listdir(home) == []


def test_purge_as_json(run):
    """--json names what went, and the batch; what derives from it is among it."""
    source = remembered(run, "I deploy on Fridays")
    derived = remembered(run, "weekends are calm", "--derived-from", source)
    form = {"purged": [source, derived], "pending": False, "dry_run": True, "earlier": [],
            "again": [], "batch": None, "turns": 0}  # fmt: skip
    assert run("purge", source[:24], "-n", "--json").json == form
    done = run("purge", source, source, "--yes", "--json")
    assert done.json == form | {"dry_run": False, "batch": 3}
    assert run("list").out == ""


def test_a_value_that_a_purge_uncovers(run):
    """What the purged value of a slot had replaced holds again, and is named."""
    rome = remembered(run, "I live in Rome", "--slot", "town", "--now", "2026-01-05")
    oslo = remembered(run, "I live in Oslo", "--slot", "town", "--now", "2026-02-05")
    done = run("purge", oslo, "--yes")
    assert f"again a value of its slot, as if nothing else had been said: {rome}" in done.err
    assert "earlier wording" not in done.err
    assert run("slots", "--now", "2026-03-05").out.startswith(rome)


def test_purge_in_a_pipe(run):
    """A dry run lists the facts, a purge says how many went."""
    source = remembered(run, "I deploy\x1b on Fridays")
    # Earlier programs let a row cite across origins.
    seed([{"content": "peer derives", "derived_from": [source]}], origin=parse_origin(PEER))
    listed = run("purge", source, "--dry-run").out.splitlines()
    assert listed[0] == f"{source}\t[knowledge] I deploy␛ on Fridays"
    assert "peer derives" not in listed[1]
    done = run("purge", source, "-y")
    assert done.out == "2 facts removed for good\n"
    assert "exports made before keep them" in done.err
    assert run("undo", "2").code == 4


@pytest.mark.parametrize("argv", [("purge", "{id}"), ("retention", "--days", "1")])
@pytest.mark.parametrize("more", [(), ("--no-input",)])
def test_nobody_to_ask(run, argv, more):
    """Without a terminal and without --yes nothing goes, and the hint says how."""
    fact = remembered(run, "I deploy on Fridays", "--now", "2020-01-01")
    done = run(*(word.format(id=fact) for word in argv), *more)
    assert (done.code, done.out) == (2, "")
    assert "--yes" in done.err
    assert fact in run("list").out


def test_retention_removes_what_is_old(run):
    """Facts older than the term go, pinned ones stay unless they are asked for."""
    old = remembered(run, "I deploy on Fridays", "--now", "2024-01-01")
    kept = remembered(run, "I deploy on Mondays too", "--now", "2024-01-01", "--pin")
    remembered(run, "coffee at noon")
    assert run("retention", "--days", "30", "-n").out == f"{old}\t[knowledge] I deploy on Fridays\n"
    done = run("retention", "--days", "30", "--yes", "--json")
    assert done.json == {
        "purged": [old], "pending": False, "dry_run": False, "earlier": [], "again": [], "batch": 4,
        "days": 30,
    }  # fmt: skip
    done = run("retention", "--days", "30", "--yes", "--include-confirmed", "--json")
    assert done.json["purged"] == [kept]
    assert run("retention", "--days", "30", "--yes").out == "0 facts removed for good\n"


def on_a_terminal(*argv):
    return pexpect.spawn(
        sys.executable, ["-m", "tideline_cli", *argv], encoding="utf-8", timeout=30,
        env=os.environ | {"TERM": "dumb"},
    )  # fmt: skip


@pytest.mark.parametrize(("answer", "stays"), [("n", True), ("", True), ("yes", False)])
def test_purge_asks_on_a_terminal(run, answer, stays):
    """On a terminal the facts are shown, clipped, and only a yes removes them."""
    ids = [remembered(run, f"fact number {n} is {'long ' * 30}") for n in range(12)]
    child = on_a_terminal("purge", *ids)
    child.expect_exact("and 2 more")
    assert "…" in child.before
    assert ids[0] in child.before and ids[11] not in child.before
    child.expect_exact("Remove 12 facts for good? [y/N] ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == int(stays)
    assert (len(run("list").out.splitlines()) == 12) is stays
    said = "nothing was removed" if stays else "12 facts removed for good"
    assert said in child.before


def test_history_tells_of_links(run):
    """The life of a fact has the links from and to it, those taken back as well."""
    old = remembered(run, "I deploy on Fridays", "--slot", "day")
    new = remembered(run, "I deploy on Mondays", "--slot", "day")
    run("undo")
    changes = [c for c in run("history", old, "--json").json["changes"] if c["entity"] == "link"]
    assert [(c["batch"], c["act"], c["verb"]) for c in changes] == [
        (2, "added", "remember"), (2, "added", "remember"), (3, "removed", "undo"),
        (3, "removed", "undo"),
    ]  # fmt: skip
    edge = {"from": new, "to": old, "kind": "contradicts", "reason": None, "strength": None}
    assert changes[0]["before"] is None
    assert changes[0]["after"] == changes[2]["before"] == edge | {"created_at": iso(NOW)}
    run("redo")
    line = run("history", new).out.splitlines()[1].split("\t")
    assert line[2:] == ["remember", f"added link {new} contradicts → {old}"]


def test_history_keeps_to_its_origin(run):
    """What an undone import held of other origins is not shown, also not once it is gone."""
    first, second, mine = map(named_id, ("PPPP1", "PPPP2", "MMMM1"))
    edge = {"kind": "supports", "target": second, "reason": "secret reason"}
    rows = "".join(json.dumps(row) + "\n" for row in (
        {"content": "peer secret", "id": first, "origin": PEER, "links": [edge]},
        {"content": "peer secret 2", "id": second, "origin": PEER},
        {"content": "mine", "id": mine},
    ))  # fmt: skip
    assert run("import", "-", "--trust", stdin=rows).code == 0
    run("undo")
    told = run("history", "--json")
    assert "secret" not in told.out and "PPPP" not in told.out
    removed = [c for c in told.json["changes"] if c["batch"] == 2 and c["entity"] == "fact"]
    assert [(c["act"], c["id"], c["before"]["content"]) for c in removed] == [
        ("removed", mine, "mine")
    ]


def test_purge_takes_copies_and_names_earlier_wordings(run):
    """An archived copy of the same text goes along; an earlier wording is named, and stays."""
    old = remembered(run, "the vault code is 1234")
    new = run("edit", old, "the vault code is 5678", "--json").json["id"]
    copy = remembered(run, "the vault code is 5678", "--source", "tool_output")
    run("forget", copy)
    done = run("purge", new, "--yes", "--json")
    assert done.json["purged"] == [new, copy]
    assert done.json["earlier"] == [old]
    assert f"1 earlier wording that was replaced is still there: tideline purge {old}" in done.err
    assert "forget\tchanged nothing that is still there\n" in run("history").out


def test_a_restatement_is_told_as_one(run):
    """show and history name a use as what it is: no second birth of the fact."""
    fact = remembered(run, "I deploy on Fridays")
    run("remember", "I deploy on Fridays")
    run("undo")
    shown = [line.split(None, 2) for line in run("show", fact).out.splitlines()]
    past = [line[2] for line in shown if line[:1] == ["history"]]
    assert past == ["added by remember (batch 1)", "reinforced by remember (batch 2)",
                    "use removed by undo (batch 3)"]  # fmt: skip
    told = run("show", fact, "--json").json["history"]
    assert [change["entity"] for change in told] == ["fact", "usage", "usage"]
    lines = [line.split("\t")[3] for line in run("history", fact).out.splitlines()]
    assert lines == [f"added fact {fact}", f"reinforced {fact}", f"use removed {fact}"]


def test_the_life_of_a_fact_that_the_owner_has_imported(run):
    """Its history is not empty; the batch is another origin's, and has no number here."""
    fact = named_id("PPPP1")
    row = {"content": "peer note", "id": fact, "origin": PEER, "access_count": 2}
    assert run("import", "-", "--trust", stdin=json.dumps(row)).code == 0
    run("pin", fact, "--origin", PEER)
    lines = [line.split("\t") for line in run("history", fact, "--origin", PEER).out.splitlines()]
    assert [(line[0], *line[2:4]) for line in lines] == [
        ("-", "import (another origin)", f"added fact {fact}"),
        ("-", "import (another origin)", f"use added {fact}"),
        ("1", "pin", f"changed fact {fact}"),
    ]  # fmt: skip
    told = run("history", fact, "--origin", PEER, "--json").json["changes"]
    assert [change["batch"] for change in told] == [None, None, 1]
    assert "added by import (another origin)" in run("show", fact, "--origin", PEER).out
    assert run("history", fact).code == 3
    assert fact not in run("history", "--verbose").out


def test_a_change_of_labels_is_history(run):
    """What changed from what to what."""
    fact = remembered(run, "I deploy on Fridays", "--tag", "a")
    run("edit", fact, "--tag", "b", "--title", "day")
    line = run("history", fact).out.splitlines()[1]
    assert line.split("\t")[2:] == ["edit", f"changed fact {fact}",
                                    'title: null → "day", tags: ["a"] → ["b"]']  # fmt: skip


def test_an_undo_that_has_nothing_to_do_is_refused(run):
    """With 4, a dry run as well; no batch is made, and no step back leads there."""
    remembered(run, "I deploy on Fridays")
    run("remember", "I deploy on Fridays")
    run("undo", "1")
    for more in ((), ("--dry-run",)):
        done = run("undo", "2", *more, "--json")
        assert (done.code, done.error["code"], done.out) == (4, "undo_conflict", "")
    assert run("undo", "--json").error["message"] == "there is nothing to undo"
    assert run("redo", "--json").json["redone"] == 1


def test_restore_says_which_end_is_gone(run):
    """An end that has passed is dropped aloud."""
    fact = remembered(run, "the gate is open", "--valid-to", str(NOW + 5))
    run("forget", fact)
    done = run("restore", fact, "--now", str(NOW + 5))
    assert done.err == f"tideline: {fact} had ended at {iso(NOW + 5)}, and has no end now\n"


def test_edit_from_a_time(run):
    """`now`, or any time, parts the old words from the new; it is refused beside --valid-from."""
    fact = remembered(run, "Rome", "--slot", "city")
    done = run("edit", fact, "Oslo", "--from", "now", "--now", str(NOW + 5), "--json")
    assert done.json["fact"]["valid_from"] == iso(NOW + 5)
    assert json.loads(done.err)["note"]["message"] == f"replaces {fact}"
    later = run("edit", done.json["id"], "Bern", "--from", "2031-01-01", "--now", str(NOW + 6))
    assert later.err == f"tideline: replaces {done.json['id']} from 2031-01-01 on\n"
    for at, text in ((str(NOW), "Rome"), (str(NOW + 5), "Oslo"), ("2031-01-02", "Bern")):
        (one,) = run("list", "--as-of", at, "--json").json["facts"]
        assert one["content"] == text
    for wrong in (("x", "--from", "never"), ("x", "--from", "now", "--valid-from", "2030-01-01"),
                  ("--tag", "x", "--from", "now")):  # fmt: skip
        assert run("edit", done.json["id"], *wrong, stdin="").code == 2


def test_edit_to_the_words_of_another_fact(run):
    """The other one is named; no second copy is made."""
    fact = remembered(run, "I deploy on Fridays")
    other = remembered(run, "I deploy on Mondays")
    done = run("edit", fact, "I deploy on Mondays", "--json")
    assert (done.json["action"], done.json["id"], done.json["superseded"]) == (
        "reinforced", other, [fact]
    )  # fmt: skip
    assert f"{other} says so already" in done.err
    assert len(run("list", "--json").json["facts"]) == 1
