"""Locks, flags and owners where the system is Windows: what POSIX names mean there.

Files are private by the access list of the folder that they lie in, which is the user's profile, so
no mode is set and none is looked at. A lock is on one byte far behind the end of a file, since
Windows lets nobody else read what is locked.
"""

from __future__ import annotations

import ctypes
import errno
import msvcrt
import os
import sys
from ctypes import wintypes

assert sys.platform == "win32"  # noqa: S101  for type checkers; no other system loads this module


BINARY = os.O_BINARY
DIRECTORY = NOCTTY = NOFOLLOW = NONBLOCK = 0  # no flags of this system
LOCK_EX, LOCK_NB = 2, 4
_FAIL_AT_ONCE, _EXCLUSIVE = 1, 2
_IS_LOCKED = (33, 997)  # ERROR_LOCK_VIOLATION, ERROR_IO_PENDING
_FAR = 0x4000_0000  # the upper half of the place of the byte: 4 EiB
_PRIVATE = 0o600


class _Overlapped(ctypes.Structure):
    _fields_ = (
        ("internal", ctypes.c_void_p), ("internal_high", ctypes.c_void_p),
        ("offset", wintypes.DWORD), ("offset_high", wintypes.DWORD), ("event", wintypes.HANDLE),
    )  # fmt: skip


_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_lock_file = _kernel.LockFileEx
_lock_file.argtypes = (
    wintypes.HANDLE, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD,
    ctypes.POINTER(_Overlapped),
)  # fmt: skip
_lock_file.restype = wintypes.BOOL


def flock(handle: int, how: int) -> None:
    """Lock an open file until it is closed. Raises BlockingIOError where another has it and `how`
    has LOCK_NB; without that it waits."""
    place = _Overlapped(offset_high=_FAR)
    flags = _EXCLUSIVE | (_FAIL_AT_ONCE if how & LOCK_NB else 0)
    if not _lock_file(msvcrt.get_osfhandle(handle), flags, 0, 1, 0, ctypes.byref(place)):
        number = ctypes.get_last_error()
        if number in _IS_LOCKED:
            raise BlockingIOError(number, "another process has the lock")
        raise ctypes.WinError(number)


def pread(handle: int, size: int, offset: int) -> bytes:
    """Return bytes of a file that stand at a place."""
    os.lseek(handle, offset, os.SEEK_SET)
    return os.read(handle, size)


def pwrite(handle: int, raw: bytes, offset: int) -> int:
    """Write bytes at a place of a file, and return how many."""
    os.lseek(handle, offset, os.SEEK_SET)
    return os.write(handle, raw)


def set_mode(handle: int, mode: int) -> None:
    """Leave the access list of a file as it is: that of its folder."""


def set_owner(handle: int, owner: int, group: int) -> None:
    """Leave the owner of a file as it is: who makes a file owns it."""


def user_number() -> int:
    """Return a number that is not root's: the system has names in place of numbers."""
    return 1


def is_root() -> bool:
    """Say that this user makes no files for others."""
    return False


def is_own(_: os.stat_result) -> bool:
    """Say that a file is this user's: the system does not say in its state whose it is."""
    return True


def rights(_: int) -> int:
    """Return a private mode: the access list says who may do what, and the mode does not."""
    return _PRIVATE


def session_number() -> int:
    """Return the number of the console window, 0 where there is none."""
    return int(_kernel.GetConsoleWindow() or 0)


assert sys.platform == "win32"  # noqa: S101  for type checkers; no other system loads this module


_READ, _WRITE = 0x8000_0000, 0x4000_0000
_SHARED = 1 | 2 | 4  # FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_SHARE_DELETE
_NEW, _THERE, _ANY = 1, 3, 4  # CREATE_NEW, OPEN_EXISTING, OPEN_ALWAYS
_PLAIN = 0x80  # FILE_ATTRIBUTE_NORMAL
_NONE = wintypes.HANDLE(-1).value

_create = ctypes.WinDLL("kernel32", use_last_error=True).CreateFileW
_create.argtypes = (
    wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD,
    wintypes.DWORD, wintypes.HANDLE,
)  # fmt: skip
_create.restype = wintypes.HANDLE


def open_shared(path: str, flags: int) -> int:
    """Return a descriptor of a file, by the flags O_RDWR, O_CREAT and O_EXCL; no child has it."""
    access = _READ | (_WRITE if flags & (os.O_RDWR | os.O_WRONLY) else 0)
    how = _THERE if not flags & os.O_CREAT else _NEW if flags & os.O_EXCL else _ANY
    handle = _create(path, access, _SHARED, None, how, _PLAIN, None)
    if handle is None or handle == _NONE:
        error = ctypes.WinError(ctypes.get_last_error())
        if error.errno == errno.EEXIST:
            raise FileExistsError(errno.EEXIST, "File exists", path)
        error.filename = path
        raise error
    return msvcrt.open_osfhandle(handle, os.O_BINARY | (flags & (os.O_RDWR | os.O_WRONLY)))
