"""The settings of a project: who owns the file, and which of its settings count.

The file may come with a clone. So it must not stop the commands of a user who did not write or
trust it, nor lead them to another memory.
"""

from __future__ import annotations

import os
import stat

from tideline_cli.config import reading, replacing
from tideline_cli.config.settings import SETTINGS, Value, parse_value
from tideline_cli.errors import UsageError
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record
from tideline_cli.system import BINARY, NOCTTY, NOFOLLOW, NONBLOCK, is_own, rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FILE = "trusted"
_LARGEST = 1 << 20
_DIGEST = 32
_LOOK = os.O_RDONLY | NONBLOCK | NOFOLLOW | NOCTTY | BINARY


def digest(raw: bytes) -> str:
    """Return the digest of the content of a file."""
    return blake2b(raw, digest_size=_DIGEST).hexdigest()


def trusted_digest(folder: str, path: str) -> str:
    """Return the digest that the file at `path` was trusted with; empty when it was not. Raises
    UsageError where the list in `folder` could have been written by others."""
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


_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@record
class Ignored:
    """A setting of a project file that is not taken: its name (empty for the whole file), its
    value, why, and what to do."""

    name: str
    value: Any
    code: str
    message: str
    hint: str


@record
class Project:
    """The settings of a project file that are taken, and those that are not. `offered` is the scope
    of a file that is not trusted, where a program calls: it counts where it shows no more.
    `is_strange` says that the scope which is taken is one of a file that is not trusted."""

    values: dict[str, Value]
    ignored: tuple[Ignored, ...]
    offered: Ignored | None = None
    is_strange: bool = False


@record
class File:
    """A project file as it was read: its bytes and its values."""

    path: str
    raw: bytes
    values: Mapping[str, Any]


def overrides(
    path: str, values: Mapping[str, Value], held: frozenset[str], *, folder: str, lenient: bool
) -> Project:
    """Return what a project file changes of `values`; the names in `held`, which the environment
    sets, stay. Raises UsageError for a fault in a file of the user's own, unless `lenient`: then a
    program calls, which does not choose the folder."""
    why, remedy = distrust(path)
    if why:
        whole = Ignored("", None, "foreign_project", f"{path} is ignored: {why}", remedy)
        return Project({}, (whole,))
    try:
        file = read_file(path)
    except UsageError as error:
        if not lenient:
            raise
        message = f"the project file is ignored: {error.message}"
        return Project({}, (Ignored("", None, "usage", message, error.hint),))
    out: dict[str, Value] = {}
    ignored: list[Ignored] = []
    offered: Ignored | None = None
    for name, value in file.values.items():
        if name in held:
            continue
        if lenient and name == "scope":
            offered = found = _untrusted(file, folder, name)
        elif name == "origin":
            found = _untrusted(file, folder, name)
        else:
            found = _raised(file, name, values[name])
        if found is None:
            out[name] = Value(value, path)
        elif found is not offered:
            ignored.append(found)
    is_strange = "scope" in out and _untrusted(file, folder, "scope") is not None
    return Project(out, tuple(ignored), offered, is_strange)


def distrust(path: str) -> tuple[str, str]:
    """Return why a project file is not taken, and the remedy; two empty texts where it is.

    The file must belong to the user or to root, and nobody else may write it. The same holds for a
    link that leads to it.
    """
    try:
        states = (os.lstat(path), os.stat(path))
    except OSError as error:
        return f"it cannot be read ({error.strerror})", "mend or remove it"
    if not all(_is_safe_owner(state) for state in states):
        return "it belongs to another user", f"take it over (chown {path}), or work elsewhere"
    if not stat.S_ISREG(states[1].st_mode):
        return "it is not a file", "remove it, or name it otherwise"
    if rights(states[1].st_mode) & _OTHERS_WRITE:
        return "others may write it", f"chmod go-w {path}"
    if not os.access(path, os.R_OK):
        return "you may not read it", f"have its owner allow it (chmod o+r {path})"
    return "", ""


def _is_safe_owner(state: os.stat_result) -> bool:
    """Say whether a file belongs to this user or to root."""
    return is_own(state) or state.st_uid == 0


def read_file(path: str) -> File:
    """Return a project file; raise UsageError for a file or a setting that is not allowed."""
    raw, state = reading.content(path)
    if not _is_safe_owner(state) or rights(state.st_mode) & _OTHERS_WRITE:
        raise UsageError(f"{path} was replaced while it was being read", hint="try again")
    values: dict[str, Any] = {}
    for name, (value, line) in reading.parse_settings(raw, path).items():
        where = f"{path}, line {line}"
        if not SETTINGS[name].in_project:
            raise UsageError(
                f"{where}: a project file may not set {name}", hint="set it in your own config.toml"
            )
        values[name] = parse_value(SETTINGS[name], value, where)
    return File(path, raw, values)


def _untrusted(file: File, folder: str, name: str) -> Ignored | None:
    why, hint = "the file is not trusted", "`tideline config trust` trusts it, after a look at it"
    try:
        held = trusted_digest(folder, file.path)
    except UsageError as error:
        held, why, hint = "", error.message, error.hint
    if held == digest(file.raw):
        return None
    if held:
        why = "the file has changed since it was trusted"
    value = file.values[name]
    message = f"the {name} {value} in {file.path} is ignored: {why}"
    return Ignored(name, value, "untrusted_project", message, hint)


def _raised(file: File, name: str, otherwise: Value) -> Ignored | None:
    """Return a limit as ignored where it is higher than the value that holds without it."""
    value, top = file.values[name], otherwise.value or SETTINGS[name].top
    if not SETTINGS[name].top or value <= top:
        return None
    message = f"{name} = {value} in {file.path} is ignored: a project file may only lower it"
    return Ignored(name, value, "project_limit", message, f"{top:,} holds; a flag may be higher")
