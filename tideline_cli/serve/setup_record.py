"""What `setup` has done: of each client what it calls, which commands ran, and the bytes of the
files before, so that it can be taken back."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode

from tideline_cli.errors import CannotWriteError
from tideline_cli.model.record import record
from tideline_cli.serve import setup_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_NAME = "set-up.json"
RAN, PRINTED = "ran", "printed"


@record
class SetUpRow:
    """What was done for a client. `calls` are the words of each part, `past` those of set-ups
    before, which may stand in a file that is put back or was never written; `before` the bytes of
    the files as they were, `folders` those that we made, `backups` the copies that lie beside;
    `name` is what the client knows our folder by; `commands` says whether the client's own commands
    ran or were printed for the person."""

    at: str = ""
    project: str = ""
    name: str = "tideline"
    calls: Mapping[str, tuple[str, ...]] = {}
    before: Mapping[str, bytes | None] = {}
    folders: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    commands: str = ""
    past: tuple[tuple[str, ...], ...] = ()

    @property
    def known(self) -> tuple[tuple[str, ...], ...]:
        """Return the words of all entries that are ours."""
        return (*self.calls.values(), *self.past)

    @property
    def program(self) -> str:
        """Return the program that the client starts, empty for none."""
        return next((words[0] for words in self.calls.values() if words), "")


def path_of(data: str) -> str:
    """Return where it stands; there is a file only where a client is set up."""
    return os.path.join(data, "doors", _NAME)


def rows(data: str) -> dict[str, SetUpRow]:
    """Return what was done, by client and project. Raise CannotWriteError where that cannot be
    read: without it nothing can be given back."""
    return {name: _row(data, row) for name, row in _forms(data).items()}


def put_row(data: str, name: str, row: SetUpRow | None) -> None:
    """Store what was done for one client; None takes it out."""
    held = _forms(data)
    held.pop(name, None)
    if row is not None:
        held[name] = _form(row)
    text = json.dumps(held, indent=1) + "\n"
    path = path_of(data)
    setup_files.put(path, text.encode() if held else None)
    folder = os.path.dirname(path)
    if not held and os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def name_of(client: str, project: str) -> str:
    """Return the name of a row."""
    return f"{client} {project}" if project else client


def _forms(data: str) -> dict[str, Any]:
    path = path_of(data)
    try:
        form = json.loads(setup_files.content(path) or b"{}")
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, "it is no JSON") from error
    if not isinstance(form, dict) or not all(isinstance(row, dict) for row in form.values()):
        raise _unreadable(path, "it is none")
    return form


def _row(data: str, form: Mapping[str, Any]) -> SetUpRow:
    try:
        before = {str(path): None if raw is None else b64decode(raw, validate=True)
                  for path, raw in form.get("before", {}).items()}  # fmt: skip
        calls = form["calls"] if "calls" in form else _older_calls(form)
        return SetUpRow(
            str(form.get("at", "")), str(form.get("project", "")),
            str(form.get("name", "tideline")),
            {str(part): _words(words) for part, words in calls.items()}, before,
            _words(form.get("folders", ())),
            _words(form["backups"] if "backups" in form else _older_backups(before)),
            str(form.get("commands", RAN)),
            tuple(_words(words) for words in form.get("past", ())),
        )  # fmt: skip
    except (AttributeError, TypeError, ValueError) as error:
        raise _unreadable(path_of(data), "it is none") from error


def _older_calls(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the calls of a row that has the words of the hook alone."""
    words = list(_words(form.get("words", ())))
    place = words.index("hook") if "hook" in words else len(words)
    both = {"hooks": words, "mcp": [*words[:place], "mcp", *words[place + 2 :]]}
    return {part: both[part] for part in _words(form.get("parts", ())) if part in both}


def _older_backups(before: Mapping[str, bytes | None]) -> list[str]:
    return [path + setup_files.BACKUP for path, raw in before.items() if raw is not None]


def _words(form: object) -> tuple[str, ...]:
    if not isinstance(form, list | tuple) or not all(isinstance(one, str) for one in form):
        raise ValueError("no list of words")
    return tuple(form)


def _form(row: SetUpRow) -> dict[str, Any]:
    return {
        "at": row.at, "project": row.project, "name": row.name,
        "calls": {part: [*words] for part, words in row.calls.items()},
        "before": {path: None if raw is None else b64encode(raw).decode()
                   for path, raw in row.before.items()},
        "folders": [*row.folders], "backups": [*row.backups], "commands": row.commands,
        "past": [[*words] for words in row.past],
    }  # fmt: skip


def _unreadable(path: str, why: str) -> CannotWriteError:
    return CannotWriteError(
        f"{path} cannot be read as the record of setup: {why}",
        hint="make it readable, or move it away: then setup cannot give old bytes back",
    )
