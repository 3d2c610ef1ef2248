"""What `setup` is going to do for a client, worked out before anything is done: `--dry-run` shows
it, `setup_doors` does it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress

from tideline_cli.cli.commands.setup import state
from tideline_cli.errors import BusyError, UnavailableError, UsageError
from tideline_cli.model.record import record, replace
from tideline_cli.serve import setup_files, setup_merge
from tideline_cli.serve.setup_files import BACKUP, PRINTED, RAN, SetUpRow
from tideline_cli.store.folders import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tideline_cli.serve.setup_plan import MergedFile, Plan, SetupPlace
    Commands = tuple[tuple[str, ...], ...]
    Words = tuple[str, ...]


@record
class Edit:
    """A file that changes: its path, its bytes, those that it shall have (None for no file), and
    whether a copy is laid beside it."""

    path: str
    old: bytes | None
    new: bytes | None
    has_backup: bool = False


@record
class Work:
    """The work for one client. In this order: `undo` and `run` are commands of the client's, with
    `edits` and the folder in between; `left` is for the person. `drops` are our folders and
    `backups` our copies that go; `watched` are files that get old bytes back if they say the same.
    `row` is the record afterwards, None for none."""

    plan: Plan
    action: str
    row: SetUpRow | None
    edits: tuple[Edit, ...] = ()
    is_fresh: bool = False
    undo: Commands = ()
    run: Commands = ()
    left: Commands = ()
    drops: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    watched: tuple[tuple[str, bytes | None], ...] = ()
    folders: tuple[str, ...] = ()
    ask: str = ""
    note: str = ""


def setting_up(
    plan: Plan, place: SetupPlace, row: SetUpRow | None, *, now: str, may_ask: bool
) -> Work:
    """Return the work of a set-up. Raise UsageError where a file cannot be changed, or where
    somebody else has what we would make."""
    held = row or SetUpRow(project=place.project, name=plan.name)
    edits = tuple(edit for merge in plan.merges if (edit := _put_in(merge, place, held)))
    is_fresh = bool(plan.folder) and not setup_files.holds(plan.folder, plan.files)
    how = state.registered(plan, place, held.known)
    if how == "foreign":
        raise _foreign(plan)
    commands = () if how == "whole" and not is_fresh else plan.commands
    runs = client_is_here(commands) and (may_ask or not plan.is_asked)
    asked = RAN if runs else PRINTED if commands else held.commands
    is_same = row is not None and dict(row.calls) == dict(plan.calls)
    does = bool(edits or is_fresh or commands)
    past = tuple(words for words in dict.fromkeys(held.known) if words not in plan.calls.values())
    after = held if is_same and not does else replace(
        _kept(held, plan, place, edits), at=now, calls=plan.calls, commands=asked, past=past
    )  # fmt: skip
    return Work(
        plan, "set up" if does else "unchanged", after if does or row is not None else None,
        edits, is_fresh, plan.undo if runs and how != "none" else (),
        commands if runs else (), () if runs else commands, ask=plan.asks,
    )  # fmt: skip


def taking_back(
    plan: Plan, place: SetupPlace, row: SetUpRow | None, shared: Collection[str] = ()
) -> Work:
    """Return the work of taking back what the plan has put in, as the record tells. `shared` are
    folders that other set-ups use."""
    if row is None:
        return Work(plan, "absent", None)
    edits, backups = _taken_out(plan, place, row)
    how = state.registered(plan, place, row.known)
    undo = plan.undo if row.commands and how in ("whole", "part") else ()
    runs = client_is_here(undo)
    drops = (plan.folder,) if plan.folder not in ("", *shared) else ()
    watched = tuple(
        (real, row.before[path])
        for path in plan.watched
        for real in (os.path.realpath(path),)
        if row.commands and path in row.before and setup_files.is_within(real, place.roots)
    )
    gone = {*plan.watched, *(edit.path for edit in edits), *_targets(plan, place)}
    rest = {part: words for part, words in row.calls.items() if part not in plan.calls}
    after = replace(
        row, calls=rest, commands="" if plan.undo else row.commands,
        before={path: raw for path, raw in row.before.items() if path not in gone},
        backups=tuple(path for path in row.backups if path.removesuffix(BACKUP) not in gone),
    )  # fmt: skip
    return Work(
        plan, "removed", after if rest else None, edits,
        undo=undo if runs else (), left=() if runs else undo,
        drops=tuple(path for path in drops if os.path.lexists(path)),
        backups=backups, watched=watched, folders=row.folders if not rest else (),
    )  # fmt: skip


def older_place(place: SetupPlace, row: SetUpRow | None) -> SetupPlace:
    """Return the place with the name that a set-up has: of an older version one for all."""
    return place if row is None or row.name == place.own_name else replace(place, name=row.name)


def _put_in(merge: MergedFile, place: SetupPlace, row: SetUpRow) -> Edit | None:
    path = setup_files.target(merge.path, place.roots)
    old = setup_files.content(path)
    new = setup_merge.put_in(_text(old), merge, row.known).encode("utf-8", "surrogateescape")
    is_first = old is not None and path not in row.before
    has_backup = is_first and not os.path.lexists(path + BACKUP)
    return Edit(path, old, new, has_backup) if new != old else None


def _kept(row: SetUpRow, plan: Plan, place: SetupPlace, edits: tuple[Edit, ...]) -> SetUpRow:
    """Return the record with what the files hold that are changed, unless it has that already."""
    before, folders = {**row.before}, list(row.folders)
    for path in (*_targets(plan, place), *plan.watched):
        if path not in before:
            before[path] = setup_files.content(path)
            folder = os.path.dirname(path)
            if not os.path.isdir(folder) and folder not in folders:
                folders.append(folder)
    copies = [edit.path + BACKUP for edit in edits if edit.has_backup]
    return replace(row, before=before, folders=tuple(folders),
                   backups=tuple(dict.fromkeys((*row.backups, *copies))))  # fmt: skip


def _targets(plan: Plan, place: SetupPlace) -> list[str]:
    return [setup_files.target(merge.path, place.roots) for merge in plan.merges]


def _taken_out(
    plan: Plan, place: SetupPlace, row: SetUpRow
) -> tuple[tuple[Edit, ...], tuple[str, ...]]:
    """Return how the files change that we have merged into, and which copies of ours go: those
    that still hold what they were made of."""
    edits, copies = [], []
    for merge, path in zip(plan.merges, _targets(plan, place), strict=True):
        now, before = setup_files.content(path), row.before.get(path)
        new = _without(merge, now, before, row)
        if new != now:
            edits.append(Edit(path, now, new))
        copy = path + BACKUP
        if copy in row.backups and before is not None and _bytes(copy) == before:
            copies.append(copy)
    return tuple(edits), tuple(copies)


def _without(
    merge: MergedFile, now: bytes | None, before: bytes | None, row: SetUpRow
) -> bytes | None:
    """Return the bytes of a file without our entries: the old ones where it says what it said."""
    if now is None or not _text(now).strip():
        return now
    old = None if before is None else _text(before)
    text = setup_merge.taken_out(_text(now), merge, row.known, old)
    if text == _text(now):
        return now
    if setup_merge.says(text, old, merge):
        return before
    return text.encode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes | None:
    try:
        return setup_files.content(path)
    except OSError:
        return None


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "surrogateescape")


def _foreign(plan: Plan) -> UsageError:
    if plan.client == "codex":
        return setup_merge.foreign_server(plan.watched[0], plan.client)
    kinds = {"claude-code": ("marketplace", "claude plugin marketplace remove"),
             "gemini": ("extension", "gemini extensions uninstall")}  # fmt: skip
    kind, command = kinds[plan.client]
    return UsageError(
        f"{plan.client} has a {kind} `{plan.name}` that setup did not write: nothing was changed",
        hint=f"take that out first: `{command} {plan.name}`",
    )


_PATIENCE = 120  # seconds that a client's own command may take


def client_is_here(commands: Sequence[Words]) -> bool:
    """Say whether the program of these commands is on this machine."""
    return bool(commands) and shutil.which(commands[0][0]) is not None


def run_commands(commands: Sequence[Words], folder: str, *, is_asked: bool) -> None:
    """Run commands in a folder; raise UnavailableError for the first that fails. Where `is_asked`
    a person answers what it asks."""
    for command in commands:
        said = run_command(command, folder, is_asked=is_asked)
        if said is not None:
            client = "claude-code" if command[0] == "claude" else command[0]
            raise UnavailableError(
                f"{' '.join(command[:4])} failed: {said}",
                hint=f"`tideline setup {client} --remove` takes back what was done",
            )


def run_command(command: Words, folder: str, *, is_asked: bool = False) -> str | None:
    """Run a command in a folder; return None, or what it says when it fails."""
    program = shutil.which(command[0]) or command[0]
    sys.stdout.flush()
    try:
        done = subprocess.run(  # noqa: S603  a list, no shell
            [program, *command[1:]], cwd=folder, timeout=None if is_asked else _PATIENCE,
            stdin=None if is_asked else subprocess.DEVNULL,
            capture_output=not is_asked, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not done.returncode:
        return None
    said = (done.stderr or done.stdout or b"").decode(errors="replace").strip()
    return said.splitlines()[0] if said else f"it ended with {done.returncode}"


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
    name = setup_files.name_of(plan.client, place.project)
    _check_unchanged(work.edits)
    if work.action == "set up":  # what was there is kept first, so that it can be given back
        setup_files.put_setup_row(place.data, name, work.row)
    failed = [one for one in work.undo if run_command(one, _folder(place)) is not None]
    try:
        _write(work.edits)
    except OSError:
        if work.action == "set up":
            setup_files.put_setup_row(place.data, name, row)
        raise
    files = [edit.path for edit in work.edits]
    files += _folders(work)
    run_commands(work.run, _folder(place), is_asked=plan.is_asked)
    for path, old in work.watched:
        if setup_files.give_back(path, old):
            files.append(path)
    for path in work.backups:
        setup_files.put(path, None)
    _drop_folders(work.folders)
    if work.row != row:
        setup_files.put_setup_row(place.data, name, work.row)
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
