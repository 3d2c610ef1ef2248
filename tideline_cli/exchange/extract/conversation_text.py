"""A conversation in plain text: `USER:` and `ASSISTANT:` begin what each says."""

from __future__ import annotations

import re

from tideline_cli.exchange.extract.transcript import (
    ASSISTANT,
    USER,
    Message,
    Transcript,
    Turn,
    transcript_of,
)
from tideline_cli.model.record import replace

# Capitals alone: `User: …` is what people write inside their messages.
_SPEAKER = re.compile(r"^(USER|ASSISTANT|SYSTEM|TOOL)[ \t]*:[ \t]?")


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
