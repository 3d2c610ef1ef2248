"""What a person hands to a command: standard input as text, a part of an id, or `@1`, `@2` …, which
stand for the facts shown last in this terminal session."""

from __future__ import annotations

import os
import sys

from tideline_cli import config
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.store import references
from tideline_cli.system import NOFOLLOW, is_root, session_number, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_MOST_DIGITS = 6


def keep_hits(ids: Sequence[str]) -> None:
    """Write the ids down, best first; where that cannot be done, nothing is kept."""
    path = _path()
    folder = os.path.dirname(path)
    try:
        if not os.path.isdir(folder):
            from tideline_cli.store.private_files import make_folder  # noqa: PLC0415  once

            make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW
        handle = os.open(path, flags, 0o600)
    except OSError:
        return
    set_mode(handle, 0o600)  # whatever the umask
    if is_root():
        from tideline_cli.store.private_files import hand_over  # noqa: PLC0415  root alone

        hand_over(handle, path, like=folder)
    with open(handle, "w", encoding="ascii", errors="replace", newline="\n") as file:
        file.write("\n".join(ids))


def replace_hit(old: str, new: str) -> None:
    """Let what stood for one fact stand for another; where none did, `@1` does."""
    ids = _kept()
    keep_hits([new if one == old else one for one in ids] if old in ids else [new])


def id_of(text: str, *, on_terminal: bool) -> str:
    """Return the id that `@1`, `@2` … stands for; raise NotFoundError where there is none."""
    place = text[1:]
    ids = _kept() if on_terminal else []
    is_number = place.isascii() and place.isdigit() and len(place) <= _MOST_DIGITS
    if is_number and 0 < int(place) <= len(ids) and ids[0]:
        return ids[int(place) - 1]
    raise NotFoundError(
        f"no such id: {text}", hint="@1, @2 … are the facts shown last in this terminal"
    )


def _kept() -> list[str]:
    path = _path()
    if not os.path.isfile(path):
        return []
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read().split("\n")


def _path() -> str:
    folder = os.path.join(config.state_folder(os.environ), "last-recall")
    return os.path.join(folder, str(session_number()))


_MOST_BYTES = 64 * 1024 * 1024
_LONGEST_LINE = 1 << 20  # characters of a line of a batch: to read and judge one of 60 MB took 20 s


def stdin_text() -> str:
    """Return all of standard input; raise UsageError when it is not UTF-8 or has no end."""
    raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise UsageError("standard input is larger than 64 MiB", hint="use `tideline import`")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8 (byte {error.start})", hint="convert it with iconv"
        ) from error


def check_batch_line(line: str) -> None:
    """Raise UsageError for a line of a batch that is too long."""
    if len(line) > _LONGEST_LINE:
        raise UsageError(
            f"the line has {len(line):,} characters; one may have {_LONGEST_LINE:,}",
            hint="split it",
        )


def typed_id(
    text: str, reading: Callable[[], Connection | None], *, viewer: Origin, on_terminal: bool
) -> str:
    """Return the id that `@1`, `@2` … stands for, or the id that a text ends; any other text as it
    is. `reading` opens the store. Raises NotFoundError for a `@1` that stands for nothing."""
    if text.startswith("@"):
        return id_of(text, on_terminal=on_terminal)
    db = reading() if references.is_part(text.removeprefix("…")) else None
    return text if db is None else references.whole(db, text, viewer=viewer)
