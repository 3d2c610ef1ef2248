"""import --merge: what the rules of remember may make of a file."""

from __future__ import annotations

import json

import pytest


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
