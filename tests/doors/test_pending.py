"""What hooks have noted is distilled later: rollouts of Codex, chats of Gemini, Claude sessions."""

from __future__ import annotations

import json
import os

import pytest

from tests import backends
from tests.doors import payloads
from tideline_cli.config.git_root import repository

FENCE = ('## Relevant memory\n<untrusted-memory id="a">\n- [entity] the user\'s phone 13911112222\n'
         '</untrusted-memory id="a">')  # fmt: skip
SAID = "my phone number is 13800138000"


@pytest.fixture(autouse=True)
def _memory(home):
    backends.begin(home)


def codex(role, text, kinds=None, kind="input_text"):
    about = {} if kinds is None else {
        "internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}
    }  # fmt: skip
    return {"timestamp": "2026-11-22T20:52:52.590Z", "ordinal": 1, "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}],
                        **about}}  # fmt: skip


def mixed(*pieces):
    """Return a message of the user in which only what is typed is the user's."""
    row = codex("user", "", [kind for kind, _ in pieces])
    row["payload"]["content"] = [{"type": "input_text", "text": text} for _, text in pieces]
    return row


def gemini(number, kind, content):
    return {"id": str(number), "timestamp": "2026-11-22T20:53:08Z", "type": kind,
            "content": content}  # fmt: skip


FILES = {
    "codex": [
        {"type": "session_meta", "payload": {"id": "rollout-1"}},
        codex("developer", FENCE), codex("user", f"<environment_context>{SAID[:-1]}9"),
        codex("user", "call 13700137000 in my name", ["agents.md"]),
        mixed(("agents.md", "my email address is planted@example.org"), ("user.text", SAID)),
        {"type": "response_item", "payload": []}, {"type": "event_msg", "payload": {"type": "x"}},
        codex("assistant", "Noted.", kind="output_text"),
    ],
    "gemini": [
        {"sessionId": "chat-1", "projectHash": "b6", "kind": "main"},
        {"id": "0", "timestamp": 1, "type": [], "content": "x"}, {"id": [1], "type": "user"},
        {"$set": {"messages": [gemini(1, "user", [{"text": f"<session_context>{SAID[:-1]}9"
                                                      "</session_context>"}])]}},
        gemini(2, "user", [{"text": f"<hook_context>{FENCE.replace('<', '&lt;')}</hook_context>"
                                    f"\n\n{SAID}"}]),
        {"$set": {"lastUpdated": "2026"}}, gemini(3, "gemini", "Noted."),
        gemini(2, "user", [{"text": "said again"}]), gemini(4, "info", "updated"),
    ],
    "claude-code": [
        {"type": "user", "sessionId": "claude-1", "message": {"role": "user", "content": SAID}},
        {"type": "assistant", "message": {"role": "assistant",
                                          "content": [{"type": "text", "text": "Noted."}]}},
    ],
}  # fmt: skip
NAMES = {"codex": "rollout-1", "gemini": "chat-1", "claude-code": "claude-1"}


def written(folder, client):
    """Write the conversation of a client, and return its file."""
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in FILES[client]))
    return path


@pytest.mark.parametrize("client", FILES)
def test_the_form_of_a_client_is_read(run, tmp_path, client):
    """Of a session file the words of the person and of the model are heard, and nothing else."""
    path = written(tmp_path, client)
    shown = run("extract", str(path), "--all-now", "--dry-run", "--json").json
    assert (shown["session"], shown["messages"]) == (NAMES[client], 2 + (client != "claude-code"))
    assert len(shown["would_store"]) == 1 and "13800138000" in shown["would_store"][0]
    assert "13911112222" not in json.dumps(shown) and "13700137000" not in json.dumps(shown)


def test_a_form_that_cannot_be_read_is_said(run, tmp_path):
    """JSON that is no conversation is an error with a hint, not `nothing new`."""
    for text in ('[{"maps": {}}]', '{"a": 1}\n{"b": 2}\n', '{"talk": []}'):
        done = run("extract", "-", "--session", "s", "--llm", "none", stdin=text)
        assert done.code == 2 and "holds no conversation" in done.err, text


def test_the_queue_is_worked_off(run, tmp_path, home):
    """What waits is distilled once, by the agent that held it; who somebody is holds in all
    projects. What is gone is told, and leaves the queue."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    folder = tmp_path / "work"
    for client in FILES:
        (folder / client).mkdir()
        written(folder / client, client)
        call = json.loads(payloads.end(client, "Stop" if client != "gemini" else "AfterAgent"))
        call |= {"cwd": str(folder), "transcript_path": str(folder / client / "t.jsonl")}
        run("hook", client, stdin=json.dumps(call))
    run("hook", "codex", stdin=payloads.end("codex", "Stop", folder=str(tmp_path / "gone")))
    assert len(run("extract", "--pending", "--dry-run").out.splitlines()) == 4
    done = run("extract", "--pending", "--all-now", "--llm", "none", "--json")
    assert [one["session"] for one in done.json["conversations"]] == [*NAMES.values()]
    assert done.json["pending"] == 0 and "/gone/t.jsonl is gone" in done.err
    facts = run("list", "--json").json["facts"]
    assert len(facts) == 1 and facts[0]["scope"] is None and facts[0]["agent"] == "codex"
    assert facts[0]["source"] == "extraction"
    assert run("extract", "--pending", "--llm", "none").err == "tideline: no conversation waits\n"
    assert payloads.queued(home) == []


def test_a_model_that_fails_keeps_what_waits(run, tmp_path):
    """A conversation that a model failed at goes on waiting; another origin's is not touched."""
    path = written(tmp_path, "codex")
    call = payloads.end("codex", "Stop", folder=str(path.parent))
    run("hook", "codex", stdin=call)
    run("hook", "codex", "--origin", "channel:a/b/c", stdin=call)
    failed = run("extract", "--pending", "--all-now", "--llm", "/bin/false")
    assert failed.code == 6
    assert run("hook", "--json").json["pending"] == 1
    assert run("extract", "--pending", "--llm", "none").code == 0
    assert run("hook", "--json").json["pending"] == 0
    assert run("hook", "--json", "--origin", "channel:a/b/c").json["pending"] == 1
    told = run("hook", "--origin", "channel:a/b/c").out
    assert "pending    1: tideline extract --pending --origin channel:a/b/c\n" in told


def test_the_night_works_it_off(run, tmp_path, monkeypatch):
    """A scheduled dream distils first; its failure is told, and the dream goes on."""
    path = written(tmp_path, "codex")
    call = payloads.end("codex", "Stop", folder=str(path.parent))
    run("hook", "codex", stdin=call)
    monkeypatch.setenv("TIDELINE_LLM", "/bin/false")
    done = run("dream", "--pending", "--quiet")
    assert done.code == 0 and "not all conversations were distilled" in done.err
    monkeypatch.setenv("TIDELINE_LLM", "none")
    done = run("dream", "--pending")
    assert done.code == 0 and "1 conversations distilled" in done.err.replace(",", "")
    assert run("hook", "--json").json["pending"] == 0
    assert "dream --pending" in run("schedule", "--cron").out


def queued_at(run, folder, *more):
    """Note that a conversation whose file lies in a folder has had a turn."""
    run("hook", "codex", *more, stdin=payloads.end("codex", "Stop", folder=str(folder)))


def test_what_cannot_be_distilled_is_told(run, tmp_path, monkeypatch):
    """A transcript that is too large, gone or no conversation is told, also with --quiet, and
    where `status` shows it; it waits no more. One that may not be read now goes on waiting."""
    monkeypatch.setattr("tideline_cli.cli.commands.extract.conversations._LARGEST", 1000)
    monkeypatch.delenv("TIDELINE_NOW")
    run("remember", "a fact")
    for name, raw, told in (
        ("large", b"x" * 1001, "is larger than"), ("gone", None, "is gone"),
        ("odd", b'{"a": 1}\n', "holds no conversation"), ("folder", None, "Is a directory"),
    ):  # fmt: skip
        folder = tmp_path / name
        folder.mkdir()
        if raw is not None:
            (folder / "t.jsonl").write_bytes(raw)
        elif name == "folder":
            (folder / "t.jsonl").mkdir()
        queued_at(run, folder)
        done = run("extract", "--pending", "--llm", "none", "--quiet")
        assert (done.code, done.out) == (0, "") and done.err.count("\n") == 1, done.err
        assert told in done.err and f"{folder}/t.jsonl" in done.err
        shown = run("status", "--json").json["doors"]
        assert shown["pending"] == 0 and told in shown["last_failure"]["message"]
        assert told in run("status").out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_goes_on_waiting(run, tmp_path):
    """A file that is there and may not be read is told, and read when it may."""
    path = written(tmp_path, "codex")
    queued_at(run, tmp_path)
    path.chmod(0)
    done = run("extract", "--pending", "--llm", "none", "--all-now", "--quiet", "--json")
    assert done.code == 0 and done.json["pending"] == 1
    assert "goes on waiting" in done.err and "Permission denied" in done.err
    path.chmod(0o600)
    assert run("extract", "--pending", "--llm", "none", "--all-now", "--json").json["pending"] == 0


def test_an_error_of_the_disk_keeps_what_waits(run, tmp_path, monkeypatch):
    """The same for any other error of the file system, whoever calls."""
    path = written(tmp_path, "codex")
    queued_at(run, tmp_path)
    opened = os.open

    def failing(name, *given, **more):
        if name == str(path):
            raise OSError(5, "Input/output error")
        return opened(name, *given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", failing)
        done = run("extract", "--pending", "--llm", "none", "--all-now", "--quiet", "--json")
    assert done.json["pending"] == 1 and "Input/output error" in done.err
    assert run("extract", "--pending", "--llm", "none", "--all-now", "--json").json["pending"] == 0


def test_whose_scope_and_agent(run, tmp_path, monkeypatch):
    """What is stored has the scope in which the conversation was held, and the agent that held it,
    whatever the settings and the folder of who distils it say."""
    (tmp_path / "alpha" / ".git").mkdir(parents=True)
    (tmp_path / "beta" / ".git").mkdir(parents=True)
    row = {"role": "user", "content": "send the bill to billing@example.org"}
    (tmp_path / "alpha" / "t.jsonl").write_text(json.dumps(row) + "\n")
    queued_at(run, tmp_path / "alpha")
    (tmp_path / "beta" / ".tideline.toml").write_text('scope = "stranger"\n')
    monkeypatch.chdir(tmp_path / "beta")
    monkeypatch.setenv("TIDELINE_SCOPE", "night")
    monkeypatch.setenv("TIDELINE_AGENT", "cron")
    run("extract", "--pending", "--llm", "none", "--all-now")
    (stored,) = run("list", "--json", "--all-scopes").json["facts"]
    scope = repository(str(tmp_path / "alpha"))
    assert (stored["scope"], stored["agent"]) == (scope, "codex")


def test_the_scope_of_a_hook(run, tmp_path, monkeypatch):
    """The scope that the hook was told is that of what its conversation says; without one it is
    that of the repository, which may be gone by then, and elsewhere none."""
    for name, more, scope in (
        ("a", ("--scope", "team/x"), "team/x"), ("b", (), "its own"),
        ("c", ("--all-scopes",), "its own"), ("d", ("--scope", ""), None), ("plain", (), None),
    ):  # fmt: skip
        folder = tmp_path / name
        (folder / ("x" if name == "plain" else ".git")).mkdir(parents=True)
        own = repository(str(folder)) if name != "plain" else None
        row = {"role": "user", "content": f"send the bill to {name}@example.org"}
        (folder / "t.jsonl").write_text(json.dumps(row) + "\n")
        queued_at(run, folder, *more)
        if name != "plain":
            (folder / ".git").rmdir()
        assert run("extract", "--pending", "--llm", "none", "--all-now").code == 0
        facts = run("list", "--json", "--all-scopes").json["facts"]
        (stored,) = (one for one in facts if f"{name}@example.org" in one["content"])
        assert stored["scope"] == (own if scope == "its own" else scope), name


def test_a_conversation_that_never_works_waits_no_longer(run, tmp_path):
    """A model that says nothing readable of it is asked in five runs; then it leaves the queue and
    `status` tells. One that cannot be reached is asked on."""
    path = written(tmp_path, "codex")
    call = payloads.end("codex", "Stop", folder=str(path.parent))
    run("hook", "codex", stdin=call)
    ask = ("extract", "--pending", "--all-now", "--json", "--llm")
    assert [run(*ask, "/bin/false").code for _ in range(6)] == [6] * 6
    codes = [run(*ask, "echo what").code for _ in range(5)]
    assert codes == [6, 6, 6, 6, 0]
    assert "asked 5 times" in json.dumps(run("status", "--json").json)
    assert run("extract", "--pending", "--dry-run", "--json").json["pending"] == []
    run("hook", "codex", stdin=call)
    assert run(*ask, "echo what").code == 6
