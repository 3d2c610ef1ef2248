"""What hooks have noted is distilled later: rollouts of Codex, chats of Gemini, Claude sessions."""

from __future__ import annotations

import json

import pytest

from tests.doors import payloads

FENCE = ('## Relevant memory\n<untrusted-memory id="a">\n- [entity] the user\'s phone 13911112222\n'
         '</untrusted-memory id="a">')  # fmt: skip
SAID = "my phone number is 13800138000"


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
    """What waits is distilled once, in the scope of its project, by the agent that held it; what
    is gone is told, and leaves the queue."""
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
    assert done.json["pending"] == 0 and any("is gone" in note for note in done.notes)
    facts = run("list", "--json").json["facts"]
    assert len(facts) == 1 and facts[0]["scope"] == "work" and facts[0]["agent"] == "codex"
    assert facts[0]["source"] == "extraction"
    assert run("extract", "--pending", "--llm", "none").err == "tideline: no conversation waits\n"
    assert not (home / "hooks" / "queue.jsonl").exists()


def test_a_model_that_fails_keeps_what_waits(run, tmp_path):
    """A conversation that a model failed at goes on waiting; another memory's is not touched."""
    path = written(tmp_path, "codex")
    call = payloads.end("codex", "Stop", folder=str(path.parent))
    run("hook", "codex", stdin=call)
    run("hook", "codex", "--origin", "channel:a/b/c", stdin=call)
    failed = run("extract", "--pending", "--all-now", "--llm", "/bin/false")
    assert failed.code == 6
    assert run("hook", "--json").json["pending"] == 2
    assert run("extract", "--pending", "--llm", "none").code == 0
    assert run("hook", "--json").json["pending"] == 1


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
