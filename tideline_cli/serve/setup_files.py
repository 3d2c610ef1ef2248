"""Files of other programs, as `setup` reads and replaces them: whole, with the mode they have, and
nothing outside of the home folder. What it did stands in a record, by which it is taken back; a
file that a client's own commands changed and changed back gets its old bytes."""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64decode, b64encode
from collections import Counter
from errno import EINVAL
from stat import S_ISREG

from tideline_cli.errors import CannotWriteError, UsageError
from tideline_cli.model.record import record
from tideline_cli.serve import json_edit
from tideline_cli.serve.json_edit import JsonTextError, scanned
from tideline_cli.store.private_files import hand_over, make_folder
from tideline_cli.system import NOFOLLOW, NONBLOCK, durable, is_root, set_mode, set_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

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
            durable.remove(path)
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
        durable.put_over(fresh, path)
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


def drop_folders(folders: Iterable[str]) -> None:
    """Remove folders that we have made, where nothing is in them."""
    for folder in folders:
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


def _texts(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, _, found_names in os.walk(folder):
        for name in found_names:
            path = os.path.join(at, name)
            raw = content(path) or b""
            found[os.path.relpath(path, folder)] = raw.decode("utf-8", "surrogateescape")
    return found


_NAME = "set-up.json"
RAN, PRINTED = "ran", "printed"


@record
class SetUpRow:
    """What was done for a client. `calls` are the words of each part, `past` those of set-ups
    before, which may stand in a file that is put back or was never written; `before` the bytes of
    the files as they were, `folders` those that we made, `backups` the copies that lie beside;
    `commands` says whether the client's own commands
    ran or were printed for the person."""

    at: str = ""
    project: str = ""
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


def record_path(data: str) -> str:
    """Return where it stands; there is a file only where a client is set up."""
    return os.path.join(data, "doors", _NAME)


ANSWERS = "answers"
"""The row of what setup has set beside the clients."""


def setup_rows(data: str) -> dict[str, SetUpRow]:
    """Return what was done, by client and project. Raise CannotWriteError where that cannot be
    read: without it nothing can be given back."""
    return {name: _row(data, row) for name, row in _forms(data).items() if name != ANSWERS}


def answers_row(data: str) -> SetUpRow | None:
    """Return what was set beside the clients, by setting; None for nothing."""
    row = _forms(data).get(ANSWERS)
    return None if row is None else _row(data, row)


def put_setup_row(data: str, name: str, row: SetUpRow | None) -> None:
    """Store what was done for one client; None takes it out."""
    held = _forms(data)
    held.pop(name, None)
    if row is not None:
        held[name] = _form(row)
    text = json.dumps(held, indent=1) + "\n"
    path = record_path(data)
    put(path, text.encode() if held else None)
    folder = os.path.dirname(path)
    if not held and os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def name_of(client: str, project: str) -> str:
    """Return the name of a row."""
    return f"{client} {project}" if project else client


def _forms(data: str) -> dict[str, Any]:
    path = record_path(data)
    try:
        form = json.loads(content(path) or b"{}")
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
        return SetUpRow(
            str(form.get("at", "")), str(form.get("project", "")),
            {str(part): _words(words) for part, words in form.get("calls", {}).items()},
            before, _words(form.get("folders", ())), _words(form.get("backups", ())),
            str(form.get("commands", RAN)),
            tuple(_words(words) for words in form.get("past", ())),
        )  # fmt: skip
    except (AttributeError, TypeError, ValueError) as error:
        raise _unreadable(record_path(data), "it is none") from error


def _words(form: object) -> tuple[str, ...]:
    if not isinstance(form, list | tuple) or not all(isinstance(one, str) for one in form):
        raise ValueError("no list of words")
    return tuple(form)


def _form(row: SetUpRow) -> dict[str, Any]:
    return {
        "at": row.at, "project": row.project,
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


_LEFT_EMPTY = ("enabledPlugins", "extraKnownMarketplaces")  # by Claude Code


def give_back(path: str, old: bytes | None) -> bool:
    """Give a file the bytes that it had, where nobody has said anything else in it since; take out
    what is left behind empty in any other. Say whether it changed."""
    now = content(path)
    if now is None or now == old:
        return False
    is_json = path.endswith(".json")
    new = _given_back(_decoded(now), None if old is None else _decoded(old), is_json=is_json)
    if new == _decoded(now):
        return False
    put(path, None if new is None else new.encode("utf-8", "surrogateescape"))
    return True


def _given_back(now: str, old: str | None, *, is_json: bool) -> str | None:
    if not is_json:
        return old if _has_only(_lines(now), _lines(old or "")) and _is_same(now, old) else now
    try:
        file = scanned(now if now.strip() else "{}", with_comments=True)
        before = scanned(old if old and old.strip() else "{}", with_comments=True)
    except JsonTextError:
        return now
    for name in _LEFT_EMPTY:
        item = file.root.item(name)
        is_left = item is not None and item.value.kind == "object" and not item.value.items
        if item is not None and is_left and before.root.item(name) is None:
            file = scanned(json_edit.removed(file, file.root, item), with_comments=True)
    if file.form() == before.form() and _has_only(file.remarks, before.remarks):
        return old
    return file.text if now.strip() else now


def _is_same(now: str, old: str | None) -> bool:
    """Say whether two TOML texts say the same."""
    import tomllib  # noqa: PLC0415  `re`; status and doctor read what set-ups there are

    try:
        return tomllib.loads(now) == tomllib.loads(old or "")
    except ValueError:
        return now.split() == (old or "").split()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _has_only(some: Iterable[str], all_of: Iterable[str]) -> bool:
    """Say whether nothing is among some that is not among all: nothing that is new is lost."""
    return not Counter(some) - Counter(all_of)


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
