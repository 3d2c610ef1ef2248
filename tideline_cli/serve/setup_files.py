"""Files of other programs, as `setup` reads and replaces them: whole, with the mode they have, and
nothing outside of the home folder."""

from __future__ import annotations

import os
import shutil
from errno import EINVAL
from stat import S_ISREG

from tideline_cli.errors import UsageError
from tideline_cli.store.folders import hand_over, make_folder
from tideline_cli.system import (
    NOFOLLOW,
    NONBLOCK,
    durable,
    is_root,
    names,
    set_mode,
    set_owner,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

BACKUP = ".before-tideline"


def target(path: str, roots: Collection[str]) -> str:
    """Return the file that a path names; raise UsageError where a link leads out of the folders
    that the user works in."""
    real = os.path.realpath(path)
    if is_within(real, roots):
        return real
    where = "your home folder" if len(roots) > 1 else "the project"
    raise UsageError(
        f"{path} is left as it is: it leads to {real}, outside of {where}",
        hint="`tideline setup CLIENT --dry-run` shows what to add by hand",
    )


def is_within(real: str, roots: Iterable[str]) -> bool:
    """Say whether a path without links lies in one of these folders."""
    tops = [os.path.realpath(root) for root in roots if root]
    return any(os.path.commonpath([real, top]) == top for top in tops)


def content(path: str) -> bytes | None:
    """Return the bytes of a file, None where there is none. Raise OSError for what is no file."""
    try:
        handle = os.open(path, os.O_RDONLY | NONBLOCK)
    except FileNotFoundError:
        return None
    if not S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(EINVAL, "Not a plain file", path)
    with open(handle, "rb") as file:
        return file.read()


def put(path: str, raw: bytes | None) -> None:
    """Replace a file as a whole, or remove it. It keeps its mode and its owner; a new one is for
    its owner alone, and of root goes to the owner of the folder."""
    if raw is None:
        if os.path.lexists(path):
            names.remove(path)
        return
    folder = os.path.dirname(path)
    make_folder(folder)
    old = os.stat(path) if os.path.exists(path) else None
    mode = old.st_mode & 0o777 if old is not None else 0o600
    fresh = os.path.join(folder, f".{os.path.basename(path)[:200]}.new-{os.getpid()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW, 0o600)
    try:
        with open(handle, "wb") as file:
            _own(handle, path, old)
            set_mode(handle, mode)
            file.write(raw)
            file.flush()
            durable.sync(handle)
        names.put_over(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise


def _own(handle: int, path: str, old: os.stat_result | None) -> None:
    if old is None:
        hand_over(handle, path, like=os.path.dirname(path))
    elif is_root():
        set_owner(handle, old.st_uid, old.st_gid)


def holds(folder: str, files: Iterable[tuple[str, str]]) -> bool:
    """Say whether a folder of ours holds these files and no others."""
    return _texts(folder) == dict(files)


def put_folder(folder: str, files: Iterable[tuple[str, str]]) -> None:
    """Let a folder of ours hold these files and no others."""
    remove_folder(folder)
    for name, text in files:
        put(os.path.join(folder, name), text.encode("utf-8", "surrogateescape"))


def remove_folder(folder: str) -> None:
    """Remove a folder of ours; of a link to one the link alone."""
    if os.path.islink(folder):
        os.unlink(folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _texts(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, _, found_names in os.walk(folder):
        for name in found_names:
            path = os.path.join(at, name)
            raw = content(path) or b""
            found[os.path.relpath(path, folder)] = raw.decode("utf-8", "surrogateescape")
    return found
