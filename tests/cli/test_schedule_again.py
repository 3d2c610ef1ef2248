"""schedule where an entry is in place: its time, its sync, the user's lines in its block."""

from __future__ import annotations

import pytest

from tests.cli.test_schedule import BEGIN, END, cron_line, fake
from tideline_cli.cli import own_program
from tideline_cli.cli.commands.schedule import entries, scheduler
from tideline_cli.cli.commands.schedule.entries import cron_line as entry_line

assert fake is not None  # the fixture

KINDS = (("cron", "crontab"), ("systemd", "systemctl"), ("launchd", "launchctl"))


@pytest.mark.parametrize(("kind", "program"), KINDS)
def test_a_time_is_kept(run, fake, home, kind, program):
    """What is installed keeps its time and its sync unless the call names others."""
    fake.provide(program)
    run("remember", "The boiler needs 1.5 bar")
    this = ("schedule", f"--{kind}")
    assert run(*this, "--install", "--at", "02:15", "--sync").code == 0
    printed = run(*this)
    assert f"{kind} has this entry: it starts a dream every day at 02:15" in printed.err
    shown = run(*this, "--json").json
    assert (shown["installed"], shown["at"]) == (True, "02:15")
    again = run(*this, "--install")
    assert "every day at 02:15 as before" in again.err and "syncs too, as before" in again.err
    assert run(*this).out == printed.out
    assert run(*this, "--install", "--at", "4:05").code == 0
    other = run(*this, "--at", "6:00")
    assert f"{kind} has another entry, for 04:05" in other.err
    assert run(*this, "--json").json["at"] == "04:05"
    run(*this, "--remove")
    assert run(*this, "--json").json["at"] == "03:30"


@pytest.mark.parametrize(("kind", "program"), KINDS)
@pytest.mark.file_alone("lines that name the path of a file")
def test_another_memory(run, fake, home, tmp_path, kind, program):
    """An entry for another memory is told: no night tends that one any more."""
    fake.provide(program)
    path = tmp_path / "an other %s.db"
    run("schedule", f"--{kind}", "--install", "--db", str(path))
    done = run("schedule", f"--{kind}", "--install", "--quiet")
    assert f"the entry of before tended {path}, which no night tends now" in done.err


@pytest.mark.parametrize("act", ["--install", "--remove"])
@pytest.mark.file_alone("lines that name the path of a file")
def test_lines_between_the_marks_are_kept(run, fake, home, act):
    """Lines of the user between the marks go outside, and that is said, with --quiet too."""
    fake.provide("crontab")
    mine = "MAILTO=you@example.org\n", "15 4 * * 0  tideline backup --force /b.db\r\n# ü\n"
    line = cron_line(home, "15 2")
    fake.crontab.write_bytes(f"a\n{BEGIN}{mine[0]}\n{line}{mine[1]}{END}b\n".encode())
    done = run("schedule", "--cron", act, "--quiet")
    kept = f"a\n{mine[0]}{mine[1]}b\n"
    if act == "--install":
        kept = f"a\n{mine[0]}{BEGIN}{line}{END}{mine[1]}b\n"
    assert fake.crontab.read_bytes() == kept.encode()
    assert "lines of yours stand" in done.err and "'MAILTO=you@example.org'" in done.err
    assert "backup --force" in done.err


@pytest.mark.file_alone("lines that name the path of a file")
def test_a_line_that_was_changed_by_hand(run, fake, home):
    """A dream with other options between the marks is replaced, and told with its words."""
    fake.provide("crontab")
    line = "0 5 * * 1 tideline dream --max-loss 0.5 --quiet --db /x/tideline.db"
    fake.crontab.write_text(f"{BEGIN}{line}\n{END}")
    done = run("schedule", "--cron", "--install")
    assert fake.crontab.read_text() == BEGIN + cron_line(home) + END
    assert f"a line that was changed by hand is gone: {line}" in done.err
    assert "no daily time of its own; now it is 03:30" in done.err
    assert "tended /x/tideline.db" in done.err


@pytest.mark.parametrize("line", [
    "# 30 3 * * * tideline dream --quiet --db /x", "30 3 * * * echo dream", "TIDELINE=dream x",
    "30 3 * * * tideline 'dream", "@daily tideline dream",
])  # fmt: skip
def test_what_is_no_line_of_ours(line):
    """A comment, another program or a broken line is the user's own."""
    held = entries.block_of(f"{BEGIN}{line}\n{END}".encode())
    assert (held.line, held.foreign) == (b"", (line.encode() + b"\n",))


@pytest.mark.parametrize("path", ["/a b/100%.db", "/back\\slash/'q'.db", "/ü/$x.db"])
def test_a_line_is_read_as_it_was_written(path):
    """The words of a crontab line come back whole."""
    words = ["/opt/tide line/tideline", "dream", "--quiet", "--db", path]
    line = entry_line(words, (2, 15)).encode()
    assert entries.times_and_words(line) == (["15", "2", "*", "*", "*"], words)
    assert not entries.block_of(f"{BEGIN}".encode() + line + b"\n" + END.encode()).is_changed


def test_a_task_of_windows_is_read():
    """The time and the words of a task come back from its text."""
    words = ["C:/a & b/tideline.exe", "dream", "--sync", "--quiet", "--db", "C:/x y.db"]
    text = scheduler.task_text(words, (2, 5), "C:/log")
    held = scheduler._of_task(text)
    assert (held.at, held.has_sync, held.database) == ((2, 5), True, "C:/x y.db")
    assert scheduler._of_task("").at is None


@pytest.mark.file_alone("lines that name the path of a file")
def test_a_throw_away_memory(run, fake, home, tmp_path, monkeypatch):
    """A memory below a folder for temporary files is warned of, and the way out is named."""
    fake.provide("crontab")
    monkeypatch.setattr(own_program, "throw_away_folders", lambda: (str(tmp_path),))
    done = run("schedule", "--cron", "--install", "--quiet")
    assert f"every night tends {home}/tideline.db, a memory in a folder for temp" in done.err
    assert "TIDELINE_HOME leads there; unset it" in done.err
    assert "--db leads there" in run("schedule", "--cron", "--install", "--db", "x.db").err
    monkeypatch.setattr(own_program, "throw_away_folders", lambda: (str(tmp_path) + "s",))
    assert "temporary" not in run("schedule", "--cron", "--install").err
    assert "temporary" not in run("schedule", "--cron").err


def test_there_is_no_memory_yet(run, fake, home):
    """A schedule for a memory that is not there says so."""
    fake.provide("crontab")
    assert "there is no memory at" in run("schedule", "--cron", "--install").err
