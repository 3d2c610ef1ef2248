"""Reading a transcript: JSON lines, the session file of an agent, or plain text."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.extract.conversation_json import from_json, looks_like_json
from tideline_cli.exchange.extract.conversation_text import from_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.exchange.extract.transcript import Transcript

_CONVERT = "if it is UTF-16: iconv -f UTF-16 -t UTF-8; if it is Latin-1: iconv -f LATIN1 -t UTF-8"


def parsed_transcript(raw: bytes) -> Transcript:
    """Return the conversation in a file, whatever its form.

    Raises UsageError for a file that is not UTF-8 text.
    """
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
