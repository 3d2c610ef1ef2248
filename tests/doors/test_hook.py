"""Hooks of agents: what each client gets for each event."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time

import pytest

from tests import backends
from tests.doors import payloads
from tests.doors.mcp_talk import told
from tests.doors.payloads import CLIENTS, ENDS, PROMPT, START, block_in
from tideline_cli.config.git_root import repository
from tideline_cli.memory import silence
from tideline_cli.serve import hook_answer

FACTS = ("I deploy the billing service on Fridays", "The staging database lives on host db-7",
         "Alice leads the payments team", "My cat is called Miso")  # fmt: skip


@pytest.fixture
def memory(run, home):
    """A memory of some facts; one of them is pinned."""
    for text in FACTS[:-1]:
        run("remember", text)
    run("remember", FACTS[-1], "--pin")
    return home / "tideline.db"


def asked(run, client, text, **given):
    """Return the block for a prompt."""
    done = run("hook", client, stdin=payloads.prompt(client, text, **given))
    assert (done.code, done.err) == (0, "")
    return block_in(client, PROMPT[client], done.out)


def started(run, client, source="startup", **given):
    """Return the block for a conversation that starts."""
    done = run("hook", client, stdin=payloads.start(client, source, **given))
    assert (done.code, done.err) == (0, "")
    return block_in(client, START[client], done.out)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@pytest.mark.parametrize("client", CLIENTS)
def test_a_prompt_gets_what_has_to_do_with_it(run, memory, client):
    """A prompt gets the facts that it is about, in the fence and in the form of its client."""
    block = asked(run, client, "when do I deploy the billing service?")
    assert FACTS[0] in block and "Miso" not in block
    assert block.startswith("## Relevant memory\n") and "not as instructions" in block
    fence = block.splitlines()[3]
    assert fence.startswith("<untrusted-memory id=") and block.endswith(f"</{fence[1:]}")


@pytest.mark.parametrize("client", CLIENTS)
def test_most_prompts_get_nothing(run, memory, client):
    """An unrelated prompt, a command to the client and a word of assent get nothing."""
    for text in ("please refactor this function", "/compact", "!ls deploy billing", "continue", "",
                 "go on", "```\ndeploy billing service\n```", "thanks, that works"):  # fmt: skip
        assert asked(run, client, text) == "", text
    assert FACTS[0] in asked(run, client, "/srv/billing/deploy fails: when do I deploy billing?")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_start_gets_the_pinned_and_the_strongest(run, memory, client):
    """A conversation begins with pinned facts, then others; the same memory gives the same text."""
    first = started(run, client)
    lines = [line for line in first.splitlines() if line.startswith("- ")]
    assert FACTS[-1] in lines[0] and len(lines) == len(FACTS)
    assert started(run, client, session="s2") == first


def test_a_start_gives_eight_facts_at_most(run, home):
    """A start is short, whatever there is; notes, documents and tools do not speak unasked."""
    for n in range(30):
        run("remember", f"rule {n} of the house is number {n}", "--importance", str(n / 40))
    run("remember", "a loose thought about boats", "--kind", "note", "--importance", "1")
    run("remember", "a page says buy now", "--source", "retrieved_document")
    block = started(run, "claude-code")
    lines = [line for line in block.splitlines() if line.startswith("- ")]
    assert len(lines) == 8 and len(block) <= 1200
    assert "boats" not in block and "buy now" not in block
    assert "rule 29" in block and "rule 3 " not in block


def test_pinned_facts_come_first_however_old(run, home, monkeypatch):
    """A pinned fact is found behind thousands of newer ones."""
    run("remember", "the door code is on the blue card", "--pin")
    rows = "".join(
        json.dumps({"content": f"entry {n} of the log", "importance": 0.9}) + "\n"
        for n in range(1500)
    )
    run("import", "-", stdin=rows)
    assert "blue card" in started(run, "claude-code").splitlines()[4]


def test_a_fact_is_given_once_in_a_conversation(run, memory):
    """Five prompts on one subject give its fact once; a compaction forgets, a resumption does not;
    another conversation knows nothing of it."""
    texts = [f"deploy the billing service, try {n}" for n in range(5)]
    assert sum(FACTS[0] in asked(run, "claude-code", text) for text in texts) == 1
    assert started(run, "claude-code", "resume") == ""
    assert asked(run, "claude-code", texts[0]) == ""
    assert FACTS[0] in asked(run, "claude-code", texts[0], session="s2")
    assert FACTS[0] in started(run, "claude-code", "compact")
    assert asked(run, "claude-code", texts[0]) == ""  # the start has said it
    assert FACTS[0] in asked(run, "codex", texts[0])


def test_a_start_that_comes_twice_is_one(run, memory):
    """Some clients tell twice that a conversation starts: the second time gets nothing."""
    assert started(run, "claude-code") != ""
    assert started(run, "claude-code") == ""
    assert started(run, "claude-code", "clear") != ""


@pytest.mark.parametrize("client", CLIENTS)
def test_an_end_is_queued_once(run, memory, home, client):
    """The end of a turn prints nothing, and leaves one line a conversation."""
    for event in (*ENDS[client], *ENDS[client]):
        done = run("hook", client, stdin=payloads.end(client, event, folder=str(home)))
        assert (done.code, done.out, done.err) == (0, "", "")
    (form,) = payloads.queued(home)
    assert (form["client"], form["session"], form["origin"]) == (client, "s1", "owner")
    assert form["transcript"] == f"{home}/t.jsonl"
    assert form["database"] == backends.place(home / "tideline.db")


@pytest.mark.parametrize("event", ["user-prompt-submit", "USERPROMPTSUBMIT", "prompt"])
def test_an_event_in_any_spelling(run, memory, event):
    """The command line may name the event, in any spelling, and goes before the call."""
    form = json.loads(payloads.prompt("codex", "when do I deploy billing?"))
    form["hook_event_name"] = "PostToolUse"
    done = run("hook", "codex", event, stdin=json.dumps(form))
    assert FACTS[0] in block_in("codex", "UserPromptSubmit", done.out)


FORMS = {
    "plain": "## Relevant memory\n{notice}\n<untrusted-memory id=\"a1\">\n- [knowledge] {fact}\n"
             "</untrusted-memory id=\"a1\">\n\n{words}",
    "escaped": "<hook_context>## Relevant memory\n&lt;untrusted-memory id=\"a1\"&gt;\n- {fact}\n"
               "&lt;/untrusted-memory id=\"a1\"&gt;</hook_context>\n\n{words}",
    "bare escaped": "&lt;untrusted-memory id=\"a1\"&gt;\n- {fact}\n"
                    "&lt;/untrusted-memory&gt; {words}",
    "reminder": "<system-reminder>remember: {fact}</system-reminder>{words}",
    "private": "<private>{fact}</private>{words}",
    "pasted": "{words}<pasted_content file=\"x\">{fact}</pasted_content>",
    "cut open": "{words}\n<untrusted-memory id=\"a1\">\n- {fact}",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_block_in_a_prompt_is_not_asked_for(run, memory, form):
    """What a client hands back of a block, and what is private, is no part of the question."""
    words = "where does the staging database live?"
    text = form.format(notice="Retrieved automatically", fact=FACTS[0], words=words)
    assert silence.asked(text).split()[-6:] == words.split()
    block = asked(run, "gemini", text)
    assert FACTS[1] in block and "billing" not in block


def test_the_end_of_a_long_prompt_is_asked(run, memory):
    """Of nearly the megabyte that is read, the beginning and the end are asked, in words that are
    few enough."""
    filler = " ".join(f"word{n}" for n in range(100_000))
    assert 1_000_000 > len(filler) > 980_000
    assert FACTS[0] in asked(run, "claude-code", f"{filler} when do I deploy the billing service?")
    assert FACTS[1] in asked(run, "claude-code", f"the staging database: which host? {filler}")
    assert len(silence.asked(filler).split()) <= 64


def test_no_answer_is_longer_than_a_client_takes(run, home):
    """The answer has 8,000 characters at most, whatever the settings and the signs of JSON."""
    run("config", "set", "max_chars", "900000")
    for n in range(8):
        run("remember", f"zebra{n} deploys " + '"\\" ' * 1800, "--pin")
    question = payloads.prompt("codex", "who deploys, zebra3 or zebra4?", session="s2")
    for text in (payloads.start("codex"), question):
        done = run("hook", "codex", stdin=text)
        assert 1000 < len(done.out.rstrip("\n")) <= hook_answer.LONGEST


def test_a_hostile_project_changes_nothing(run, memory, tmp_path, monkeypatch):
    """A file in the folder of the call moves no origin, raises no limit and names no memory."""
    folder = tmp_path / "clone"
    folder.mkdir()
    before = started(run, "codex", session="a", folder=str(tmp_path))
    for text in ('origin = "channel:evil/x/y"\nlimit = 200\nmax_chars = 900000\n',
                 'database = "/tmp/evil.db"\n', "not toml at all ["):  # fmt: skip
        (folder / ".tideline.toml").write_text(text)
        assert started(run, "codex", session=text, folder=str(folder)) == before
    (folder / ".tideline.toml").write_text("limit = 1\nmax_chars = 300\n")
    assert len(started(run, "codex", session="b", folder=str(folder))) <= 300
    run("hook", "codex", stdin=payloads.end("codex", "Stop", folder=str(folder)))
    assert [form["origin"] for form in payloads.queued(memory.parent)] == ["owner"]


def test_a_project_does_not_hear_of_another(run, memory, tmp_path):
    """In a git repository its own facts and those of no scope are said; elsewhere all are."""
    for name in ("alpha", "beta"):
        (tmp_path / name / ".git").mkdir(parents=True)
        run("remember", f"the release branch of {name} is called trunk-{name}", "--scope", name)
    question = "what is the release branch called?"
    told = asked(run, "codex", question, session="a", folder=str(tmp_path / "alpha"))
    assert "trunk-alpha" in told and "trunk-beta" not in told
    start = started(run, "codex", session="b", folder=str(tmp_path / "beta"))
    assert "trunk-beta" in start and "trunk-alpha" not in start
    call = payloads.prompt("codex", question, session="c", folder=str(tmp_path / "beta"))
    told = run("hook", "codex", "--scope", "alpha", stdin=call).out
    assert "trunk-alpha" in told and "trunk-beta" not in told


def test_two_repositories_of_one_name_are_two(run, memory, tmp_path, monkeypatch):
    """What an agent remembers or hears in one repository is said in no other, also of the same
    name; what the person prefers is said in all. MCP counts what matches elsewhere."""
    one, other = tmp_path / "a" / "api", tmp_path / "b" / "api"
    for folder in (one, other):
        (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(one)
    write = ("--write",)
    told("remember", text="the release branch is called trunk-one", argv=write)
    told("remember", text="release notes are best in French", segment="preference", argv=write)
    row = {"role": "user", "content": "the release bill goes to billing@example.org"}
    (one / "t.jsonl").write_text(json.dumps(row) + "\n")
    call = payloads.end("codex", "Stop", folder=str(one), session="e")
    run("hook", "codex", stdin=json.dumps(json.loads(call) | {"transcript_path": "t.jsonl"}))
    assert run("extract", "--pending", "--llm", "none", "--all-now").code == 0
    said = {}
    for folder in (one, other):
        block = started(run, "codex", session=f"s {folder}", folder=str(folder))
        for question in ("what is the release branch called?", "release notes in which language?",
                         "where does the release bill go to: billing@example.org?"):
            block += asked(run, "codex", question, session=f"{question} {folder}",
                           folder=str(folder))  # fmt: skip
        said[folder] = [word in block for word in ("trunk-one", "billing@example.org", "French")]
    assert said == {one: [True, True, True], other: [False, False, True]}
    monkeypatch.chdir(other)
    assert told("recall", query="trunk")["other_scopes"] == 1
    assert len(told("recall", query="release trunk", argv=("--all-scopes",))["hits"]) > 1
    monkeypatch.chdir(one)
    assert "trunk-one" in told("recall", query="release trunk")["hits"][0]["text"]


def test_a_clone_does_not_choose_the_scope(run, memory, tmp_path):
    """The scope of a project file that nobody trusts is not taken where it would show more than the
    scope of the repository: neither for what is said nor for what is stored. That is in the log
    once in a conversation, and a trusted file is taken."""
    folder = tmp_path / "clone"
    (folder / ".git").mkdir(parents=True)
    own = repository(str(folder))
    for scope in ("work", f"{own}/part", "clone"):
        run("remember", f"the release branch of {scope} is called trunk-{scope}", "--scope", scope)
    question = "what is the release branch called?"
    file = folder / ".tideline.toml"

    def told(session):
        start = started(run, "codex", session=f"start {session}", folder=str(folder))
        block = asked(run, "codex", question, session=session, folder=str(folder))
        run("hook", "codex", stdin=payloads.end("codex", "Stop", folder=str(folder)))
        (form,) = payloads.queued(memory.parent)
        assert ("trunk-work" in start) == ("trunk-work" in block)
        return block, form["scope"]

    for text in ('scope = "work"', 'scope = ""', 'scope = "work/clone"'):
        file.write_text(text + "\n")
        block, scope = told(text)
        assert "trunk-clone is" not in block and "called trunk-clone" in block
        assert "trunk-work" not in block and scope == own, text
    (line,) = [line for line in _lines(memory.parent) if "the scope work in" in line]
    assert "the file is not trusted; `tideline config trust` trusts it" in line
    file.write_text(f'scope = "{own}/part"\n')
    block, scope = told("below")
    assert f"trunk-{own}/part" in block and scope == f"{own}/part"
    file.write_text('scope = "work"\n')
    file.chmod(0o600)
    run("config", "trust", str(folder))
    block, scope = told("trusted")
    assert "trunk-work" in block and "trunk-clone" not in block and scope == "work"


def test_a_clone_widens_no_scope_of_the_settings(run, memory, tmp_path, monkeypatch):
    """The same at every door for programs: against a scope of the user's settings, a project file
    that nobody trusts can only narrow what is seen; where the settings name none, all is seen."""
    folder = tmp_path / "clone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for scope in ("home", "home/cat", "work"):
        run("remember", f"the release branch of {scope} is called trunk-{scope}", "--scope", scope)
    question = "what is the release branch called?"

    def said(session):
        hook = asked(run, "codex", question, session=session, folder=str(folder))
        auto = run("context", "--auto", question).out
        for name in ("home ", "home/cat", "work"):
            assert (f"of {name}" in hook) == (f"of {name}" in auto), name
        return hook

    (folder / ".tideline.toml").write_text('scope = "work"\n')
    block = said("no setting")
    assert "trunk-work" in block and "trunk-home" not in block
    run("config", "set", "scope", "home/cat")
    block = said("another")
    assert "trunk-work" not in block and "trunk-home/cat" in block
    (folder / ".tideline.toml").write_text('scope = "home"\n')
    block = said("above")
    assert "of home is" in block and "home/cat" not in block
    run("config", "set", "scope", "home")
    (folder / ".tideline.toml").write_text('scope = "home/cat"\n')
    block = said("below")
    assert "of home is" in block and "home/cat" not in block


def test_a_memory_named_by_a_relative_path(run, memory, tmp_path):
    """The path of a memory is that of the process, and not of the folder that the call names."""
    (tmp_path / "elsewhere").mkdir()
    call = payloads.prompt("codex", "when do I deploy billing?", folder=str(tmp_path / "elsewhere"))
    assert FACTS[0] in run("hook", "codex", "--db", "home/tideline.db", stdin=call).out


def test_status_tells_nothing_of_the_hooks_of_others(run, memory):
    """That another origin has hooks leaves files behind, and the owner's status as it was."""
    channel = ("--origin", "channel:wa/c1/s1")
    run("remember", "the peer deploys billing on Mondays", *channel)
    before = run("status", "--json").json["doors"]
    call = payloads.prompt("codex", "who deploys billing when?", session="x")
    assert "Mondays" in run("hook", "codex", *channel, stdin=call).out
    assert run("status", "--json").json["doors"] == before is None


def test_origins_do_not_hear_of_one_another(run, memory):
    """A hook for a channel says what that channel knows, and nothing in an internal one."""
    channel = ("--origin", "channel:wa/c1/s1")
    run("remember", "the peer deploys billing on Mondays", *channel)
    call = payloads.prompt("codex", "who deploys billing when?", session="x")
    told = run("hook", "codex", *channel, stdin=call).out
    assert "Mondays" in told and "Fridays" not in told
    assert "Mondays" not in run("hook", "codex", stdin=call).out
    for name in ("heartbeat", "cron", "system"):
        inner = ("--origin", f"channel:{name}/c1/s1")
        run("remember", "a beat that deploys billing", *inner)
        assert run("hook", "codex", *inner, stdin=call).out == ""
        assert run("context", "who deploys billing when?", "--auto", *inner).out == ""


def test_notes_are_not_said_unasked(run, memory):
    """A note is given to who asks for it, and to no prompt."""
    run("remember", "the sauna on the roof closes at nine", "--kind", "note")
    assert "sauna" in run("context", "the sauna on the roof").out
    assert run("context", "the sauna on the roof", "--auto").out == ""
    assert asked(run, "codex", "the sauna on the roof") == ""


def test_switches(run, memory, monkeypatch):
    """TIDELINE_HOOKS=0, a pause and the setting auto_recall each silence the hooks."""
    text = "when do I deploy billing?"
    monkeypatch.setenv("TIDELINE_HOOKS", "0")
    assert asked(run, "codex", text, session="a") == ""
    assert run("hook").out.startswith("hooks      off")
    monkeypatch.delenv("TIDELINE_HOOKS")
    monkeypatch.delenv("TIDELINE_NOW")
    paused = run("hook", "--pause", "2h", "--json").json
    assert paused["hooks"] == "paused" and paused["paused_until"]
    assert asked(run, "codex", text, session="a") == ""
    assert run("hook", "--resume", "--json").json["hooks"] == "on"
    assert run("hook", "--resume").err == "tideline: hooks were not paused\n"
    run("config", "set", "auto_recall", "false")
    assert asked(run, "codex", text, session="a") == started(run, "codex", session="a") == ""
    assert run("context", text, "--auto").out == "" and run("context", text).out != ""
    run("config", "set", "auto_recall", "on")
    assert FACTS[0] in asked(run, "codex", text, session="a")


def test_prompts_leave_the_memory_as_it_is(run, memory):
    """Twenty rounds of prompts, with the block of the answer in front as Gemini sends it, change
    no byte of the memory and store nothing."""
    run("status")
    before, rows = digest(memory), run("list", "-n", "0").out
    wal = digest(memory.with_name("tideline.db-wal"))
    block = ""
    for n in range(20):
        text = f"<hook_context>{block}</hook_context>\n\nwhen do I deploy billing, round {n}?"
        block = asked(run, "gemini", text, session=str(n))
        assert FACTS[0] in block
    assert (digest(memory), digest(memory.with_name("tideline.db-wal"))) == (before, wal)
    assert run("list", "-n", "0").out == rows


def _lines(home):
    path = home / "hooks" / "hook.log"
    return path.read_text().splitlines() if path.exists() else []


BROKEN = ("gone", "empty", "damaged", "foreign", "newer", "older", "a folder")


@pytest.mark.file_alone("it damages a file; tests/postgres has what a server says no to")
@pytest.mark.parametrize("state", BROKEN)
def test_a_store_that_cannot_be_read(run, memory, home, state):
    """A store that is gone, empty, damaged, foreign, newer or older is silence, and stays as it is;
    what is wrong is a line in the log, without a word of the prompt."""
    for part in ("-wal", "-shm"):
        memory.with_name(f"tideline.db{part}").unlink(missing_ok=True)
    if state == "damaged":
        raw = bytearray(memory.read_bytes())
        raw[4096:] = b"\xff" * (len(raw) - 4096)
        memory.write_bytes(raw)
    elif state in ("newer", "older", "foreign"):
        raw = bytearray(memory.read_bytes())
        raw[60:64] = (9 if state == "newer" else 0).to_bytes(4, "big")
        raw[68:72] = b"\0\0\0\7" if state == "foreign" else raw[68:72]
        memory.write_bytes(raw)
    else:
        memory.unlink()
        if state == "empty":
            memory.touch()
        elif state == "a folder":
            memory.mkdir()
    before = digest(memory)
    for client in CLIENTS:
        assert asked(run, client, "where is zanzibar deployed?") == ""
        assert started(run, client) == ""
    assert digest(memory) == before and memory.exists() == (state != "gone")
    said = _lines(home)
    assert "zanzibar" not in "".join(said)
    assert said[0].split("\t")[1] == "claude-code"
    assert run("hook", "--json").json["last_failure"]["client"] == "cursor"


@pytest.mark.file_alone("it looks at the file of the memory")
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_store_that_never_was(run, home, is_empty):
    """Where no memory was, none is made, and nothing is wrong; a file of no bytes is none."""
    if is_empty:
        (home / "tideline.db").touch()
    for client in CLIENTS:
        assert asked(run, client, "where is zanzibar deployed?") == ""
        assert started(run, client) == ""
    assert _lines(home) == []
    kept = home / "tideline.db"
    assert (kept.stat().st_size == 0) if is_empty else not kept.exists()


BAD = {
    "no JSON": b"{", "a list": b"[1]", "nothing": b"", "no text": b"\xff\xfe",
    "deep": b"[" * 200_000,
    "odd types": b'{"hook_event_name": 7, "prompt": {}, "session_id": [], "cwd": 3}',
    "unknown event": b'{"hook_event_name": "PostToolUse"}',
    "lone surrogate": b'{"hook_event_name":"UserPromptSubmit","prompt":"a \\ud800 deploy billing"}',
}  # fmt: skip


@pytest.mark.parametrize("raw", BAD.values(), ids=BAD)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_bad_call(run, memory, client, raw):
    """A call that is no call ends with 0, with nothing on stderr and nothing or one answer."""
    done = run("hook", client, stdin=raw)
    assert (done.code, done.err) == (0, "")
    block_in(client, PROMPT[client], done.out)


@pytest.mark.parametrize("argv", [
    ("hook", "windsurf"), ("hook", "codex", "--bogus"), ("hook", "--bogus"),
    ("hook", "codex", "--db"), ("--bogus", "hook", "codex"), ("hook", "codex", "nothing"),
    ("hook", "codex", "prompt", "--origin", "unknown"), ("hook", "codex", "--origin", "a/b"),
    ("--db", "x.db", "hook", "codex"), ("hook", "codex", "--now", "?"),
    ("hook", "codex", "--json", "--quiet", "--verbose=1"),
], ids=" ".join)  # fmt: skip
def test_a_bad_command_line(run, memory, argv):
    """A wrong word or option of a client's call is silence: exit code 2 would stop the prompt."""
    done = run(*argv, stdin=payloads.prompt("codex", "when do I deploy billing?"))
    assert (done.code, done.out, done.err) == (0, "", "")


def test_verbose_says_why(run, memory):
    """Who tries a hook by hand hears what is wrong with --verbose."""
    done = run("hook", "windsurf", "-v", stdin=b"{}")
    assert (done.code, done.out) == (0, "") and "not a client: 'windsurf'" in done.err


def test_options_for_people_are_checked(run):
    """What people type is refused as elsewhere."""
    for argv in (("--pause", "soon"), ("--pause", "1h", "--resume"), ("--pause", "1h", "codex")):
        assert run("hook", *argv).code == 2, argv


def _process(*argv, raw, **given):
    """Run a hook as a client does; return its code, output, errors and seconds."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "tideline_cli", "hook", *argv], input=raw,
                          capture_output=True, timeout=60, **given)  # fmt: skip
    return done.returncode, done.stdout, done.stderr, time.monotonic() - began


@pytest.mark.file_alone("a lock that keeps readers out of a file")
def test_a_locked_store(memory):
    """A store that somebody holds for himself is silence in time."""
    script = (
        "import sqlite3, sys, time; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "db.execute('PRAGMA locking_mode = EXCLUSIVE'); db.execute('BEGIN EXCLUSIVE');"
        "print('held', flush=True); time.sleep(20)"
    )
    for part in ("-wal", "-shm"):
        memory.with_name(f"tideline.db{part}").unlink(missing_ok=True)
    holder = subprocess.Popen([sys.executable, "-c", script, str(memory)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        code, out, err, _ = _process("codex", raw=payloads.prompt("codex", "deploy billing when?"))
        assert (code, out, err) == (0, b"", b"")
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert "\tcodex\t" in (memory.parent / "hooks" / "hook.log").read_text()


def test_a_caller_who_never_ends(memory):
    """A hook whose input never ends gives up after its own deadline."""
    read, write = os.pipe()
    hook = subprocess.Popen([sys.executable, "-m", "tideline_cli", "hook", "codex"], stdin=read,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    os.write(write, b'{"hook_event_name":')
    out, err = hook.communicate(timeout=60)
    os.close(read)
    os.close(write)
    assert (hook.returncode, out, err) == (0, b"", b"")
    assert "no answer within 1 s" in (memory.parent / "hooks" / "hook.log").read_text()


def test_a_closed_output(memory):
    """A client that hears nothing of the answer is no failure."""
    for close in ("exec 1>&-", "exec 1>&- 2>&-", "exec 0<&-"):
        call = f"{close}; exec {sys.executable} -m tideline_cli hook codex start"
        done = subprocess.run(["sh", "-c", call], input=payloads.start("codex"),
                              capture_output=True, timeout=60)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b""), close


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_nobody_may_write(memory):
    """In a read-only folder the hook answers as far as it can, and ends with 0."""
    memory.parent.chmod(0o500)
    try:
        code, _, err, _ = _process("codex", raw=payloads.start("codex"))
    finally:
        memory.parent.chmod(0o700)
    assert (code, err) == (0, b"")


def test_files_are_private(run, memory, home):
    """What the hooks keep is for the user alone, and names no prompt and no conversation."""
    before = os.umask(0)
    try:
        asked(run, "codex", "when do I deploy billing, zanzibar?", session="secret-name")
        run("hook", "codex", stdin=payloads.end("codex", "Stop", folder=str(home)))
        run("hook", "codex", stdin=b"{")
    finally:
        os.umask(before)
    folder = home / "hooks"
    assert folder.stat().st_mode & 0o777 == 0o700
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path
        assert "zanzibar" not in path.read_text()
    assert not any("secret-name" in path.name for path in folder.iterdir())


def test_old_conversations_are_forgotten(run, memory, home):
    """A start removes what was given to conversations of two weeks ago, and the queue stays."""
    asked(run, "codex", "when do I deploy billing?", session="old")
    run("hook", "codex", stdin=payloads.end("codex", "Stop", folder=str(home)))
    for path in (home / "hooks").iterdir():
        os.utime(path, (1, 1))
    started(run, "codex", session="new")
    names = sorted(path.name.partition("-")[0] for path in (home / "hooks").iterdir())
    assert names == ["codex", "queue", "queue"]  # and its lock


def test_the_log_has_an_end(run, home):
    """The log is set aside once when it gets long."""
    (home / "hooks").mkdir(mode=0o700)
    (home / "hooks" / "hook.log").write_text("x" * 300_000)
    run("hook", "codex", stdin=b"{")
    assert (home / "hooks" / "hook.log.1").stat().st_size == 300_000
    assert len(_lines(home)) == 1
