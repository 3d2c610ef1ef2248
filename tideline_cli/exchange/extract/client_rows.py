"""Rows of the conversations that Codex and Gemini CLI keep: rollouts and chats, in JSON lines."""

from __future__ import annotations

from tideline_cli.exchange.extract.transcript import ASSISTANT, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Row = dict[str, Any]

_TYPED = "user.text"  # what Codex calls the words that a person typed
_GEMINI = {"user": USER, "gemini": ASSISTANT}


def is_codex(row: Row) -> bool:
    """Say whether a row is one of a Codex rollout."""
    return isinstance(row.get("payload"), dict) and isinstance(row.get("type"), str)


def is_gemini(row: Row) -> bool:
    """Say whether a row is one of a Gemini chat."""
    if "$set" in row or "$rewindTo" in row or "projectHash" in row:
        return True
    return "role" not in row and "message" not in row and {"id", "timestamp", "type"} <= {*row}


def session_of(row: Row) -> object:
    """Return the name that the first row of a rollout gives its conversation."""
    is_first = is_codex(row) and row["type"] == "session_meta"
    return row["payload"].get("id") if is_first else None


def spoken(row: Row, seen: set[str]) -> Iterator[Row]:
    """Yield what is said in a row, as role and content; `seen` are the ids of rows of before."""
    if is_codex(row):
        yield from _of_codex(row)
    else:
        inner = row.get("$set")
        rows = inner.get("messages") if isinstance(inner, dict) else [row]
        for one in rows if isinstance(rows, list) else ():
            yield from _of_gemini(one, seen)


def _of_codex(row: Row) -> Iterator[Row]:
    """Yield what a person or the model said; developers and programs speak as the user too."""
    said = row["payload"]
    if row["type"] != "response_item" or said.get("type") != "message":
        return
    about = said.get("internal_chat_message_metadata_passthrough")
    kinds = about.get("content_item_kinds") if isinstance(about, dict) else None
    role = said.get("role")
    if role == ASSISTANT or (role == USER and (kinds is None or _TYPED in kinds)):
        yield {"role": role, "content": _texts(_typed(said.get("content"), role, kinds))}


def _typed(content: object, role: str, kinds: object) -> object:
    """Return those pieces of a message that the user has typed, where the kinds of all are told:
    instructions of a repository stand beside them."""
    if role != USER or not (isinstance(content, list) and isinstance(kinds, list)):
        return content
    if len(content) != len(kinds):
        return content
    return [one for one, kind in zip(content, kinds, strict=True) if kind == _TYPED]


def _of_gemini(row: object, seen: set[str]) -> Iterator[Row]:
    if not isinstance(row, dict) or not isinstance(row.get("type"), str):
        return
    if row["type"] not in _GEMINI or str(row.get("id")) in seen:
        return
    seen.add(str(row.get("id")))
    content = row.get("content")
    pieces = content if isinstance(content, str) else _texts(content)
    yield {"role": _GEMINI[row["type"]], "content": pieces}


def _texts(content: object) -> list[str]:
    blocks = content if isinstance(content, list) else []
    return [one["text"] for one in blocks
            if isinstance(one, dict) and isinstance(one.get("text"), str)]  # fmt: skip
