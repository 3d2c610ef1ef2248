"""Reading a transcript: who said what, in JSON lines, plain text, or a Claude Code session file."""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import islice

from tideline_cli.errors import UsageError
from tideline_cli.model import codec
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

USER, ASSISTANT = "user", "assistant"
_SPOKEN = {USER: USER, ASSISTANT: ASSISTANT, "human": USER, "ai": ASSISTANT}
# Capitals alone: `User: …` is what people write inside their messages.
_SPEAKER = re.compile(r"^(USER|ASSISTANT|SYSTEM|TOOL)[ \t]*:[ \t]?")
# A line inside a message that would look like the beginning of another one.
_FORGED = re.compile(r"^(?=\s*(?:USER|ASSISTANT|SYSTEM|[A-Z ]*FACTS)\b[^\n:]*:|\s*\[)", re.M | re.I)
_CONTROLS = dict.fromkeys(
    code for code in (*range(32), *range(127, 160), 0x2028, 0x2029) if code not in (9, 10)
)
# What a coding agent writes into the user's turn by itself.
_NOT_SAID = (
    "<command-name>", "<local-command-stdout>", "<command-message>", "<system-reminder>",
    "[Request interrupted by user", "Caveat: The messages below were generated",
)  # fmt: skip


@record
class Message:
    """What the user or the assistant said; tools and the system say nothing here."""

    role: str
    text: str


@record
class Transcript:
    """The messages in order, the session they name, and how many lines could not be read."""

    messages: tuple[Message, ...]
    session: str | None
    bad: int


def parsed(raw: bytes) -> Transcript:
    """Return the conversation in a file, whatever its form.

    Raises UsageError for a file that is not UTF-8 text.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the transcript is not UTF-8 (byte {error.start})", hint="convert it with iconv"
        ) from error
    if "\x00" in text:
        raise UsageError("the transcript is not text: it holds NUL characters")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    read = _from_json(lines) if _is_json(lines) else _from_plain(lines)
    if read.bad and not read.messages:
        raise UsageError(
            "the transcript holds no conversation",
            hint="JSON lines with role and content, or text that says USER: and ASSISTANT:",
        )
    return read


def message_of(value: Any) -> Message | None:
    """Return what a JSON object with role and content says, None for what is no conversation."""
    role = _SPOKEN.get(str(value.get("role"))) if isinstance(value, dict) else None
    if role is None:
        return None
    text = content_text(value.get("content"))
    return Message(role, text) if text.strip() else None


def content_text(content: Any) -> str:
    """Return the words of a content: a text, or a list whose text blocks and bare texts count."""
    if isinstance(content, str):
        return _scalar(content)
    if not isinstance(content, list):
        return ""
    return "".join(_scalar(piece) for block in content if (piece := _block_text(block)))


def flattened(messages: Iterable[Message], *, longest: int | None = None) -> str:
    """Return a conversation as text: `USER: …` and `ASSISTANT: …`, a blank line between.

    No line inside a message passes for the start of another one; of a message that is longer
    than `longest`, the middle is left out.
    """
    return "\n\n".join(
        f"{message.role.upper()}: {_quoted(_shortened(message.text, longest))}"
        for message in messages
    )


def fingerprint(messages: Iterable[Message], place: str = "") -> str:
    """Return a mark of a conversation: the same as long as its first two messages are."""
    start = "".join(f"{one.role}:{one.text}\0" for one in islice(messages, 2))
    return sha256(f"{place}\0{start}".encode("utf-8", "replace")).hexdigest()[:12]


def _is_json(lines: Iterable[str]) -> bool:
    for line in lines:
        if line.strip():
            return line.lstrip()[0] in "{[" or _loaded(line) is not None
    return False


def _from_json(lines: list[str]) -> Transcript:
    messages: list[Message] = []
    session: str | None = None
    bad = 0
    for value in _values(lines):
        if isinstance(value, dict):
            session = session or _session_of(value)
            message = _claude(value) if "message" in value else message_of(value)
            if message is not None:
                messages.append(message)
        else:
            bad += 1
    return Transcript(tuple(messages), session, bad)


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
    name = row.get("sessionId")
    return name if isinstance(name, str) and name.strip() else None


def _claude(row: dict[str, Any]) -> Message | None:
    """Return what a line of a Claude Code session says; side chains and summaries say nothing."""
    hidden = any(row.get(flag) for flag in ("isMeta", "isSidechain", "isCompactSummary"))
    inner = row["message"]
    if hidden or row.get("type") not in (USER, ASSISTANT, None) or not isinstance(inner, dict):
        return None
    content = inner.get("content")
    if isinstance(content, list):
        content = [block for block in content if _is_said(_block_text(block) or "")]
    role = row.get("type") or inner.get("role")
    if inner.get("role", role) != role:  # two speakers of one line: nobody's word
        return None
    message = message_of({"role": role, "content": content})
    return message if message is not None and _is_said(message.text) else None


def _is_said(text: str) -> bool:
    return not text.lstrip().startswith(_NOT_SAID)


def _block_text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    if isinstance(block, dict) and block.get("type") == "text":
        text = block.get("text")
        return text if isinstance(text, str) else None
    return None


def _scalar(text: str) -> str:
    """Return `text` without what JSON can spell and a store cannot hold: lone surrogates, NUL."""
    text = text.replace("\x00", "")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _from_plain(lines: list[str]) -> Transcript:
    messages: list[Message] = []
    role, said = "", list[str]()
    bad = 0
    for line in lines:
        start = _SPEAKER.match(line)
        if start is None:
            bad += not role and bool(line.strip())
            said.append(line)
            continue
        messages += _spoken(role, said)
        role, said = start[1].lower(), [line[start.end() :]]
    messages += _spoken(role, said)
    return Transcript(tuple(messages), None, bad)


def _spoken(role: str, lines: list[str]) -> list[Message]:
    text = "\n".join(lines).strip()
    return [Message(role, text)] if role in (USER, ASSISTANT) and text else []


def _quoted(text: str) -> str:
    first, *rest = text.translate(_CONTROLS).split("\n")
    return "\n".join([first, *(_FORGED.sub("> ", line, count=1) for line in rest)])


def _shortened(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
