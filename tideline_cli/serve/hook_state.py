"""The small files of the hooks in the state folder: private, each written by one call, and each of
one origin alone. One is a log of what hooks could not do, a line each, since nobody reads what a
hook prints; it holds no prompt and nothing of the environment. One says until when they pause."""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import Record
from tideline_cli.store.locks import BINARY, NOFOLLOW, NONBLOCK, user_number

HOOKS = "hooks"
FRESH = ".new-"
"""What stands behind the name of a file that is not whole yet."""
_FLAGS = os.O_WRONLY | os.O_CREAT | NOFOLLOW | BINARY
_OWNER = "owner"


def folder_of(state: str) -> str:
    """Return the folder of the hooks, which may not be there."""
    return os.path.join(state, HOOKS)


def mark_of(*parts: str) -> str:
    """Return a short name for some texts, which tells none of them."""
    text = "\0".join(parts).encode("utf-8", "replace")
    return blake2b(text, digest_size=8).hexdigest()


def own_path(state: str, name: str, origin: str) -> str:
    """Return the file of an origin: that of the owner has the plain name."""
    stem, dot, ending = name.partition(".")
    named = name if origin == _OWNER else f"{stem}.{mark_of(origin)}{dot}{ending}"
    return os.path.join(folder_of(state), named)


def append(path: str, text: str) -> None:
    """Add a text at the end of a file, whole, also where others do so too."""
    _write(path, text, os.O_APPEND)


def put_text(path: str, text: str) -> None:
    """Let a file hold this text alone: whole, or as before where the writer is ended or the disk is
    full."""
    fresh = f"{path}{FRESH}{os.getpid()}"
    try:
        _write(fresh, text, os.O_TRUNC)
        rename(fresh, path)
    except OSError:
        remove(fresh)
        raise


def rename(path: str, target: str) -> None:
    """Put a file in the place of another."""
    if sys.platform == "win32":
        from tideline_cli.system import durable  # noqa: PLC0415  of Windows

        durable.put_over(path, target)
    else:
        os.replace(path, target)


def opened_lock(path: str) -> int:
    """Return an open file that processes lock while they change the file of this path."""
    return _opened(f"{path}.lock", 0)


def read(path: str, *, most: int) -> str:
    """Return the last characters of a file, empty where there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | NOFOLLOW | NONBLOCK | BINARY)
    except OSError:
        return ""
    try:
        size = os.fstat(handle).st_size
        os.lseek(handle, max(0, size - most), os.SEEK_SET)
        return os.read(handle, most).decode("utf-8", "replace")
    except OSError:
        return ""  # as of a folder
    finally:
        os.close(handle)


def remove(path: str) -> bool:
    """Remove a file, and say whether it was there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _write(path: str, text: str, mode: int) -> None:
    handle = _opened(path, mode)
    try:
        raw = text.encode("utf-8", "replace")
        while raw:
            raw = raw[os.write(handle, raw) :]
    finally:
        os.close(handle)


def _opened(path: str, mode: int) -> int:
    """Return a file that is open for writing, and made where there is none."""
    if not os.path.isabs(path):
        raise FileNotFoundError(2, "no folder for it: HOME is not set", path)
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        from tideline_cli.store.private_files import make_folder  # noqa: PLC0415  once

        make_folder(folder)
    handle = os.open(path, _FLAGS | mode, 0o600)
    try:
        if os.fstat(handle).st_mode & 0o777 != 0o600:
            from tideline_cli.system import set_mode  # noqa: PLC0415  a new file

            set_mode(handle, 0o600)  # whatever the umask
        if not user_number():
            from tideline_cli.store.private_files import hand_over  # noqa: PLC0415  root alone

            hand_over(handle, path, like=folder)
    except OSError:
        os.close(handle)
        raise
    return handle


_LONGEST_LOG = 256 * 1024  # then the file becomes the old one
_LAST_BYTES = 4096
_LOG = "hook.log"


class Failure(Record):
    """The last thing that went wrong: when, for which client, and what."""

    at: int
    client: str
    message: str


def note_failure(path: str, client: str, message: str, *, now: int) -> None:
    """Add a line to a log; where that cannot be done, nothing is kept."""
    said = " ".join(message.split())[:500]
    try:
        if os.path.exists(path) and os.path.getsize(path) > _LONGEST_LOG:
            rename(path, path + ".1")
        append(path, f"{instant.iso(now)}\t{client}\t{said}\n")
    except OSError:
        return


def last_failure(path: str) -> Failure | None:
    """Return the last failure of a log, None where nothing has failed yet."""
    lines = read(path, most=_LAST_BYTES).rstrip("\n").split("\n")
    at, _, rest = lines[-1].partition("\t")
    client, _, message = rest.partition("\t")
    if not message:
        return None
    try:
        return Failure(instant.parse(at), client, message)
    except UsageError:
        return None


def log_path(state: str, origin: str) -> str:
    """Return where the lines of an origin stand."""
    return own_path(state, _LOG, origin)


_PAUSED = "paused"
_DIGITS = 15


def pause_end(state: str, origin: str, *, now: int) -> int | None:
    """Return when the pause ends, None where there is none."""
    said = read(_pause_path(state, origin), most=_DIGITS + 1).strip()
    if not (said.isascii() and said.isdigit() and len(said) <= _DIGITS):
        return None
    return int(said) if int(said) > now else None


def begin_pause(state: str, origin: str, end: int) -> None:
    """Let hooks do nothing until an instant."""
    put_text(_pause_path(state, origin), f"{end}\n")


def end_pause(state: str, origin: str) -> bool:
    """End a pause, and say whether there was one."""
    return remove(_pause_path(state, origin))


def _pause_path(state: str, origin: str) -> str:
    return own_path(state, _PAUSED, origin)
