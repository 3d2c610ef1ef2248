"""Where a memory file may lie: not on a network file system, whose locks and shared memory do not
hold between machines."""

from __future__ import annotations

import os

from tideline_cli.errors import StoreError

MOUNTS = "/proc/self/mountinfo"
ALLOW = "TIDELINE_ALLOW_NETWORK_FS"

# As the kernel names them; FUSE has a name for each program.
NETWORK = frozenset((
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "smbfs2", "ncpfs", "afs", "afpfs", "coda", "9p",
    "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "orangefs", "pvfs2", "webdav",
    "davfs", "vboxsf", "prl_fs", "vmhgfs",
    "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph",
    "fuse.ceph-fuse", "fuse.davfs2", "fuse.gvfsd-fuse", "fuse.kio-fuse", "fuse.curlftpfs",
    "fuse.juicefs", "fuse.seaweedfs", "fuse.goofys", "fuse.mfs", "fuse.smbnetfs", "fuse.goosefs",
    "fuse.onedriver", "fuse.google-drive-ocamlfuse", "fuse.vmhgfs-fuse", "fuse.grpcfuse",
))  # fmt: skip


def check(path: str, *, mounts: str = MOUNTS) -> None:
    """Raise StoreError when the folder of `path` lies on a network file system."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        try:
            device = os.stat(folder).st_dev
            break
        except OSError:
            parent = os.path.dirname(folder)  # it is made later, where this one is
            if parent == folder:
                return
            folder = parent
    # What has a block device of its own is local: no file to read for most users.
    if mounts == MOUNTS and os.major(device):
        return
    kind = file_system(os.path.realpath(folder), mounts=mounts)
    if kind in NETWORK:
        raise StoreError(
            f"{path} is on a network file system ({kind}), where two machines corrupt a database",
            hint="keep it on a local disk (--db, TIDELINE_HOME), and copy an export to the share; "
            f"{ALLOW}=1 allows it, for one machine at a time",
            code="network_fs",
        )


def file_system(folder: str, *, mounts: str = MOUNTS) -> str:
    """Return the kind of file system that a folder without links in its path lies on; empty where
    the system does not list its mounts."""
    wanted = _escaped(folder)
    best, kind = -1, ""
    try:
        with open(mounts, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        return ""
    for line in lines:
        parts = line.split(b" ")
        if len(parts) < 5 or b"-" not in parts:
            continue
        point = parts[4]
        # The longest path counts, and of equal ones the last: it hides those before it.
        if len(point) >= best and (wanted + b"/").startswith(point.rstrip(b"/") + b"/"):
            best, kind = len(point), parts[parts.index(b"-") + 1].decode("ascii", "replace")
    return kind


def _escaped(path: str) -> bytes:
    """Return a path as the kernel lists it: spaces, line breaks and backslashes as octal."""
    raw = os.fsencode(path).rstrip(b"/")
    for char in b"\\ \t\n":
        raw = raw.replace(bytes((char,)), b"\\%03o" % char)
    return raw
