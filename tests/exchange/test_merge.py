"""import --merge: what the rules of remember may make of a file."""

from __future__ import annotations

import json
import os

import pytest

from tests.support import DAY, NOW
from tideline_cli.model import instant


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def facts(run):
    return run("list", "--lifecycle", "all", "--json").json["facts"]


def test_what_was_forgotten_stays_forgotten(run):
    """A row that is archived comes as it is: it revives nothing, and replaces nothing."""
    run("remember", "I deploy on Mondays", "--slot", "deploy day")
    run("remember", "I deploy on Tuesdays", "--slot", "deploy day")
    phone = run("remember", "my old phone is 555 1234", "--json").json
    run("forget", "-y", phone["fact"]["id"])
    whole = run("export").out
    run("purge", *(fact["id"] for fact in facts(run)), "--yes")
    run("remember", "I deploy on Fridays", "--slot", "deploy day")
    gone = "".join(line for line in whole.splitlines(keepends=True) if '"archived"' in line)
    done = run("import", "-", "--merge", "--trust", "--json", stdin=gone).json
    assert (done["added"], done["superseded"]) == (2, 0)
    assert {(fact["content"], fact["lifecycle"]) for fact in facts(run)} == {
        ("I deploy on Fridays", "active"), ("I deploy on Mondays", "archived"),
        ("my old phone is 555 1234", "archived"),
    }  # fmt: skip
    assert run("import", "-", "--merge", "--trust", "--json", stdin=gone).json["present"] == 2
    assert run("recall", "phone 555").code == 1
    assert run("doctor", "--deep").code == 0


def test_a_file_says_a_thing_once(run):
    """However often a file repeats a statement, it is one use of the fact that says it, and none of
    a fact that the file has brought."""
    run("remember", "the mail is fetched at noon", "--source", "tool_output")
    rows = [{"content": f"the {what} is fetched at noon"} for what in ("mail", "bread")]
    for uses in (1, 2):
        done = run("import", "-", "--merge", "--json", stdin=lines(*rows * 50)).json
        assert done["reinforced"] == 100 - (uses == 1)
        used = {fact["content"].split()[1]: fact["access_count"] for fact in facts(run)}
        assert used == {"mail": uses, "bread": uses - 1}


@pytest.mark.parametrize("flags", [(), ("--trust",)])
def test_rows_stay_in_the_origin_that_they_name(run, flags):
    """What a row says of another origin goes there, and meets what is there; the importing origin
    sees nothing of it."""
    peer = "channel:slack/c1/s1"
    run("remember", "the code of the door is blue", "--slot", "door")
    rows = [{"content": "the cat of the peer is grey", "origin": peer},
            {"content": "the code of the door is red", "slot": "door", "origin": peer}]  # fmt: skip
    for count in ("added", "reinforced"):
        done = run("import", "-", "--merge", *flags, "--json", stdin=lines(*rows)).json
        assert (done[count], done["superseded"]) == (2, 0)
        assert [fact["content"] for fact in facts(run)] == ["the code of the door is blue"]
        theirs = run("list", "--json", "--origin", peer).json["facts"]
        assert {fact["content"] for fact in theirs} == {row["content"] for row in rows}
    assert run("recall", "grey cat", "--origin", peer).code == 0
    assert run("doctor", "--deep").code == 0
    assert (run("undo", "3").code, run("undo", "2").code) == (0, 0)
    assert run("list", "--origin", peer).out == ""


A, B = ("--db", "a.db"), ("--db", "b.db")


def at(days):
    return ("--now", str(NOW + days * DAY))


def joined(run, source, target, days, *flags):
    """Export one memory and merge it into another; return the report."""
    whole = run("export", *source, *at(days)).out
    done = run("import", "-", "--merge", *(flags or ("--trust",)), "--json", *target, *at(days),
               stdin=whole)  # fmt: skip
    assert done.code == 0, done.err
    return done.json


def states(run, where):
    listed = run("list", "--lifecycle", "all", "--json", *where).json["facts"]
    return {one["content"]: (one["lifecycle"], one["tags"], one["pinned"]) for one in listed}


def test_the_later_statement_wins_a_slot(run):
    """Monday on one machine, Friday later on the other: both hold Friday, whoever merges first, and
    one undo takes the merge back."""
    run("remember", "I deploy on Mondays", "--slot", "d", *A, *at(1))
    run("remember", "I deploy on Fridays", "--slot", "d", *B, *at(2))
    before = run("export", *A).out
    joined(run, B, A, 3)
    joined(run, A, B, 4)
    for where in (A, B):
        active = {text for text, (state, *_) in states(run, where).items() if state == "active"}
        assert active == {"I deploy on Fridays"}
        assert run("doctor", "--deep", "--json", *where).json["findings"] == []
    assert run("undo", *A).code == 0
    assert states(run, A) == {"I deploy on Mondays": ("active", [], False)}
    assert [json.loads(line)["id"] for line in before.splitlines()] == [
        one["id"] for one in run("list", "--lifecycle", "all", "--json", *A).json["facts"]
    ]


def test_what_was_said_again_later_wins_a_slot(run):
    """A value that was said again after the other machine has said another one is the later one."""
    run("remember", "I deploy on Mondays", "--slot", "d", *A, *at(1))
    run("remember", "I deploy on Fridays", "--slot", "d", *B, *at(2))
    run("remember", "I deploy on Mondays", "--slot", "d", *A, *at(3))
    joined(run, A, B, 4)
    joined(run, B, A, 5)
    for where in (A, B):
        active = {text for text, (state, *_) in states(run, where).items() if state == "active"}
        assert active == {"I deploy on Mondays"}


@pytest.mark.parametrize(("day", "end"), [(-3, 0), (2, 4)])
def test_an_older_value_ends_where_the_later_one_stood(run, day, end):
    """A value that was said before the one of today ends where that one began; one that was said
    before it was said again ends there."""
    run("remember", "I deploy on Mondays", "--slot", "deploy", *at(0))
    run("remember", "I deploy on Mondays", "--slot", "deploy", *at(4))
    row = {"id": f"{7:026d}", "content": "I deploy on Fridays", "slot": "deploy",
           "created_at": NOW + day * DAY}  # fmt: skip
    run("import", "-", "--trust", *at(6), stdin=lines(row))
    old = run("show", row["id"], "--json", *at(6)).json["fact"]
    assert (old["lifecycle"], old["valid_to"]) == ("archived", instant.iso(NOW + end * DAY))


def test_an_undo_is_nobodys_word(run):
    """It gives back when the fact was said and stated before; what a redo brings back, it brings
    back with the time of the word. Restoring is a word."""
    said = run("remember", "my phone is 555 1234", "--json", *at(0)).json["id"]
    run("pin", said, *at(1))
    run("undo", *at(2))
    assert exported(run, said)["said_at"] == instant.iso(NOW)
    run("forget", said, *at(3))
    run("undo", *at(4))
    row = exported(run, said)
    assert (row["said_at"], row["changed_at"]) == (instant.iso(NOW), instant.iso(NOW))
    run("remember", "my phone is 555 1234", *at(5))
    assert exported(run, said)["said_at"] == instant.iso(NOW + 5 * DAY)
    run("undo", *at(6))
    assert exported(run, said)["said_at"] == instant.iso(NOW)
    run("redo", *at(7))
    assert exported(run, said)["said_at"] == instant.iso(NOW + 5 * DAY)
    run("undo", *at(8))
    run("forget", said, *at(8))
    run("restore", said, *at(9))
    assert exported(run, said)["said_at"] == instant.iso(NOW + 9 * DAY)


def test_a_dream_and_its_undo_say_nothing(run):
    """Neither moves a time of the fact, so that what somebody says elsewhere stays the later word.
    """
    said = run("remember", "the cat is grey", "--tier", "short", "--json", *at(0)).json["id"]
    assert run("dream", "--max-loss", "1", *at(300)).code == 0
    assert run("show", said, "--json").json["fact"]["lifecycle"] == "archived"
    run("undo", *at(301))
    row = exported(run, said)
    assert row["lifecycle"] == "active"
    assert row["said_at"] == row["changed_at"] == instant.iso(NOW)


@pytest.mark.parametrize("verb", ["forget", "restore"])
def test_a_word_that_was_taken_back_beats_none_of_another(run, verb):
    """Both machines forget a fact, or restore it, and one of them takes that back later."""
    said = run("remember", "the cat is grey", "--json", *at(0), *A).json["id"]
    if verb == "restore":
        run("forget", said, *at(1), *A)
    joined(run, A, B, 2)
    run(verb, said, *at(3), *A)
    run(verb, said, *at(4), *B)
    assert run("undo", *at(5), *A).code == 0
    for _ in range(2):
        joined(run, B, A, 6)
        joined(run, A, B, 7)
    wanted = "archived" if verb == "forget" else "active"
    for where in (A, B):
        assert states(run, where)["the cat is grey"][0] == wanted


@pytest.mark.parametrize("taken_back", ["repeat", "edit", "batch", "dream"])
def test_a_word_that_was_taken_back_moves_no_value(run, taken_back):
    """Of two values the one of the latest word that stands holds on both machines."""
    run("remember", "I live in Rome", "--slot", "city", "--tier", "short", *at(0), *A)
    joined(run, B, A, 1)
    run("remember", "I live in Oslo", "--slot", "city", *at(30), *B)
    if taken_back == "repeat":
        run("remember", "I live in Rome", "--slot", "city", *at(60), *A)
    elif taken_back == "batch":
        row = lines({"content": "I live in Rome", "slot": "city"})
        run("remember", "--batch", *at(60), *A, stdin=row)
    elif taken_back == "edit":
        said = run("list", "--json", *at(60), *A).json["facts"][0]["id"]
        run("edit", said, "--scope", "work", *at(60), *A)
    else:
        assert run("dream", "--max-loss", "1", *at(190), *A).code == 0
        assert states(run, A)["I live in Rome"][0] == "archived"
    assert run("undo", *at(191), *A).code == 0
    for _ in range(2):
        joined(run, B, A, 200)
        joined(run, A, B, 201)
    for where in (A, B):
        assert states(run, where)["I live in Oslo"][0] == "active"
        assert states(run, where)["I live in Rome"][0] == "archived"


def exported(run, fact_id):
    """Return the row of a fact in an export."""
    rows = map(json.loads, run("export", *at(9)).out.splitlines())
    return next(row for row in rows if row["id"] == fact_id)


def test_states_travel_and_are_told(run):
    """What was forgotten, restored or labelled there is so here, if that happened later than what
    is known here; the report counts each kind, and one undo takes all of it back."""
    for text in ("my phone is 555 1234", "the cat is grey", "the bike is blue"):
        run("remember", text, *A, *at(0))
    joined(run, A, B, 1)
    ids = {one["content"]: one["id"] for one in run("list", "--json", *A).json["facts"]}
    ids = {text.split()[1]: one for text, one in ids.items()}
    run("forget", "-y", ids["phone"], *A, *at(2))
    run("edit", ids["cat"], "--tag", "pet", *A, *at(2))
    run("forget", "-y", ids["bike"], *B, *at(3))
    before = states(run, B)
    report = joined(run, A, B, 4)
    assert report["brought"] == {"archived": 1, "restored": 0, "relabelled": 1, "used": 0,
                                 "copies": 0}  # fmt: skip
    assert report["differing"] == 1
    assert states(run, B) == {
        "my phone is 555 1234": ("archived", [], False), "the cat is grey": ("active", ["pet"],
                                                                            False),
        "the bike is blue": ("archived", [], False),
    }  # fmt: skip
    assert joined(run, B, A, 5)["brought"]["archived"] == 1
    assert states(run, A) == states(run, B)
    run("restore", ids["bike"], *A, *at(6))
    assert joined(run, A, B, 7)["brought"]["restored"] == 1
    assert (run("undo", *B).code, run("undo", "3", *B).code) == (0, 0)
    assert states(run, B) == before


def test_a_copy_of_what_was_forgotten_is_forgotten(run):
    """A text that both machines have said is one fact to a person: forgotten on one it is forgotten
    on the other, unless it was said there since."""
    for where, day in ((A, 0), (B, 1)):
        run("remember", "my phone is 555 1234", *where, *at(day))
    run("forget", "-y", "--query", "my phone is 555 1234", *A, *at(2))
    assert joined(run, A, B, 3)["brought"]["copies"] == 1
    assert {state for state, *_ in states(run, B).values()} == {"archived"}
    run("remember", "my phone is 555 1234", *B, *at(4))
    joined(run, A, B, 5)
    assert run("recall", "phone", *B, *at(5)).code == 0


def test_an_unvouched_file_archives_nothing_of_the_owner(run):
    """Without --trust a file neither archives nor replaces nor relabels the owner's facts, by
    whatever times it claims; the write-gate says so."""
    kept = run("remember", "my phone is 555 1234", "--slot", "phone", "--json", *at(0)).json["id"]
    before = run("show", kept, "--json").json["fact"]
    rows = [
        {"id": kept, "content": "my phone is 555 1234", "slot": "phone", "lifecycle": "archived",
         "changed_at": "2030-01-01", "said_at": "2030-01-01", "valid_to": "2025-10-01",
         "created_at": "2025-10-01"},
        {"content": "my phone is 666 9999", "slot": "phone", "said_at": "2030-01-01"},
    ]  # fmt: skip
    done = run("import", "-", "--merge", *at(9), stdin=lines(*rows))
    assert "write-gate: 1 statement not taken" in done.err
    assert run("show", kept, "--json").json["fact"] == before


def test_a_merge_touches_no_other_origin(run):
    """What one origin's merge brings, and when that was stated, is nothing to another: its export
    stays byte for byte, and says nothing of when others have merged."""
    peer = ("--origin", "channel:slack/c1/s1")
    for who in ((), peer):
        run("remember", "my phone is 555 1234", "--slot", "phone", *who, *at(0))
    theirs = run("export", *peer).out
    (mine,) = run("list", "--json").json["facts"]
    row = {**mine, "lifecycle": "archived", "valid_to": "2025-10-10", "changed_at": "2025-10-11"}
    done = run("import", "-", "--trust", "--merge", "--json", *at(5), stdin=lines(row))
    assert done.json["brought"]["archived"] == 1
    assert run("export", *peer).out == theirs
    assert json.loads(run("export").out)["changed_at"] == "2025-10-11T00:00:00.000Z"


def test_a_value_that_both_have_said_is_not_lost(run, tmp_path, monkeypatch):
    """Where two machines have said one value of a slot, the one that was said later holds on
    both, whichever row comes first."""
    words = ("remember", "I live in Rome", "--slot", "city")
    for day in (3, 2):
        run(*words, "--now", str(NOW - day * DAY))
    here = run("export").out
    home = os.environ["TIDELINE_HOME"]
    monkeypatch.setenv("TIDELINE_HOME", str(tmp_path / "other"))
    run(*words, "--now", str(NOW - DAY))
    assert run("import", "-", "--merge", "--trust", stdin=here).code == 0
    there = run("list", "--json").json["facts"]
    exported = run("export").out
    monkeypatch.setenv("TIDELINE_HOME", home)
    assert run("import", "-", "--merge", "--trust", stdin=exported).code == 0
    held = run("list", "--json").json["facts"]
    assert [one["id"] for one in held] == [one["id"] for one in there] != []
    assert run("doctor", "--deep", "--json").json["findings"] == []


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
@pytest.mark.parametrize("reason", ["forgotten", "faded", "superseded"])
def test_the_reason_travels(run, tmp_path, monkeypatch, form, reason):
    """What faded on one machine is announced on the other, what was forgotten or replaced is not,
    however weak it was."""
    born, late = str(NOW - 300 * DAY), str(NOW - 10 * DAY)
    words = ("remember", "the boiler code is 4711", "--segment", "context", "--now", born)
    old = run(*words, "--json").json["id"]
    for number in range(4):
        run("remember", f"winter {number} was cold", "--pin", "--now", late)
    done = {
        "forgotten": lambda: run("forget", old, "-y", "--now", late),
        "faded": lambda: run("dream", "--stage", "evict", "--now", late),
        "superseded": lambda: run("edit", old, "the new number is 12", "--now", late),
    }[reason]()
    assert done.code == 0, done.err
    exported = run("export", "--format", form, "--lifecycle", "all").out
    assert f'{reason}' in exported
    monkeypatch.setenv("TIDELINE_HOME", str(tmp_path / "other"))
    (tmp_path / "all.txt").write_text(exported, "utf-8")
    more = ("--format", form, "--merge", "--trust")
    assert run("import", "all.txt", *more).code == 0
    told = run("recall", "boiler code")
    assert ("archived fact" in told.err) is (reason == "faded")
    back = [json.loads(line) for line in run("export").out.splitlines()]
    assert {one["id"]: one["archived_reason"] for one in back}[old] == reason


def test_the_reason_of_a_merge_goes_with_its_undo(run, tmp_path, monkeypatch):
    """What faded here and was forgotten there later is not announced; after an undo it is again."""
    old = run("remember", "the boiler code is 4711", "--segment", "context",
              "--now", str(NOW - 300 * DAY), "--json").json["id"]  # fmt: skip
    for number in range(4):
        run("remember", f"winter {number} was cold", "--pin", "--now", str(NOW - 20 * DAY))
    before = run("export").out
    run("dream", "--stage", "evict", "--now", str(NOW - 10 * DAY))
    assert "archived fact" in run("recall", "boiler code").err
    home = os.environ["TIDELINE_HOME"]
    monkeypatch.setenv("TIDELINE_HOME", str(tmp_path / "other"))
    run("import", "-", "--trust", stdin=before)
    run("forget", old, "-y", "--now", str(NOW - 5 * DAY))
    exported = run("export").out
    monkeypatch.setenv("TIDELINE_HOME", home)
    assert run("import", "-", "--merge", "--trust", stdin=exported).code == 0
    assert "archived fact" not in run("recall", "boiler code").err
    assert run("undo").code == 0
    assert "archived fact" in run("recall", "boiler code").err


def test_a_file_that_nobody_vouches_for_announces_nothing(run):
    """It may say that a fact was forgotten, not that it faded: that would be announced."""
    for word, kept in (("faded", "unknown"), ("forgotten", "forgotten")):
        row = {"content": f"buy {word} pills now", "lifecycle": "archived", "archived_reason": word}
        assert run("import", "-", stdin=json.dumps(row) + "\n").code == 0
        assert "archived fact" not in run("recall", f"{word} pills").err
        rows = [json.loads(line) for line in run("export").out.splitlines()]
        assert {one["content"]: one["archived_reason"] for one in rows}[row["content"]] == kept


APART = [
    ({"speaker": "Ann"}, {"speaker": "Ben"}),
    ({"scope": "home"}, {"scope": "work"}),
    ({"kind": "note"}, {"kind": "task"}),
    ({"session": "s1", "turn": 1}, {"session": "s1", "turn": 2}),
    ({"session": "s1"}, {"session": "s2"}),
    ({"session": "s1"}, {"session": "s1"}),
    ({"valid_from": "2025-01-01"}, {"valid_from": "2025-02-01"}),
    ({"valid_to": "2030-01-01"}, {"valid_to": "2030-02-01"}),
    ({"valid_to": "2030-01-01"}, {}),
]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("flags", [("--trust", "--merge"), ("--merge",), ("--trust",), ()])
@pytest.mark.parametrize(("one", "other"), APART)
def test_rows_of_one_text_that_are_two_statements_are_two_facts(run, flags, one, other):
    """Though no row has an id or a time; a second run of the file adds nothing."""
    lines = "\n".join(json.dumps({"content": "Tea at five", **labels}) for labels in (one, other))
    for added in (2, 0):
        done = run("import", "-", "--json", *flags, stdin=lines).json
        assert (done["added"], done["errors"]) == (added, [])
    assert len(run("list", "--json", "--limit", "9").json["facts"]) == 2
    assert run("doctor", "--deep", "--json").json["findings"] == []


@pytest.mark.parametrize("labels", [{}, {"speaker": "Ann"}, {"valid_to": "2030-01-01"}])
def test_rows_of_one_statement_are_one_fact(run, labels):
    """Two rows with the same text and labels add one fact, which the second reinforces."""
    lines = "\n".join([json.dumps({"content": "Tea at five", **labels})] * 2)
    done = run("import", "-", "--json", "--merge", "--trust", stdin=lines).json
    assert (done["added"], done["reinforced"]) == (1, 1)


@pytest.mark.parametrize(("more", "again"), [
    ({"valid_from": "2025-11-01"}, "Berlin"), ({"valid_to": "2025-11-01"}, "Berlin"),
    ({"valid_to": "2025-11-01"}, "Zurich"),
])  # fmt: skip
def test_a_row_without_a_time_states_a_value_again(run, more, again):
    """A value of which a plan or a stay is known, or in which a stay was said, is said again."""
    def merge(day, **row):
        done = run("import", "-", "--json", "--merge", "--trust", "--now", f"2025-10-0{day}",
                   stdin=json.dumps({"slot": "where", **row}))  # fmt: skip
        assert (done.code, done.json["errors"]) == (0, [])

    merge(1, content="I work from Zurich")
    merge(2, content="I work from Berlin", **more)
    merge(4, content=f"I work from {again}")
    assert again in run("slots", "--now", "2025-10-04T12Z").out
    assert run("doctor", "--deep", "--json").json["findings"] == []


@pytest.mark.parametrize("since", [(), ("--valid-from", "2027-01-01")], ids=["value", "plan"])
@pytest.mark.parametrize(
    ("words", "field", "becomes"),
    [
        (("forget", "{}"), "archived_reason", "forgotten"),
        (("edit", "{}", "--valid-to", "2027-02-01T00Z"), "statement",
         {"until": instant.parse("2027-02-01T00Z")}),
        (("edit", "{}", "--tag", "home"), "tags", ["home"]),
    ],
    ids=["forget", "end", "tag"],
)  # fmt: skip
def test_a_word_counts_about_a_value_that_was_painted_over_here(run, words, field, becomes, since):
    """What the slot of the older memory shows of it is no word, also where that is shown later."""
    old = run("remember", "I live in Rome", "--slot", "city", *A, *at(1), "--json").json
    fact_id = old["fact"]["id"]
    run("import", "-", "--merge", "--trust", *B, *at(2), stdin=run("export", *A, *at(2)).out)
    run(*(word.format(fact_id) for word in words), *B, *at(3))
    run("remember", "I live in Oslo", "--slot", "city", *since, *A, *at(4))
    for here, there in ((A, B), (B, A)):
        run("import", "-", "--merge", "--trust", *here, *at(5), stdin=run("export", *there).out)
    for memory in (A, B):
        whole = map(json.loads, run("export", *memory, *at(6)).out.splitlines())
        [row] = [row for row in whole if row["id"] == fact_id]
        assert row[field] == becomes


def test_what_is_only_painted_over_is_no_other_state(run, tmp_path):
    """A value that another value covers here, and not in the file, is as it was said in both."""
    run("remember", "the gate is red", "--slot", "gate", "--now", str(NOW))
    (tmp_path / "rows.jsonl").write_text(run("export").out)
    run("remember", "the gate is blue", "--slot", "gate", "--now", str(NOW + DAY))
    done = run("import", str(tmp_path / "rows.jsonl"), "--merge", "--trust",
               "--now", str(NOW + 2 * DAY))  # fmt: skip
    assert "another state" not in done.out + done.err
    assert "1 there already" in done.out
    assert run("recall", "gate", "--now", str(NOW + 2 * DAY)).out.count("the gate is") == 1
