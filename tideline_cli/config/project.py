"""The settings of a project: who owns the file, and which of its settings count.

The file may come with a clone. So it must not stop the commands of a user who did not write or
trust it, nor lead them to another memory.
"""

from __future__ import annotations

import os
import stat

from tideline_cli.config import reading, trust
from tideline_cli.config.settings import SETTINGS, Value, parse_value
from tideline_cli.errors import UsageError
from tideline_cli.model.record import record
from tideline_cli.system import is_own, rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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
    sets, stay.

    Raises UsageError for a fault in a file of the user's own, unless `lenient`: then a program
    calls, which does not choose the folder.
    """
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
        held = trust.trusted_digest(folder, file.path)
    except UsageError as error:
        held, why, hint = "", error.message, error.hint
    if held == trust.digest(file.raw):
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
