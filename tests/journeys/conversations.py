"""Conversations of a day: what clients write into their session files, each in its own form."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

SECRETS = ("ghp_" + "aB3d" * 9, "AKIA" + "ABCDEFGH12345678"[:16], "sk-proj-" + "Zx9Y" * 10,
           "kX7-mQ2vLp9")  # fmt: skip
"""What nobody may store: keys by their form, the last by what it is called."""


@dataclass
class Conversation:
    """A conversation of a client in a folder, as of an origin."""

    client: str
    name: str
    folder: Path
    origin: str
    given: set[str] = field(default_factory=set)
    """The marks of the facts that it was given since it began or was compacted."""
    number: int = 0

    @property
    def transcript(self) -> Path:
        """Return its session file."""
        return self.folder / f"{self.client}-{self.name}.jsonl"

    def payload(self, event: str, **more: Any) -> bytes:
        """Return what the client sends with an event."""
        form: dict[str, Any] = {"hook_event_name": event, "transcript_path": str(self.transcript)}
        if self.client == "cursor":
            form |= {"conversation_id": self.name, "workspace_roots": [str(self.folder)],
                     "generation_id": "g1", "cursor_version": "3.20.17"}  # fmt: skip
        else:
            form |= {"session_id": self.name, "cwd": str(self.folder)}
        return json.dumps(form | more).encode()

    def hear(self, said: str, block: str, tool: str) -> None:
        """Write a turn: the prompt with the block where the client puts it, a tool's output, and an
        answer in which the model says the block again."""
        echoed = block.replace("mk", f"ECHOED{self.number} is what it says. mk") if block else ""
        rows = _ROWS[self.client](self, said, echoed, tool)
        with self.transcript.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        self.number += 1


def _claude(talk: Conversation, said: str, block: str, tool: str) -> list[dict[str, Any]]:
    def row(kind: str, content: Any) -> dict[str, Any]:
        return {"type": kind, "sessionId": talk.name, "message": {"role": kind, "content": content}}

    result = {"type": "tool_result", "tool_use_id": "t1", "content": tool}
    return [
        row("user", f"<system-reminder>{block}</system-reminder>\n{said}" if block else said),
        row("user", [result]),
        row("assistant", [{"type": "text", "text": f"You told me:\n{block}\nDone."}]),
    ]


def _codex(talk: Conversation, said: str, block: str, tool: str) -> list[dict[str, Any]]:
    def row(role: str, text: str, kind: str = "input_text") -> dict[str, Any]:
        content = [{"type": kind, "text": text}]
        message = {"type": "message", "role": role, "content": content}
        return {"type": "response_item", "payload": message}

    first = [{"type": "session_meta", "payload": {"id": talk.name}}] if not talk.number else []
    return [
        *first, *([row("developer", block)] if block else []), row("user", said),
        {"type": "response_item", "payload": {"type": "function_call_output", "output": tool}},
        row("assistant", f"You told me:\n{block}\nDone.", "output_text"),
    ]  # fmt: skip


def _gemini(talk: Conversation, said: str, block: str, tool: str) -> list[dict[str, Any]]:
    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    own = f"<hook_context>{escaped}</hook_context>\n\n{said}" if block else said
    about = {"sessionId": talk.name, "projectHash": "b6", "kind": "main"}
    rows = (("user", [{"text": own}]), ("info", tool),
            ("gemini", f"You told me:\n{block}\nDone."))  # fmt: skip
    return [
        *([] if talk.number else [about]),
        *({"id": f"{talk.number}{kind}", "timestamp": "2026-11-22T20:53:08Z", "type": kind,
           "content": content} for kind, content in rows),
    ]  # fmt: skip


def _cursor(_: Conversation, said: str, block: str, tool: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": f"{block}\n\n{said}" if block else said},
        {"role": "tool", "content": tool},
        {"role": "assistant", "content": f"You told me:\n{block}\nDone."},
    ]


_ROWS = {"claude-code": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor}
