"""The command line, called with anything: it ends, with a documented code and a reason."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.fuzz import calls, command_line, lines, stores, values
from tideline_cli.cli import messages

CALLS = 300


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_command_lines(seed):
    """No random call breaks a promise; the calls reach success, failure and every command."""
    figures = command_line.fuzzed(CALLS // 2, seed=seed)
    assert figures.found == (), command_line.told(figures)
    assert figures.processes > 3
    assert {0, 2, 3, 5} <= set(figures.codes)


def test_the_rig_finds_what_is_broken():
    """A traceback, a wild code, silence, an escape sequence and bad JSON are each complained of."""
    line = lines.Line(("list", "--json"), b"", True, "list")
    plain = lines.Line(("list",), b"", False, "list")
    good = '{"error": {"code": "usage", "message": "m", "hint": ""}}\n'
    for broken in (
        calls.Result(70, "", good), calls.Result(5, "", ""), calls.Result(2, "", "no JSON"),
        calls.Result(2, "", '{"error": {"code": "", "message": "m", "hint": ""}}'),
        calls.Result(2, "", "Traceback (most recent call last):\n" + good),
        calls.Result(0, "{'a': 1}", ""), calls.Result(0, '{"a": NaN}', ""), "did not end",
        calls.Result(0, '{"a": "\x9b31m"}', ""), calls.Result(0, "{}", "a \x1b[31mnote"),
    ):  # fmt: skip
        assert calls.complaints(line, broken) != [], broken
    assert calls.complaints(plain, calls.Result(0, "a\u202eb", "")) == ["stdout holds '\\u202e'"]
    assert calls.complaints(plain, calls.Result(0, "a\tb\n", "a note\n")) == []
    note = '{"note": {"message": "a note"}}\n'
    assert calls.complaints(line, calls.Result(2, "", note + good)) == []
    assert calls.complaints(line, calls.Result(2, "", "tideline: a note\n" + good)) != []


NUMERIC = {"count": values.NUMBERS, "number": values.NUMBERS, "share": values.NUMBERS,
           "time": values.TIMES, "duration": values.DURATIONS}  # fmt: skip


@pytest.mark.sampled(12)
@pytest.mark.parametrize("command", lines.ENDING)
def test_numbers_at_their_edges(command, tmp_path):
    """Every number, time and duration option of a command takes or refuses each edge value."""
    found = []
    with calls.surroundings(tmp_path / "fuzz"):
        for option in lines.options_of(command):
            for value in NUMERIC.get(option.kind, ()):
                calls.furnish(tmp_path / "fuzz", "absent")
                argv = (command, f"{option.flags[0]}={value}", "--json", "--dry-run")
                argv = argv if "--dry-run" in str(lines.options_of(command)) else argv[:-1]
                line = lines.Line(argv, b"text", True, command)
                found += [(argv, what) for what in calls.complaints(line, calls.called(line))]
    assert found == []


@pytest.mark.parametrize("argv", [("remember", "x"), ("recall", "x"), ("status",), ("export",)])
def test_places_that_hold_no_store(argv, tmp_path):
    """A device, a FIFO, a socket, a folder, a link as the memory file is refused at once and left
    as it is; nothing is put beside it."""
    with calls.surroundings(tmp_path / "fuzz"):
        os.chdir(tmp_path / "fuzz" / "work")
        devices = values.devices(tmp_path / "fuzz" / "work")
        beside = set(os.listdir("."))
        for place in ("fifo", "socket", "folder.d", "dangling", "loop", "linked", *devices):
            line = lines.Line((*argv, "--json", "--db", place), b"", True, argv[0])
            done = calls.called(line)
            assert calls.complaints(line, done) == [], (place, done)
            assert done.code in (5, 73), (place, done)
        assert set(os.listdir(".")) == beside


@pytest.mark.parametrize("condition", [*stores.UNTOUCHED, "nothing"])
def test_every_command_leaves_what_is_not_ours(condition, tmp_path):
    """No command changes a byte, the mode or the time of a file that is not a store of ours; an
    empty file is none until something is written into it."""
    words = {"show": "OWN0", "edit": "OWN0", "pin": "OWN0", "unpin": "OWN0", "forget": "OWN0",
             "restore": "OWN0", "purge": "OWN0", "feedback": "OWN0", "link": "OWN0",
             "recall": "deploy", "context": "deploy", "undo": "1"}  # fmt: skip
    more = {"link": "OWN1", "edit": "new text", "feedback": "up"}
    with calls.surroundings(tmp_path / "fuzz"):
        path = calls.furnish(tmp_path / "fuzz", condition)
        os.chmod(path, 0o644)
        before, state = path.read_bytes(), os.stat(path)
        for command in lines.ENDING:
            if condition == "nothing" and command in ("remember", "import", "extract"):
                continue
            line = lines.Line(
                (command, words.get(command, "x"), *filter(None, [more.get(command)])), b"", False,
                command,
            )  # fmt: skip
            done = calls.called(line)
            assert calls.complaints(line, done) == [], (command, done)
            if condition != "nothing":
                assert path.read_bytes() == before, command
                after = os.stat(path)
                assert (after.st_mode, after.st_mtime_ns) == (state.st_mode, state.st_mtime_ns)
                if command in words:
                    assert done.code == 5, (command, done)


def test_a_path_that_is_not_utf8(tmp_path):
    """A name of bytes that are no UTF-8 is refused in words: SQLite could not open it."""
    with calls.surroundings(tmp_path / "fuzz"):
        done = subprocess.run(
            [calls.sys.executable, "-m", "tideline_cli", "remember", "x", "--db", b"caf\xe9.db"],
            capture_output=True, check=False,
        )  # fmt: skip
    assert (done.returncode, b"is not UTF-8" in done.stderr) == (2, True)


@pytest.mark.parametrize("argv", [("list", "--tag"), ("recall", "x", "--tag"),
                                  ("import", "x.db", "--table"), ("forget", "--query")])
def test_an_option_that_is_not_utf8(run, argv):
    """The value of an option that is no Unicode is refused: the store could not look it up."""
    run("remember", "one text")
    done = run(*argv, "\udcff", "--json")
    assert (done.code, done.error["code"]) == (2, "usage")
    assert "is not valid Unicode" in done.error["message"]


@pytest.mark.parametrize("argv", [
    ("import", "\x00"), ("import", "--format", "sqlite", "\x00"), ("export", "--output", "\x00"),
    ("list", "--db", "\x00"), ("extract", "\x00", "--llm", "none"),
    ("extract", "-", "--llm", "\ud800"), ("extract", "-", "--llm", "a\x00b"),
    ("consolidate", "--key-file", "\x00"),
])
def test_names_that_no_system_takes(run, argv):
    """A path or a command with a NUL or half a character is a usage error."""
    done = run(*argv, "--json", stdin="USER: my cat is called Ada\nUSER: she is two years old\n")
    assert done.code == 2, done.err
    assert done.error["code"] in ("usage", "key")


def test_a_note_shows_no_control_characters(capsys):
    """What is said beside a result is one line without anything that acts."""
    messages.note("a \x1b[31mnote\nof \u202etwo lines")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert not calls._ACTING.search(said)


def test_a_traceback_shows_no_control_characters(run):
    """--debug prints the traceback with escape sequences spelled out."""
    done = run("show", "\x1b]52;c;aGk=\x07", "--debug")
    assert done.code == 3
    assert "Traceback" in done.err
    assert not calls._ACTING.search(done.err)


def test_json_turns_no_text_around(run):
    """Marks that turn the order of a text around are escaped in JSON, and mean the same."""
    text = "a \u202etxt.exe\u2069 b"
    run("remember", text)
    done = run("list", "--json")
    assert [fact["content"] for fact in done.json["facts"]] == [text]
    assert "\\u202etxt.exe\\u2069" in done.out
