"""The memory file as its folder shows it: of what kind it is, by how many names it goes, who may
read it, and whose log lies beside it."""

from __future__ import annotations

import os
import stat

from tideline_cli.errors import CannotWriteError, StoreError

_LOOK = getattr(os, "O_PATH", 0)  # a handle that drops no locks when it is closed
_HANDLES = "/proc/self/fdinfo"
_LONGEST_MARK = 256


def real(path: str) -> str:
    """Return the one name of a file: links above it are followed, once for all that is opened and
    locked beside it; itself must be none."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def checked(path: str) -> os.stat_result | None:
    """Return what is there, None for nothing. Refuse what is no regular file: a FIFO would wait for
    its writer, and beside a device SQLite would put its own files."""
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
    """Refuse a journal that is no file: SQLite would open a FIFO, and wait for its writer."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is not a regular file", hint=f"remove {path}")


def has_two_names(path: str, state: os.stat_result) -> bool:
    """Say whether a file goes by another name as well: by a hard link, or as a mount of its own.

    SQLite names a log after the file, so two names of one file have two logs, and who writes by one
    of them overwrites what was written by the other.
    """
    if state.st_nlink > 1:
        return True
    here, above = _mount(path), _mount(os.path.dirname(path))
    return bool(here and above) and here != above


def _mount(path: str) -> bytes:
    """Return the number of the mount that a file or folder lies on; empty where the system does not
    say. A mount of one file has the device of its folder, so the device does not tell it; 3 µs."""
    if not _LOOK:
        return b""
    try:
        handle = os.open(path, _LOOK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        info = os.open(f"{_HANDLES}/{handle}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        from tideline_cli.store import mounts  # noqa: PLC0415  where there is no /proc; ctypes

        return mounts.number(handle)
    else:
        text = os.read(info, 256)
        os.close(info)
        return text.partition(b"mnt_id:")[2].split(b"\n", 1)[0]
    finally:
        os.close(handle)


def tighten(path: str) -> None:
    """Take away what rights group and others have on the store's files."""
    for name in (path, path + "-wal", path + "-shm"):
        try:
            state = os.lstat(name)
        except FileNotFoundError:
            continue
        is_ours = stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()
        if is_ours and stat.S_IMODE(state.st_mode) & 0o077:
            os.chmod(name, 0o600)


# SQLite finds a log by its name alone. One that another file has left under this name would be
# played into this file and damage it. So the lock file holds a mark of the file that the log
# belongs to: what the folder says of the file, and the generation of its content. The file itself
# changes only when its log is written back, after which the mark is put anew.


def _mark(state: os.stat_result) -> bytes:
    """Return what tells a file as it is now from every other on this machine."""
    return b"%x %x %x %x " % (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def put_mark(lock: int, path: str, generation: str) -> None:
    """Note in an open lock file which file the log belongs to, unless it says so already; 3 µs."""
    try:
        wanted = _mark(os.lstat(path)) + generation.encode("ascii", "replace")[:64]
        if os.pread(lock, _LONGEST_MARK, 0) != wanted and os.fstat(lock).st_nlink == 1:
            os.pwrite(lock, wanted, 0)
            os.ftruncate(lock, len(wanted))
    except OSError:
        return  # best effort: a full disk, a medium that is read-only


def check_log(path: str, state: os.stat_result) -> None:
    """Raise CannotWriteError when the log beside a file belongs to another one.

    A log that is empty belongs to nobody. Costs one look where there is none, 8 µs where there is.
    """
    try:
        if not os.stat(path + "-wal").st_size:
            return
        lock = os.open(path + "-lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        noted = os.read(lock, _LONGEST_MARK)
    except OSError:
        return
    finally:
        os.close(lock)
    if noted and not noted.startswith(_mark(state)):
        from tideline_cli.store import logs  # noqa: PLC0415  the file has changed

        if logs.is_foreign(path, noted):
            raise CannotWriteError(
                f"{path}-wal is the log of another file that had this name: it would damage {path}",
                hint=f"move the log away (mv {path}-wal {path}-wal.old) and try again; if the "
                f"whole folder was copied or moved, remove {path}-lock instead",
                code="foreign_log",
            )
