"""Writing the settings and the list of trusted files: whole or not at all, one writer at a time."""

from __future__ import annotations

import os
from contextlib import suppress
from fcntl import LOCK_EX, flock

from tideline_cli.config import reading
from tideline_cli.config.settings import SETTINGS, parse_value, shown
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MODE = 0o600
_FRESH = ".new"


class FolderLock:
    """The right to change the files of a folder; other processes wait for it. Best effort: some
    file systems have no locks."""

    def __init__(self, path: str) -> None:
        folder = os.path.dirname(os.path.abspath(path))
        self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> None:
        with suppress(OSError):
            flock(self._handle, LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def replace_file(path: str, text: str) -> None:
    """Replace a file by a text, durably; only the user may read it. Call it under a FolderLock."""
    _sweep(path)
    fresh = f"{path}{_FRESH}-{os.getpid()}-{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(fresh, flags, _MODE)
    os.fchmod(handle, _MODE)  # whatever the umask
    _hand_over(handle, path)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)  # the name, too
    finally:
        os.close(folder)


def _sweep(path: str) -> None:
    """Remove what killed processes have left."""
    folder, start = os.path.split(path + _FRESH)
    for name in os.listdir(folder or "."):
        if name.startswith(start):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _hand_over(handle: int, path: str) -> None:
    """Give the owner of the folder a file that root writes in it."""
    if os.geteuid() == 0:
        with suppress(OSError):
            owner = os.stat(os.path.dirname(os.path.abspath(path)))
            os.fchown(handle, owner.st_uid, owner.st_gid)


def save_setting(path: str, name: str, value: str) -> None:
    """Set one value in the settings file, which is replaced as a whole; comments are kept.

    Raises UsageError for a value that the setting cannot have, for what is no file, and for a link:
    writing through it would change a file elsewhere, and replacing it would silently leave that
    file behind.
    """
    setting = SETTINGS[name]
    raw: Any = value.split(",") if setting.kind == "texts" else value
    line = f"{name} = {_toml(shown(name, parse_value(setting, raw, name)))}\n"
    with FolderLock(path):
        if os.path.islink(path):
            raise UsageError(
                f"{path} is a link to {os.path.realpath(path)}",
                hint=f"add there: {line.strip()}",
            )
        old = ""
        if os.path.lexists(path):
            content, _ = reading.content(path)
            reading.parse_settings(content, path)
            old = content.decode("utf-8-sig").replace("\r\n", "\n")
        fresh = line + _without(old, name, path)
        reading.parse_settings(fresh.encode(), path)
        replace_file(path, fresh)


def _without(text: str, name: str, path: str) -> str:
    gone = {
        number
        for one in reading.setting_lines(text, path)
        if one.name == name
        for number in range(one.first, one.last + 1)
    }
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(line for number, line in lines if number not in gone)


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, int):
        return str(value)
    from json import dumps  # noqa: PLC0415  a JSON string is a TOML string

    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
