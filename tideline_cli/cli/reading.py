"""Reading what a user names as a conversation: a file, or standard input."""

from __future__ import annotations

import os
import stat
import sys

from tideline_cli.errors import HelpWantedError, UsageError
from tideline_cli.exchange.transcript import Transcript, fingerprint, parsed
from tideline_cli.model.text import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_LARGEST = 64 * 1024 * 1024


def transcript(session: Session, words: list[str], *, optional: bool) -> Transcript:
    """Return the conversation that `words` name; an empty one when it is optional and not named."""
    if len(words) > 1:
        raise UsageError("name one transcript", hint="tideline extract session.jsonl")
    if not words:
        if optional:
            return Transcript((), None, 0)
        if sys.stdin.isatty():
            raise HelpWantedError("nothing was said")
    read = parsed(_read(words[0] if words else "-"))
    if read.bad:
        session.note(f"{read.bad:,} lines skipped: not part of a conversation")
    return read


def session_name(given: str | None, conversation: Transcript, path: str) -> str:
    """Return the name of a conversation: as given, as it says, or its file's with a mark of how it
    begins and where it lies, since many files are called alike."""
    name = given or conversation.session
    if name is None and path == "-":
        name = "stdin-" + fingerprint(conversation.messages)
    if name is None:
        stem = os.path.splitext(os.path.basename(path))[0]
        name = f"{stem[:200]}-{fingerprint(conversation.messages, os.path.realpath(path))}"
    if not name.strip():
        raise UsageError("the session's name is empty", hint="name it with --session")
    return storable(name.strip(), "session")


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
    raw = _read(path)
    try:
        said = raw.decode("utf-8-sig").replace("\x00", "").strip()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})") from error
    if not said:
        raise UsageError(f"{path} is empty", hint="it states a task and what was tried")
    return said
