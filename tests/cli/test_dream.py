"""dream and gc as commands."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from tests.support import DAY, NOW, seed
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import parse_origin
from tideline_cli.store import locks

CHANNEL = "channel:wa/c1/s1"
TEXT = "The user prefers dark mode in the editor"


def take(run, *rows):
    """Store rows as the owner's own."""
    seed({"content": row} if isinstance(row, str) else row for row in rows)


def fill(run, *rows, others=8):
    """Take in rows among others that have nothing to do with them."""
    words = "granite copper walnut velvet saffron marble cobalt juniper amber quartz".split()
    take(run, *rows, *(f"{word} {n * 37} unlike all the rest" for n, word in
                       enumerate(words[:others])))  # fmt: skip


def lifecycle(run, fact_id):
    return run("show", fact_id, "--json").json["fact"]["lifecycle"]


def test_dream_merges_and_tells(run):
    """A dream prints what it did, why, and how to take it back."""
    fill(run, {"id": "TWIN1", "content": TEXT}, {"id": "TWIN2", "content": TEXT},
         {"id": "OLDER", "content": "The user prefers dark mode in the old editor"})  # fmt: skip
    done = run("dream")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "owner: 11 facts, 1 merged, 2 linked"
    assert lines[1:] == [
        f"  merged    TWIN2 [knowledge] {TEXT}",
        f"              into TWIN1 [knowledge] {TEXT} (cosine 1.000)",
        "  linked    OLDER [knowledge] The user prefers dark mode in the old editor",
        f"              and TWIN1 [knowledge] {TEXT} (cosine 0.925)",
        "  batch 2: `tideline undo 2` takes it back",
    ]
    assert lifecycle(run, "TWIN2") == "archived"
    status = run("status", "--json").json
    assert status["last_dream"] == iso(NOW)
    assert status["last_dream_summary"] == "1 merged, 2 linked"


def test_json_form(run):
    """--json holds the contract's keys for each origin."""
    fill(run, {"id": "TWIN1", "content": TEXT}, {"id": "TWIN2", "content": TEXT})
    form = run("dream", "--json").json
    assert list(form) == ["origins", "dry_run", "batch"]
    (mine,) = form["origins"]
    assert mine == {
        "origin": "owner", "reflected": 10, "confirmed": [],
        "consolidated": [{"kept": "TWIN1", "merged": "TWIN2", "cosine": 1.0}],
        "related": 0, "relations": [], "evicted": [], "archived": ["TWIN2"], "refused": None,
        "skipped": 0, "batch": 2,
    }  # fmt: skip


def test_a_dry_run_shows_the_same(run):
    """--dry-run prints the plan and leaves everything as it is."""
    fill(run, {"id": "TWIN1", "content": TEXT}, {"id": "TWIN2", "content": TEXT},
         {"id": "SLOT", "content": "deploys on Friday", "slot": "deploy", "access_count": 4})
    before = run("export").out
    planned = run("dream", "-n", "--json").json
    assert (planned["dry_run"], planned["batch"]) == (True, None)
    assert run("export").out == before
    done = run("dream", "--json").json
    for form in (planned, done):
        for row in form["origins"]:
            del row["batch"]
    assert planned["origins"] == done["origins"]
    assert done["origins"][0]["confirmed"] == [
        {
            "id": "SLOT", "prior": {"confidence": None, "status": None, "importance": 0.6},
            "said": 5, "corrected": 0,
        }
    ]  # fmt: skip


def test_refusal_is_loud(run):
    """Over --max-loss nothing is archived, and even a quiet dream says so."""
    take(run, {"id": "A1", "content": TEXT}, {"id": "A2", "content": TEXT})
    done = run("dream", "--quiet")
    assert (done.code, done.out) == (0, "")
    assert "owner: refused to archive 1 of 2 facts (50%)" in done.err
    refused = run("dream", "--json").json["origins"][0]
    assert refused["refused"] == {"facts": 1, "of": 2, "max_loss": 0.25}
    assert refused["archived"] == []
    assert run("dream", "--max-loss", "0.5", "--json").json["origins"][0]["archived"] == ["A2"]


def test_a_quiet_success_prints_nothing(run):
    """Cron sends no mail about a night in which all went well and nothing went that a person
    typed."""
    agents = {"content": TEXT, "agent": "codex"}
    fill(run, TEXT, agents, agents)
    done = run("dream", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert len(run("status", "--json").json["archiving_passes"]) == 1


@pytest.mark.parametrize("verb", ["dream", "gc"])
def test_a_night_tells_what_it_took_that_a_person_typed(run, verb):
    """One line on stderr, with --quiet too, and as an object with --json; a dry run took nothing.
    What others read of another origin is an id alone."""
    for origin in ("owner", CHANNEL):
        mine = ("--origin", origin, "--source", "owner_message", "--now", "2020-01-01")
        for text in ("the meeting is at noon", "the lift is broken"):
            run("remember", text, "-s", "context", *mine)
        run("remember", "I am allergic to nuts", *mine)
        run("remember", "tests run in CI", "--agent", "codex", "-s", "context", *mine)
    assert run(verb, "--quiet", "--max-loss", "1", "-n").err == ""
    mine, theirs = run(verb, "--quiet", "--max-loss", "1").err.splitlines()
    assert "owner: archived 2 facts that a person typed: " in mine
    assert "[context] the meeting is at noon, and 1 more; `tideline undo " in mine
    assert f"{CHANNEL}: archived 2 facts" in theirs and "meeting" not in theirs
    assert [row["content"] for row in run("list", "--json").json["facts"]] == [
        "I am allergic to nuts"
    ]
    assert run(verb, "--quiet", "--max-loss", "1").err == ""
    run("undo", mine.split("`tideline undo ")[1].split("`")[0])
    told = json.loads(run(verb, "--json", "--quiet", "--max-loss", "1").err)
    assert told["warning"]["code"] == "archived_typed"


def test_an_unchanged_refusal_is_told_once(run):
    """A refusal of as many facts as the night before says nothing; a dry run, another number, and
    one after a night without a refusal say it again."""

    def refusal(*more):
        return "refused to archive" in run("dream", "--quiet", "--max-loss", "0", *more).err

    def add(text):
        run("remember", text, "-s", "context", "--agent", "codex", "--now", "2020-01-01")

    add("the lift is broken")
    assert [refusal(), refusal(), refusal("-n"), refusal()] == [True, False, True, False]
    assert "1 refused" in run("dream", "--max-loss", "0").out
    for n in range(10):
        add(f"room {n * 7} has number{n}")
    assert [refusal(), refusal()] == [True, False]
    assert "11 refused" in run("status").out
    assert run("dream", "--max-loss", "1").code == 0
    assert [refusal(), refusal()] == [False, False]


def test_origins(run):
    """The owner's dream tends every origin; --origin narrows it; other origins' texts stay
    unread."""
    fill(run, {"id": "A1", "content": TEXT}, {"id": "A2", "content": TEXT})
    secret = "their secret preference is green tea"
    for n in (1, 2):
        seed([{"id": f"P{n}", "content": secret}], origin=parse_origin(CHANNEL))
    planned = run("dream", "-n", "--max-loss", "1").out
    assert f"{CHANNEL}: 2 facts, 1 merged" in planned
    assert "secret" not in planned
    only = run("dream", "--origin", CHANNEL, "--max-loss", "1", "--json").json
    assert [row["origin"] for row in only["origins"]] == [CHANNEL]
    assert only["batch"] == only["origins"][0]["batch"]
    mine = run("dream", "--origin", "owner", "-n", "--json").json
    assert [row["origin"] for row in mine["origins"]] == ["owner"]
    both = run("dream", "--json").json
    assert [row["origin"] for row in both["origins"]] == ["owner", CHANNEL]
    assert run("dream", "--origin", CHANNEL, "--all-origins").code == 2


def test_if_due(run):
    """--if-due runs once in the interval, which is a setting."""
    fill(run, TEXT)
    assert run("dream", "--if-due").code == 0
    early = run("dream", "--if-due", "--now", str(NOW + DAY - 1))
    assert (early.code, early.out) == (0, "")
    assert early.err == f"tideline: not due before {iso(NOW + DAY)}\n"
    form = run("dream", "--if-due", "--json", "--now", str(NOW + 1)).json
    assert form == {"origins": [], "dry_run": False, "batch": None, "next_due": iso(NOW + DAY)}
    assert run("dream", "--if-due", "--json", "--now", str(NOW + DAY)).json["batch"] == 3


def test_if_due_obeys_the_setting(run, monkeypatch):
    """The interval comes from the settings."""
    fill(run, TEXT)
    monkeypatch.setenv("TIDELINE_DREAM_INTERVAL", "2h")
    assert run("dream", "--if-due", "--json").json["batch"] == 2
    later = str(NOW + 2 * 3_600_000)
    assert run("dream", "--if-due", "--json", "--now", later).json["batch"] == 3


def test_one_dream_at_a_time(run, home):
    """A second dream leaves at once, with 0, and says that one is running."""
    fill(run, TEXT)
    held = locks.attempt(str(home / "tideline.db"), locks.DREAM)
    try:
        done = run("dream")
        form = run("dream", "--json").json
        dry = run("dream", "--dry-run")
    finally:
        locks.release(held)
    assert (done.code, done.out) == (0, "")
    assert "another pass is running" in done.err
    assert form["running"] is True
    assert dry.out.startswith("owner: ")
    assert run("dream", "--json").json["batch"] == 2


def test_frozen(run, monkeypatch):
    """Off means off."""
    fill(run, TEXT, TEXT)
    monkeypatch.setenv("TIDELINE_DISABLE_EXTRACT", "1")
    for verb in ("dream", "gc", "consolidate"):
        done = run(verb)
        assert (done.code, done.out, done.err) == (
            0, "", "tideline: frozen by TIDELINE_DISABLE_EXTRACT\n"
        )  # fmt: skip
        assert run(verb, "--json").json == {"frozen": True}


@pytest.mark.file_alone("no file at the usual path, which is no error; a server is always named")
def test_an_empty_store(run, home):
    """With nothing to tend, nothing happens and nothing is made by a dry run."""
    assert run("dream", "--dry-run").err.startswith("tideline: nothing to tend")
    assert list(home.iterdir()) == []
    assert run("dream", "words").code == 2


def test_gc(run):
    """gc takes what has faded, tells it, and undo has it back."""
    old = iso(NOW - 400 * DAY)
    take(
        run,
        {"id": "LONG", "content": "an old fact", "created_at": old, "agent": "codex"},
        {"id": "SHORT", "content": "an old context", "segment": "context", "created_at": old},
        {"id": "EVER", "content": "who I am", "segment": "identity", "created_at": old},
        {"id": "FRESH", "content": "something new"},
    )
    planned = run("gc", "-n").out.splitlines()
    assert planned[0] == "owner: 4 facts, 1 archived, 1 pruned"
    form = run("gc", "--json").json
    assert (form["archived"], form["pruned"], form["kept"], form["batch"]) == (1, 1, 2, 2)
    assert form["origins"][0] == {
        "origin": "owner", "archived": ["LONG"], "pruned": ["SHORT"], "kept": 2, "refused": None,
        "skipped": 0, "batch": 2,
    }  # fmt: skip
    assert (lifecycle(run, "LONG"), lifecycle(run, "SHORT")) == ("archived", "pruned")
    assert run("gc", "--max-loss", "0.1").code == 0


def test_a_long_report_is_cut(run):
    """Twenty lines of a kind are enough for a report; --verbose shows all."""
    old = iso(NOW - 400 * DAY)
    words = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima".split()
    take(run, *({"content": f"{a} {b} {a}{b}", "created_at": old, "agent": "codex"}
                for a in words for b in words[:3]))  # fmt: skip
    evict = ("dream", "--stage", "evict", "--max-loss", "1", "-n")
    out = run(*evict).out.splitlines()
    assert len(out) == 22
    assert out[-1] == "  evicted   … and 16 more (--verbose)"
    assert len(run(*evict, "-v").out.splitlines()) == 37


def test_writers_do_not_wait_for_a_dream(run, home):
    """While dreams run in a loop, writers of other processes keep writing, without an error."""
    take(run, *(f"fact {n} about {n % 50} things of {n * 7 % 90}" for n in range(1500)))
    loop = (
        "import subprocess, sys, time\n"
        "end = time.time() + 4\n"
        "while time.time() < end:\n"
        "    subprocess.run([sys.executable, '-m', 'tideline_cli', 'dream', '-q',"
        " '--max-loss', '1'], check=True)\n"
    )
    dreams = subprocess.Popen([sys.executable, "-c", loop])
    waits = []
    while dreams.poll() is None:
        begin = time.perf_counter()
        assert run("remember", f"note {len(waits)} taken at {begin}").code == 0
        waits.append(time.perf_counter() - begin)
        time.sleep(0.02)
    assert dreams.returncode == 0
    assert len(waits) > 20
    assert sorted(waits)[len(waits) // 2] < 1.0
