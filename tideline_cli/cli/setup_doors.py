"""Doing what `setup` has worked out for a client: its commands, our entries, our folder, and the
record of it."""

from __future__ import annotations

import os
from contextlib import suppress

from tideline_cli.cli import client_commands
from tideline_cli.errors import BusyError
from tideline_cli.model.record import record
from tideline_cli.serve import setup_files, setup_record, watched_files
from tideline_cli.serve.setup_files import BACKUP
from tideline_cli.store.folders import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.cli.setup_work import Edit, Work
    from tideline_cli.serve.setup_plan import SetupPlace
    from tideline_cli.serve.setup_record import SetUpRow


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


def do(work: Work, place: SetupPlace, row: SetUpRow | None) -> DoorOutcome:
    """Do the work. `row` is the record before: it holds again where nothing could be written."""
    plan = work.plan
    name = setup_record.name_of(plan.client, place.project)
    _check_unchanged(work.edits)
    if work.action == "set up":  # what was there is kept first, so that it can be given back
        setup_record.put_row(place.data, name, work.row)
    failed = [one for one in work.undo if client_commands.run(one, _folder(place)) is not None]
    try:
        _write(work.edits)
    except OSError:
        if work.action == "set up":
            setup_record.put_row(place.data, name, row)
        raise
    files = [edit.path for edit in work.edits]
    files += _folders(work)
    client_commands.run_all(work.run, _folder(place), is_asked=plan.is_asked)
    for path, old in work.watched:
        if watched_files.give_back(path, old):
            files.append(path)
    for path in work.backups:
        setup_files.put(path, None)
    _drop_folders(work.folders)
    if work.row != row:
        setup_record.put_row(place.data, name, work.row)
    ran = (*(one for one in work.undo if not work.run and one not in failed), *work.run)
    left = (*(failed if not work.run else ()), *work.left)
    return DoorOutcome(plan.client, work.action, tuple(dict.fromkeys(files)), ran, left, work.ask)


def _folders(work: Work) -> list[str]:
    """Write our folder or remove it; return those that changed."""
    for folder in work.drops:
        setup_files.remove_folder(folder)
    if work.is_fresh:
        setup_files.put_folder(work.plan.folder, work.plan.files)
    return [*work.drops, *([work.plan.folder] if work.is_fresh else [])]


def _check_unchanged(edits: Iterable[Edit]) -> None:
    for edit in edits:
        if setup_files.content(edit.path) != edit.old:
            raise BusyError(f"{edit.path} has just been changed", hint="run it again")


def _write(edits: Sequence[Edit]) -> None:
    """Write the files, all or none."""
    done: list[Edit] = []
    try:
        for edit in edits:
            if edit.has_backup:
                setup_files.put(edit.path + BACKUP, edit.old)
            done.append(edit)
            setup_files.put(edit.path, edit.new)
    except OSError:
        for edit in done:
            _write_back(edit)
        raise


def _write_back(edit: Edit) -> None:
    with suppress(OSError):
        setup_files.put(edit.path, edit.old)
    with suppress(OSError):
        if edit.has_backup:
            setup_files.put(edit.path + BACKUP, None)


def _folder(place: SetupPlace) -> str:
    """Return where a client's commands run: in the project, or where no settings of a project are,
    since Claude Code takes those of the home folder for such."""
    if not place.project:
        make_folder(place.data)
    return place.project or place.data


def _drop_folders(folders: Iterable[str]) -> None:
    """Remove folders that we have made, where nothing is in them."""
    for folder in folders:
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)
