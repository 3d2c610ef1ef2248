"""One contract for every verb: what goes to stderr, what a door may do, what is refused."""

from __future__ import annotations

import json
import os

import pytest

from tests import backends
from tests.support import DAY, NOW, PEER
from tideline_cli.cli.commands import COMMANDS, options_of, verb
from tideline_cli.model.instant import iso


def remember(run, *texts):
    """Store texts and return their ids."""
    return [run("remember", text, "--json").json["id"] for text in texts]


# stderr


def test_notes_are_json_lines_beside_json(run):
    """With --json every line of stderr is one object: a note, a warning or an error."""
    remember(run, *(f"person{n} deploys on day{n}" for n in range(6)))
    done = run("dream", "--dry-run", "--json")
    assert done.notes == ["dry run: nothing was written"]
    done = run("forget", "ZZZZ", "--json", "--verbose")
    kinds = [next(iter(json.loads(line))) for line in done.err.splitlines()]
    assert (done.code, kinds[-1], set(kinds[:-1])) == (3, "error", {"note"})
    assert run("dream", "--dry-run", "--json", "--quiet").err == ""


def test_a_refused_loss_is_a_warning(run):
    """What the limit of loss stopped is told even quietly, as an object with a code."""
    for n in range(5):
        run("remember", f"note {n} of part{n}", "--segment", "context", "--now", "2020-01-01",
            "--agent", "codex")  # fmt: skip
    done = run("dream", "--json", "--quiet", "--max-loss", "0")
    warning = json.loads(done.err)["warning"]
    assert (done.code, warning["code"]) == (0, "max_loss")
    for way in ("`tideline dream --dry-run --max-loss 1`", "tideline fading", "tideline pin",
                "a higher --max-loss"):  # fmt: skip
        assert way in warning["hint"]
    run("remember", "one more", "--agent", "codex", "-s", "context", "--now", "2020-01-01")
    assert run("dream", "--quiet", "--max-loss", "0").err.startswith("tideline: owner: refused")


def test_a_traceback_is_part_of_the_error(run):
    """--debug with --json puts the traceback into the error object."""
    done = run("show", "ZZZZ", "--debug", "--json")
    assert "Traceback" in done.error["traceback"][0]


def test_words_after_the_mark_ask_for_nothing(run):
    """What stands behind -- is a word: `--json` there makes no JSON of a usage error."""
    done = run("list", "--nonsense", "--", "--json")
    assert (done.code, done.err.startswith("tideline: ")) == (2, True)


def test_no_question_beside_json(run, monkeypatch):
    """--json asks nothing, on a terminal either: a question is no JSON line."""
    (fact_id,) = remember(run, "I deploy on Fridays")
    monkeypatch.setattr("tideline_cli.cli.session.sys.stdin.isatty", lambda: True, raising=False)
    done = run("purge", fact_id, "--json")
    assert (done.code, "--yes" in done.error["hint"]) == (2, True)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "serve"])
def test_verbose_says_more_everywhere(run, command, tmp_path):
    """-v tells the memory, the origin, where each was named, and the time that a command took, of
    all commands that end by themselves."""
    (fact_id,) = remember(run, "I deploy on Fridays")
    other = run("remember", "my cat is called Ada", "--json").json["id"]
    argv = call_of(command, fact_id, other, tmp_path)
    plain = run(*argv, stdin="USER: hello there\n")
    run("restore", fact_id)
    told = run(*call_of(command, fact_id, other, tmp_path / "again"), "-v",
               stdin="USER: hello there\n")  # fmt: skip
    assert "tideline: memory " in told.err
    assert "(default)" in told.err
    assert "origin owner (default)" in told.err
    assert "time 2025-10-09T08:53:20.000Z (TIDELINE_NOW)" in told.err
    assert " ms\n" in told.err
    assert "tideline: memory " not in plain.err


def call_of(command, a, b, folder):
    """Return a call of each command that does something."""
    folder.mkdir(exist_ok=True)
    words = {
        "remember": ["x is y"], "recall": ["deploy"], "context": ["deploy"], "link": [a, b],
        "feedback": [a, "up"], "edit": [a, "--importance", "0.4"], "purge": [b, "--dry-run"],
        "retention": ["--days", "9", "--dry-run"], "import": [str(folder / "rows.jsonl")],
        "extract": ["-", "--llm", "none"], "relink": ["--dry-run"], "embed": ["text"],
        "consolidate": ["--dry-run", "--llm", "none"], "backup": [str(folder / "copy.db")],
        "schedule": ["--cron"], "completions": ["bash"], "forget": [a], "restore": [a],
        "show": [a], "pin": [a], "unpin": [a], "undo": ["--dry-run"],
    }  # fmt: skip
    (folder / "rows.jsonl").write_text('{"content": "a row"}\n')
    return [command, *words.get(command, [])]


@pytest.mark.file_alone("the path and size of a file")
def test_verbose_names_where_a_setting_comes_from(run, home, monkeypatch):
    """Settings that are not the default are told with their place, flags with their name."""
    (home / "config.toml").write_text("limit = 3\n")
    monkeypatch.setenv("TIDELINE_ORIGIN", PEER.key)
    done = run("recall", "deploy", "-v", "--now", "2026-01-01", "--db", "other.db", "--json")
    notes = "\n".join(done.notes)
    assert f"{os.getcwd()}/other.db (--db, not there): not opened" in notes
    assert f"origin {PEER.key} (TIDELINE_ORIGIN)" in notes
    assert f"setting limit = 3 ({home}/config.toml)" in notes
    assert "(--now)" in notes


# doors


def spoilt(home, how, monkeypatch):
    """Spoil what a door needs; return arguments that go with it."""
    path = home / "tideline.db"
    if how == "text":
        path.write_text("not a database " * 500)
    elif how == "folder":
        path.mkdir()
    elif how == "config":
        (home / "config.toml").write_text("limit = [[[")
    elif how == "unknown setting":
        (home / "config.toml").write_text("limt = 4\n")
    elif how == "origin":
        monkeypatch.setenv("TIDELINE_ORIGIN", "everyone")
    elif how == "time":
        monkeypatch.setenv("TIDELINE_NOW", "soon")
    elif how == "color":
        monkeypatch.setenv("TIDELINE_COLOR", "pink")
    elif how == "limit":
        monkeypatch.setenv("TIDELINE_LIMIT", "-3")
    return {
        "flag": ("--no-such-flag",), "value": ("--limit", "many"), "missing": ("--limit",),
        "format": ("--format", "pdf"), "own origin": ("--origin", "channel:"),
        "two": ("--json", "--format", "xml"),
    }.get(how, ())  # fmt: skip


DAMAGED = pytest.mark.file_alone("it damages a file")
HOW = (*(pytest.param(how, marks=DAMAGED) for how in ("text", "folder")), "config",
       "unknown setting", "origin", "time", "color", "limit", "flag",
       "value", "missing", "format", "own origin", "two")  # fmt: skip


@pytest.mark.parametrize("how", HOW)
def test_a_door_fails_nobody(run, home, monkeypatch, how):
    """context --auto ends with 0 and prints nothing at all where it cannot answer; without --auto
    the same is an error."""
    more = spoilt(home, how, monkeypatch)
    done = run("context", "deploy", "--auto", *more)
    assert (done.code, done.out, done.err) == (0, "", "")
    plain = run("context", "deploy", *more)
    assert (plain.code > 1, plain.out, plain.err != "") == (True, "", True)


@pytest.mark.file_alone("it damages a file")
def test_a_newer_store_stops_a_door_quietly(run, home):
    """A store of a later version is not read, and a door says nothing of it."""
    import sqlite3

    remember(run, "I deploy on Fridays")
    with sqlite3.connect(home / "tideline.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    done = run("context", "deploy", "--auto")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert run("context", "deploy").code == 5


def test_a_door_of_a_process(process, home):
    """A process ends with 0, too, where its output cannot be written."""
    home.mkdir(exist_ok=True)
    process("remember", "I deploy on Fridays")
    done = process("context", "deploy", "--auto")
    assert (done.code, done.err) == (0, "")
    assert "Fridays" in done.out
    if os.path.exists("/dev/full"):
        import subprocess
        import sys

        with open("/dev/full", "w") as full:
            argv = [sys.executable, "-m", "tideline_cli", "context", "deploy"]
            codes = [
                subprocess.run([*argv, *more], stdout=full, stderr=subprocess.PIPE, check=False,
                               stdin=subprocess.DEVNULL)
                for more in ((), ("--auto",))
            ]  # fmt: skip
        assert [(one.returncode, one.stderr == b"") for one in codes] == [(73, False), (0, True)]


def test_the_name_of_a_door_as_a_word(run):
    """A word `context` is no door: what is wrong beside it is an error."""
    assert run("recall", "context", "--auto").code == 2
    assert run("--db", "context", "recall", "x", "--auto").code == 2
    assert run("--db", "x.db", "context", "x", "--auto", "--bad").code == 0


# batches


def test_recall_answers_line_by_line(run):
    """A bad line of recall --batch is answered by an error with its number; the others go on."""
    remember(run, "I deploy on Fridays")
    lines = [
        "deploy", '{"id": 7, "query": "deploy", "limit": 1}', "{", '{"id": 8}',
        '{"query": "deploy", "origin": "everyone"}', '{"query": "deploy", "origin": 5}', "",
        '{"id": 9, "query": "deploy", "now": "2026-01-01"}', '{"query": "deploy", "now": "soon"}',
    ]  # fmt: skip
    done = run("recall", "--batch", stdin="\n".join(lines))
    assert done.code == 2
    assert [row.get("line", len(row.get("hits", ()))) for row in done.lines] == [
        1, 2, 3, 4, 5, 6, 1, 9,
    ]  # fmt: skip
    assert [row.get("id") for row in done.lines] == [None, 7, None, 8, None, None, 9, None]
    errors = [row["error"] for row in done.lines if "error" in row]
    assert all(set(error) == {"code", "message", "hint"} for error in errors)
    assert errors[0]["message"] == "unknown key: 'limit'"
    assert done.err == "tideline: 2 of 8 lines are answered\n"
    assert run("recall", "--batch", stdin="deploy\nnothing like it zebra\n").code == 0


def test_now_of_a_line_is_when_it_was_asked(run):
    """`now` of a line asks what holds then."""
    run("remember", "I deploy on Fridays", "--valid-to", "2026-06-01T00Z")
    rows = [{"query": "deploy", "now": when} for when in ("2026-05-01", "2026-07-01")]
    done = run("recall", "--batch", stdin="\n".join(map(json.dumps, rows)))
    assert [len(row["hits"]) for row in done.lines] == [1, 0]


def test_remember_says_what_was_stored(run):
    """A bad line of remember --batch is answered in its place; the others are stored as one batch,
    and stderr counts both."""
    done = run("remember", "--batch", stdin='{"content": "one"}\n{"text": 2}\n{"content": "three"}')
    assert done.code == 2
    assert [row.get("line") for row in done.lines] == [None, 2, None]
    assert done.err == "tideline: 2 of 3 lines are stored\n"
    assert len(run("list", "--json").json["facts"]) == 2
    assert run("undo").code == 0
    assert run("list", "--json").json["facts"] == []


# flags that cannot be honoured


CLASHES = [
    ("remember", "some words", "--batch"), ("recall", "some words", "--batch"),
    ("export", "--format", "csv", "--json"), ("export", "--format", "markdown", "--json"),
    ("context", "x", "--format", "xml", "--json"), ("context", "x", "--format", "text", "--json"),
    ("link", "AAAA", "BBBB", "--remove", "--reason", "why"), ("status", "--quiet", "-v"),
    ("link", "AAAA", "BBBB", "--remove", "--strength", "3"),
    ("list", "--lifecycle", "pruned", "--as-of", "2026-01-01"), ("recall", "x", "--quiet", "-v"),
    ("schedule", "--remove", "--at", "02:00"), ("schedule", "--remove", "--install"),
    ("extract", "-", "--all-now", "--min-new", "3"),
    ("import", "rows.csv", "--table", "notes"), ("import", "-", "--table", "fact"),
    ("relink", "--llm", "cat", "--key-file", "key"), ("relink", "--llm", "cat", "--model", "m"),
]  # fmt: skip


@pytest.mark.parametrize("argv", CLASHES, ids=" ".join)
def test_flags_that_cannot_be_honoured(run, argv):
    """Two flags of which one would be dropped are refused, by name, and nothing is done."""
    done = run(*argv, stdin="x\n")
    assert (done.code, done.out) == (2, "")
    told = done.error["message"] + done.error["hint"] if "--json" in argv else done.err
    assert any(part in told for part in argv if part.startswith("--"))
    assert "leave" in told


def test_standard_input_is_no_word(run):
    """`-` beside --batch names the standard input that is read anyway."""
    assert run("recall", "--batch", "-", stdin="deploy").code == 0
    assert run("remember", "--batch", "-", stdin='{"content": "one"}').code == 0


def test_a_key_for_a_configured_command(run, monkeypatch):
    """A key file beside a configured command would be dropped, and is refused."""
    monkeypatch.setenv("TIDELINE_LLM", "cat")
    done = run("relink", "--key-file", "key")
    assert (done.code, "takes no key" in done.err) == (2, True)


@pytest.mark.parametrize("format", ["jsonl", "csv", "sqlite", "markdown"])
def test_an_export_into_a_file_tells_what_it_wrote(run, format):
    """With --json an export into a file is told as one object."""
    (gone, _) = remember(run, "I deploy on Fridays", "my cat is called Ada")
    run("forget", gone)
    done = run("export", "--format", format, "--output", f"out.{format}", "--json")
    count = 1 if format == "markdown" else 2
    assert done.json == {"output": f"out.{format}", "format": format, "facts": count}
    assert run("export", "--json").lines != []


# bounds, switches and settings


@pytest.mark.parametrize("argv", [
    ("list",), ("recall", "deploys"), ("context", "deploys", "--max-chars", "99999"),
    ("history",), ("contradictions",),
], ids=" ".join)  # fmt: skip
def test_a_limit_of_0_is_all(run, argv):
    """-n 0 leaves nothing out, wherever there is a limit."""
    for n in range(60):
        run("remember", f"Ann deploys on day{n}")
    counts = [len(run(*argv, "-n", limit).out.splitlines()) for limit in ("3", "0", "2147483647")]
    assert counts[0] in (3, 6)
    assert counts[1] == counts[2] >= 60


def test_what_is_left_out_is_said(run):
    """list, history and contradictions say that there is more, in text and in JSON."""
    for n in range(60):
        run("remember", f"Ann deploys on day{n}")
    for argv in (("list",), ("history",), ("contradictions",)):
        cut, whole = (run(*argv, "-n", limit, "--json") for limit in ("5", "0"))
        assert (cut.json["truncated"], whole.json["truncated"]) == (True, False)
        assert "--limit 0" in run(*argv, "-n", "5").err
        assert "more" not in run(*argv, "-n", "0").err
    assert "more than the newest 50" in run("list").err


def test_the_newest_commands_of_a_fact(run):
    """history ID tells the whole life of a fact, and with --limit its newest commands."""
    (fact_id,) = remember(run, "I deploy on Fridays")
    run("pin", fact_id)
    run("unpin", fact_id)
    assert [row["verb"] for row in run("history", fact_id, "--json").json["changes"]] == [
        "remember", "pin", "unpin",
    ]  # fmt: skip
    cut = run("history", fact_id, "-n", "1", "--json")
    assert [row["verb"] for row in cut.json["changes"]] == ["unpin"]
    assert cut.json["truncated"]


def test_a_life_that_another_origin_began(run):
    """A fact that the owner imported into a channel has a history of another's commands."""
    row = {"content": "a row", "origin": PEER.key, "id": "01K742SG000000000000000001"}
    assert run("import", "-", "--trust", stdin=json.dumps(row)).code == 0
    done = run("history", "01K742SG", "--origin", PEER.key)
    assert done.code == 0
    assert "import (another origin)" in done.out


@pytest.mark.parametrize("lifecycle", ["active", "archived", "all"])
def test_a_lifecycle_beside_the_past(run, lifecycle):
    """list --lifecycle with --as-of lists what held then and has that lifecycle now."""
    old, new = (
        run("remember", text, "--now", "2025-01-01", "--json").json["id"]
        for text in ("I deploy on Fridays", "my cat is called Ada")
    )
    run("forget", old)
    wanted = {"active": {new}, "archived": {old}, "all": {old, new}}[lifecycle]
    argv = ("list", "--as-of", "2025-02-01", "--json")
    assert {fact["id"] for fact in run(*argv, "--lifecycle", lifecycle).json["facts"]} == wanted
    assert {fact["id"] for fact in run(*argv).json["facts"]} == {old, new}
    assert run("list", "--as-of", iso(NOW + DAY), "--lifecycle", "archived").code == 1


@pytest.mark.parametrize(
    ("word", "frozen"),
    [("1", True), ("true", True), ("YES", True), (" on ", True), ("0", False), ("false", False),
     ("No", False), ("off", False), ("", False), ("maybe", None), ("2", None)],
)  # fmt: skip
@pytest.mark.parametrize("name", [
    "TIDELINE_DISABLE_EXTRACT",
    pytest.param("TIDELINE_ALLOW_NETWORK_FS", marks=pytest.mark.file_alone("places of files")),
])  # fmt: skip
def test_switches_of_the_environment(run, home, monkeypatch, name, word, frozen):
    """A switch is yes, no, or an error that names it."""
    backends.begin(home)
    monkeypatch.setenv(name, word)
    argv = ("gc", "--json") if name.endswith("EXTRACT") else ("remember", "x is y", "--json")
    done = run(*argv)
    if frozen is None:
        assert (done.code, name in done.error["message"]) == (2, True)
    else:
        assert done.code == 0
        assert ("frozen" in done.json) == (frozen and argv[0] == "gc")


def test_a_variable_that_is_none_of_ours(run, monkeypatch):
    """A variable that looks like a setting and is none is named, once; a door says nothing."""
    monkeypatch.setenv("TIDELINE_LIMT", "3")
    done = run("list", "--json")
    assert [note for note in done.notes if "TIDELINE_LIMT" in note] == done.notes[:1]
    assert "TIDELINE_LIMT" not in run("context", "x", "--auto").err


@pytest.mark.parametrize(("name", "value"), [
    ("base_url", "foo"), ("base_url", "http://example.com/v1"), ("llm", "a 'b"), ("database", ""),
    ("database", "a\x00b"), ("color", "pink"), ("limit", "0"), ("limt", "4"), ("origin", "x"),
])  # fmt: skip
def test_a_setting_is_checked_when_it_is_set(run, home, name, value):
    """What could not be used later is refused now, and nothing is written."""
    assert run("config", "set", name, value).code == 2
    assert not (home / "config.toml").exists()


def test_a_table_in_the_settings_is_named(run, home):
    """A table is refused by name."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("[recall]\nlimit = 3\n")
    assert "there is no table: '[recall]'" in run("list").err


@pytest.mark.parametrize("command", COMMANDS)
def test_bounds_are_enforced(run, command):
    """Each whole number is refused one below and one above what its help names."""
    for option in options_of(command):
        if option.kind == "count":
            for value in (option.least - 1, option.most + 1):
                words = ("x", "y") if verb(command).ARGUMENTS else ()
                done = run(command, f"{option.flags[0]}={value}", *words)
                assert (done.code, f"from {option.least:,} to {option.most:,}" in done.err) == (
                    2, True,
                )  # fmt: skip


@pytest.mark.file_alone("the path and size of a file")
def test_the_size_of_the_file(run, home):
    """What the file takes tells of others: it comes with them, for the owner who asks."""
    remember(run, "I deploy on Fridays")
    form = run("status", "--all-origins", "--json").json
    assert form["file_bytes"] == (home / "tideline.db").stat().st_size > form["size_bytes"]
    assert "file_bytes" not in run("status", "--json", "--origin", PEER.key).json
    assert "file_bytes" not in run("status", "--json").json
    assert form["next_dream_due"] == iso(NOW)


@pytest.mark.parametrize("origin", [(), ("--origin", "channel:wa/c1/s1")])
def test_a_batch_of_questions_keeps_the_vectors_that_it_makes(run, origin):
    """What recall --batch embeds is stored, in the origin that is asked, and counts no use."""
    made = run("remember", "I deploy on Fridays", *origin, "--json").json["id"]
    run("remember", "somebody else's fact", "--origin", "channel:wa/c2/s2")
    assert run("status", "--json", *origin).json["vectors"]["present"] == 0
    lines = [{"query": "deployment", **({"origin": origin[1]} if origin else {})}, {"id": "bad"}]
    done = run("recall", "--batch", stdin="\n".join(map(json.dumps, lines)))
    assert (done.code, len(done.out.splitlines())) == (2, 2)
    assert run("status", "--json", *origin).json["vectors"]["present"] == 1
    other = ("--origin", "channel:wa/c2/s2")
    assert run("status", "--json", *other).json["vectors"]["present"] == 0
    assert run("show", made, "--json", *origin).json["fact"]["access_count"] == 0
