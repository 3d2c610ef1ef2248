"""A conversation in JSON: lines, one list, or the session file of an agent."""

from __future__ import annotations

from tideline_cli.exchange.extract import client_rows
from tideline_cli.exchange.extract.transcript import (
    ASSISTANT,
    USER,
    Message,
    Transcript,
    Turn,
    transcript_of,
)
from tideline_cli.model import codec
from tideline_cli.model.record import replace
from tideline_cli.policy.harness import heard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_SPOKEN = {USER: USER, ASSISTANT: ASSISTANT, "human": USER, "ai": ASSISTANT}
_SILENT = ("system", "developer", "tool", "function")
# A turn that begins so is no message, unless words of the user's follow.
_NOT_SAID = (
    "<command-name>", "<local-command-stdout>", "<command-message>", "<system-reminder>",
    "[Request interrupted by user", "Caveat: The messages below were generated",
)  # fmt: skip
# Of a row with one of these nothing is the user's: summaries, side chains, results of tools, and
# what other agents say. The second group keeps its place among the messages.
_HIDDEN = ("isMeta", "isSidechain", "isCompactSummary")
_FOREIGN = (
    "isVisibleInTranscriptOnly", "sourceToolUseID", "sourceToolAssistantUUID", "toolUseResult",
    "toolUseID", "parentToolUseID", "tool_call_id", "tool_use_id", "agentId",
)  # fmt: skip
_PEOPLE = ("human", "user", "keyboard")


def looks_like_json(lines: Iterable[str]) -> bool:
    """Say whether the first line that says anything is JSON."""
    for line in lines:
        if line.strip():
            return line.lstrip()[0] in "{[" or _loaded(line) is not None
    return False


def from_json(lines: list[str]) -> Transcript:
    """Return the conversation in lines of JSON, or in a document of it."""
    turns: list[Turn] = []
    session: str | None = None
    bad = strange = 0
    seen: set[str] = set()
    for value in _values(lines):
        if isinstance(value, dict):
            session = session or _session_of(value)
            turns += _turns(value, seen)
            strange += not _is_known(value)
        else:
            bad += 1
    return transcript_of(turns, session, bad if turns else bad + strange)


def _turns(row: dict[str, Any], seen: set[str]) -> list[Turn]:
    """Return what is said in a row: mostly one turn, or none."""
    if client_rows.is_codex(row) or client_rows.is_gemini(row):
        found = [said_turn(one) for one in client_rows.spoken(row, seen)]
    else:
        found = [_claude(row) if "message" in row else said_turn(row)]
    return [turn for turn in found if turn is not None]


def _is_known(row: dict[str, Any]) -> bool:
    """Say whether a row is one of a conversation, also where nothing is said in it. One of the
    user or the assistant has its words in a form that can be read."""
    if client_rows.is_codex(row) or client_rows.is_gemini(row):
        return True
    if "message" not in row and "role" in row:
        is_read = isinstance(row.get("content", 0), str | list | None)
        return is_read if str(row["role"]) in _SPOKEN else row["role"] in _SILENT
    return bool({"role", "message", "sessionId", "uuid", "leafUuid"} & {*row})


def message_of(value: Any) -> Message | None:
    """Return what a JSON object with role and content says, None for what is no conversation."""
    turn = said_turn(value) if isinstance(value, dict) else None
    return None if turn is None else turn.message


def said_turn(row: dict[str, Any]) -> Turn | None:
    """Return what a row with role and content says, None for what says nothing."""
    role = _SPOKEN.get(str(row.get("role")))
    if role is None:
        return None
    pieces = _pieces(row.get("content"))
    text = "".join(pieces)
    return Turn(Message(role, text), pieces, _is_foreign(row)) if text.strip() else None


def _is_foreign(row: dict[str, Any]) -> bool:
    """Say whether a row comes from a tool, another agent or a program that names itself."""
    origin = row.get("origin")
    if isinstance(origin, dict) and origin.get("kind") not in (None, *_PEOPLE):
        return True
    is_typed = not str(row.get("type") or "").startswith(("tool", "function", "system"))
    return not is_typed or any(row.get(flag) for flag in _FOREIGN)


def _pieces(content: Any) -> tuple[str, ...]:
    """Return the words of a content: a text, or a list whose text blocks and bare texts count."""
    if isinstance(content, str):
        return (storable_text(content),)
    if not isinstance(content, list):
        return ()
    return tuple(storable_text(piece) for block in content if (piece := _block_text(block)))


def _is_document(lines: list[str]) -> bool:
    start = "".join(lines[:3]).lstrip()[:200].replace(" ", "")
    return start.startswith(("[", '{"messages":[')) or start == "{"


def _values(lines: list[str]) -> Iterable[Any]:
    """Yield the value of each line that says anything, None for one that is no JSON; a document
    that is one list, or an object with a list of messages, gives its members."""
    whole = _loaded("\n".join(lines)) if _is_document(lines) else None
    if isinstance(whole, dict):
        whole = whole.get("messages")
    if isinstance(whole, list):
        yield from whole
        return
    for line in lines:
        if line.strip():
            yield _loaded(line)


def _loaded(line: str) -> Any:
    try:
        return codec.loads(line)
    except ValueError:
        return None


def _session_of(row: dict[str, Any]) -> str | None:
    name = row.get("sessionId") or client_rows.session_of(row)
    return name if isinstance(name, str) and name.strip() else None


def _claude(row: dict[str, Any]) -> Turn | None:
    """Return what a line of a Claude Code session says; side chains and summaries say nothing."""
    inner = row["message"]
    is_hidden = any(row.get(flag) for flag in _HIDDEN)
    if is_hidden or row.get("type") not in (USER, ASSISTANT, None) or not isinstance(inner, dict):
        return None
    content = inner.get("content")
    role = row.get("type") or inner.get("role")
    if inner.get("role", role) != role:  # two speakers of one line: nobody's word
        return None
    turn = said_turn({"role": role, "content": content})
    if turn is None:
        return None
    kept = [piece for piece in turn.pieces if _is_said(piece)]
    text = "".join(kept)
    if not (text.strip() and _is_said(text)):
        if not heard(turn.pieces).text.strip():
            return None
        text = turn.message.text
    is_foreign = _has_result(content) or _is_foreign(row) or _is_foreign(inner)
    return replace(turn, message=replace(turn.message, text=text), is_foreign=is_foreign)


def _is_said(text: str) -> bool:
    return not text.lstrip().startswith(_NOT_SAID)


def _has_result(content: Any) -> bool:
    blocks = content if isinstance(content, list) else []
    return any(isinstance(one, dict) and one.get("type") == "tool_result" for one in blocks)


def _block_text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    if isinstance(block, dict) and block.get("type") == "text":
        text = block.get("text")
        return text if isinstance(text, str) else None
    return None


def storable_text(text: str) -> str:
    """Return `text` without what JSON can spell and a store cannot hold: lone surrogates, NUL."""
    text = text.replace("\x00", "")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
