"""What matches beside the hits, in every door: weak, archived and ended facts; and how what has
ended is marked and counted."""

from __future__ import annotations

import json

import pytest

from tests.doors.mcp_talk import result, told
from tests.support import DAY, NOW
from tideline_cli import Memory

PERMIT = "the parking permit of Lindenhof"
ASKED = "parking permit Lindenhof"
WEAKLY = "combination of the bicycle lock"
END = "2025-08-20"  # before NOW


@pytest.fixture
def ended(run):
    """The id of a task that ended before now, beside one that lasts."""
    old = ("--now", str(NOW - 90 * DAY), "--json")
    run("remember", "The bike lock code is 7319", *old)
    run("remember", "return the parcel", "--kind", "task", "--tag", "todo", *old)
    done = run("remember", PERMIT, "--valid-to", END, "--kind", "task", "--tag", "todo", *old)
    return done.json["id"]


def day_of(run, fact_id):
    """Return how a person reads the end of a fact."""
    (line,) = [one for one in run("list").out.splitlines() if one.startswith(fact_id)]
    return line.rpartition("\t")[2]


def test_recall_names_what_has_ended(run, ended):
    """A person is told in one line, JSON has the id and the text; the exit code is 1. So in every
    mode and profile."""
    for more in (("--mode", "keyword"), ("--mode", "semantic"), ("--mode", "points"),
                 ("--profile", "motherbrain"), ("--profile", "rsclaw"), ("--fusion", "rrf"),
                 ("--profile", "vectormemory")):  # fmt: skip
        form = run("recall", ASKED, "--json", *more).json
        assert [one["id"] for one in form["ended_matches"]] == [ended], more
    done = run("recall", ASKED)
    assert (done.code, done.out) == (1, "")
    assert f'1 fact that no longer holds matches: "{PERMIT}" (ended 20 Aug' in done.err
    assert f"tideline show {ended}" in done.err
    found = run("recall", ASKED, "--json")
    assert found.code == 1 and found.err == ""
    (one,) = found.json["ended_matches"]
    assert (one["id"], one["content"]) == (ended, PERMIT)
    assert one["ended_at"].startswith("2025-08-21T00:00")
    assert run("context", ASKED, "--json").json["ended_matches"] == [one]
    assert "no longer holds" in run("context", ASKED).err
    assert run("context", ASKED, "--auto").err == ""
    assert run("recall", "parcel", "--json").json["ended_matches"] == []
    assert run("recall", ASKED, "--origin", "channel:wa/c/s", "--json").json["ended_matches"] == []


def test_programs_are_told_the_same(run, client, ended):
    """MCP, the HTTP API, that of RsClaw, the page and Python name the ended fact by its id."""
    for argv in ((), ("--format", "text")):
        text = result("recall", query=ASKED, argv=argv)["content"][0]["text"]
        assert ended in text and "Stored memory" in text
    form = told("recall", query=ASKED)
    assert form["hits"] == [] and form["ended_matches"][0]["text"] == PERMIT
    asked = ASKED.replace(" ", "+")
    for path in (f"/api/v1/recall?q={asked}", f"/api/v1/memory/docs?q={asked}"):
        assert json.loads(client(path).body)["ended_matches"][0]["id"] == ended, path
    assert "hold no longer" in client(f"/?q={asked}").body
    with Memory.open(clock=lambda: NOW) as memory:
        (one,) = memory.answer(ASKED).ended
        assert (one.fact.id, one.reason, memory.recall(ASKED)) == (ended, "ended", ())


def test_weak_hits_are_marked_for_programs(run, client, ended):
    """The same hit, with the same mark, in every door; hooks stay silent."""
    assert [hit["weak"] for hit in told("recall", query=WEAKLY)["hits"]] == [True]
    text = result("recall", query=WEAKLY, argv=("--format", "text"))["content"][0]["text"]
    assert "7319" in text and "weak match" in text
    asked = WEAKLY.replace(" ", "+")
    assert json.loads(client(f"/api/v1/recall?q={asked}").body)["hits"][0]["weak"] is True
    assert json.loads(client(f"/api/v1/memory/docs?q={asked}").body)["docs"][0]["weak"] is True
    page = client(f"/?q={asked}").body
    assert "7319" in page and "weak match" in page
    with Memory.open(clock=lambda: NOW) as memory:
        assert [hit.weak for hit in memory.recall(WEAKLY)] == [True]
    assert "7319" in run("context", WEAKLY).out
    assert run("context", WEAKLY, "--auto").out == ""


def test_archived_matches_reach_programs(run, client):
    """What has faded in four months is told to agents too."""
    run("remember", "Theo is allergic to hazelnuts", "--source", "extraction", "--json")
    late = str(NOW + 200 * DAY)
    run("dream", "--now", late, "--max-loss", "1")
    (one,) = run("recall", "may Theo eat hazelnuts", "--json").json["archived_matches"]
    form = told("recall", query="may Theo eat hazelnuts")
    assert form["hits"] == []
    assert [(each["id"], each["reason"]) for each in form["archived_matches"]] == [
        (one["id"], "faded")
    ]
    found = json.loads(client("/api/v1/memory/docs?q=Theo+hazelnuts").body)
    assert found["docs"] == [] and found["archived_matches"][0]["id"] == one["id"]
    assert one["id"] in client("/?q=Theo+hazelnuts").body
    with Memory.open(clock=lambda: NOW) as memory:
        assert [each.fact.id for each in memory.answer("Theo hazelnuts").archived] == [one["id"]]


def test_what_ended_before_it_was_archived_has_ended(run):
    """A fact that ended by itself, and then faded, is named as one that has ended."""
    run("remember", PERMIT, "--valid-to", END, "--now", str(NOW - 90 * DAY), "--source",
        "extraction")  # fmt: skip
    late = ("--now", str(NOW + 300 * DAY))
    run("dream", *late, "--max-loss", "1")
    assert run("list", "--lifecycle", "archived").out
    form = run("recall", ASKED, "--json", *late).json
    assert form["archived_matches"] == []
    assert [one["content"] for one in form["ended_matches"]] == [PERMIT]


def test_what_has_ended_is_marked_where_it_is_listed(run, client, ended):
    """list, show, the pages and JSON say so; work that has ended is not active."""
    assert day_of(run, ended).startswith("(ended 20 Aug")
    marks = {fact["id"]: fact.get("ended") for fact in run("list", "--json").json["facts"]}
    assert marks.pop(ended) is True and set(marks.values()) == {None}
    assert ended in run("list", "--kind", "task").out
    assert "parcel" in run("list", "--kind", "task", "--status", "active").out
    assert ended not in run("list", "--kind", "task", "--status", "active").out
    assert run("show", ended, "--json").json["ended"] is True
    assert "(ended 20 Aug" in run("show", ended).out
    assert "ended 20 Aug" in client("/facts").body
    assert "ended 20 Aug" in client(f"/facts/{ended}").body
    before = run("list", "--as-of", str(NOW - 60 * DAY))
    assert ended in before.out and "ended" not in before.out


def test_what_fades_says_that_it_has_ended(run, client):
    """In `fading` and on its page a fact whose end has passed is marked."""
    run("remember", PERMIT, "--valid-to", END, "--now", str(NOW - 90 * DAY), "--source",
        "extraction", "--importance", "0.1")  # fmt: skip
    assert "(ended 20 Aug" in run("fading", "--within", "2000d").out
    assert run("fading", "--within", "2000d", "--json").json["facts"][0]["ended"] is True
    assert "ended 20 Aug" in client("/fading?within=2000d").body


def test_what_has_ended_is_not_counted_for_other_origins(run, ended):
    """`status --all-origins` counts it apart, for the owner and for others."""
    other = ("--origin", "channel:wa/c/s", "--now", str(NOW - 90 * DAY))
    for text in ("the boat is blue", "the bridge is closed", "the ferry runs"):
        run("remember", text, *other, *(("--valid-to", END) if "bridge" in text else ()))
    rows = run("status", "--all-origins", "--json").json["origins"]
    assert [(row["active"], row["ended"]) for row in rows] == [(2, 1), (2, 1)]
    assert run("status", "--all-origins").out.count(": 2, 1 ended\n") == 2
    early = ("--now", str(NOW - 89 * DAY))
    rows = run("status", "--all-origins", "--json", *early).json["origins"]
    assert [(row["active"], row["ended"]) for row in rows] == [(3, 0), (3, 0)]


def test_what_has_ended_is_not_counted_as_active(run, client, ended):
    """status counts it apart, in all groups; tags do not count it."""
    form = run("status", "--json", "--by", "kind").json
    assert form["facts"] == {"active": 2, "archived": 0, "pruned": 0, "ended": 1}
    assert form["by_kind"] == {"": 1, "task": 1} and form["by_scope"] == {"": 2}
    assert sum(form["by_segment"].values()) == sum(form["by_heat"].values()) == 2
    assert "2 active, 1 ended, 0 archived" in run("status").out
    assert run("tags", "--json").json["tags"][0]["facts"] == 1
    assert "1</b> ended" in client("/").body
    with Memory.open(clock=lambda: NOW) as memory:
        assert (memory.status().active, memory.status().ended) == (2, 1)


def test_other_scopes_are_a_count_for_a_person(run, client):
    """The terminal and a pipe are told how many match elsewhere; JSON and MCP are not."""
    for town in ("Basel", "Bern"):
        run("remember", f"the lighthouse of {town}", "--scope", "x")
    done = run("recall", "lighthouse", "--scope", "y")
    assert done.code == 1 and "2 facts of other scopes match: --all-scopes" in done.err
    said = run("recall", "lighthouse", "--scope", "y", "--json")
    assert said.err == "" and "scope" not in said.out
