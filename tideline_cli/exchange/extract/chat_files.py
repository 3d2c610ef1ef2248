"""The files that exports of conversations come in: JSON, or the zip file as it is downloaded."""

from __future__ import annotations

import zlib
from functools import partial
from lzma import LZMAError
from zipfile import BadZipFile, ZipFile

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.extract.chats import KEYS, chat_of
from tideline_cli.exchange.json_members import first_keys, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO, BinaryIO

    from tideline_cli.exchange.extract.chats import Chat

    Read = Callable[[int], bytes]

LONGEST = 16 << 20  # bytes of one conversation; read, it takes about six times as much memory


def is_export(head: bytes) -> bool:
    """Say whether a file that begins so is an export of conversations, as JSON."""
    return not KEYS.keys().isdisjoint(first_keys(head))


def zipped(file: BinaryIO, path: str) -> Iterator[Read]:
    """Yield what reads each list of conversations in a zip file; raise UsageError for one that has
    none, or that cannot be read."""
    try:
        archive = ZipFile(file)
        names = sorted(filter(_holds_conversations, archive.namelist()))
    except (BadZipFile, NotImplementedError) as error:
        raise _unreadable(path, error) from error
    if not names:
        raise UsageError(
            f"{path} holds no conversations.json",
            hint="the zip file of an export of ChatGPT or Claude has one",
        )
    for name in names:
        try:
            member = archive.open(name)
        except (BadZipFile, NotImplementedError, RuntimeError) as error:  # it has a password
            raise _unreadable(path, error) from error
        with member:
            yield partial(_read, member, path)


def _read(member: IO[bytes], path: str, count: int) -> bytes:
    try:
        return member.read(count)
    except (BadZipFile, zlib.error, LZMAError, EOFError, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> UsageError:
    return UsageError(f"{path} cannot be read: {error}", hint="fetch it once more")


def _holds_conversations(name: str) -> bool:
    own = name.rpartition("/")[2]
    return own.startswith("conversations") and own.endswith(".json")


def chats(
    reads: Iterable[Read], longest: int = LONGEST
) -> Iterator[tuple[int, Chat | TidelineError]]:
    """Yield the number of each conversation, and what it says or what is wrong with it."""
    number = 0
    for read in reads:
        for raw in members(read, longest=longest):
            number += 1
            if raw is None:
                yield number, UsageError(f"it is longer than {longest >> 20} MiB")
                continue
            try:
                yield number, chat_of(raw)
            except UsageError as error:
                yield number, error
