"""A fact or a slot through time, as a person, a pipe and a program see it."""

from __future__ import annotations

import time

import pytest

from tests.support import DAY, NOW, PEER


@pytest.fixture(autouse=True)
def all_fades(monkeypatch):
    """Let what a person types fade, too."""
    monkeypatch.setenv("TIDELINE_EVICT_AFTER_OWNER", "reference")


@pytest.fixture
def at(run):
    """Run a command line at a time in days after the first, without error."""

    def call(*argv, day=0):
        done = run(*argv, "--now", str(NOW + day * DAY))
        assert done.code in (0, 1), done.err
        return done

    return call


def said(at, text, *more, day=0):
    return at("remember", text, "--json", *more, day=day).json["id"]


@pytest.fixture
def versions(at):
    """Three values of a slot, one of them from a tool."""
    return [
        said(at, "Postgres 15", "--slot", "pg_version"),
        said(at, "Postgres 16", "--slot", "pg_version", "--source", "user_instruction", day=10),
        said(at, "Postgres 17", "--slot", "pg_version", day=20),
    ]


def test_a_slot_through_time(at, versions):
    """Each value with its dates, who said it and what replaced it; the last with its strength and
    the day it fades."""
    form = at("timeline", "--slot", "PG Version", "--json", day=21).json
    rows = form["facts"]
    assert [row["id"] for row in rows] == versions
    assert [row["state"] for row in rows] == ["superseded", "superseded", "active"]
    assert [row["by"] for row in rows] == [versions[1], versions[2], None]
    assert [row["source"] for row in rows][1] == "user_instruction"
    assert rows[0]["until"] == rows[1]["since"] and rows[2]["until"] is None
    assert rows[0]["strength"] is None and 0.5 < rows[2]["strength"] < 0.6
    at("dream", "--max-loss", "1", "--stage", "evict", "--now", str(NOW), day=100)
    faded = at("timeline", "--slot", "pg_version", "--json", day=101).json["facts"][2]
    assert (faded["state"], faded["by"], faded["fades_at"]) == ("faded", None, None)
    assert rows[2]["fades_at"] < faded["until"]


def test_any_fact_of_it_names_all_of_it(at, versions):
    """An id gives the same timeline as its slot, with what an edit or a name replaced."""
    of_slot = at("timeline", "--slot", "pg_version", "--json", day=21).json["facts"]
    for one in versions:
        assert at("timeline", one, "--json", day=21).json["facts"] == of_slot
    first = said(at, "the cat sleeps in the hall")
    second = at("edit", first, "it sleeps in the kitchen", "--json", day=1).json["id"]
    third = said(at, "it sleeps outside", "--supersedes", second, day=2)
    said(at, "the dog barks at night")
    for one in (first, second, third):
        rows = at("timeline", one, "--json", day=3).json["facts"]
        assert [(row["id"], row["by"]) for row in rows] == [
            (first, second), (second, third), (third, None),
        ]  # fmt: skip


def test_states_in_words(at):
    """Forgotten, ended, to come, pinned: each is called what it is."""
    gone = said(at, "Ann rides a bike")
    at("forget", gone, day=1)
    ended = said(at, "on call this week", "--valid-to", "2025-10-12")
    ahead = said(at, "the office moves", "--valid-from", "2027-01-01")
    pinned = said(at, "Ben eats no nuts", "--pin")
    states = [at("timeline", one, "--json", day=9).json["facts"][0]["state"]
              for one in (gone, ended, ahead, pinned)]  # fmt: skip
    assert states == ["forgotten", "ended", "ahead", "active"]
    assert "never fades" in at("timeline", pinned, day=9).out


def test_forms(at, versions):
    """Plain lines in a pipe; on a terminal marks, a bar, and whole words at 50 columns."""
    lines = at("timeline", "--slot", "pg_version", day=21).out.splitlines()
    assert [line.split("\t")[0] for line in lines] == versions
    assert lines[0].split("\t")[3:] == [
        "superseded", "owner_message", "Postgres 15", f"(superseded by {versions[1]})",
    ]  # fmt: skip
    assert "(strength 0.5" in lines[2] and ", fades 2026-0" in lines[2]


@pytest.mark.parametrize("columns", ["40", "50", "80"])
def test_on_a_terminal(at, versions, monkeypatch, columns):
    """No line is wider than the terminal, and nothing of the text is lost."""
    monkeypatch.setenv("COLUMNS", columns)
    out = at("timeline", "--slot", "pg_version", "--format", "table", day=21).out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= int(columns)
    assert out.count("●") == 1 and out.count("○") == 2 and "█" in out
    assert "superseded by that of 2025-10-19" in " ".join(out.replace("│", "").split())
    at("dream", "--max-loss", "1", "--stage", "evict", day=150)
    gone = at("timeline", "--slot", "pg_version", "--format", "table", day=151).out
    assert f"tideline restore {versions[2]}" in " ".join(gone.split())


def test_without_a_name_the_slots_that_changed(at, run, versions):
    """The slots that were spoken of last, with the value that holds; errors name what is there."""
    said(at, "Fridays", "--slot", "deploy_day", day=30)
    form = at("timeline", "--json", day=31).json["slots"]
    assert [(row["slot"], row["values"], row["fact"]["content"]) for row in form] == [
        ("deploy_day", 1, "Fridays"), ("pg_version", 3, "Postgres 17"),
    ]  # fmt: skip
    assert at("timeline", "-n", "1", day=31).out == "deploy_day\t2025-11-08\t1 value\tFridays\n"
    assert "deploy_day" in at("timeline", "--format", "table", day=31).out
    missing = run("timeline", "--slot", "nothing")
    assert (missing.code, missing.out) == (3, "") and "no such slot: nothing" in missing.err
    assert run("timeline", versions[0], "--slot", "x").code == 2
    assert run("timeline", "a", "b").code == 2
    assert run("timeline", "ZZZZZ").code == 3


def test_an_origin_sees_its_own(at, run, versions):
    """Neither slots nor facts of another origin are told, and an empty memory has none."""
    said(at, "Postgres 9", "--slot", "pg_version", "--origin", PEER.key, day=5)
    assert len(at("timeline", "--slot", "pg_version", "--json", day=21).json["facts"]) == 3
    own = at("timeline", "--origin", PEER.key, "--json", day=21).json["slots"]
    assert [row["values"] for row in own] == [1]
    assert run("timeline", versions[0], "--origin", PEER.key).code == 3


def test_in_an_empty_home(run):
    """Without a store there is nothing, and how to begin is said."""
    assert run("timeline").err.startswith("tideline: no slots yet")
    assert run("timeline", "--json").json == {"slots": []}
    assert run("timeline", "ZZZZZ").code == 3
    assert run("fading").code == 0
    assert run("fading", "--json").json["facts"] == []


def test_values_of_two_scopes_say_whose_they_are(at):
    """A slot has a value in each scope: the lines, the terminal and JSON say which it is."""
    for scope, port in (("x", 8080), ("x/y", 9090)):
        said(at, f"the port is {port}", "--slot", "port", "--scope", scope)
    said(at, "the port is 80", "--slot", "port")
    for more in ((), ("--format", "table")):
        out = at("timeline", "--slot", "port", *more).out
        assert out.count("scope x/y") == 1 and out.count("scope x") == 2, out
    held = at("timeline", "--slot", "port", "--json").json["facts"]
    assert {one["scope"] for one in held} == {"x", "x/y", None}


@pytest.mark.parametrize(("zone", "day"), [("Asia/Tokyo", "2026-11-02"), ("UTC", "2026-11-01"),
                                           ("America/New_York", "2026-11-01")])  # fmt: skip
def test_people_see_their_own_days(run, monkeypatch, zone, day):
    """On a terminal a day is that of the clock on the wall; a pipe has UTC."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        run("remember", "the port is 80", "--slot", "port", "--now", "2026-11-01T20:00:00Z")
        later = ("--now", "2026-11-01T21:00:00Z")
        assert day in run("timeline", "--slot", "port", "--format", "table", *later).out
        assert day in run("timeline", "--format", "table", *later).out
        assert "2026-11-01" in run("timeline", "--slot", "port", *later).out
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_values_of_one_day_are_told_apart(run, monkeypatch):
    """Steps of one day name their minute, those of one minute the second, those of one second the
    end of the id."""
    at = ("2026-01-05T08:00:00Z", "2026-01-05T09:30:00Z", "2026-01-05T09:30:20Z",
          "2026-01-05T09:30:20.500Z")  # fmt: skip
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TZ", "UTC")
    ids = [run("remember", f"I deploy in room {n}", "--slot", "room", "--now", when,
               "--json").json["id"] for n, when in enumerate(at)]  # fmt: skip
    shown = run("timeline", "--slot", "room", "--format", "table").out
    out = " ".join(shown.replace("│", "").split())
    assert "○ 2026-01-05 08:00 I deploy in room 0" in out
    assert "superseded by that of 2026-01-05 09:30:00" in out
    assert "superseded by that of 2026-01-05 09:30:20" in out
    assert f"superseded by …{ids[-1][-6:]}" in out


def test_the_name_of_a_slot_leads_to_it(run):
    """A word that is no id and names a slot of the same origin is told with the call for that."""
    run("remember", "alder has 10.0.0.7", "--slot", "alder_ip")
    done = run("timeline", "alder_ip")
    assert (done.code, done.out) == (3, "")
    assert "`tideline timeline --slot alder_ip` shows the slot" in done.err
    for words in (("birch_ip",), ("--", "-!-"), ("alder_ip", "--origin", "channel:a/b/s1")):
        done = run("timeline", *words)
        assert (done.code, "--slot alder_ip" in done.err) == (3, False)
