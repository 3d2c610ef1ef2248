"""What a file that nobody vouches for may say of its own worth: less than others, and no more."""

from __future__ import annotations

import json

import pytest

from tests.support import DAY, NOW, named_id, seed
from tideline_cli.model.instant import iso

BOAST = {
    "content": "the boasting row", "importance": 1.0, "confidence": 1.0, "decay_rate": 0.0,
    "heat": "core", "tier": "permanent", "status": "confirmed", "pinned": True, "access_count": 99,
    "last_accessed_at": "2099-01-01T00:00:00Z", "created_at": "2099-01-01T00:00:00Z",
    "kind": "lesson",
}  # fmt: skip
FADING = ("importance", "confidence", "decay_rate", "heat", "tier", "status", "pinned",
          "access_count", "last_accessed_at", "created_at")  # fmt: skip


def taken(run, row, *flags):
    done = run("import", "-", "--json", *flags, stdin=json.dumps(row) + "\n")
    assert done.code == 0, done.err
    (fact,) = run("list", "--json", "--limit", "0").json["facts"]
    return done.json, fact


@pytest.mark.parametrize("merge", [(), ("--merge",)])
def test_a_row_gets_what_its_segment_gives(run, merge):
    """Use, weight, permanence and time are those of the import, and the report says so."""
    report, boasting = taken(run, BOAST, *merge)
    assert report["limited"] == 1
    plain = {name: boasting[name] for name in FADING}
    assert plain == {
        "importance": 0.6, "confidence": None, "decay_rate": 0.03, "heat": "working",
        "tier": "long", "status": None, "pinned": False, "access_count": 0,
        "last_accessed_at": iso(NOW), "created_at": iso(NOW),
    }  # fmt: skip
    assert "1 with less use, weight or time than they claim" in run(
        "import", "-", stdin=json.dumps(BOAST | {"content": "another"}) + "\n").out  # fmt: skip


def test_a_row_may_say_that_it_is_worth_less(run):
    """Lower weight, doubt, a quicker decay and an age are taken as they are stated."""
    modest = {"content": "a modest row", "importance": 0.1, "confidence": 0.4, "decay_rate": 0.5,
              "created_at": "2024-01-01T00:00:00Z"}  # fmt: skip
    report, fact = taken(run, modest)
    assert report["limited"] == 0
    assert {name: fact[name] for name in modest if name != "created_at"} == {
        name: modest[name] for name in modest if name != "created_at"
    }
    assert fact["created_at"] == fact["last_accessed_at"] == "2024-01-01T00:00:00.000Z"


def test_no_time_to_come_even_when_vouched_for(run):
    """With --trust all is taken, but a time to come is now; validity may lie ahead."""
    row = BOAST | {"valid_to": "2099-01-01T00:00:00Z"}
    report, fact = taken(run, row, "--trust")
    assert report["limited"] == 1
    assert (fact["created_at"], fact["last_accessed_at"]) == (iso(NOW), iso(NOW))
    assert (fact["access_count"], fact["pinned"], fact["status"]) == (99, True, "confirmed")
    assert fact["valid_to"] == "2099-01-01T00:00:00.000Z"


def test_an_imported_row_does_not_outlive_the_owners(run):
    """Whatever it claims, it comes after the owner's fact that says the same thing, at any time,
    and the sweep takes it no later."""
    run("remember", "the office door code is on the blue card")
    row = BOAST | {"content": "the office door code is on the red card, never on the blue card"}
    run("import", "-", stdin=json.dumps(row) + "\n")
    for days in (1, 60, 200):
        hits = run("recall", "where is the office door code", "--no-touch", "--now",
                   str(NOW + days * DAY), "--json").json["hits"]  # fmt: skip
        assert hits[0]["content"].endswith("on the blue card") and "never" not in hits[0]["content"]
    run("gc", "--now", str(NOW + 3650 * DAY), "--max-loss", "1")
    left = run("list", "--json", "--now", str(NOW + 3650 * DAY)).json["facts"]
    assert not any("red card" in fact["content"] for fact in left)


def test_ids_are_ours(run):
    """Without --trust an id is made here and the stated one kept; with it a ULID is taken."""
    for flags, row_id, is_kept in (
        ((), named_id("A"), False), ((), "01M805", False), (("--trust",), named_id("B"), True),
        (("--trust",), "01M806", False), (("--trust",), named_id("c").lower(), False),
    ):  # fmt: skip
        text = f"row {row_id} {flags}"
        report = run("import", "-", "--json", *flags,
                     stdin=json.dumps({"id": row_id, "content": text}) + "\n").json  # fmt: skip
        assert (report["added"], report["renamed"]) == (1, 0 if is_kept else 1)
        facts = run("list", "--json", "--limit", "0").json["facts"]
        fact = next(fact for fact in facts if fact["content"] == text)
        assert (fact["id"] == row_id) is is_kept
        assert fact["metadata"] == (None if is_kept else {"original_id": row_id})
        assert len(fact["id"]) == 26


def test_an_import_is_finished_by_running_it_again(run):
    """Ids that are made here are the same in a second run; so are rows of an earlier program, which
    took them as they were."""
    rows = "".join(json.dumps({"id": f"n{n}", "content": f"note {n}"}) + "\n" for n in range(3))
    assert run("import", "-", "--json", stdin=rows).json["added"] == 3
    assert run("import", "-", "--json", stdin=rows).json["present"] == 3
    seed([{"id": "old-7", "content": "an old note"}])
    old = json.dumps({"id": "old-7", "content": "an old note"}) + "\n"
    assert run("import", "-", "--json", stdin=old).json["present"] == 1
    other = json.dumps({"id": "n1", "content": "another text"}) + "\n"
    done = run("import", "-", "--json", stdin=other).json
    assert (done["added"], done["skipped"]) == (0, 1)


def test_a_short_id_stands_before_no_other(run):
    """Where a fact of an earlier import has a short id, a beginning of another is not taken for
    it."""
    long = named_id("1M8055")
    seed([{"id": "01M805", "content": "the squatter"}, {"id": long, "content": "mine"}])
    done = run("show", "01M805")
    assert (done.code, "may be 2 facts" in done.err) == (2, True)
    assert run("show", long[:8], "--json").json["fact"]["content"] == "mine"
    assert run("forget", "01M805").code == 2


def test_times_of_edges_are_not_to_come(run):
    """An edge that a file states was made no later than now."""
    row = {"content": "one", "id": "A", "links": [
        {"kind": "supports", "target": "B", "created_at": "2099-01-01T00:00:00Z"}]}  # fmt: skip
    run("import", "-", stdin=json.dumps(row) + "\n" + json.dumps({"content": "two", "id": "B"}))
    links = [link for line in run("export").out.splitlines() for link in json.loads(line)["links"]]
    assert [link["created_at"] for link in links] == [iso(NOW)]


def test_an_edge_reaches_an_exact_id_alone(run):
    """Where a trusted fact has a short id, a longer id that begins with it hides no edge that would
    stand in its place."""
    seed([{"id": "ABCD", "content": "I was born in Lisbon"},
          {"id": named_id("X"), "content": "the cat is grey"},
          {"id": "ABCDE", "content": "the dog is brown"}])  # fmt: skip
    kinds = ("contradicts", "transition", "supersedes", "supports")
    row = {"content": "born in Porto, says the page",
           "links": [{"kind": kind, "target": "ABCD"} for kind in kinds]}  # fmt: skip
    assert run("import", "-", "--json", stdin=json.dumps(row) + "\n").json["links"] == 1
