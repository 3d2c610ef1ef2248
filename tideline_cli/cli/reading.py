"""Reading what a user names as a conversation: a file, or standard input."""

from __future__ import annotations

import os
import stat
import sys

from tideline_cli.errors import HelpWantedError, UsageError
from tideline_cli.exchange.extract.read_transcript import parsed_transcript, utf8_text
from tideline_cli.exchange.extract.transcript import Transcript, fingerprint
from tideline_cli.model.short_text import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_LARGEST = 64 * 1024 * 1024
_NAMED = 5  # unknown tags that a note names


def transcript(session: Session, words: list[str], *, optional: bool) -> Transcript:
    """Return the conversation that `words` name; an empty one when it is optional and not named."""
    if len(words) > 1:
        raise UsageError("name one transcript", hint="tideline extract session.jsonl")
    if not words:
        if optional:
            return Transcript((), None, 0)
        if sys.stdin.isatty():
            raise HelpWantedError("nothing was said")
    read = parsed_transcript(_read(words[0] if words else "-"))
    if read.bad:
        session.note(f"{read.bad:,} lines skipped: not part of a conversation")
    if read.strange:
        names = ", ".join(f"<{name}>" for name in read.strange[:_NAMED])
        more = ", …" if len(read.strange) > _NAMED else ""
        session.note(f"left out of the user's messages, as no words of theirs: {names}{more}")
    if session.verbose and read.dropped:
        session.note(f"{read.dropped:,} blocks of programs left out of the user's messages")
    return read


def session_names(given: str | None, conversation: Transcript, path: str) -> tuple[str, str, str]:
    """Return the name of a conversation, that of its cursors, and what the latter was when it had
    one message.

    As given, as it says, or its file's with a mark of where it lies and how it begins, since many
    files are called alike. Its first message makes its name, which stays; its first two make
    that of its cursors, since many conversations begin alike.
    """
    name = given or conversation.session
    start = conversation.start
    if name is None and path == "-":
        name, cursor = ("stdin-" + fingerprint(start[:count]) for count in (1, 2))
    elif name is None:
        stem, place = os.path.splitext(os.path.basename(path))[0], os.path.realpath(path)
        name, cursor = (f"{stem[:200]}-{fingerprint(start[:count], place)}" for count in (1, 2))
    else:
        cursor = name
    if not name.strip():
        raise UsageError("the session's name is empty", hint="name it with --session")
    name, cursor = (storable(one.strip(), "session") for one in (name, cursor))
    return name, cursor, name if cursor != name else ""


def _read(path: str) -> bytes:
    """Return the bytes of a file, or of standard input; refuse what is not a file or too large."""
    if path == "-":
        raw = sys.stdin.buffer.read(_LARGEST + 1)
    else:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO would wait for its writer
        try:
            with open(os.open(path, flags), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise UsageError(f"{path} is not a file", hint="pipe it and use `-`")
                raw = file.read(_LARGEST + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read {path}: {reason}") from error
    if len(raw) > _LARGEST:
        raise UsageError(f"{path} is larger than 64 MiB", hint="split it by conversation")
    return raw


def text(path: str) -> str:
    """Return the text of a file, or of standard input; raise UsageError for one that says none."""
    said = utf8_text(_read(path), path).strip()
    if not said:
        raise UsageError(f"{path} is empty", hint="it states a task and what was tried")
    return said
