"""Origins with databases of their own: who opens which, what is said, and what nobody is told."""

from __future__ import annotations

import json
import os

import pytest

from tests.doors.mcp_talk import told
from tests.support import NOW
from tideline_cli import Memory
from tideline_cli.cli import own_databases
from tideline_cli.cli.commands.schedule import scheduler
from tideline_cli.config import reading
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import Origin
from tideline_cli.model.server_address import SCHEMES, without_password
from tideline_cli.store import SERVERS, remote
from tideline_cli.store.opening import open_for_writing

pytestmark = pytest.mark.file_alone("the table names files beside the one of the settings")

OPS, TEAM, ELSE = "channel:chat/ops/board", "channel:chat/team/board", "channel:chat/other/board"


@pytest.fixture
def ops(run, tmp_path):
    """The file of one origin, which is in the table and not there yet."""
    path = str(tmp_path / "ops.db")
    assert run("config", "set", "database", path, "--origin", OPS).code == 0
    return path


def texts(done):
    return [line.partition("] ")[2] for line in done.out.splitlines()]


# which database


def test_each_origin_has_its_own(run, ops, home):
    """What one says is in its file, and in no other; other origins share the usual one."""
    for words in (("mine",), ("theirs", "--origin", OPS), ("others", "--origin", ELSE)):
        assert run("remember", *words).code == 0
    usual = str(home / "tideline.db")
    assert texts(run("list", "--origin", OPS)) == ["theirs"]
    assert texts(run("list")) == ["mine"] and texts(run("list", "--origin", ELSE)) == ["others"]
    assert texts(run("list", "--db", ops, "--origin", OPS)) == ["theirs"]
    assert run("list", "--db", usual, "--origin", OPS).out == ""
    for whose in ("owner", ELSE):
        assert run("list", "--db", ops, "--origin", whose).out == ""


def test_what_is_nearer_wins(run, ops, home, tmp_path, monkeypatch):
    """--db before TIDELINE_DB before the table before `database`, and status says which it was."""
    config, third = str(home / "config.toml"), str(tmp_path / "third.db")
    run("config", "set", "database", third)

    def named(*argv):
        form = run("status", "--json", "--origin", OPS, *argv).json
        return os.path.basename(form["database"]), form["database_from"]

    assert named() == ("ops.db", f"{TABLE} in {config}")
    monkeypatch.setenv("TIDELINE_DB", str(tmp_path / "fourth.db"))
    assert named() == ("fourth.db", "TIDELINE_DB")
    assert named("--db", third) == ("third.db", "--db")
    monkeypatch.delenv("TIDELINE_DB")
    run("config", "unset", "database", "--origin", OPS)
    assert named() == ("third.db", config)


def test_status_says_which_and_why(run, ops, home, monkeypatch):
    """In lines for people too, but only where somebody has such a table."""
    lines = run("status").out.splitlines()
    assert "named by   default" in lines and f"others     {ops} ({OPS})" in lines
    other = run("status", "--origin", ELSE).out
    assert "named by" not in other and ops not in other and OPS not in other
    assert f"named by   {TABLE} in {home / 'config.toml'}" in run("status", "--origin", OPS).out
    monkeypatch.setenv("TIDELINE_DB", str(home / "tideline.db"))
    assert f"TIDELINE_DB, in the place of {TABLE}" in run("status").out
    monkeypatch.delenv("TIDELINE_DB")
    run("config", "unset", TABLE)
    assert "named by" not in run("status").out


def test_a_project_names_none(run, ops, tmp_path):
    """A clone leads nobody to another database; a trusted one may choose the origin alone."""
    project = tmp_path / ".tideline.toml"
    project.write_text(f'[{TABLE}]\n"{ELSE}" = "{tmp_path}/theirs.db"\n')
    done = run("remember", "a secret", "--origin", ELSE)
    assert (done.code, f"may not set {TABLE}" in done.err) == (2, True)
    assert run("context", "secret", "--auto", "--origin", ELSE).code == 0
    assert not os.path.exists(tmp_path / "theirs.db")
    project.write_text(f'origin = "{OPS}"\n')
    run("remember", "before")
    run("config", "trust")
    run("remember", "after")
    assert texts(run("list", "--db", ops, "--origin", OPS)) == ["after"]


def test_doors_follow_the_table(run, ops):
    """A program in Python, the tools of an agent, hooks and completions have the same database."""
    with Memory.open(origin=OPS) as memory:
        memory.remember("The kettle is in the blue cupboard")
        assert memory.path == ops
    with Memory.open() as memory:
        assert memory.recall("kettle") == ()
    assert len(told("recall", query="kettle", argv=("--origin", OPS))["hits"]) == 1
    assert told("recall", query="kettle")["hits"] == []
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "the blue kettle?", "cwd": "/"}
    stdin = json.dumps(event).encode()
    assert "cupboard" in run("hook", "claude-code", "prompt", "--origin", OPS, stdin=stdin).out
    assert run("hook", "claude-code", "prompt", stdin=stdin).out == ""
    run("remember", "said", "--slot", "kettle", "--origin", OPS)
    assert run("__complete", "slot:k", "--origin", OPS).out.startswith("kettle")
    assert run("__complete", "slot:k").out == ""


# the settings


def test_the_table_is_written_and_read(run, ops, home):
    """A row is set, replaced and taken out; comments and other settings stay."""
    config = home / "config.toml"
    config.write_text(f"# mine\n{config.read_text()}# the end\n")
    run("config", "set", "limit", "5")
    assert run("config", "get", "limit").out == "5\n"
    assert run("config", "get", "database", "--origin", OPS).out == f"{ops}\n"
    assert run("config", "get", TABLE).out == f"{OPS}\t{ops}\n"
    run("config", "set", "database", "next.db", "--origin", OPS)
    there = os.path.abspath("next.db")
    assert run("config", "get", TABLE, "--json").json == {"value": {OPS: there}}
    assert run("config", "list", "--json").json[TABLE] == {OPS: there}
    assert f"database of {OPS}\t{there}\t({config})\n" in run("config", "list").out
    done = run("config", "unset", "database", "--origin", OPS, "--json")
    assert done.json["changed"] is True and there in done.err
    assert run("config", "unset", "database", "--origin", OPS, "--json").json["changed"] is False
    assert config.read_text().startswith("# mine\n") and "# the end" in config.read_text()
    assert "limit = 5" in config.read_text() and OPS not in config.read_text()


@pytest.mark.parametrize(
    "address",
    ["mysql://u:hush@host/db", "postgresql:/host/db", "postgresql://h/d?schema=no name",
     "postgresql://u:hu?sh@h/d"],
)  # fmt: skip
def test_an_address_that_nobody_takes_is_not_stored(run, home, address):
    """It is refused when it is set, and not when it is needed."""
    for argv in ((), ("--origin", OPS)):
        done = run("config", "set", "database", address, *argv)
        assert (done.code, done.out, "hush" in done.err) == (2, "", False)
        assert "hint:" in done.err and not (home / "config.toml").exists()


def test_the_owner_has_the_setting(run, home):
    """For the owner `set database` is as before, and no row of the table."""
    run("config", "set", "database", str(home / "x.db"), "--origin", "owner")
    assert run("config", "get", TABLE).out == "" and run("config", "get", "database").out != ""


ROWS = {
    "owner": 'owner = "/x.db"', "unknown": 'unknown = "/x.db"', "no origin": 'limit = 5',
    "relative": f'"{OPS}" = "x.db"', "empty": f'"{OPS}" = ""', "number": f'"{OPS}" = 5',
    "other scheme": f'"{OPS}" = "mysql://u:hush@host/db"', "list": f'"{OPS}" = ["/x.db"]',
    "folder": f'"{OPS}" = "/x/"', "table": f'"{OPS}" = {{a = "/x.db"}}', "dotted": 'a.b = "/x.db"',
    "twice": f'"{OPS}" = "/x.db"\n"channel:chat/%6Fps/board" = "/y.db"',
    "turned": f'"postgresql://u:hush@host/db" = "{OPS}"', "no value": f'"{OPS}"',
    "second": f'"{OPS}" = "/x.db"\n[{TABLE}]', "other": f'"{OPS}" = "/x.db"\n[others]',
    "NUL": f'"{OPS}" = "/x\\u0000.db"',
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_is_no_row(run, home, row):
    """It is one usage error with its line and a hint, and no value is in it."""
    (home / "config.toml").write_text(f"[{TABLE}]\n{row}\n")
    done = run("status", "--json")
    assert (done.code, done.error["code"]) == (2, "usage"), done.err
    assert "line" in done.error["message"] and done.error["hint"] and "hush" not in done.err


def test_a_file_without_rows_is_none(run, home):
    """An empty table is no table; one line that is no table says how to write one."""
    (home / "config.toml").write_text(f"limit = 3\n[{TABLE}]  # none yet\n")
    assert run("config", "get", "limit").out == "3\n" and "named by" not in run("status").out
    with pytest.raises(UsageError, match="is a table"):
        reading.check_user_text(f"{TABLE} = {{}}".encode(), "config.toml")
    done = run("config", "set", TABLE, "postgresql://u:hush@host/db")
    assert done.code == 2 and "--origin NAME" in done.err and "hush" not in done.err


# what nobody is told


def test_passwords_are_not_shown(run, home):
    """Neither by settings, status, notes and errors, nor in a query of the address."""
    for address in ("postgresql://anna:hush@localhost:1/x?schema=s",
                    "postgresql://localhost:1/x?user=anna&password=hush"):  # fmt: skip
        calls = [run("config", "set", "database", address, "--origin", OPS, "--json")]
        assert calls[0].code == 0 and address in (home / "config.toml").read_text()
        calls += [
            run(*argv, *more)
            for argv in (("config", "list"), ("config", "get", "database"),
                         ("config", "get", TABLE), ("status",), ("status", "--json"),
                         ("remember", "x"), ("recall", "x"),
                         ("-v", "recall", "x"), ("dream",), ("doctor",), ("schedule", "--cron"),
                         ("export", "--all-origins"), ("config", "unset", "database"))
            for more in ((), ("--origin", OPS))
        ]  # fmt: skip
        for done in calls:
            assert "hush" not in done.out + done.err, done


def test_no_origin_learns_of_anothers(run, ops, tmp_path):
    """Whatever a channel calls, neither another's name nor its address is in the answer."""
    team = str(tmp_path / "team.db")
    run("config", "set", "database", team, "--origin", TEAM)
    run("remember", "what ops said", "--origin", OPS)
    run("remember", "what the team said", "--origin", TEAM)
    for argv in (("config", "list"), ("config", "get", TABLE), ("status",), ("status", "-v"),
                 ("list",), ("recall", "ops"), ("dream",), ("dream", "--all-origins"), ("doctor",),
                 ("backup", "x.db"), ("export", "--all-origins"), ("purge", "01M84497"), ("gc",),
                 ("status", "--all-origins"), ("retention", "--days", "9")):  # fmt: skip
        for whose in (TEAM, ELSE):
            done = run(*argv, "--origin", whose)
            assert ops not in done.out + done.err and OPS not in done.out + done.err, argv
            assert whose == TEAM or team not in done.out + done.err, argv
    asked = json.dumps({"query": "ops", "origin": OPS}).encode()
    assert "only the owner" in run("recall", "--batch", "--origin", TEAM, stdin=asked).out


def test_an_older_name_has_none(run, ops):
    """A name that today's rules refuse is looked up in the usual file, and never in the table."""
    done = run("list", "--origin", "channel:chat/ops/board ")
    assert done.code == 2 and "not an origin" in done.err


# all origins


def test_a_dream_tends_all(run, ops, tmp_path, monkeypatch):
    """Each database of the table, and in it the origins that have it; JSON has one object."""
    for whose in ("owner", OPS):
        run("remember", "the river is high", "--origin", whose, "--slot", "river")
    run("remember", "not of the table", "--db", ops, "--origin", ELSE)
    for verb in ("dream", "gc"):
        done = run(verb, "--json")
        assert done.code == 0 and [one["origin"] for one in done.json["origins"]] == ["owner"]
        (other,) = done.json["databases"]
        assert (other["database"], other["mapped_origins"]) == (ops, [OPS])
        assert [one["origin"] for one in other["origins"]] == [OPS]
    assert run("dream", "--quiet").out == ""
    lines = run("dream").out.splitlines()
    assert f"database   {ops}" in lines and lines[-1].startswith(OPS)
    assert "river" not in "".join(lines)  # the texts of another origin
    for argv in (("--origin", "owner"), ("--db", str(tmp_path / "home" / "tideline.db"))):
        assert "databases" not in run("dream", "--json", *argv).json
    alone = run("dream", "--json", "--origin", OPS).json
    assert [one["origin"] for one in alone["origins"]] == [OPS] and "databases" not in alone
    monkeypatch.setenv("TIDELINE_DISABLE_EXTRACT", "1")
    assert run("dream", "--json").json == {"frozen": True}


def test_one_that_fails_stops_no_other(run, ops, tmp_path):
    """The others are tended; the exit code is that of the first that failed, and its name told."""
    team = tmp_path / "team.db"
    run("config", "set", "database", str(team), "--origin", TEAM)
    for whose in ("owner", OPS, TEAM):
        run("remember", "something", "--origin", whose)
    with open(ops, "r+b") as file:
        file.write(b"no database at all" * 300)
    done = run("dream", "--json")
    broken, whole = done.json["databases"]
    assert (done.code, done.json["origins"][0]["origin"]) == (5, "owner")
    assert broken["error"]["message"].count(ops) and "origins" not in broken
    assert (whole["database"], whole["origins"][0]["origin"]) == (str(team), TEAM)
    assert done.error["message"] == broken["error"]["message"]
    quiet = run("dream", "--quiet")
    assert (quiet.code, quiet.out, ops in quiet.err) == (5, "", True)
    (tmp_path / "home" / "tideline.db").write_bytes(b"neither" * 700)
    done = run("dream", "--json")
    assert done.code == 5 and done.json["error"]["code"] and len(done.json["databases"]) == 2
    assert done.json["databases"][1]["origins"][0]["origin"] == TEAM


def test_a_fault_of_the_call_is_told_once(run, ops):
    """What a call lacks is no matter of a database."""
    run("remember", "mine")
    done = run("consolidate")
    assert (done.code, done.err.count("no model is named"), ops in done.out) == (2, 1, False)


def test_an_address_that_is_none_stops_no_other(run, ops, home):
    """What is wrong with the owner's setting is told, and the others have their turn."""
    run("remember", "theirs", "--origin", OPS)
    config = home / "config.toml"
    config.write_text(f'database = "postgresql://localhost/x?schema=no name"\n{config.read_text()}')
    done = run("dream", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage"), done.err
    assert done.json["databases"][0]["origins"][0]["origin"] == OPS
    lines = run("dream").out.splitlines()
    assert f"database   {ops}" in lines and lines[-1].startswith(OPS)
    assert run("consolidate").err.count("no model is named") == 1


def test_doctor_looks_at_all(run, ops):
    """Each is examined, by the owner; what is wrong with one is said with its name."""
    run("remember", "mine")
    run("remember", "theirs", "--origin", OPS)
    done = run("doctor")
    assert done.code == 0 and done.out.count("all is well") == 2 and ops in done.out
    with open(ops, "r+b") as file:
        file.write(b"no database at all" * 300)
    done = run("doctor", "--json")
    assert (done.code, done.json["ok"]) == (5, True)
    assert not done.json["databases"][0].get("ok", False)


def test_others_say_what_they_leave_out(run, ops, tmp_path):
    """A verb about all origins that works in one database names the others, once."""
    run("remember", "mine")
    run("remember", "theirs", "--origin", OPS)
    found = run("list", "--json").json["facts"][0]["id"]
    for argv in (("export", "--all-origins"), ("backup", "copy.db"), ("reembed",),
                 ("purge", found, "--yes")):  # fmt: skip
        done = run(*argv)
        assert done.code == 0 and done.err.count(ops) == 1 and "--db" in done.err, argv
    for argv in (("export",), ("export", "--origin", OPS), ("backup", "of.db", "--db", ops)):
        assert "of their own" not in run(*argv).err
    row = json.dumps({"query": "theirs", "origin": OPS}).encode()
    done = run("recall", "--batch", stdin=row)
    assert done.code == 2 and f"--origin {OPS}" in done.json["error"]["hint"]


# what stays behind


def test_facts_that_stay_are_told(run, home, tmp_path):
    """By set, the first fact, status, doctor and import; not by recall, nor once they are over."""
    usual = str(home / "tideline.db")
    for text in ("one", "two"):
        run("remember", f"ops said {text}", "--origin", OPS)
    def named(done):
        return done.err.count("2 facts that are in")

    assert named(run("config", "set", "database", str(tmp_path / "o.db"), "--origin", OPS)) == 1
    assert named(run("status", "--origin", OPS)) == 1
    assert named(run("remember", "ops said three", "--origin", OPS)) == 1
    assert named(run("remember", "ops said four", "--origin", OPS)) == 0
    assert named(run("doctor")) == 1 and named(run("status", "--origin", OPS, "--json")) == 1
    assert named(run("recall", "ops", "--origin", OPS)) == named(run("status")) == 0
    rows = run("export", "--db", usual, "--origin", OPS).out.encode()
    assert named(run("import", "-", "--trust", stdin=rows)) == 1
    assert run("import", "-", "--trust", "--origin", OPS, stdin=rows).code == 0
    assert named(run("status", "--origin", OPS)) == named(run("doctor")) == 0
    assert len(texts(run("list", "--origin", OPS))) == 4


def test_a_purge_names_the_copies(run, home, tmp_path, monkeypatch):
    """What the usual file still has, with the call that removes it there; to the owner also what
    the files of others have. Nothing is said where nothing is left."""
    usual, own = str(home / "tideline.db"), str(tmp_path / "o.db")
    for text in ("one", "two", "three"):
        run("remember", f"ops said {text}", "--origin", OPS)
    rows = run("export", "--origin", OPS).out.encode()
    run("config", "set", "database", own, "--origin", OPS)
    run("import", "-", "--trust", "--origin", OPS, stdin=rows)
    ids = [json.loads(row)["id"] for row in rows.splitlines() if b"ops said" in row]
    run("forget", ids[0], "--db", usual, "--origin", OPS)
    done = run("purge", *ids[:2], "--yes", "--json", "--origin", OPS)
    told_of = [json.loads(line)["warning"] for line in done.err.splitlines() if "warning" in line]
    (warned,) = (one for one in told_of if one["code"] == "left_behind")
    assert (done.code, warned["message"]) == (0, f"2 of them are still in {usual}, of {OPS}")
    call = f"tideline --db {usual} purge {ids[0]} {ids[1]} --origin {OPS}"
    assert warned["hint"] == f"`{call}` removes them there"
    assert run(*call.split()[1:], "--yes").code == 0
    assert "still in" not in run("purge", ids[2], "--dry-run", "--origin", OPS).err
    monkeypatch.setenv("TIDELINE_NOW", "4000000000000")
    done = run("retention", "--days", "9", "--yes", "--origin", OPS)
    assert (done.code, done.err.count("1 of them is still in")) == (0, 1)
    assert "still in" not in run("purge", ids[2], "--yes", "--db", usual, "--origin", OPS).err


def test_the_owners_purge_names_the_copies(run, ops, home):
    """What it removed of another origin, since it derives from the owner's, is in the file of that
    one yet."""
    for path in (str(home / "tideline.db"), ops):
        db = open_for_writing(path)
        for content, fact_id, origin, more in (
            ("the source", "SOURCE", Origin("owner"), ()),
            ("what follows", "FOLLOWS", Origin(OPS), ("SOURCE",)),
        ):
            new = NewFact(content, "knowledge", "owner_message", origin, derived_from=more)
            remember(db, new, fact_id=fact_id, now=NOW)
        db.close()
    done = run("purge", "SOURCE", "--yes")
    calls = [f"tideline --db {ops} purge {name} --origin {whose}"
             for name, whose in (("SOURCE", "owner"), ("FOLLOWS", OPS))]  # fmt: skip
    assert [done.err.count(f"`{call}` removes it there") for call in calls] == [1, 1], done.err
    for call in calls[::-1]:
        assert run(*call.split()[1:], "--yes").code == 0


def test_one_file_by_two_names_is_one(run, home, tmp_path):
    """An origin that is given the usual file has left nothing, and is tended once."""
    run("remember", "mine")
    (tmp_path / "alias.db").symlink_to(home / "tideline.db")
    done = run("config", "set", "database", str(home / "tideline.db"), "--origin", OPS)
    run("remember", "theirs", "--origin", OPS)
    assert done.err == "" and run("status", "--origin", OPS).err == ""
    assert "databases" not in run("dream", "--json").json


# schedules


def test_a_schedule_tends_all(run, ops, tmp_path, monkeypatch):
    """An entry names no database where a night finds the settings, and says where it does not."""
    done = run("schedule", "--cron")
    assert "--db" in done.out and "a night does not find the settings" in done.err
    monkeypatch.delenv("TIDELINE_HOME")
    run("config", "set", "database", ops, "--origin", OPS)
    done = run("schedule", "--cron")
    assert "--db" not in done.out and done.out.rstrip().endswith("dream --pending --quiet")
    assert "a night" not in done.err
    assert "--db" in run("schedule", "--cron", "--db", ops).out
    monkeypatch.setenv("TIDELINE_DB", ops)
    assert "--db" in run("schedule", "--cron").out


def test_an_entry_of_before_is_told(run, ops, monkeypatch):
    """One that names a database leaves the others alone: `config set` and doctor say so."""
    run("remember", "mine")
    monkeypatch.setattr(scheduler, "entry_of", _entry)
    for argv in (("doctor",), ("config", "set", "database", ops, "--origin", OPS)):
        done = run(*argv)
        assert "starts dreams for /my.db alone" in done.err and "--install" in done.err, argv


def _entry(kind):
    words = ("tideline", "dream", "--db", "/my.db")
    return scheduler.Installed((3, 30), words) if kind == "cron" else None


# addresses


def test_passwords_of_addresses():
    """What is shown has none, and what the library gets has all."""
    assert tuple(f"{scheme}://" for scheme in SCHEMES) == SERVERS
    for address, shown in (
        ("postgresql://a:b@h:5/d?x=1", "postgresql://a@h:5/d?x=1"),
        ("postgresql://h:5/d?password=b&schema=s", "postgresql://h:5/d?schema=s"),
        ("postgresql://h/d?password=b", "postgresql://h/d"),
        ("postgres://a:@h?pass%77ord=b&x=1", "postgres://a@h?x=1"),
        ("postgresql://h/d?", "postgresql://h/d?"),
        ("/tmp/a:b@c", "/tmp/a:b@c"),
    ):
        assert without_password(address) == remote.kept(address) == shown
        whole = address.replace("&schema=s", "").removesuffix("?")
        assert remote.for_library(shown)[0].removesuffix("?") == whole
    other = remote.with_schema("postgresql://a:b@h/d?schema=x", "y")
    assert other == "postgresql://a@h/d?schema=y"
    assert remote.for_library(other) == ("postgresql://a:b@h/d", "y")


def test_databases_are_grouped(run, ops, tmp_path):
    """Two origins of one file are one database."""
    run("config", "set", "database", f"{tmp_path}/../{tmp_path.name}/ops.db", "--origin", TEAM)
    for whose in (OPS, TEAM):
        run("remember", "something", "--origin", whose)
    (one,) = run("dream", "--json").json["databases"]
    assert one["mapped_origins"] == [OPS, TEAM] and len(one["origins"]) == 2
    assert own_databases.databases_line([]) == ""
