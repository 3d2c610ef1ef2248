"""Setting a client up, and taking that back: our folder, our entries, the client's own commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tideline_cli.errors import UnavailableError
from tideline_cli.model.record import record
from tideline_cli.serve import setup_files, setup_merge, setup_record
from tideline_cli.serve.setup_files import BACKUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from tideline_cli.serve.setup_plan import MergedFile, Plan, SetupPlace

_PATIENCE = 120  # seconds that a client's own command may take


@record
class DoorOutcome:
    """What was done for a client: set up, unchanged, removed or absent; the files that changed, the
    commands that ran, and what is left to the person: commands, and words."""

    client: str
    action: str
    files: tuple[str, ...] = ()
    ran: tuple[tuple[str, ...], ...] = ()
    left: tuple[tuple[str, ...], ...] = ()
    ask: str = ""


@record
class Edit:
    """A file of the client's: its path, its bytes, and those that it shall have."""

    path: str
    old: bytes | None
    new: bytes | None


def edits(plan: Plan, place: SetupPlace) -> list[Edit]:
    """Return how the files of the client change; raise UsageError where one cannot be changed."""
    found = []
    for merge in plan.merges:
        path = setup_files.target(merge.path, _roots(place))
        old = setup_files.content(path)
        file = setup_merge.parsed(_text(old) or "{}", merge.path)
        form = setup_merge.put_in(file.form, merge, plan.client)
        is_same = old is not None and form == file.form
        new = old if is_same else setup_merge.written(file, form).encode()
        found.append(Edit(path, old, new))
    return found


def set_up(
    plan: Plan, place: SetupPlace, *, now: str, may_ask: bool, is_whole: bool
) -> DoorOutcome:
    """Set a client up. What was there is kept first, so that it can be given back. `is_whole` says
    whether it is set up already, as far as can be told."""
    changes = [edit for edit in edits(plan, place) if edit.old != edit.new]
    name = setup_record.name_of(plan.client, place.project)
    _keep(plan, place, name, now)
    for edit in changes:
        if edit.old is not None and not os.path.lexists(edit.path + BACKUP):
            setup_files.put(edit.path + BACKUP, edit.old)
        setup_files.put(edit.path, edit.new)
    files = [edit.path for edit in changes]
    is_fresh = bool(plan.folder) and setup_files.put_folder(plan.folder, plan.files)
    files += [plan.folder] if is_fresh else []
    ran: tuple[tuple[str, ...], ...] = ()
    left = () if is_whole and not is_fresh else plan.commands
    if left and shutil.which(left[0][0]) and (may_ask or not plan.is_asked):
        _run_all(plan.undo, place, is_asked=False, strict=False)
        ran, left = _run_all(left, place, is_asked=plan.is_asked), ()
    action = "set up" if files or ran or left else "unchanged"
    return DoorOutcome(plan.client, action, tuple(files), ran, left, plan.asks)


def take_back(plan: Plan, place: SetupPlace) -> DoorOutcome:
    """Take out what `set_up` has put in. A file that says what it said before gets its old bytes;
    what others have changed since stays."""
    name = setup_record.name_of(plan.client, place.project)
    row: dict[str, Any] = setup_record.rows(place.data).get(name) or {}
    before = {path: setup_files.given_back(raw) for path, raw in row.get("before", {}).items()}
    has_program = bool(plan.undo) and shutil.which(plan.undo[0][0]) is not None
    had_folder = bool(plan.folder) and os.path.isdir(plan.folder)
    ran: tuple[tuple[str, ...], ...] = ()
    if has_program and (row or had_folder):
        ran = _run_all(plan.undo, place, is_asked=False, strict=False)
    files = [path for merge in plan.merges if (path := _without(merge, plan, place, before))]
    for path in plan.watched:
        if path in before and _restored(path, before[path]):
            files.append(path)
    if plan.folder and setup_files.remove_folder(plan.folder):
        files.append(plan.folder)
    _drop_folders(row.get("folders", ()))
    setup_record.put_row(place.data, name, None)
    left = plan.undo if (row or had_folder) and not has_program else ()
    action = "removed" if row or files else "absent"
    return DoorOutcome(plan.client, action, tuple(dict.fromkeys(files)), ran, left)


def _roots(place: SetupPlace) -> tuple[str, ...]:
    return place.home, place.project, place.codex, place.claude


def _keep(plan: Plan, place: SetupPlace, name: str, now: str) -> None:
    """Note what the files hold that are changed, unless a set-up before has noted it."""
    row: dict[str, Any] = setup_record.rows(place.data).get(name) or {"before": {}, "folders": []}
    paths = [setup_files.target(merge.path, _roots(place)) for merge in plan.merges]
    for path in (*paths, *plan.watched):
        if path not in row["before"]:
            row["before"][path] = setup_files.kept(setup_files.content(path))
            folder = os.path.dirname(path)
            if not os.path.isdir(folder) and folder not in row["folders"]:
                row["folders"].append(folder)
    parts = sorted({*row.get("parts", ()), *plan.parts})
    row |= {"at": now, "parts": parts, "words": [*plan.words], "project": place.project}
    setup_record.put_row(place.data, name, row)


def _without(
    merge: MergedFile, plan: Plan, place: SetupPlace, before: dict[str, bytes | None]
) -> str | None:
    """Take our entries out of one file; return its path where that changes it."""
    path = setup_files.target(merge.path, _roots(place))
    raw = setup_files.content(path)
    if raw is None:
        return None
    file = setup_merge.parsed(_text(raw), merge.path)
    form = setup_merge.taken_out(file.form, merge, plan.client)
    if form == file.form:
        return None
    old = before.get(path)
    new: bytes | None = setup_merge.written(file, form).encode()
    if path in before and old is None and setup_merge.same(form, {**merge.base}):
        new = None
    elif old is not None and setup_merge.same(form, setup_merge.parsed(_text(old), path).form):
        new = old
    setup_files.put(path, new)
    setup_files.put(path + BACKUP, None)
    return path


def _restored(path: str, old: bytes | None) -> bool:
    """Give a file its old bytes that its client has changed, where it says the same as before."""
    now = setup_files.content(path)
    if now == old or now is None:
        return False
    if not _says_same(path, _text(now), _text(old)):
        return False
    setup_files.put(path, old)
    return True


def _says_same(path: str, now: str, old: str) -> bool:
    if not path.endswith(".json"):
        return now.strip() == old.strip()
    try:
        forms = [setup_merge.parsed(text or "{}", path).form for text in (now, old)]
    except ValueError:
        return False
    return setup_merge.same(*forms)


def _drop_folders(folders: Iterable[str]) -> None:
    """Remove folders that we have made, where nothing is in them."""
    for folder in folders:
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


def _run_all(
    commands: Sequence[tuple[str, ...]], place: SetupPlace, *, is_asked: bool, strict: bool = True
) -> tuple[tuple[str, ...], ...]:
    """Run a client's own commands; return those that ran. Raise UnavailableError for one that
    fails, where that matters."""
    for command in commands:
        _run(command, place.project or place.home, is_asked=is_asked, strict=strict)
    return tuple(commands)


def _run(command: tuple[str, ...], folder: str, *, is_asked: bool, strict: bool) -> None:
    program = shutil.which(command[0]) or command[0]
    sys.stdout.flush()
    try:
        done = subprocess.run(  # noqa: S603  a list, no shell
            [program, *command[1:]], cwd=folder, timeout=None if is_asked else _PATIENCE,
            stdin=None if is_asked else subprocess.DEVNULL,
            capture_output=not is_asked, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        if strict:
            raise UnavailableError(f"cannot run {' '.join(command[:3])}: {error}") from error
        return
    if done.returncode and strict:
        said = (done.stderr or done.stdout or b"").decode(errors="replace").strip()
        raise UnavailableError(
            f"{' '.join(command[:4])} failed: {said.splitlines()[0] if said else done.returncode}",
            hint=f"`tideline setup {_client_of(command)} --remove` takes back what was done",
        )


def _client_of(command: tuple[str, ...]) -> str:
    return "claude-code" if command[0] == "claude" else command[0]


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "surrogateescape")
