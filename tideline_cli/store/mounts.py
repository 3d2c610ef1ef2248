"""The mounts of this machine, and of what kind the file system below a folder is.

A memory file may not lie on a network file system, whose locks and shared memory do not hold
between machines.
"""

from __future__ import annotations

import os
import sys
from sys import byteorder

from tideline_cli.errors import StoreError
from tideline_cli.model.record import Record
from tideline_cli.store import ALLOW_NETWORK

MOUNTS = "/proc/self/mountinfo"
_major = getattr(os, "major", lambda _: 0)  # Windows has no such numbers

# As the kernel names them; FUSE has a name for each program.
NETWORK = frozenset((
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "smbfs2", "ncpfs", "afs", "afpfs", "coda", "9p",
    "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "orangefs", "pvfs2", "webdav",
    "davfs", "vboxsf", "prl_fs", "vmhgfs", "smb", "drive",
    "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph",
    "fuse.ceph-fuse", "fuse.davfs2", "fuse.gvfsd-fuse", "fuse.kio-fuse", "fuse.curlftpfs",
    "fuse.juicefs", "fuse.seaweedfs", "fuse.goofys", "fuse.mfs", "fuse.smbnetfs", "fuse.goosefs",
    "fuse.onedriver", "fuse.google-drive-ocamlfuse", "fuse.vmhgfs-fuse", "fuse.grpcfuse",
))  # fmt: skip


def refuse_network(path: str, *, listing: str = MOUNTS) -> None:
    """Raise StoreError when the folder of `path` lies on a network file system, or on macOS in a
    folder that a service keeps in the cloud."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        try:
            device = os.stat(folder).st_dev
            break
        except OSError:
            parent = os.path.dirname(folder)  # the folder is made later, inside its parent
            if parent == folder:
                return
            folder = parent
    if sys.platform == "darwin":
        _refuse_on_a_mac(path, os.path.realpath(folder), device)
        return
    # A file system on a block device is local. So for most users the table need not be read.
    if listing == MOUNTS and _major(device):
        return
    kind = file_system_of(os.path.realpath(folder), listing=listing)
    if sys.platform == "win32":
        from tideline_cli.system import machine  # noqa: PLC0415  of Windows

        kind = machine.network_kind(folder)
    if kind in NETWORK:
        raise _refused(path, f"on a network file system ({kind})")


def _refuse_on_a_mac(path: str, folder: str, device: int) -> None:
    from tideline_cli.system import mac_volumes  # noqa: PLC0415  macOS alone

    if service := mac_volumes.cloud(folder, os.path.realpath(os.path.expanduser("~"))):
        raise _refused(path, f"in a folder that is kept in the cloud ({service})")
    if kind := mac_volumes.network_kind(folder, device, NETWORK):
        raise _refused(path, f"on a network file system ({kind})")


def _refused(path: str, where: str) -> StoreError:
    return StoreError(
        f"{path} is {where}, where two machines corrupt a database",
        hint="keep it on a local disk (--db, TIDELINE_HOME), and copy an export to the share; "
        f"{ALLOW_NETWORK}=1 allows it, for one machine at a time",
        code="network_fs",
    )


def file_system_of(folder: str, *, listing: str = MOUNTS) -> str:
    """Return the kind of file system that a folder without links in its path lies on; empty where
    the system does not list its mounts."""
    wanted = escaped(folder)
    best, kind = -1, ""
    for row in table(listing):
        # The longest path counts. Of equal paths the last one counts: it hides those before it.
        below = (wanted + b"/").startswith(row.point.rstrip(b"/") + b"/")
        if below and len(row.point) >= best:
            best, kind = len(row.point), row.kind
    return kind


class Mount(Record):
    """A row of the table of mounts: device, which part of it, where, and of what kind."""

    device: bytes
    root: bytes
    point: bytes
    kind: str


def table(listing: str = MOUNTS) -> list[Mount]:
    """Return the mounts that this process sees, in order; none where the system lists none."""
    try:
        with open(listing, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        return []
    rows = (line.split(b" ") for line in lines)
    return [
        Mount(row[2], row[3], row[4], row[row.index(b"-") + 1].decode("ascii", "replace"))
        for row in rows
        if len(row) > 5 and b"-" in row[5:-1]
    ]


def escaped(path: str) -> bytes:
    """Return a path as the kernel lists it: spaces, line breaks and backslashes as octal."""
    raw = os.fsencode(path).rstrip(b"/")
    for char in b"\\ \t\n":
        raw = raw.replace(bytes((char,)), b"\\%03o" % char)
    return raw


def unescaped(raw: bytes) -> bytes:
    """Return what `escaped` escaped, the backslash last."""
    for char in b" \t\n\\":
        raw = raw.replace(b"\\%03o" % char, bytes((char,)))
    return raw


_EMPTY_PATH = 0x1000  # AT_EMPTY_PATH: the handle itself
_WANTED = 0x1000  # STATX_MNT_ID, Linux 5.8
_SIZE = 256
_PLACE = slice(144, 152)  # stx_mnt_id in struct statx; stx_mask is its first member


def number_of(handle: int) -> bytes:
    """Return the number of the mount of an open file; empty where the kernel tells none."""
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
