"""Which project files the user trusts: each by its path and its content, in a file beside the
settings. A file that changes or moves must be trusted again."""

from __future__ import annotations

import os
import stat

from tideline_cli.config import replacing
from tideline_cli.errors import UsageError
from tideline_cli.model.lean import blake2b
from tideline_cli.system import BINARY, NOCTTY, NOFOLLOW, NONBLOCK, is_own, rights

FILE = "trusted"
_LARGEST = 1 << 20
_DIGEST = 32
_LOOK = os.O_RDONLY | NONBLOCK | NOFOLLOW | NOCTTY | BINARY


def digest(raw: bytes) -> str:
    """Return the digest of the content of a file."""
    return blake2b(raw, digest_size=_DIGEST).hexdigest()


def trusted_digest(folder: str, path: str) -> str:
    """Return the digest that the file at `path` was trusted with; empty when it was not.

    Raises UsageError where the list in `folder` could have been written by others.
    """
    return _listed(os.path.join(folder, FILE)).get(_place(path), "")


def set_trusted_digest(folder: str, path: str, held: str) -> bool:
    """Trust the file at `path` with the digest `held`, or stop trusting it when that is empty;
    return whether anything changed."""
    name = os.path.join(folder, FILE)
    with replacing.FolderLock(name):
        listed, place = _listed(name), _place(path)
        if listed.get(place, "") == held:
            return False
        listed.pop(place, None)
        if held:
            listed[place] = held
        text = "".join(f"{value} {key}\n" for key, value in listed.items())
        if len(text) > _LARGEST:
            raise UsageError(f"{name} is full", hint="`tideline config untrust DIR` makes room")
        replacing.replace_file(name, text)
    return True


def _place(path: str) -> str:
    """Return the name of a project file in the list, on one line: its folder with links resolved,
    and its own name, so that a link to a trusted file is not trusted too."""
    folder, name = os.path.split(os.path.abspath(path))
    raw = os.fsencode(os.path.join(os.path.realpath(folder), name)).replace(b"\\", b"\\\\")
    return raw.decode("ascii", "backslashreplace").replace("\n", "\\n").replace("\r", "\\r")


def _listed(name: str) -> dict[str, str]:
    try:
        handle = os.open(name, _LOOK)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unsafe(name, error.strerror or str(error)) from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise _unsafe(name, "it is not a file")
        if not (is_own(state) or state.st_uid == 0) or rights(state.st_mode) & 0o022:
            raise _unsafe(name, "others may write it")
        raw = b""
        while len(raw) <= _LARGEST and (more := os.read(handle, _LARGEST + 1 - len(raw))):
            raw += more
    finally:
        os.close(handle)
    if len(raw) > _LARGEST:
        raise _unsafe(name, "it is too large")
    rows = (line.partition(" ") for line in raw.decode("ascii", "replace").split("\n"))
    return {place: held for held, _, place in rows if len(held) == 2 * _DIGEST and place}


def _unsafe(name: str, why: str) -> UsageError:
    return UsageError(f"{name} is not believed: {why}", hint=f"remove {name}, and trust anew")
