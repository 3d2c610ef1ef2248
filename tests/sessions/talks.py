"""Session files of agents, made for tests."""

import json

SAID = "2025-09-01T10:0{}:00Z"


def claude(path, name, *said, start=0, cwd=None):
    """Write a session file of Claude Code; `said` are (role, text), or (role, text, uuid)."""
    rows = []
    for number, (role, text, *uuid) in enumerate(said):
        rows.append({
            "type": role, "sessionId": name, "uuid": uuid[0] if uuid else f"{name}-{number}",
            "timestamp": SAID.format(start + number),
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        } | ({"cwd": str(cwd)} if cwd else {}))  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def codex(path, name, *said):
    """Write a rollout of Codex, whose messages have no ids."""
    rows = [{"type": "session_meta", "payload": {"id": name, "cwd": "/work/api"}}]
    rows += [
        {"type": "response_item", "timestamp": SAID.format(number),
         "payload": {"type": "message", "role": role, "content": [{"type": "x", "text": text}]}}
        for number, (role, text) in enumerate(said)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)
