"""Whole processes: many at once, terminals, closed streams, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pexpect
import pytest

from tests import backends
from tests.support import NOW
from tideline_cli.store.opening import open_for_writing

TIDELINE = [sys.executable, "-m", "tideline_cli"]


def started(*argv, **given):
    return subprocess.Popen(
        [*TIDELINE, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, **given,
    )  # fmt: skip


@pytest.mark.slow
def test_eight_first_uses_at_once(run):
    """Eight processes that make the store at the same moment all succeed, and nothing is lost."""
    texts = [f"fact of worker{n} about topic{n}" for n in range(8)]
    children = [started("remember", text, "--json") for text in texts]
    done = [(child, *child.communicate(timeout=60)) for child in children]
    assert [(child.returncode, err) for child, _, err in done] == [(0, "")] * 8
    facts = run("list", "--json").json["facts"]
    assert sorted(fact["content"] for fact in facts) == texts
    batches = sorted(json.loads(out)["batch"] for _, out, _ in done)
    assert batches == list(range(1, 9))


@pytest.mark.slow
def test_writers_and_readers_together(run, home):
    """Processes that write and recall at once all succeed; every write is there and indexed."""
    run("remember", "the first fact of all")
    children = []
    for n in range(6):
        children.append(started("remember", f"shared topic{n} of writer{n}"))
        children.append(started("recall", "first fact"))
    for child in children:
        _, err = child.communicate(timeout=60)
        assert (child.returncode, err) == (0, "")
    for n in range(6):
        assert run("recall", f"topic{n}", "--mode", "keyword").code == 0
    db = open_for_writing(str(home / "tideline.db"))
    assert backends.is_server() or db.execute("PRAGMA integrity_check").get == "ok"
    db.close()


def test_python_m_and_the_script_agree(process, run):
    """`python -m tideline_cli` gives what main gives in this process."""
    run("remember", "I deploy on Fridays")
    for argv in (("recall", "deploy", "--json", "--no-touch"), ("list",), ("status", "--json"),
                 ("show", "NOPE", "--json"), ("recall", "zzz", "--json"), ("--help",)):  # fmt: skip
        assert process(*argv) == run(*argv)


def test_a_closed_pipe_ends_quietly(run):
    """A reader that goes away ends the command with 0 and no word."""
    for n in range(50):
        run("remember", f"number{n} {'long ' * 400}{n}")
    for argv in (("list", "--limit", "0"), ("export",), ("recall", "long", "--limit", "50")):
        child = started(*argv)
        child.stdout.close()
        err = child.stderr.read()
        child.stderr.close()
        assert (child.wait(timeout=60), err) == (0, ""), argv


@pytest.mark.parametrize(
    ("closing", "argv"),
    [
        ("<&-", "remember"), ("<&-", "recall"), ("<&-", "recall deploy"), ("<&-", "import -"),
        ("<&-", "recall --batch"), (">&-", "list"), (">&-", "remember more text"),
        (">&-", "--version"), (">&-", "--help"), ("2>&-", "show NOPE"),
        (">&- 2>&-", "show NOPE"), ("2>&-", "recall deploy"), ("2>&-", "recall zzz"),
        ("<&- >&- 2>&-", "remember more text"),
    ],
)  # fmt: skip
def test_closed_streams(run, closing, argv):
    """Without stdin there is nothing to read, without stdout nothing to say: no traceback."""
    run("remember", "I deploy on Fridays")
    line = f"{sys.executable} -m tideline_cli {argv} {closing}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode != 70, done.stderr
    assert "Traceback" not in done.stderr
    assert "internal" not in done.stderr


@pytest.mark.parametrize("argv", ["list", "recall deploy", "export", "--version", "--help"])
def test_a_result_for_a_closed_output_is_an_error(run, argv):
    """It ends with 73 and says why, on every system: what nobody gets is not done. A fact is stored
    all the same."""
    run("remember", "I deploy on Fridays")
    for closing in (">&-", ">&- <&-"):
        line = f"{sys.executable} -m tideline_cli {argv} {closing}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        assert done.returncode == 73, (line, done.stderr)
        assert "Bad file descriptor" in done.stderr or "output is closed" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_under_the_output(run):
    """An output that cannot be written ends with 73."""
    run("remember", "I deploy on Fridays")
    for argv in ("list", "recall deploy", "export", "context deploy", "status --json"):
        line = f"{sys.executable} -m tideline_cli {argv} > /dev/full"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        assert done.returncode == 73, (line, done.stderr)


def test_an_interrupt_ends_with_130(home):
    """Ctrl-C during a command ends it with 130 and leaves nothing half-written."""
    child = subprocess.Popen(
        [*TIDELINE, "import", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    child.stdin.write(b'{"content": "one text"}\n')
    child.stdin.flush()
    time.sleep(1.0)  # until it waits for more
    child.send_signal(signal.SIGINT)
    child.stdin.close()
    err = child.stderr.read()
    assert child.wait(timeout=30) == 130, err
    child.stdout.close()
    child.stderr.close()
    assert b"Traceback" not in err


# on a terminal


def spawned(command, **environ):
    child = pexpect.spawn(
        "sh", ["-c", command], env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environ},
        encoding="utf-8", timeout=30, dimensions=(40, 100),
    )  # fmt: skip
    child.expect(pexpect.EOF)
    out = child.before
    child.close()
    return child.exitstatus, out


SAY = f"{sys.executable} -m tideline_cli"


def test_hits_by_number_in_a_terminal(run):
    """On a terminal @1 is the first hit of the last recall there; in a pipe there is none."""
    first = run("remember", "I deploy on Fridays", "--json").json["id"]
    run("remember", "a vegetarian diet")
    _, out = spawned(f"{SAY} recall deploy; {SAY} show @1 --json; {SAY} show @9; echo code $?")
    assert first in out
    assert "no such id: @9" in out
    assert "code 3" in out
    assert run("show", "@1").code == 3


@pytest.mark.parametrize("place", ["@0", "@", "@x", "@" + "9" * 5000, "@-1", "@²"])
def test_hits_that_there_are_not(place):
    """What is no number of a hit is no id."""
    _, out = spawned(f"{SAY} remember 'some text' >/dev/null; {SAY} show {place}; echo code $?")
    assert "code 3" in out, out
    assert "internal" not in out


def test_tables_on_a_terminal_lines_in_a_pipe(run):
    """A terminal gets a table with every text, a pipe gets plain lines."""
    run("remember", "I deploy on Fridays \x1b[31mred")
    _, table = spawned(f"{SAY} recall deploy; {SAY} list")
    assert table.count("I deploy on Fridays ␛[31mred") == 2
    assert "\x1b[31m" not in table
    _, plain = spawned(f"{SAY} recall deploy --no-touch | cat")
    assert plain.strip().endswith("[knowledge] I deploy on Fridays ␛[31mred")
    assert "\t" in plain


@pytest.mark.parametrize(
    ("environ", "flags", "colored"),
    [
        ({}, "", True),
        ({"NO_COLOR": "1"}, "", False),
        ({"TERM": "dumb"}, "", False),
        ({}, "--color never", False),
        ({"NO_COLOR": "1"}, "--color always", True),
    ],
)
def test_color(run, environ, flags, colored):
    """Color is for terminals that want it."""
    run("remember", "I deploy on Fridays")
    _, out = spawned(f"{SAY} recall deploy {flags}", **environ)
    assert ("\x1b[" in out) == colored


def test_no_text_on_a_terminal(run):
    """Without a text on a terminal the command says what to type."""
    for verb in ("remember", "recall", "context"):
        code, out = spawned(f"{SAY} {verb}")
        assert (code, f"tideline {verb}" in out) == (2, True), out


def test_help_names_every_command(run):
    """--help lists all commands; each command's help lists its options."""
    from tideline_cli.cli.commands import COMMANDS, options_of

    text = run("--help").out
    assert [name for name in COMMANDS if name not in text] == []
    for name in COMMANDS:
        shown = run(name, "--help")
        assert shown.code == 0
        flags = [flag for option in options_of(name) for flag in option.flags]
        assert [flag for flag in flags if flag not in shown.out] == [], name


@pytest.mark.file_alone("paths and errors of a file")
def test_the_environment_pins_time_and_place(process, tmp_path):
    """TIDELINE_NOW, TIDELINE_DB and TIDELINE_ORIGIN hold where no flag says otherwise."""
    environ = {
        **os.environ, "TIDELINE_DB": str(tmp_path / "env.db"), "TIDELINE_NOW": str(NOW - 1000),
        "TIDELINE_ORIGIN": "channel:a/b/c",
    }  # fmt: skip
    fact = process("remember", "text of env", "--json", env=environ).json["fact"]
    assert (fact["origin"], fact["created_at"]) == ("channel:a/b/c", "2025-10-09T08:53:19.000Z")
    assert (tmp_path / "env.db").exists()
    other = process("remember", "text of flag", "--json", "--origin=owner", "--now=2026-01-01",
                    "--db", str(tmp_path / "flag.db"), env=environ).json["fact"]  # fmt: skip
    assert (other["origin"], other["created_at"]) == ("owner", "2026-01-01T00:00:00.000Z")
    assert (tmp_path / "flag.db").exists()


ENTER = (
    "import sys; sys.modules[{missing!r}] = None; sys.argv = ['tideline', *{argv!r}]\n"
    "from tideline_cli.__main__ import enter; enter()"
)


def without(missing, *argv):
    code = ENTER.format(missing=missing, argv=argv)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("missing", "argv"),
    [("Stemmer", ("remember", "a plain fact")), ("apsw", ("recall", "fact")), ("typer", ("-h",))],
)
def test_a_library_that_is_missing_is_named(run, missing, argv):
    """A library that is not there is told as such, not as a fault of the store or of ours."""
    run("remember", "the first fact of all")
    done = without(missing, *argv)
    assert (done.returncode, done.stdout) == (70, "")
    said, hint = done.stderr.splitlines()
    assert said.startswith("tideline: a part of the program cannot be loaded: ")
    assert missing in said
    assert "install tideline-cli again" in hint


@pytest.mark.file_alone("paths and errors of a file")
def test_an_error_is_told_even_when_its_words_cannot_be_loaded(run, home):
    """Without open files no module can be loaded; an error of the database has a line even so."""
    run("remember", "the first fact of all")
    (home / "tideline.db").write_bytes(b"no store, but long enough for a header" * 100)
    done = without("tideline_cli.store.database_errors", "recall", "fact")
    assert done.returncode == 73
    assert "file is not a database" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_under_the_simplest_command():
    """What cannot be printed is told."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*TIDELINE, "--version"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (73, "tideline: No space left on device\n")
