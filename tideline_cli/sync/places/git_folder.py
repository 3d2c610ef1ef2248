"""A git repository in a folder of this machine, of which git itself opens none but the objects: its
settings, which can name programs, and its hooks are never read."""

from __future__ import annotations

import os
import re
import shlex
import stat
from contextlib import contextmanager, suppress
from time import time

from tideline_cli.errors import StoreError, UsageError
from tideline_cli.model.lean import blake2b
from tideline_cli.sync import layout, whole_files
from tideline_cli.system import LOCK_EX, LOCK_NB, NOFOLLOW, NONBLOCK, flock
from tideline_cli.system.machine import machine_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADS, _NAME = "refs/heads", "tideline"
_LOCK = f"{_NAME}.lock"
_FRESH = f".{_NAME}.fresh"
_MOST = 64 << 20  # bytes of packed-refs
_MOST_SETTINGS = 1 << 20
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHA256 = re.compile(rb"^\s*objectformat\s*=\s*\"?sha256", re.MULTILINE | re.IGNORECASE)
_KILLED = 600  # seconds after which a lock is of a process that was killed
_LOOSE = 27  # objects in one folder of 256 from which on git packs them, by its gc.auto


def found(path: str) -> str:
    """Return the folder of a repository: of one with a work tree its `.git`. Raises UsageError
    where there is none, or none that can be used without asking git."""
    for folder in (os.path.join(path, ".git"), path, f"{path}.git/.git", f"{path}.git"):
        inside = [os.path.join(folder, name) for name in ("objects", "refs")]
        is_one = os.path.lexists(os.path.join(folder, "HEAD")) and all(map(os.path.isdir, inside))
        if os.path.isfile(folder) or os.path.lexists(os.path.join(folder, "commondir")):
            why = "its repository lies elsewhere"
        elif not is_one:
            continue
        elif any(map(os.path.islink, inside)):
            why = "its objects or branches are links to other folders"
        elif os.path.lexists(os.path.join(folder, "reftable")):
            why = "it keeps its branches as reftable"
        elif odd := _odd_object(inside[0]):
            why = f"{odd} is no plain file of its own"
        elif folder.endswith("/.git") and _is_checked_out(folder):
            why = "the branch tideline is checked out there"
        else:
            return folder
        raise UsageError(f"{path} cannot be a place: {why}", hint="take a bare repository: "
                         f"git init --bare {shlex.quote(path + '-memory.git')}",
                         code="place")  # fmt: skip
    raise UsageError(f"{path} does not appear to be a git repository", code="place",
                     hint=f"git init --bare {shlex.quote(path)} makes one")  # fmt: skip


def head(folder: str) -> str:
    """Return the commit of the branch, '' where there is no branch. Raises StoreError where it is
    no plain one."""
    path = os.path.join(folder, _HEADS, _NAME)
    try:
        told = layout.read(folder, _HEADS, _NAME, most=1024).decode("ascii", "replace").strip()
    except FileNotFoundError:
        if os.path.lexists(path):
            raise _no_branch(path) from None
        return _packed(folder)
    if not _COMMIT.fullmatch(told):
        raise _no_branch(path)
    return told


def object_format(folder: str, commit: str) -> str:
    """Return the hashes of a repository, sha1 or sha256: as its branch has them, else as it says.
    """
    if commit:
        return "sha1" if len(commit) == 40 else "sha256"
    with suppress(FileNotFoundError):
        if _SHA256.search(layout.read(folder, "", "config", most=_MOST_SETTINGS)):
            return "sha256"
    return "sha1"


def move_head(folder: str, old: str, new: str) -> bool:
    """Let the branch be another commit, under the lock that git takes for it; say False where it is
    not `old`, or others hold the lock. Raises OSError where nothing can be written."""
    os.makedirs(os.path.join(folder, _HEADS), exist_ok=True)
    mode = 0o664 if is_shared(folder) else 0o644
    with layout.opened_folder(folder, _HEADS) as handle:
        if not whole_files.put_file(handle, _LOCK, _owner(), mode=mode, like=folder):
            _free(handle)
            return False
        with suppress(FileNotFoundError), _opened_lock(handle) as lock:
            if _is_held(lock, handle, where_unknown=True):
                try:
                    return head(folder) == old and _moved(folder, handle, new, mode)
                finally:
                    os.unlink(_LOCK, dir_fd=handle)
        return False


def _moved(folder: str, above: int, commit: str, mode: int) -> bool:
    with suppress(FileNotFoundError):
        os.unlink(_FRESH, dir_fd=above)  # of one that was killed
    whole_files.put_file(above, _FRESH, f"{commit}\n".encode("ascii"), mode=mode, like=folder)
    os.rename(_FRESH, _NAME, src_dir_fd=above, dst_dir_fd=above)
    whole_files.sync_folder(above)
    return True


def _owner() -> bytes:
    """Return what a lock of this program says: on which machine it was taken, to who knows it."""
    return f"tideline {blake2b(machine_id().encode(), digest_size=16).hexdigest()}\n".encode()


def _free(above: int) -> None:
    """Remove a lock whose owner was killed: one of this machine that no process holds, or any that
    is old. Git takes locks by their name alone, so of its own nobody knows more."""
    with suppress(FileNotFoundError):
        there = os.lstat(_LOCK, dir_fd=above)
        if time() - there.st_mtime > _KILLED:
            os.unlink(_LOCK, dir_fd=above)
        elif stat.S_ISREG(there.st_mode):
            with _opened_lock(above) as lock:
                if os.read(lock, 256) == _owner() and _is_held(lock, above, where_unknown=False):
                    os.unlink(_LOCK, dir_fd=above)


@contextmanager
def _opened_lock(above: int) -> Iterator[int]:
    lock = os.open(_LOCK, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=above)
    try:
        yield lock
    finally:
        os.close(lock)


def _is_held(lock: int, above: int, *, where_unknown: bool) -> bool:
    """Hold the lock file of a folder, which is open, until it is closed: the system frees what a
    killed process held. Say False where another process holds it, or where it is not the lock any
    more; `where_unknown` where the disk knows of no such locks."""
    try:
        flock(lock, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return where_unknown
    there = os.stat(_LOCK, dir_fd=above, follow_symlinks=False)
    return os.path.samestat(os.fstat(lock), there)


def is_to_be_packed(folder: str) -> bool:
    """Say whether so many objects lie there each in a file that git would pack them."""
    return len(layout.names(folder, "objects/17")) > _LOOSE


def is_shared(folder: str) -> bool:
    """Say whether a group writes in a repository."""
    return bool(os.stat(os.path.join(folder, "objects")).st_mode & stat.S_IWGRP)


def _packed(folder: str) -> str:
    try:
        rows = layout.read(folder, "", "packed-refs", most=_MOST).split(b"\n")
    except FileNotFoundError:
        return ""
    for row in rows:
        commit, _, name = row.partition(b" ")
        if name.strip() == f"{_HEADS}/{_NAME}".encode("ascii"):
            told = commit.decode("ascii", "replace")
            if not _COMMIT.fullmatch(told):
                raise _no_branch(os.path.join(folder, "packed-refs"))
            return told
    return ""


def _odd_object(objects: str) -> str:
    """Return what git would wait for, or follow to elsewhere, among the objects; '' for none."""
    if os.path.lexists(alternates := os.path.join(objects, "info", "alternates")):
        return alternates
    folders = [objects]
    for folder in folders:
        with suppress(FileNotFoundError, PermissionError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    return entry.path
    return ""


def _is_checked_out(folder: str) -> bool:
    with suppress(FileNotFoundError):
        told = layout.read(folder, "", "HEAD", most=1024).split()
        return told == [b"ref:", f"{_HEADS}/{_NAME}".encode("ascii")]
    return False


def _no_branch(path: str) -> StoreError:
    return StoreError(f"{path} is no branch with a commit", hint="remove it there, or name a new "
                      "place", code="place_damaged")  # fmt: skip
