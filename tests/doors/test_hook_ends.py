"""A hook ends with 0, in silence and in time: in any order of its words, wherever it is called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing

import apsw
import pytest

from tests import backends
from tests.doors import payloads
from tests.doors.payloads import block_in
from tests.support import rows, tables
from tideline_cli.cli import hook_door
from tideline_cli.store.opening import open_for_reading

FACT = "I deploy the billing service on Fridays"
PROMPT = payloads.prompt("codex", "when do I deploy the billing service?")
PROGRAM = (sys.executable, "-m", "tideline_cli")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def memory(run, home):
    run("remember", FACT)
    return home / "tideline.db"


def called(argv, stdin, **given):
    """Run a hook as a client does; return its code, its output and errors, and its seconds."""
    env = given.pop("env", None) or {**os.environ, "PYTHONPATH": ROOT}
    began = time.monotonic()
    done = subprocess.run([*PROGRAM, *argv], input=stdin, capture_output=True, timeout=60,
                          env=env, **given)  # fmt: skip
    return done.returncode, done.stdout, done.stderr, time.monotonic() - began


def is_answered(argv, stdin=PROMPT, **given):
    code, out, err, _ = called(argv, stdin, **given)
    assert (code, err) == (0, b""), (argv, err)
    return FACT in block_in("codex", "UserPromptSubmit", out.decode())


ORDERS = (
    ("--db", "{db}", "hook", "codex"), ("--db={db}", "hook", "codex"),
    ("hook", "--db", "{db}", "codex"), ("hook", "codex", "--db", "{db}"),
    ("--json", "hook", "codex"),
    ("--origin", "owner", "-q", "hook", "--all-scopes", "codex", "prompt"),
)  # fmt: skip
WRONG = (
    ("--bogus", "hook", "codex"), ("--bogus", "value", "hook", "codex"), ("--", "hook", "codex"),
    ("--db", "{db}", "hook", "codex", "--bogus=1"), ("--db", "{db}", "hook", "windsurf"),
    ("--db", "{db}", "hook", "codex", "nothing"), ("-x", "hook", "--bogus"),
    ("--origin", "a/b", "hook", "codex"), ("hook", "codex", "--db"), ("hook", "codex", "-Z"),
    ("--now", "?", "hook", "codex"), ("hook", "codex", "prompt", "start", "end"),
)  # fmt: skip


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_any_order_of_words(memory, order):
    """Options may stand before the command, between its words and behind them."""
    assert is_answered([word.format(db=backends.place(memory)) for word in order])


@pytest.mark.parametrize("order", WRONG, ids=" ".join)
def test_what_cannot_be_meant(run, memory, order):
    """What cannot be understood is silence, exit code 0 and a line in the log, and ends in time
    although nobody closes its input."""
    read, write = os.pipe()
    argv = [*PROGRAM, *(word.format(db=backends.place(memory)) for word in order)]
    hook = subprocess.Popen(argv, stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = hook.communicate(timeout=60)
    finally:
        os.close(read)
        os.close(write)
    assert (hook.returncode, err) == (0, b"")
    if "start" not in order:
        assert out == b""
    log = memory.parent / "hooks" / "hook.log"
    before = log.read_text() if log.exists() else ""  # a slow start may leave no time for a line
    done = run(*(word.format(db=backends.place(memory)) for word in order), stdin=b"{}")
    assert (done.code, done.out, done.err) == (0, "", "")
    if "start" not in order:  # words behind the event are passed over
        assert log.read_text().count("\n") == before.count("\n") + 1


def test_no_call_of_a_client():
    """What people type is theirs: `hook` alone, its options for people, and any other command."""
    for argv in (["hook"], ["hook", "--json"], ["hook", "codex", "--pause", "1h"], ["--help"],
                 ["hook", "--help"], ["remember", "hook", "codex"], ["man", "hook"],
                 ["-q", "remember", "hook", "codex"], ["rememer", "hook", "codex"],
                 ["--db", "hook", "recall", "x"], ["help", "hook"], ["recall", "hook", "--bogus"],
                 ["--quiet", "hook"]):  # fmt: skip
        assert hook_door.after_hook(argv) is None, argv
    mixed = ["--db", "x", "hook", "codex", "--json", "end"]
    assert hook_door.after_hook(mixed) == ["codex", "end"]
    assert hook_door.after_hook(["hook", "--bogus"]) == []


def test_an_input_that_never_ends(memory):
    """Whatever the order of the words, a hook gives up after its own second."""
    for argv in (("--db", str(memory), "hook", "codex"), ("hook", "--all-scopes", "codex")):
        read, write = os.pipe()
        hook = subprocess.Popen([*PROGRAM, *argv], stdin=read, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)  # fmt: skip
        os.write(write, b'{"hook_event_name":')
        try:
            out, err = hook.communicate(timeout=60)
        finally:
            os.close(read)
            os.close(write)
        assert (hook.returncode, out, err) == (0, b"", b"")
    assert "no answer within 1 s" in (memory.parent / "hooks" / "hook.log").read_text()


def test_a_huge_input(memory):
    """A call of 100 MB is heard out, so that the client does not fail, and not answered; one with
    a prompt of 20 MB is answered or given up in time."""
    started = subprocess.Popen([*PROGRAM, "hook", "codex"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    try:
        for _ in range(100):
            started.stdin.write(b" " * 1_000_000)
    except BrokenPipeError:  # a second is over
        started.stdin = None
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (0, b"", b"")
    log = (memory.parent / "hooks" / "hook.log").read_text()
    assert "more than 1 MiB on standard input" in log or "no answer within" in log
    long = payloads.prompt("codex", "<private> a b " * 1_500_000)
    code, _, err, _ = called(("hook", "codex"), long)
    assert (code, err) == (0, b"")


def test_a_call_of_more_than_a_mebibyte_is_not_read(memory):
    """One byte decides: up to 1 MiB a call is answered, and behind it silence is logged."""
    call = payloads.prompt("codex", "when do I deploy the billing service?")
    assert is_answered(("hook", "codex"), call.ljust(1 << 20))
    log = memory.parent / "hooks" / "hook.log"
    before = log.read_text() if log.exists() else ""
    assert not is_answered(("hook", "codex"), call.ljust((1 << 20) + 1))
    assert "more than 1 MiB on standard input" in log.read_text().removeprefix(before)


def test_nul_bytes(memory, run, home):
    """NUL bytes in any field are text like any other, or no name of a file."""
    nul = "\0 billing \0 service deploy"
    form = json.loads(payloads.prompt("codex", nul, session="a\0b", folder="/x\0y"))
    assert is_answered(("hook", "codex"), json.dumps(form).encode())
    end = json.loads(payloads.end("codex", "Stop", folder="/x\0y"))
    assert called(("hook", "codex"), json.dumps(end).encode())[:3] == (0, b"", b"")
    assert payloads.queued(home) == []
    assert "has no path that names a file" in run("hook", "--json").json["last_failure"]["message"]
    assert called(("hook", "codex"), b"\0" * 1000)[:3] == (0, b"", b"")


@pytest.mark.file_alone("paths from the folder where a hook is started")
def test_a_relative_memory(memory, tmp_path):
    """A relative TIDELINE_DB, like --db, is that of the folder in which the hook is started; the
    folder of the call says the project."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    question = "when do I deploy billing?"
    for n, (argv, own) in enumerate((
        (("hook", "codex"), {"TIDELINE_DB": "home/tideline.db"}),
        (("hook", "codex"), {"TIDELINE_HOME": "home"}),
        (("--db", "home/tideline.db", "hook", "codex"), {}),
    )):  # fmt: skip
        call = payloads.prompt("codex", question, folder=str(elsewhere), session=str(n))
        env = {**os.environ, "PYTHONPATH": ROOT, **own}
        assert is_answered(argv, call, env=env, cwd=tmp_path), (argv, own)
    assert os.listdir(elsewhere) == []


def test_a_folder_that_is_gone(memory, tmp_path):
    """The working folder, and the one of the call, may be gone."""
    script = f"mkdir {tmp_path}/x; cd {tmp_path}/x; rmdir {tmp_path}/x; exec \"$@\""
    for folder in (f"{tmp_path}/x", "/", "relative", ""):
        call = payloads.prompt("codex", "when do I deploy billing?", folder=folder, session=folder)
        env = {**os.environ, "PYTHONPATH": ROOT}
        done = subprocess.run(["sh", "-c", script, "sh", *PROGRAM, "hook", "codex"], input=call,
                              capture_output=True, timeout=60, env=env)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b""), folder
        assert FACT.encode() in done.stdout, folder


def test_without_a_home(memory, tmp_path):
    """Without HOME a hook makes no folder where it happens to stand."""
    place = tmp_path / "place"
    place.mkdir()
    env = {name: value for name, value in os.environ.items()
           if name not in ("HOME", "TIDELINE_HOME")} | {"PYTHONPATH": ROOT}  # fmt: skip
    named = ("--db", backends.place(memory), "hook", "codex")
    assert is_answered(named, env=env | {"HOME": "/nowhere"})
    for home in ("~", "relative", "", "/nowhere/else", "/dev/null"):
        for stdin in (PROMPT, payloads.start("codex"), payloads.end("codex", "Stop"), b"{"):
            code, _, err, _ = called(("hook", "codex"), stdin, env=env | {"HOME": home}, cwd=place)
            assert (code, err) == (0, b""), home
    assert os.listdir(place) == []


def test_a_reader_who_is_gone(memory):
    """A client that has closed its end hears nothing, and sees no failure."""
    hook = subprocess.Popen([*PROGRAM, "hook", "codex"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    hook.stdout.close()
    hook.stdin.write(PROMPT)
    hook.stdin.close()
    err = hook.stderr.read()
    hook.stderr.close()
    assert (hook.wait(60), err) == (0, b"")


def test_a_full_disk(memory, tmp_path):
    """Where the state folder cannot be written a prompt is answered all the same, and a turn that
    cannot be noted is silence."""
    env = {**os.environ, "PYTHONPATH": ROOT}
    limited = "trap '' XFSZ; ulimit -f 0; exec \"$@\""  # no file may grow
    reader = open_for_reading(str(memory))  # whose shared memory is there
    for name, stdin in (("prompt", PROMPT), ("start", payloads.start("codex", session="s2")),
                        ("end", payloads.end("codex", "Stop"))):  # fmt: skip
        done = subprocess.run(["sh", "-c", limited, "sh", *PROGRAM, "hook", "codex"], input=stdin,
                              capture_output=True, timeout=60, env=env)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b""), name
        assert (FACT.encode() in done.stdout) == (name != "end"), name
    reader.close()
    assert payloads.queued(memory.parent) == []


def _bytes(home):
    """Return the bytes of what belongs to the memory; the shared memory of its readers is none."""
    return {path.name: path.read_bytes() for path in home.iterdir()
            if path.is_file() and not path.name.endswith("-shm")}  # fmt: skip


def _all_hooks(run):
    """Call each hook of each client; each client is told the fact."""
    for client in payloads.CLIENTS:
        said = ""
        for call in (payloads.start(client), payloads.prompt(client, "when do I deploy billing?"),
                     *(payloads.end(client, event) for event in payloads.ENDS[client]),
                     payloads.start(client, "compact"),
                     payloads.start(client, "resume")):  # fmt: skip
            done = run("hook", client, stdin=call)
            assert (done.code, done.err) == (0, "")
            said += done.out
        assert FACT in said
    called(("hook", "codex"), PROMPT)  # a process that ends as it does


def test_no_value_changes(run, memory):
    """Starts, prompts and ends of all clients change no value of any table of the memory."""
    run("config", "set", "auto_recall", "on")
    run("remember", "My cat is called Miso", "--pin")
    with closing(open_for_reading(str(memory))) as db:
        before = {name: rows(db, name) for name in tables()}
        assert len(before["fact"]) == 2
        _all_hooks(run)
        assert {name: rows(db, name) for name in tables()} == before


@pytest.mark.file_alone("the bytes of a file, and what lies beside it")
@pytest.mark.parametrize("is_written_back", [True, False])
def test_no_byte_changes(run, memory, home, is_written_back):
    """Starts, prompts and ends of all clients change no byte of the memory and of its log, and make
    no file beside them, whether or not the log is written back."""
    run("config", "set", "auto_recall", "on")
    run("remember", "My cat is called Miso", "--pin")
    if is_written_back:
        db = apsw.Connection(str(memory))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        db.close()
    before = _bytes(home)
    assert bool(before.get("tideline.db-wal")) != is_written_back
    _all_hooks(run)
    after = _bytes(home)
    assert {name for name in after if not name.endswith("-wal") or after[name]} == set(before)
    assert all(after[name] == raw for name, raw in before.items())
