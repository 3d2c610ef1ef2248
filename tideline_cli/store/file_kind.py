"""What kind of file lies at a path, how many names it has, and who may read it. It also says how
SQLite is told the path."""

from __future__ import annotations

import os
import stat

from tideline_cli.errors import StoreError
from tideline_cli.store import locks

_LOOK = getattr(os, "O_PATH", 0)  # a handle that drops no locks when it is closed
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_HANDLES = "/proc/self/fdinfo"


def real(path: str) -> str:
    """Return the one name of a file. Links above it are followed once, for all that is opened and
    locked beside it; the file itself must not be a link."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def address(path: str) -> str:
    """Return a path as SQLite reads it in an address, where nothing in it is a query."""
    plain = frozenset(b"/._-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return "file:" + "".join(chr(b) if b in plain else f"%{b:02x}" for b in os.fsencode(path))


def regular(path: str) -> os.stat_result | None:
    """Return the state of what is at a path, None when nothing is there. Refuse what is not a
    regular file: SQLite would wait for the writer of a FIFO, and put its own files beside a
    device."""
    try:
        state = os.lstat(path)
    except OSError:
        return None  # SQLite says what is wrong
    if stat.S_ISDIR(state.st_mode):
        raise StoreError(f"{path} is a folder", hint="name a file")
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode)):
        raise StoreError(f"{path} is not a regular file", hint="name another file with --db")
    _check_journal(path + "-journal")
    return state


def _check_journal(path: str) -> None:
    """Refuse a journal that is not a file: SQLite would open a FIFO, and wait for its writer."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is not a regular file", hint=f"remove {path}")


def refuse_emptied(path: str) -> None:
    """Raise StoreError where a memory has been and nothing is left of it: traces of one lie beside
    a file that is empty or gone. SQLite would drop its log."""
    try:
        state = os.lstat(path)
    except FileNotFoundError:
        what = "gone"
    except OSError:
        return  # SQLite says what is wrong
    else:
        if state.st_size or not stat.S_ISREG(state.st_mode):
            return
        what = "empty"
    if left := traces(path):
        raise lost(path, what, left)


def traces(path: str) -> list[str]:
    """Return the files beside a path that only a memory leaves, once its tables are made: the
    reserve, a log, and the lock file of its writers, which says how large it was."""
    found = [path + "-reserve"] if os.path.lexists(path + "-reserve") else []
    try:
        if os.stat(path + "-wal").st_size:
            found.append(path + "-wal")
    except OSError:
        pass
    if locks.tells_of_content(path):
        found.append(path + "-lock")
    return found


def lost(path: str, what: str, left: list[str]) -> StoreError:
    """Return the error for what is no memory any more; `left` are the traces of the one before."""
    return StoreError(
        f"{path} was a memory, and is {what} now",
        hint="`tideline restore --from BACKUP` brings one back; without one, move "
        f"{', '.join(left)} away and a new memory is made",
        code="emptied",
    )


def has_two_names(path: str, state: os.stat_result) -> bool:
    """Say whether a file has another name as well: by a hard link, or as a mount of its own.

    SQLite names a log after the file. So two names of one file have two logs, and who writes by one
    name overwrites what was written by the other.
    """
    if state.st_nlink > 1:
        return True
    here, above = _mount(path), _mount(os.path.dirname(path))
    return bool(here and above) and here != above


def _mount(path: str) -> bytes:
    """Return the number of the mount that a file or folder lies on; empty where the system does not
    say. A mount of one file has the same device as its folder, so the device tells nothing. 3 µs.
    """
    if not _LOOK:
        return b""
    try:
        handle = os.open(path, _LOOK | _NO_LINK)
    except OSError:
        return b""
    try:
        info = os.open(f"{_HANDLES}/{handle}", os.O_RDONLY)
    except OSError:
        from tideline_cli.store import mounts  # noqa: PLC0415  where there is no /proc; ctypes

        return mounts.number_of(handle)
    else:
        text = os.read(info, 256)
        os.close(info)
        return text.partition(b"mnt_id:")[2].split(b"\n", 1)[0]
    finally:
        os.close(handle)


def make_private(path: str) -> None:
    """Take the rights of group and others away from the store's files."""
    for name in (path, path + "-wal", path + "-shm"):
        try:
            state = os.lstat(name)
        except FileNotFoundError:
            continue
        if stat.S_ISREG(state.st_mode) and state.st_mode & 0o077:
            from tideline_cli.system import is_own, rights  # noqa: PLC0415  of older programs

            if is_own(state) and rights(state.st_mode) & 0o077:
                os.chmod(name, 0o600)
