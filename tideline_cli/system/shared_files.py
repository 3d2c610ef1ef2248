"""Files of Windows that others may move and remove while they are open here."""

from __future__ import annotations

import ctypes
import errno
import msvcrt
import os
import sys
from ctypes import wintypes

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
