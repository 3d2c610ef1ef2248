"""Reading what a user names as a conversation: a file, or standard input."""

from __future__ import annotations

import os
import stat
import sys

from tideline_cli.errors import HelpWantedError, UsageError
from tideline_cli.exchange.extract.read_transcript import parsed_transcript, utf8_text
from tideline_cli.exchange.extract.transcript import Transcript, fingerprint
from tideline_cli.model.short_text import storable
from tideline_cli.system import NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from tideline_cli.cli.session import Session

_LARGEST = 64 * 1024 * 1024
_HEAD = 64 * 1024  # bytes that tell what a file is
_ZIP = b"PK\x03\x04"
_BLANK = b"\xef\xbb\xbf \t\r\n"
_NAMED = 5  # unknown tags that a note names


class Begun:
    """A file, or standard input, of which the beginning is read: it tells what the file is."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = sys.stdin.buffer if path == "-" else _opened(path)
        self.head = self.file.read(_HEAD)
        self._is_begun = False

    def is_export(self) -> bool:
        """Say whether it looks like an export of many conversations: as JSON, or a zip file."""
        if not self.head.lstrip(_BLANK).startswith((b"[", b"{", _ZIP)):
            return False
        from tideline_cli.exchange.extract import chat_files  # noqa: PLC0415  JSON alone

        return self.is_zip() or chat_files.is_export(self.head)

    def is_zip(self) -> bool:
        return self.head.startswith(_ZIP)

    def read(self, count: int) -> bytes:
        """Return the next bytes, at most `count` and those of the beginning."""
        if self._is_begun:
            return self.file.read(count)
        self._is_begun = True
        return self.head + self.file.read(max(0, count - len(self.head)))

    def __enter__(self) -> Begun:
        return self

    def __exit__(self, *_: object) -> None:
        if self.file is not sys.stdin.buffer:
            self.file.close()


def begun(words: list[str], *, optional: bool) -> Begun | None:
    """Return what `words` name, with its beginning read; None when it is optional and not named."""
    if len(words) > 1:
        raise UsageError("name one transcript", hint="tideline extract session.jsonl")
    if not words:
        if optional:
            return None
        if sys.stdin.isatty():
            raise HelpWantedError("nothing was said")
    return Begun(words[0] if words else "-")


def transcript(session: Session, source: Begun | None) -> Transcript:
    """Return the conversation in a file; an empty one where there is none."""
    if source is None:
        return Transcript((), None, 0)
    read = parsed_transcript(_whole(source))
    if read.bad:
        session.note(f"{read.bad:,} lines skipped: not part of a conversation")
    tell_dropped(session, read.strange, read.dropped)
    return read


def tell_dropped(session: Session, strange: Sequence[str], dropped: int) -> None:
    """Say what programs had written into the user's messages, and is left out of them."""
    if strange:
        names = ", ".join(f"<{name}>" for name in strange[:_NAMED])
        more = ", …" if len(strange) > _NAMED else ""
        session.note(f"left out of the user's messages, as no words of theirs: {names}{more}")
    if session.verbose and dropped:
        session.note(f"{dropped:,} blocks of programs left out of the user's messages")


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


def _opened(path: str) -> BinaryIO:
    """Return a file that is open for reading; refuse what is none."""
    flags = os.O_RDONLY | NONBLOCK  # a FIFO would wait for its writer
    try:
        file = open(os.open(path, flags), "rb")  # noqa: SIM115  its caller closes it
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read {path}: {reason}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UsageError(f"{path} is not a file", hint="pipe it and use `-`")
    return file


def _whole(source: Begun) -> bytes:
    """Return the bytes of a file, or of standard input; refuse what is too large."""
    raw = source.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise UsageError(f"{source.path} is larger than 64 MiB", hint="split it by conversation")
    return raw


def text(path: str) -> str:
    """Return the text of a file, or of standard input; raise UsageError for one that says none."""
    with Begun(path) as source:
        said = utf8_text(_whole(source), path).strip()
    if not said:
        raise UsageError(f"{path} is empty", hint="it states a task and what was tried")
    return said
