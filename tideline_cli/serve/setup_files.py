"""Files of other programs, as `setup` reads and replaces them: whole, with the mode they have, and
nothing outside of the home folder."""

from __future__ import annotations

import os
import shutil
from base64 import b64decode, b64encode
from hashlib import sha256

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BACKUP = ".before-tideline"


def target(path: str, roots: Iterable[str]) -> str:
    """Return the file that a path names; raise UsageError where a link leads out of the folders
    that the user works in."""
    real = os.path.realpath(path)
    for root in roots:
        if root and os.path.commonpath([real, os.path.realpath(root)]) == os.path.realpath(root):
            return real
    raise UsageError(
        f"{path} is left as it is: it leads to {real}, outside of your home folder",
        hint="`tideline setup CLIENT --dry-run` shows what to add by hand",
    )


def content(path: str) -> bytes | None:
    """Return the bytes of a file, None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def put(path: str, raw: bytes | None) -> None:
    """Replace a file as a whole, or remove it."""
    if raw is None:
        if os.path.lexists(path):
            os.unlink(path)
        return
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
    fresh = os.path.join(folder, f".{os.path.basename(path)}.new-{os.getpid()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with open(handle, "wb") as file:
            os.fchmod(handle, mode)
            file.write(raw)
            file.flush()
            os.fsync(handle)
        os.replace(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise


def put_folder(folder: str, files: Iterable[tuple[str, str]]) -> bool:
    """Let a folder of ours hold these files and no others; say whether that changed it."""
    wanted = dict(files)
    if _texts(folder) == wanted:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in wanted.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        put(path, text.encode())
    return True


def remove_folder(folder: str) -> bool:
    """Remove a folder of ours, and say whether it was there."""
    is_there = os.path.isdir(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return is_there


def _texts(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            raw = content(path) or b""
            found[os.path.relpath(path, folder)] = raw.decode("utf-8", "replace")
    return found


def kept(raw: bytes | None) -> str | None:
    """Return bytes as a record keeps them."""
    return None if raw is None else b64encode(raw).decode()


def given_back(text: str | None) -> bytes | None:
    """Return the bytes that a record keeps."""
    return None if text is None else b64decode(text)


def mark(raw: bytes | None) -> str:
    """Return a mark of bytes, empty for none."""
    return "" if raw is None else sha256(raw).hexdigest()


def marks(paths: Iterable[str]) -> Mapping[str, str]:
    """Return the marks of files as they are."""
    return {path: mark(content(path)) for path in paths}
