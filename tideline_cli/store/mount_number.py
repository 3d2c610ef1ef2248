"""Which mount a file lies on, asked of the kernel: a container or a service may have no /proc."""

from __future__ import annotations

from sys import byteorder

_EMPTY_PATH = 0x1000  # AT_EMPTY_PATH: the handle itself
_WANTED = 0x1000  # STATX_MNT_ID, Linux 5.8
_SIZE = 256
_PLACE = slice(144, 152)  # stx_mnt_id in struct statx; stx_mask is its first member


def number_of(handle: int) -> bytes:
    """Return the number of the mount that an open file lies on; empty where the kernel does not
    say."""
    try:
        from ctypes import create_string_buffer, pythonapi  # noqa: PLC0415  not in every Python

        call = pythonapi.statx  # what this process has loaded already, libc among it
    except (ImportError, OSError, AttributeError):
        return b""
    found = create_string_buffer(_SIZE)
    if call(handle, b"", _EMPTY_PATH, _WANTED, found) != 0:
        return b""
    if not int.from_bytes(found.raw[:4], byteorder) & _WANTED:
        return b""
    return found.raw[_PLACE]
