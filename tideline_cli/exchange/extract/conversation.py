"""A conversation: its messages in order, read from plain text, from JSON (lines, one list, or the
session file of an agent: Claude Code, Codex, Gemini), and flattened for a prompt."""

from __future__ import annotations

import re
from hashlib import sha256

from tideline_cli.errors import UsageError
from tideline_cli.model import codec, instant
from tideline_cli.model.record import record, replace
from tideline_cli.policy.harness import Heard, heard
from tideline_cli.policy.private_blocks import MEMORY, without_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    Row = dict[str, Any]

USER, ASSISTANT = "user", "assistant"
_SECONDS = 100_000_000_000  # what is less is a time in seconds
# A line inside a message that would look like the beginning of another one.
_FORGED = re.compile(r"^(?=\s*(?:USER|ASSISTANT|SYSTEM|[A-Z ]*FACTS)\b[^\n:]*:|\s*\[)", re.M | re.I)
_CONTROLS = dict.fromkeys(
    code for code in (*range(32), *range(127, 160), 0x2028, 0x2029) if code not in (9, 10)
)
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
_TYPED = "user.text"  # what Codex calls the words that a person typed
_GEMINI = {"user": USER, "gemini": ASSISTANT}
# Capitals alone: `User: …` is what people write inside their messages.
_SPEAKER = re.compile(r"^(USER|ASSISTANT|SYSTEM|TOOL)[ \t]*:[ \t]?")
_CONVERT = "if it is UTF-16: iconv -f UTF-16 -t UTF-8; if it is Latin-1: iconv -f LATIN1 -t UTF-8"


@record
class Message:
    """What the user or the assistant said; tools and the system say nothing here. A turn of which
    nothing is the user's own has no text and keeps its place, which cursors count. at: when it was
    said, name: what the file calls it, where the file tells."""

    role: str
    text: str
    at: int | None = None
    name: str = ""


@record
class Transcript:
    """The messages in order, the session they name, and how many lines could not be read.

    start: the first two messages as they stand in the file, which mark it.
    is_plain: from a text in which whoever is quoted can speak as the user.
    dropped, strange: what a program had written into the user's turns, and the unknown tags of it.
    client, folder: the program that wrote the file, and where it was held, if the file tells.
    """

    messages: tuple[Message, ...]
    session: str | None
    bad: int
    start: tuple[Message, ...] = ()
    is_plain: bool = False
    dropped: int = 0
    strange: tuple[str, ...] = ()
    client: str | None = None
    folder: str | None = None


@record
class Turn:
    """A message as it stands in a file, and the pieces that it consists of."""

    message: Message
    pieces: tuple[str, ...]
    is_foreign: bool = False

    def said(self) -> Heard:
        """Return what of the turn its speaker said."""
        if self.message.role != USER:
            return Heard(without_blocks(self.message.text, (*MEMORY, "private")))
        return Heard("", 1) if self.is_foreign else heard(self.pieces)


def transcript_of(turns: Sequence[Turn], session: str | None, bad: int) -> Transcript:
    """Return the transcript of these turns, each as its speaker said it."""
    listed = [turn.said() for turn in turns]
    strange = dict.fromkeys(name for one in listed for name in one.strange)
    return Transcript(
        tuple(
            replace(turn.message, text=one.text.strip() if one.dropped else one.text)
            for turn, one in zip(turns, listed, strict=True)
        ),
        session,
        bad,
        tuple(turn.message for turn in turns[:2]),
        dropped=sum(one.dropped for one in listed),
        strange=tuple(strange),
    )


def flattened(messages: Iterable[Message], *, longest: int | None = None) -> str:
    """Return a conversation as text: `USER: …` and `ASSISTANT: …`, a blank line between; before the
    first of each day, where that is known, `[Thursday 2026-03-05]`, in local time.

    No line inside a message passes for the start of another one; of a message that is longer
    than `longest`, the middle is left out.
    """
    parts: list[str] = []
    day = ""
    for message in messages:
        if not message.text:
            continue
        if message.at is not None and day != (day := instant.named_day(message.at)):
            parts.append(f"[{day}]")
        parts.append(f"{message.role.upper()}: {_quoted(_shortened(message.text, longest))}")
    return "\n\n".join(parts)


def fingerprint(messages: Iterable[Message], place: str = "") -> str:
    """Return a mark of a conversation: of how it begins and where it lies."""
    start = "".join(f"{one.role}:{one.text}\0" for one in messages)
    return sha256(f"{place}\0{start}".encode("utf-8", "replace")).hexdigest()[:12]


def marks(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return a mark of each message that stands for all before it too: where two branches of a
    conversation have the same mark, they have been one up to there."""
    listed, said = [], sha256()
    for one in messages:
        own = one.name or f"{one.role}:{one.text}"
        said.update(sha256(own.encode("utf-8", "replace")).digest())
        listed.append(said.hexdigest()[:16])
    return tuple(listed)


def _quoted(text: str) -> str:
    first, *rest = text.translate(_CONTROLS).split("\n")
    return "\n".join([first, *(_FORGED.sub("> ", line, count=1) for line in rest)])


def _shortened(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def looks_like_json(lines: Iterable[str]) -> bool:
    """Say whether the first line that says anything is JSON."""
    for line in lines:
        if line.strip():
            return line.lstrip()[0] in "{[" or _loaded(line) is not None
    return False


def from_json(lines: list[str]) -> Transcript:
    """Return the conversation in lines of JSON, or in a document of it."""
    turns: list[Turn] = []
    session = client = folder = None
    bad = strange = 0
    seen: set[str] = set()
    for value in _values(lines):
        if isinstance(value, dict):
            session = session or _session_of(value)
            client, folder = client or _client_of(value), folder or _folder_of(value)
            turns += _turns(value, seen)
            strange += not _is_known(value)
        else:
            bad += 1
    read = transcript_of(turns, session, bad if turns else bad + strange)
    return replace(read, client=client, folder=folder)


def _client_of(row: Row) -> str | None:
    """Return the program that writes such rows, None where many do."""
    if is_codex(row):
        return "codex"
    if is_gemini(row):
        return "gemini"
    return "claude-code" if {"message", "sessionId"} <= {*row} else None


def _folder_of(row: Row) -> str | None:
    """Return the folder that a conversation was held in, where its row tells."""
    folder = row["payload"].get("cwd") if is_codex(row) else row.get("cwd")
    return folder if isinstance(folder, str) and folder else None


def _turns(row: dict[str, Any], seen: set[str]) -> list[Turn]:
    """Return what is said in a row: mostly one turn, or none."""
    if is_codex(row) or is_gemini(row):
        found = [(one, said_turn(one)) for one in spoken(row, seen)]
    else:
        found = [(row, _claude(row) if "message" in row else said_turn(row))]
    return [_named(turn, one) for one, turn in found if turn is not None]


def _named(turn: Turn, row: Row) -> Turn:
    """Return a turn with what its row says of when it was said, and what it is called."""
    name = next((one for key in ("uuid", "id") if isinstance(one := row.get(key), str)), "")
    at = time_of(row.get("timestamp"))
    return replace(turn, message=replace(turn.message, at=at, name=name))


def _is_known(row: dict[str, Any]) -> bool:
    """Say whether a row is one of a conversation, also where nothing is said in it. One of the
    user or the assistant has its words in a form that can be read."""
    if is_codex(row) or is_gemini(row):
        return True
    if "message" not in row and "role" in row:
        is_read = isinstance(row.get("content", 0), str | list | None)
        return is_read if str(row["role"]) in _SPOKEN else row["role"] in _SILENT
    return bool({"role", "message", "sessionId", "uuid", "leafUuid"} & {*row})


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
    name = row.get("sessionId") or session_of(row)
    return name if isinstance(name, str) and name.strip() else None


def _claude(row: dict[str, Any]) -> Turn | None:
    """Return what a line of a Claude Code session says; side chains and summaries say nothing."""
    inner = row["message"]
    is_hidden = any(row.get(flag) for flag in _HIDDEN)
    if is_hidden or row.get("type") not in (USER, ASSISTANT, None) or not isinstance(inner, dict):
        return None
    content = inner.get("content")
    role = row.get("type") or inner.get("role") or row.get("role")  # the last one in Cursor
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


def time_of(value: Any) -> int | None:
    """Return a time in milliseconds: of seconds, of milliseconds, or of ISO 8601."""
    if isinstance(value, str):
        try:
            return instant.parse(value)
        except UsageError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not abs(value) <= instant.LATEST_MS:  # no number, or none of a time
        return None
    at = round(value * 1000) if abs(value) < _SECONDS else round(value)
    return at if 0 < at <= instant.LATEST_MS else None


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
        yield {"role": role, "content": _texts(_typed(said.get("content"), role, kinds)),
               "timestamp": row.get("timestamp"), "id": said.get("id")}


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
    yield {"role": _GEMINI[row["type"]], "content": pieces, "timestamp": row.get("timestamp"),
           "id": row.get("id")}


def _texts(content: object) -> list[str]:
    blocks = content if isinstance(content, list) else []
    return [one["text"] for one in blocks
            if isinstance(one, dict) and isinstance(one.get("text"), str)]  # fmt: skip


def from_plain(lines: list[str]) -> Transcript:
    """Return the conversation in lines of plain text."""
    turns: list[Turn] = []
    role, said = "", list[str]()
    bad = 0
    for line in lines:
        start = _SPEAKER.match(line)
        if start is None:
            bad += not role and bool(line.strip())
            said.append(line)
            continue
        turns += _spoken(role, said)
        role, said = start[1].lower(), [line[start.end() :]]
    turns += _spoken(role, said)
    return replace(transcript_of(turns, None, bad), is_plain=bool(turns))


def _spoken(role: str, lines: list[str]) -> list[Turn]:
    text = "\n".join(lines).strip()
    return [Turn(Message(role, text), (text,))] if role in (USER, ASSISTANT) and text else []


def parsed_transcript(raw: bytes) -> Transcript:
    """Return the conversation in a file, whatever its form. Raises UsageError for a file that is
    not UTF-8 text."""
    text = utf8_text(raw, "the transcript")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    read = from_json(lines) if looks_like_json(lines) else from_plain(lines)
    if read.bad and not read.start:
        raise UsageError(
            "the transcript holds no conversation",
            hint="JSON lines with role and content, a session file of Claude Code, Codex or "
            "Gemini, or text that says USER: and ASSISTANT:",
        )
    return read


def utf8_text(raw: bytes, what: str) -> str:
    """Return the text of a file; raise UsageError, which names it, for one that is not UTF-8."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not UTF-8 (byte {error.start})", hint=_CONVERT) from error
    if "\x00" in text:
        raise UsageError(f"{what} is not text: it holds NUL characters", hint=_CONVERT)
    return text
