"""What the clients send to their hooks, as they were recorded: the fields of each event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CLIENTS = ("claude-code", "codex", "gemini", "cursor")
PROMPT = {"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit",
          "gemini": "BeforeAgent", "cursor": "beforeSubmitPrompt"}  # fmt: skip
START = {**dict.fromkeys(CLIENTS, "SessionStart"), "cursor": "sessionStart"}
ENDS = {
    "claude-code": ("Stop", "PreCompact", "SessionEnd"),
    "codex": ("Stop", "PreCompact", "SessionEnd"),
    "gemini": ("AfterAgent", "PreCompress", "SessionEnd"),
    "cursor": ("stop", "preCompact", "sessionEnd"),
}
_OF_PROMPT: dict[str, dict[str, Any]] = {
    "claude-code": {"prompt_id": "p1", "permission_mode": "default"},
    "codex": {"turn_id": "u1", "model": "m", "permission_mode": "default"},
    "gemini": {"timestamp": "2026-11-21T22:38:04Z"},
    "cursor": {"generation_id": "g1", "cursor_version": "3.20.17", "attachments": []},
}


def base(client: str, event: str, *, session: str = "s1", folder: str = "/") -> dict[str, Any]:
    """Return what every call of a client has."""
    if client == "cursor":
        return {"conversation_id": session, "workspace_roots": [folder], "hook_event_name": event,
                "transcript_path": f"{folder}/t.jsonl"}  # fmt: skip
    return {"session_id": session, "transcript_path": f"{folder}/t.jsonl", "cwd": folder,
            "hook_event_name": event}  # fmt: skip


def prompt(client: str, text: str, **given: Any) -> bytes:
    """Return the call of a prompt."""
    form = {**base(client, PROMPT[client], **given), **_OF_PROMPT[client], "prompt": text}
    return json.dumps(form).encode()


def start(client: str, source: str | None = "startup", **given: Any) -> bytes:
    """Return the call of a conversation that starts."""
    form = base(client, START[client], **given)
    return json.dumps(form | ({} if source is None else {"source": source})).encode()


def end(client: str, event: str, **given: Any) -> bytes:
    """Return the call of a turn, a compaction or a conversation that ends."""
    more = {"stop_hook_active": False, "last_assistant_message": "done", "reason": "exit"}
    return json.dumps({**base(client, event, **given), **more}).encode()


def queued(home: Path) -> list[dict[str, Any]]:
    """Return what waits to be distilled, of every memory and origin."""
    files = sorted((home / "hooks").glob("queue-*.jsonl*"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def block_in(client: str, event: str, out: str) -> str:
    """Return the block of an answer, empty for none; the form has no other key."""
    if not out:
        return ""
    form = json.loads(out)
    if client == "cursor":
        assert set(form) <= {"continue", "additional_context"}
        assert form.get("continue", True) is True
        assert ("continue" in form) == (event == PROMPT["cursor"])
        return form["additional_context"]
    assert list(form) == ["hookSpecificOutput"]
    inner = form["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext"}
    assert inner["hookEventName"] == event
    return inner["additionalContext"]
