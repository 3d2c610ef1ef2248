"""Writing the settings: one value, or the whole text; nothing else in the file changes."""

from __future__ import annotations

import os
from contextlib import contextmanager

import tomlkit
import tomlkit.items

from tideline_cli.config import origin_databases, reading
from tideline_cli.config.replacing import FolderLock, replace_file
from tideline_cli.config.settings import SETTINGS, TABLE, parse_value, shown
from tideline_cli.errors import UsageError
from tideline_cli.model.short_text import parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def save_setting(path: str, name: str, value: str) -> None:
    """Set one value in the settings file; all else in it stays as it is, comments too. Raises
    UsageError for a value that the setting cannot have, for what is no file, and for a link:
    writing through it would change a file elsewhere, and replacing it would silently leave that
    file behind."""
    setting = SETTINGS[name]
    raw: Any = parted(value) if setting.kind == "texts" else value
    parsed = shown(name, parse_value(setting, raw, name))
    plain = list(parsed) if isinstance(parsed, tuple) else parsed
    with _changing(path, f"add there: {tomlkit.dumps({name: plain}).strip()}") as (file, values):
        if isinstance(plain, list) and isinstance(file.get(name), tomlkit.items.Array):
            _set_items(file[name], plain)
        else:
            file[name] = plain
        values[name] = plain


def save_origin_database(path: str, key: str, address: str) -> None:
    """Say in the settings file that an origin has a database of its own; all else stays. Raises
    UsageError as `save_setting` does."""
    checked = origin_databases.checked_address(address, of=key)
    with _changing(path, f"say it there, below [{TABLE}]") as (file, values):
        if TABLE not in file:
            file[TABLE] = tomlkit.table()
        rows: Any = file[TABLE]
        name = _name_of(rows, key) or key
        rows[name] = checked
        values[TABLE] = {**values.get(TABLE, {}), name: checked}


def remove_origin_database(path: str, key: str) -> str:
    """Take the database of an origin out of the settings file, and return its address; empty where
    there was none."""
    with _changing(path, f"take it out there, below [{TABLE}]") as (file, values):
        rows: Any = file.get(TABLE, {})
        name = _name_of(rows, key)
        if not name:
            return ""
        gone = str(rows[name])
        del rows[name], values[TABLE][name]
    return gone


def _name_of(rows: Mapping[str, Any], key: str) -> str:
    """Return how a table spells an origin, empty where it has none."""
    return next((name for name in rows if origin_databases.origin_key(name) == key), "")


def remove_setting(path: str, name: str) -> bool:
    """Remove one value from the settings file; return whether it was there."""
    with _changing(path, f"remove {name} there") as (file, values):
        if name not in file:
            return False
        del file[name], values[name]
    return True


@contextmanager
def _changing(path: str, where: str) -> Iterator[tuple[tomlkit.TOMLDocument, dict[str, Any]]]:
    """Give the settings file as its lines are and the values in it, to be changed alike; then
    replace it, if it has changed. `where` says what to do with a link in its place."""
    with FolderLock(path):
        _refuse_link(path, where)
        old = _content(path)
        file, values = tomlkit.parse(old), _values(old, path)
        yield file, values
        if tomlkit.dumps(file) != old:
            _replace(path, tomlkit.dumps(file), values)


def save_text(path: str, text: str, *, before: str) -> None:
    """Replace the settings file by a text that was checked; raise UsageError for one that is not
    allowed, and where the file is not what it was `before`."""
    reading.check_user_text(text.encode(), path)
    with FolderLock(path):
        _refuse_link(path, "edit it there")
        if current(path) != before:
            raise UsageError(f"{path} has changed meanwhile", hint="edit it again")
        _replace(path, text, _values(text, path))


def current(path: str) -> str:
    """Return the text of the settings file as it is, whatever it says; empty where none is."""
    if not os.path.lexists(path):
        return ""
    raw, _ = reading.content(path)
    return raw.decode("utf-8-sig", "replace")


def _refuse_link(path: str, what: str) -> None:
    if os.path.islink(path):
        raise UsageError(f"{path} is a link to {os.path.realpath(path)}", hint=what)


def _content(path: str) -> str:
    """Return the text of a settings file that is allowed as it is."""
    if not os.path.lexists(path):
        return ""
    raw, _ = reading.content(path)
    reading.parse_settings(raw, path)
    return raw.decode("utf-8-sig")


def _values(text: str, path: str) -> dict[str, Any]:
    return {name: value for name, (value, _) in reading.parse_settings(text.encode(), path).items()}


def _replace(path: str, text: str, wanted: dict[str, Any]) -> None:
    """Replace the settings file by a text that says what is wanted, and read it back."""
    if _values(text, path) != wanted:
        raise UsageError(f"{path} cannot be changed line by line", hint="tideline config edit")
    replace_file(path, text)
    raw, _ = reading.content(path)
    if raw != text.encode():
        raise UsageError(f"{path} was changed by another program meanwhile", hint="look at it")


def _set_items(held: Any, wanted: list[str]) -> None:
    """Make a list say what is wanted; the lines and comments of items that stay are kept."""
    for place in reversed(range(len(held))):
        if held[place] not in wanted:
            del held[place]
    if list(held) == wanted[: len(held)]:
        for item in wanted[len(held) :]:
            held.append(item)
    else:
        held[:] = wanted
