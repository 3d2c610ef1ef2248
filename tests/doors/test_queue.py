"""No turn is lost: writers beside one another, a reader that takes its time, kills, a full file."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from tests import backends
from tests.doors import payloads
from tideline_cli.errors import CannotWriteError
from tideline_cli.serve import hook_state, queue
from tideline_cli.serve.queue import Waiting, Whose

OWN, OTHER = Whose("/m.db", "owner"), Whose("/m.db", "channel:a/b/c")


def one(name, whose=OWN, **given):
    """Return a conversation by its name."""
    parts = {"session": name, "folder": "/p", "scope": "", "at": 0} | given
    return Waiting(client="codex", transcript=f"/{name}.jsonl", whose=whose, **parts)


def names(state, whose=OWN):
    return [each.session for each in queue.waiting(state, whose)]


@pytest.fixture
def state(home):
    return str(home)


def test_a_turn_while_the_one_before_is_read(state):
    """A turn that ends while its conversation is distilled goes on waiting."""
    queue.add(state, one("a"))
    (read,) = queue.waiting(state, OWN)
    queue.add(state, one("a"))
    assert queue.length(state, OWN) == 1
    queue.done(state, OWN, [read.line])
    (again,) = queue.waiting(state, OWN)
    assert again.line != read.line
    queue.done(state, OWN, [again.line])
    assert names(state) == [] and payloads.queued(Path(state)) == []


def test_a_turn_while_a_model_thinks(run, home, tmp_path, monkeypatch):
    """The same through the commands: what a turn says while a model thinks is read next time."""
    file = tmp_path / "t.jsonl"
    said = {"role": "user", "content": "my phone number is 13800138000"}
    file.write_text(json.dumps(said) + "\n")
    call = json.loads(payloads.end("codex", "Stop", folder=str(tmp_path)))
    (tmp_path / "call.json").write_text(json.dumps(call))
    run("hook", "codex", stdin=json.dumps(call))
    backends.begin(home)
    model = tmp_path / "model"
    model.write_text(f"#!/bin/sh\nTIDELINE_HOOKS=1 python3 -m tideline_cli hook codex "
                     f"< {tmp_path}/call.json\necho '{{\"facts\": []}}'\n")  # fmt: skip
    model.write_text(model.read_text().replace("python3", os.sys.executable))
    model.chmod(0o700)
    done = run("extract", "--pending", "--all-now", "--llm", str(model), "--json")
    assert done.code == 0 and done.json["pending"] == 1, done.err
    assert run("extract", "--pending", "--llm", "none", "--json").json["pending"] == 0


def test_which_conversation_it_is(state):
    """Of a conversation one line waits, wherever it goes on; of another file, client, memory or
    origin there is another."""
    queue.add(state, one("a", folder="/p"))
    queue.add(state, one("a", folder="/q", scope="x", at=5))
    (held,) = queue.waiting(state, OWN)
    assert (held.folder, held.scope, held.at) == ("/q", "x", 5)
    queue.add(state, one("b"))
    queue.add(state, one("a", OTHER))
    queue.add(state, one("a", Whose("/n.db", "owner")))
    assert names(state) == ["a", "b"] and names(state, OTHER) == ["a"]


def test_an_origin_has_its_own_room(state, monkeypatch):
    """As many wait as may for one origin; that takes no room from another, and what is gone makes
    room, which is told."""
    monkeypatch.setattr(queue, "MOST", 3)
    here = Path(state, "here.jsonl")
    here.touch()
    for n in range(3):
        queue.add(state, one(f"o{n}", OTHER))
    queue.add(state, one("a"))
    queue.add(state, Waiting("codex", str(here), OWN, "b", "", "", 0))
    queue.add(state, one("c"))
    assert queue.length(state, OTHER) == 3
    assert queue.add(state, one("d")) == ["/a.jsonl", "/c.jsonl"]
    assert names(state) == ["b", "d"]
    for n in range(3):
        Path(state, f"{n}").touch()
        queue.add(state, Waiting("codex", str(Path(state, f"{n}")), OTHER, str(n), "", "", 0))
    with pytest.raises(CannotWriteError, match="3 conversations wait already"):
        queue.add(state, Waiting("codex", f"{state}/3", OTHER, "x", "", "", 0))
    assert names(state, OTHER) == ["0", "1", "2"]


def test_who_gets_no_turn_leaves_a_line_beside(state, monkeypatch):
    """Where another process holds the queue, a hook waits a moment and keeps its line elsewhere;
    it waits like the others, and the next writer takes it in."""
    monkeypatch.setattr(queue, "PATIENCE", 0.05)
    monkeypatch.setattr(queue, "_LEISURE", 0.05)
    queue.add(state, one("a"))
    (lock,) = Path(state, "hooks").glob("*.lock")
    holder = os.open(lock, os.O_RDWR)
    flock(holder, LOCK_EX)
    queue.add(state, one("a", at=7))
    queue.add(state, one("b"))
    queue.add(state, one("b", at=9))
    assert [(each.session, each.at) for each in queue.waiting(state, OWN)] == [("a", 7), ("b", 9)]
    assert len(list(Path(state, "hooks").glob("*.late-*"))) == 2
    assert not queue.done(state, OWN, [each.line for each in queue.waiting(state, OWN)])
    os.close(holder)
    queue.add(state, one("c"))
    assert names(state) == ["a", "b", "c"]
    assert not list(Path(state, "hooks").glob("*.late-*"))
    assert queue.done(state, OWN, [each.line for each in queue.waiting(state, OWN)])
    assert names(state) == []


def test_a_file_is_whole_or_as_before(state, monkeypatch):
    """A writer that fails in the middle leaves the file as it was, and nothing beside it."""
    queue.add(state, one("a"))
    before = payloads.queued(Path(state))

    def full(handle, raw):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            queue.add(state, one("b"))
    assert payloads.queued(Path(state)) == before
    assert not list(Path(state, "hooks").glob(f"*{hook_state.FRESH}*"))


def test_odd_texts(state):
    """Any text stands on one line, and what cannot be a path is refused."""
    odd = 'a"b\\c\u2028d\ne, "session": "x'
    queue.add(state, Waiting("codex", f"/{odd}", OWN, "s" * 10**6, "/f" * 10**5, "", 0))
    queue.add(state, Waiting("codex", f"/{odd}", OWN, odd, odd, "", 1))
    (held,) = queue.waiting(state, OWN)
    assert (held.transcript, held.session, held.folder) == (f"/{odd}", odd, odd)
    with pytest.raises(CannotWriteError, match="longer than any path"):
        queue.add(state, Waiting("codex", "/x" * 5000, OWN, "", "", "", 0))


TURNS = 200
WRITERS = 8


def _write(state, writer, folder):
    """End turns, one after the other: the conversation gets longer, then it is noted. What was
    acknowledged before a kill is not done again."""
    said = Path(folder, f"{writer}.jsonl")
    noted = Path(folder, f"{writer}.noted")
    for turn in range(int(noted.read_text() or 0) if noted.exists() else 0, TURNS):
        length = len(said.read_text().splitlines()) if said.exists() else 0
        if length == turn:
            with said.open("a") as file:
                file.write(f"{turn}\n")
        queue.add(state, Waiting("codex", str(said), OWN, str(writer), "", "", turn))
        fresh = noted.with_suffix(".fresh")
        fresh.write_text(str(turn + 1))
        os.replace(fresh, noted)


def _read(state, folder, number, end):
    """Work off what waits, until the end: read each conversation from its cursor, as an extraction
    does, and note what was read."""
    while True:
        last = end.exists()
        found = queue.waiting(state, OWN)
        for each in found:
            lock = os.open(f"{each.transcript}.cursor", os.O_RDWR | os.O_CREAT, 0o600)
            flock(lock, LOCK_EX)
            done = int(os.pread(lock, 20, 0) or b"0")
            lines = Path(each.transcript).read_text().splitlines()
            with Path(folder, f"read-{number}").open("a") as file:
                file.write("".join(f"{each.session} {line}\n" for line in lines[done:]))
            os.pwrite(lock, str(len(lines)).encode(), 0)
            os.close(lock)
            queue.done(state, OWN, [each.line])
        if last and not found:
            return


def _forked(call, *given):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            call(*given)
            code = 0
        finally:
            os._exit(code)
    return pid


@pytest.mark.nightly
def test_a_crowd(state, tmp_path):
    """Eight processes end 200 turns each and are killed at random, while two others work off what
    waits: in the end each turn was read, and each once."""
    rng = random.Random(8)
    folder = tmp_path / "talks"
    folder.mkdir()
    end = folder / "end"
    readers = [_forked(_read, state, folder, n, end) for n in range(2)]
    writers = {_forked(_write, state, n, folder): n for n in range(WRITERS)}
    kills = 0
    while writers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid in writers:
            writer = writers.pop(pid)
            if status:
                assert os.WTERMSIG(status) == signal.SIGKILL
                writers[_forked(_write, state, writer, folder)] = writer
        assert pid not in readers
        if kills < 40 and writers and rng.random() < 0.5:
            os.kill(rng.choice(list(writers)), signal.SIGKILL)
            kills += 1
        time.sleep(0.01)
    end.touch()
    for reader in readers:
        assert os.waitpid(reader, 0)[1] == 0
    read = [line for n in range(2) for line in (folder / f"read-{n}").read_text().splitlines()]
    assert len(read) == len(set(read)) == WRITERS * TURNS
    assert kills > 10 and queue.length(state, OWN) == 0
