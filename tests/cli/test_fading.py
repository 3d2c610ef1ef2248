"""What a person is told of fading: before, in status, and once after a night."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time

import pytest

from tests.support import DAY, NOW, PEER
from tideline_cli.cli.asides import night_of
from tideline_cli.errors import ReplacedError
from tideline_cli.model.origin import OWNER
from tideline_cli.store import notices
from tideline_cli.store.opening import open_for_writing

TEXT = "the boiler wants 1.5 bar"
FADING = (TEXT, "--agent", "codex")  # what a person types stays


@pytest.fixture
def at(run, monkeypatch):
    """Run a command line at a time in days after the first, by the clock: --now is no use."""

    def call(*argv, day=0):
        with monkeypatch.context() as clock:
            clock.setenv("TIDELINE_NOW", str(NOW + day * DAY))
            return run(*argv)

    return call


def test_fading_names_the_day_and_a_dream_keeps_it(at, run):
    """The fact is listed with the day on which a dream archives it, and is gone that day."""
    fact_id = at("remember", *FADING, "--json").json["id"]
    assert at("fading").err == "tideline: nothing fades within 14 days\n"
    (row,) = at("fading", "--within", "100d", "--json").json["facts"]
    assert row["id"] == fact_id and row["strength"] > 0.5
    run("dream", "--max-loss", "1", "--now", row["fades_at"])
    assert at("list", "--lifecycle", "archived", "--json", day=99).json["facts"][0]["id"] == fact_id


def test_fading_is_sorted_cut_and_says_what_keeps_a_fact(at):
    """Soonest first, --limit with a note, overdue facts as those of the next dream."""
    for number, segment in enumerate(("context", "knowledge", "preference")):
        at("remember", f"{TEXT} in house {number}", "-s", segment, "--agent", "codex")
    at("remember", "I am Ann", "-s", "identity")
    at("remember", "Ben cooks", "--pin")
    done = at("fading", "--within", "100d", "-n", "2", "--json").json
    assert [row["segment"] for row in done["facts"]] == ["context", "knowledge"]
    assert (done["total"], done["truncated"], done["within_s"]) == (3, True, 8_640_000)
    lines = at("fading", "-n", "1", day=60)
    assert lines.out.split("\t")[1] == "next dream"
    assert "not used for 60 days" in lines.out
    assert "used today" in at("fading", "--within", "100d").out
    assert "tideline pin ID" in lines.err
    table = at("fading", "--format", "table", day=60)
    assert "strength 0.0" in table.out


def test_what_is_used_given_or_rests_fades_later(at, run):
    """A use, a gift and the setting move the day."""
    at("remember", TEXT)
    run("config", "set", "evict_after_owner", "reference")

    def day(now=0):
        (row,) = at("fading", "--within", "3000d", "--json", day=now).json["facts"]
        return row["fades_at"][:10]

    first = day()
    at("context", "boiler", day=70)
    given = day(70)
    assert given > first and "given out 1 day ago" in at("fading", "--within", "90d", day=71).out
    at("recall", "boiler", day=70)
    assert day(70) > given
    run("config", "set", "evict_after_owner", "1000d")
    assert day(70) > "2028"


def test_status_counts_what_fades(at):
    """After a dream that looked, status says how many fade within 14 days; used ones do not."""
    for number in range(3):
        at("remember", f"{TEXT} in house {number} of street {number * 9}", "--agent", "codex")
    assert at("status", "--json", day=70).json["fading_next_14d"] is None
    at("dream", "--quiet", day=70)
    assert at("status", "--json", day=70).json["fading_next_14d"] == 3
    line = next(row for row in at("status", day=70).out.splitlines() if row[:6] == "fading")
    assert line == "fading     3 facts fade within 14 days: tideline fading"
    at("recall", "street 9", "-n", "1", day=70)
    assert at("status", "--json", day=70).json["fading_next_14d"] == 2
    assert at("status", "--json", "--origin", PEER.key, day=70).json["fading_next_14d"] is None
    (left, *_) = at("fading", "--json", day=70).json["facts"]
    at("pin", left["id"], day=70)
    assert "fading     1 fact fades within" in at("status", day=70).out
    assert at("doctor", "--deep", "--now", str(NOW)).code == 0


def test_a_list_of_another_origin_is_found_and_forgotten(at, home, run):
    """doctor finds facts that are listed under an origin that is not theirs, and repairs it."""
    at("remember", *FADING)
    at("remember", *FADING, "--origin", PEER.key)
    at("dream", "--quiet", day=70)
    db = open_for_writing(str(home / "tideline.db"))
    db.execute("UPDATE fade SET origin = 3 - origin")
    db.close()
    assert "outlooks: 2 facts listed as fading under another origin" in run("doctor").out
    assert run("doctor", "--repair", "--yes").code == 0
    assert run("doctor").code == 0


def on_terminal(*argv, day, **env):
    """Run a command line whose stderr is a terminal; return what it said there."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "tideline_cli", *argv, "--now", str(NOW + day * DAY)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, check=False,
        env=os.environ | env,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:
        pass
    os.close(ours)
    return said.decode().replace("\r\n", "\n"), done.stdout.decode()


def test_a_night_is_told_once(at):
    """The next command on a terminal says what was archived, and the one after it does not; a pipe,
    JSON, --quiet and other origins are not told and leave it for later."""
    at("remember", *FADING)
    at("remember", "the cat likes fish", "--agent", "codex", "--origin", PEER.key)
    at("dream", "--quiet", "--max-loss", "1", day=200)
    assert "archived ·" not in at("status", day=201).err
    for more in (("--json",), ("--quiet",)):
        assert "undo" not in on_terminal("status", *more, day=201)[0]
    said, _ = on_terminal("status", day=201, TZ="UTC")
    assert said == "tideline: last night: 1 fact archived · tideline undo 2 brings it back\n"
    assert on_terminal("status", day=201)[0] == ""
    other = on_terminal("status", "--origin", PEER.key, day=201)[0]
    assert f"tideline undo 2 --origin {PEER.key} brings it back" in other


def test_several_nights_are_told_in_a_line_each(at):
    """Each night that archived is told with what takes it back, the newest first; status names them
    until they are undone."""
    for day in range(7):
        at("remember", f"{TEXT} in house {day} of {day * 11}", "--agent", "codex", day=day)
    for day in range(79, 88):
        at("dream", "--quiet", "--max-loss", "1", "--stage", "evict", day=day)
    shown = [row for row in at("status", day=88).out.splitlines() if row.startswith("archived")]
    passes = at("status", "--json", day=88).json["archiving_passes"]
    assert [one["archived"] for one in passes] == [1] * 7 and passes[0]["verb"] == "dream"
    assert shown[0].endswith(f"dream: 1 fact · tideline undo {passes[0]['batch']}")
    assert len(shown) == 6 and shown[5] == "archived   before that: tideline history"
    assert at("status", "--json", "--origin", PEER.key, day=88).json["archiving_passes"] == []
    said, _ = on_terminal("status", day=88)
    lines = said.splitlines()
    assert len(lines) == 6 and lines[5].endswith("2 archived · tideline history names them")
    assert f"1 fact archived · tideline undo {passes[0]['batch']} brings it back" in lines[0]
    at("undo", str(passes[0]["batch"]), day=88)
    assert at("status", "--json", day=88).json["archiving_passes"] == passes[1:]


def test_what_was_undone_is_not_told(at):
    """A dream that somebody took back is no news."""
    at("remember", *FADING)
    at("dream", "--quiet", "--max-loss", "1", day=200)
    at("undo", day=200)
    assert on_terminal("status", day=201)[0] == ""


def test_words_for_when(monkeypatch):
    """A night is last night until the next evening, then days are counted."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    night = 1_760_000_000_000 // DAY * DAY + DAY // 8  # 03:00
    noon = night + 9 * DAY // 24
    assert night_of(night, night + DAY // 4) == "last night"
    assert night_of(noon, noon + DAY // 24) == "today"
    assert night_of(noon, noon + DAY) == "yesterday"
    assert night_of(night, night + 5 * DAY) == "5 days ago"


def test_a_store_that_was_replaced_tells_of_no_night(run, home, monkeypatch):
    """What a night has archived is told beside an answer: it never makes the command fail."""
    run("remember", "the boiler needs 1.5 bar")
    db = open_for_writing(str(home / "tideline.db"))
    notices.add(db, 1, facts=1, viewer=OWNER)

    def replaced(_):
        raise ReplacedError("another content")

    monkeypatch.setattr(notices, "writing", replaced)
    assert notices.take(db, viewer=OWNER) == []
    monkeypatch.undo()
    assert [one.facts for one in notices.take(db, viewer=OWNER)] == [1]
    db.close()
