"""The clients that setup knows: how their doors are, trusted, leading to this program, used when;
and what is changed for one, worked out and then done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from tomllib import loads
from typing import Any

from tideline_cli.errors import BusyError, UnavailableError, UsageError
from tideline_cli.model.instant import iso
from tideline_cli.model.record import record, replace
from tideline_cli.serve import hook_state, setup_files, setup_merge
from tideline_cli.serve.setup_files import BACKUP, PRINTED, RAN, SetUpRow
from tideline_cli.serve.setup_plan import PROGRAMS
from tideline_cli.store.private_files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Literal

    from tideline_cli.serve.setup_plan import MergedFile, Plan, SetupPlace
    Commands = tuple[tuple[str, ...], ...]
    Words = tuple[str, ...]
    Registered = Literal["whole", "part", "none", "foreign"]


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


def setting_up(
    plan: Plan, place: SetupPlace, row: SetUpRow | None, *, now: str, may_ask: bool
) -> Work:
    """Return the work of a set-up. Raise UsageError where a file cannot be changed, or where
    somebody else has what we would make."""
    held = row or SetUpRow(project=place.project)
    edits = tuple(edit for merge in plan.merges if (edit := _put_in(merge, place, held)))
    is_fresh = bool(plan.folder) and not setup_files.holds(plan.folder, plan.files)
    how = registered(plan, place, held.known)
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


def taking_back(plan: Plan, place: SetupPlace, row: SetUpRow | None) -> Work:
    """Return the work of taking back what the plan has put in, as the record tells."""
    if row is None:
        return Work(plan, "absent", None)
    edits, backups = _taken_out(plan, place, row)
    how = registered(plan, place, row.known)
    undo = plan.undo if row.commands and how in ("whole", "part") else ()
    runs = client_is_here(undo)
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
        drops=(plan.folder,) if plan.folder and os.path.lexists(plan.folder) else (),
        backups=backups, watched=watched, folders=row.folders if not rest else (),
    )  # fmt: skip


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
    setup_files.drop_folders(work.folders)
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


@record
class DoorState:
    """A client: whether it is on this machine, which of our doors it has, whether the person has
    approved them (None where nobody has to), whether they lead to a program, and the last call."""

    client: str
    found: bool
    hooks: bool
    mcp: bool
    trusted: bool | None
    is_valid: bool
    last_call: str | None

    @property
    def is_set_up(self) -> bool:
        return self.hooks or self.mcp


def state_of(plan: Plan, place: SetupPlace, state: str, row: SetUpRow | None) -> DoorState:
    """Return how a client is; `plan` has both parts."""
    hooks, mcp = _doors(plan, place)
    words = (row.program if row is not None else "") or next(iter(plan.calls.values()))[0]
    return DoorState(
        plan.client,
        _is_on_this_machine(plan, place),
        hooks,
        mcp,
        _approved(plan, place) if plan.client == "codex" and hooks else None,
        not (hooks or mcp) or shutil.which(words) is not None,
        _last_call(state, plan.client),
    )


def unknown(plan: Plan, place: SetupPlace) -> DoorState:
    """Return how a client is whose settings cannot be read."""
    is_here = _is_on_this_machine(plan, place)
    return DoorState(plan.client, is_here, False, False, None, True, None)


def _is_on_this_machine(plan: Plan, place: SetupPlace) -> bool:
    program = shutil.which(PROGRAMS[plan.client])
    return program is not None or os.path.isdir(place.of(plan.client))


def _doors(plan: Plan, place: SetupPlace) -> tuple[bool, bool]:
    """Return whether the hooks are there, all of them, and the server."""
    if plan.client == "claude-code":
        is_on = plugin_is_on(plan)
        return (is_on and _has(plan, "tideline/hooks/hooks.json"),
                is_on and _has(plan, "tideline/.mcp.json"))  # fmt: skip
    if plan.client == "gemini":
        is_on = registered(plan, place) == "whole"
        manifest = settings(os.path.join(plan.folder, "gemini-extension.json"))
        return is_on and _has(plan, "hooks/hooks.json"), is_on and "mcpServers" in manifest
    hooks = mcp = False
    for merge in plan.merges:
        if merge.entries:
            hooks = len(_places(merge)) == len(merge.entries)
        else:
            mcp = setup_merge.has_own_server(settings(merge.path), merge.servers)
    if plan.client == "codex" and plan.commands:
        mcp = setup_merge.has_own_server(codex_settings(place), "mcp_servers")
    return hooks, mcp


def _places(merge: MergedFile) -> dict[str, int]:
    return setup_merge.own_places(_text(setup_files.content(merge.path)), merge)


def _approved(plan: Plan, place: SetupPlace) -> bool:
    """Say whether the person has approved each of our hooks: Codex keeps that by file, event and
    place."""
    known = codex_settings(place).get("hooks")
    states = known.get("state") if isinstance(known, dict) else None
    if not isinstance(states, dict):
        return False
    trusted = {_key(name) for name, one in states.items()
               if isinstance(one, dict) and one.get("trusted_hash")}  # fmt: skip
    merge = plan.merges[0]
    return all(
        (os.path.realpath(merge.path), event.lower(), str(at)) in trusted
        for event, at in _places(merge).items()
    )


def _key(name: str) -> tuple[str, str, str]:
    path, event, group, _ = (["", "", "", *name.rsplit(":", 3)])[-4:]
    return os.path.realpath(path), event.replace("_", "").lower(), group


def _has(plan: Plan, name: str) -> bool:
    return os.path.isfile(os.path.join(plan.folder, name))


def _last_call(state: str, client: str) -> str | None:
    """Return when a conversation of a client last asked, None where none has."""
    folder = hook_state.folder_of(state)
    if not os.path.isdir(folder):
        return None
    with os.scandir(folder) as entries:
        times = [entry.stat().st_mtime for entry in entries
                 if entry.name.startswith(f"{client}-")]  # fmt: skip
    return iso(int(max(times) * 1000)) if times else None


def registered(
    plan: Plan, place: SetupPlace, known: Collection[tuple[str, ...]] = ()
) -> Registered:
    """Return how a client knows what the plan's commands register: wholly, partly or with older
    words (`known`), not at all, or by our name for something of somebody else."""
    if plan.client == "claude-code":
        return _plugin(plan, place)
    if plan.client == "gemini":
        return _extension(plan, place)
    return _server(plan, place, known) if plan.commands else "none"


def plugin_is_on(plan: Plan) -> bool:
    """Say whether Claude Code has our plugin switched on."""
    enabled = settings(plan.watched[0]).get("enabledPlugins")
    return isinstance(enabled, dict) and enabled.get(f"tideline@{plan.name}") is True


def codex_settings(place: SetupPlace) -> dict[str, Any]:
    """Return the settings of Codex."""
    user = replace(place, project="").of("codex")
    return toml(setup_files.content(os.path.join(user, "config.toml")))


def settings(path: str) -> dict[str, Any]:
    """Return the settings in a JSON file, with comments or without; none for what is no such."""
    form = setup_merge.form_of(_text(setup_files.content(path)))
    return form if isinstance(form, dict) else {}


def toml(raw: bytes | None) -> dict[str, Any]:
    """Return the settings in the bytes of a TOML file; none for what is no such."""
    try:
        return loads((raw or b"").decode("utf-8", "replace"))
    except ValueError:
        return {}


def _plugin(plan: Plan, place: SetupPlace) -> Registered:
    user = replace(place, project="").of("claude-code")
    known = settings(os.path.join(user, "plugins", "known_marketplaces.json"))
    found = [_source(markets.get(plan.name)) for markets in (known, _markets(plan.watched[0]))
             if plan.name in markets]  # fmt: skip
    if any(not _is_same(path, plan.folder) for path in found):
        return "foreign"
    if plugin_is_on(plan):
        return "whole"
    return "part" if found else "none"


def _markets(path: str) -> dict[str, Any]:
    found = settings(path).get("extraKnownMarketplaces")
    return found if isinstance(found, dict) else {}


def _source(market: Any) -> str:
    source = market.get("source") if isinstance(market, dict) else None
    path = source.get("path") if isinstance(source, dict) else None
    return path if isinstance(path, str) else ""


def _extension(plan: Plan, place: SetupPlace) -> Registered:
    folder = os.path.join(place.of("gemini"), "extensions", plan.name)
    if not os.path.lexists(folder):
        return "none"
    source = settings(os.path.join(folder, ".gemini-extension-install.json")).get("source")
    return "whole" if _is_same(str(source or ""), plan.folder) else "foreign"


def _server(plan: Plan, place: SetupPlace, known: Collection[tuple[str, ...]]) -> Registered:
    servers = codex_settings(place).get("mcp_servers")
    if not isinstance(servers, dict) or plan.name not in servers:
        return "none"
    words = setup_merge.called_words(servers[plan.name])
    if words == plan.calls["mcp"]:
        return "whole"
    return "part" if words in known else "foreign"


def _is_same(path: str, folder: str) -> bool:
    return bool(path) and os.path.realpath(path) == os.path.realpath(folder)
