"""Once in a conversation: the block of its beginning, and each fact; again after a compaction."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.doors import payloads
from tests.doors.payloads import CLIENTS, PROMPT, START, block_in
from tests.support import NOW
from tideline_cli.model import instant
from tideline_cli.serve import ledger

FACT, PINNED = "I deploy the billing service on Fridays", "My cat is called Miso"
NAMES = ("/m.db", "owner", "", "s")
IDS = [f"{n:026d}" for n in range(1000)]


@pytest.fixture(autouse=True)
def still(monkeypatch):
    """Let the clock stand, on which it depends whether a start is told twice."""
    monkeypatch.setattr(instant, "now_ms", lambda: NOW)


@pytest.fixture
def memory(run, home):
    run("remember", FACT)
    run("remember", PINNED, "--pin")
    return home / "tideline.db"


@pytest.fixture
def page(home):
    return ledger.place(str(home), "codex", *NAMES)


def asked(run, client, session="s1", more=None, argv=()):
    """Return the block for a prompt about the first fact."""
    form = json.loads(payloads.prompt(client, "deploy the billing service", session=session))
    done = run("hook", client, *argv, stdin=json.dumps(form | (more or {})))
    assert (done.code, done.err) == (0, "")
    return block_in(client, PROMPT[client], done.out)


def started(run, client, source="startup", session="s1", more=None, argv=()):
    """Return the block for a conversation that starts."""
    form = json.loads(payloads.start(client, source, session=session))
    done = run("hook", client, *argv, stdin=json.dumps(form | (more or {})))
    assert (done.code, done.err) == (0, "")
    return block_in(client, START[client], done.out)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_start_behind_the_prompt(run, memory, client):
    """Where a client does not wait for its start, the prompt may come first: the start is answered
    then, with what the prompt was not given, and the prompt's fact is given no second time."""
    source = None if client == "cursor" else "startup"
    assert FACT in asked(run, client)
    block = started(run, client, source)
    assert PINNED in block and FACT not in block
    assert asked(run, client) == "" and started(run, client, source) == ""


@pytest.mark.parametrize("client", CLIENTS)
def test_one_block_a_conversation(run, memory, monkeypatch, client):
    """A start that is told again gets nothing, however late; a resumption never does."""
    source = None if client == "cursor" else "startup"
    assert PINNED in started(run, client, source)
    ((file,),) = [list((memory.parent / "hooks").glob(f"{client}-*"))]
    os.utime(file, (10**9, 10**9))
    assert started(run, client, source) == ""
    assert started(run, client, "resume") == ""
    assert asked(run, client) == ""  # the start has said it
    assert PINNED in started(run, client, source, session="s2")


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_again_after_a_compaction(run, memory, client):
    """After each compaction and each clearing there is a block, once where it is told twice."""
    assert PINNED in started(run, client)
    for source in ("compact", "clear", "compact", "fork"):
        assert PINNED in started(run, client, source), source
        assert started(run, client, source) == "", source
        assert asked(run, client) == ""
    run("hook", client, stdin=payloads.end(client, "PreCompact"))
    assert FACT in asked(run, client)
    assert PINNED in started(run, client, "compact")


def test_a_compaction_of_cursor(run, memory):
    """Cursor starts nothing anew after a compaction: prompts are given again what was lost."""
    assert PINNED in started(run, "cursor", None)
    assert asked(run, "cursor") == ""
    run("hook", "cursor", stdin=payloads.end("cursor", "preCompact"))
    assert FACT in asked(run, "cursor")
    assert asked(run, "cursor") == "" and started(run, "cursor", None) == ""


def test_gemini_tells_a_compaction_in_each_turn(run, memory):
    """What Gemini CLI calls before a compaction comes in each turn, and forgets nothing."""
    assert FACT in asked(run, "gemini")
    run("hook", "gemini", stdin=payloads.end("gemini", "PreCompress"))
    assert asked(run, "gemini") == ""


def test_an_agent_beside_the_conversation(run, memory):
    """An agent that a conversation starts beside its own has a context of its own."""
    assert FACT in asked(run, "claude-code")
    beside = {"agent_id": "a7", "agent_type": "Explore"}
    assert FACT in asked(run, "claude-code", more=beside)
    assert asked(run, "claude-code", more=beside) == asked(run, "claude-code") == ""
    assert PINNED in started(run, "claude-code", more=beside)
    assert PINNED in started(run, "claude-code")


def test_another_memory_and_another_origin(run, memory, tmp_path):
    """Hooks of two origins, or of two memories, in one conversation know nothing of one another."""
    other = ("--origin", "channel:wa/c1/s1")
    run("remember", "the peer deploys the billing service on Mondays", *other)
    run("remember", "elsewhere the billing service is deployed by Bo", "--db", "other.db")
    for argv, said in (((), FACT), (other, "Mondays"), (("--db", "other.db"), "by Bo")):
        assert said in asked(run, "codex", argv=argv)
        assert asked(run, "codex", argv=argv) == ""
        assert started(run, "codex", "compact", argv=argv) != ""
        assert started(run, "codex", "compact", argv=argv) == ""


def test_two_starts_at_once(memory):
    """Of two processes that are told of one start at the same time, one answers."""
    argv = [sys.executable, "-m", "tideline_cli", "hook", "codex"]
    for round_ in range(3):
        call = payloads.start("codex", session=f"r{round_}")
        both = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                for _ in range(4)]  # fmt: skip
        for one in both:
            one.stdin.write(call)
        said = [one.communicate(timeout=60)[0] for one in both]
        assert sum(PINNED.encode() in out for out in said) == 1


def test_a_ledger_has_an_end(page):
    """A long conversation is known by its last facts, and by its beginning."""
    assert ledger.begin(page, ledger.FIRST, now=0)
    for start in range(0, len(IDS), 5):
        ledger.add(page, IDS[start : start + 5])
    assert ledger.given(page) == tuple(IDS[-ledger.MOST :])
    assert os.path.getsize(page) < 4 * ledger.MOST * 27
    assert not ledger.begin(page, ledger.FIRST, now=10**9)
    assert ledger.begin(page, "compact", now=10**9)
    assert ledger.given(page) == ()
    assert ledger.begin(page, "compact", now=10**9 + 5_000)


def test_a_damaged_ledger(page):
    """What is no line of ours says nothing."""
    os.makedirs(os.path.dirname(page))
    with open(page, "wb") as file:
        file.write(b"\xff\0\nbegins\nbegins startup x y\nshort\n" + IDS[0].encode() + b"\nbegins a")
    assert ledger.given(page) == (IDS[0],)
    assert ledger.begin(page, ledger.FIRST, now=5)


def test_where_nothing_can_be_noted(home):
    """Without a folder, and without a name of the conversation, each start is one."""
    nowhere = ledger.place("relative", "codex", *NAMES)
    nameless = ledger.place(str(home), "codex", "/m.db", "owner", "", "")
    for path in (nowhere, nameless, nameless):
        assert ledger.begin(path, ledger.FIRST, now=0) and ledger.given(path) == ()
        ledger.add(path, IDS[:2])
    assert nameless == "" and not os.path.exists("relative")
