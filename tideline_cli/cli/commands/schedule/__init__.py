"""tideline schedule."""

from __future__ import annotations

import os
import shutil
import sys

from tideline_cli.cli import output, own_program
from tideline_cli.cli.commands.schedule import entries, scheduler
from tideline_cli.cli.commands.schedule.scheduler import KINDS
from tideline_cli.cli.options import Argument, OptionSet, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.cli.commands.schedule.scheduler import Installed
    Time = tuple[int, int]

HELP = """Let the memory tend itself every night.

Prints what makes `tideline dream --pending` run once a day: a crontab line, systemd user units, a
launchd agent or a task of Windows, with the path of this program and of this memory file, so that
it needs nothing of your environment. It first distils the conversations that hooks have noted.
Where origins have databases of their own, the entry names none and tends all (see config).
--install puts it in place of the one before, --remove takes it out. Without a kind it is launchd on
macOS, a task on Windows, elsewhere cron if there is a crontab program, else systemd.

An entry that is in place keeps its time unless --at names another, and its sync until --remove.
Lines of your own between the two marks in the crontab are put outside of them.

A night without news says nothing. What went wrong cron mails, systemd keeps in its journal, launchd
writes into ~/Library/Logs/tideline/dream.log, and a task adds to the file DATABASE-dream.log."""
EXAMPLES = (
    ("--cron", ""), ("", "--cron --install --at 02:15"), ("", "--systemd --install"),
    ("", "--remove"),
)  # fmt: skip
ARGUMENTS: tuple[Argument, ...] = ()
_USUAL = (3, 30)
_NEEDS = {
    "cron": "cron must be running",
    "systemd": "it runs while you are logged in; `loginctl enable-linger` lifts that",
    "launchd": "it runs while you are logged in, and what it says is in ~/Library/Logs/tideline",
    "schtasks": "it runs while you are logged in, or as soon as you are",
}


OF_OWNER = "a dream tends all origins, so the owner schedules it"
_REMOVES = {
    "cron": scheduler.remove_cron,
    "systemd": scheduler.remove_systemd,
    "launchd": scheduler.remove_launchd,
    "schtasks": scheduler.remove_task,
}


class Options(OptionSet):
    """The options of a call."""

    cron = flag("A line of your crontab.")
    systemd = flag("A service and a timer of systemd, for your user.")
    launchd = flag("An agent of launchd.")
    schtasks = flag("A task of Windows.")
    at = text("When, in local time [default: as it is installed, else 03:30].", metavar="HH:MM")
    sync = flag("Sync with the places of before, too: see `tideline sync`.")
    install = flag("Put it in place.")
    remove = flag("Take it out.", excludes=("install", "at", "sync"))


def run(session: Session, _: list[str], options: Options) -> int:
    """Print, install or remove the entry."""
    session.needs_owner(OF_OWNER)
    flags = (options.cron, options.systemd, options.launchd, options.schtasks)
    named = [kind for kind, wanted in zip(KINDS, flags, strict=True) if wanted]
    if len(named) > 1:
        raise UsageError("name one of --cron, --systemd, --launchd and --schtasks")
    given = None if options.at is None else entries.moment(options.at)
    if options.remove:
        _remove(session, named[0] if named else _installed_kind())
        return 0
    kind = named[0] if named else _usual_kind()
    entries.check_command([*own_program.own_words(), session.database])
    held = _held(kind, must_tell=options.install)
    at = given or (held.at if held is not None else None) or _USUAL
    has_sync = options.sync or (held is not None and held.has_sync)
    command = _command(session, has_sync=has_sync)
    scheduler.tell_what_is_missing(session)
    form = _entry(kind, command, at, session.database)
    if options.install:
        _install(kind, form)
        _report_installed(session, kind, at, given=given, held=held)
        _tell_of_others(session, kind)
        own_program.caution_of_throw_away(session, "every night tends")
    elif not session.json:
        output.emit_exact([_shown(form)])  # these lines are copied into files
        _report_not_installed(session, kind, held, command, at)
    if session.json:
        is_there = options.install or held is not None
        output.emit_json({"kind": kind, **form, "at": _clock(at), "installed": is_there,
                          "removed": False})  # fmt: skip
    return 0


def put_in_place(session: Session) -> None:
    """Install the usual entry at the usual time."""
    kind = _usual_kind()
    command = _command(session, has_sync=False)
    _install(kind, _entry(kind, command, _USUAL, session.database))
    if not session.json:
        _report_installed(session, kind, _USUAL, given=_USUAL, held=None)


def take_out(session: Session, kind: str = "") -> bool:
    """Take out the entry of a kind, or the one that is installed; say whether there was one."""
    kind = kind or _installed_kind()
    if not scheduler.is_installed(kind):
        return False
    held = _held(kind, must_tell=False)
    _REMOVES[kind]()
    session.note(f"{kind} starts no more dreams")
    _tell_of_kept_lines(session, held, stay="stand where the block was")
    return True


def told_entry() -> str | None:
    """Return which entry is in place, such as "cron at 03:30"; None for none."""
    held = {kind: _held(kind, must_tell=False) for kind in KINDS if _has_entry(kind)}
    for kind, one in held.items():
        return f"{kind} at {_clock(one.at)}" if one is not None and one.at else kind
    return None


def _command(session: Session, *, has_sync: bool) -> list[str]:
    return [*own_program.own_words(), "dream", "--pending", *(["--sync"] if has_sync else ()),
            "--quiet", *scheduler.entry_words(session)]  # fmt: skip


def _held(kind: str, *, must_tell: bool) -> scheduler.Installed | None:
    """Return the entry that is in place. Where that cannot be told, none, unless it must be."""
    try:
        return scheduler.entry_of(kind)
    except (TidelineError, OSError):
        if must_tell and kind == "cron":
            raise
        return None


def _entry(kind: str, command: list[str], at: Time, database: str) -> dict[str, Any]:
    if kind == "cron":
        return {"entry": entries.cron_line(command, at)}
    if kind == "schtasks":
        log = scheduler.task_log(database)
        return {"entry": scheduler.task_text(command, at, log).rstrip("\n")}
    if kind == "systemd":
        texts = list(entries.systemd_units(command, at).values())
    else:
        texts = [entries.launchd_list(command, at, scheduler.launchd_log())]
    pairs = zip(scheduler.paths(kind), texts, strict=True)
    return {"files": [{"path": path, "content": content} for path, content in pairs]}


def _shown(form: dict[str, Any]) -> str:
    if "entry" in form:
        return f"{form['entry']}\n"
    files = form["files"]
    if len(files) == 1:
        return str(files[0]["content"])
    return "\n".join(f"# {file['path']}\n{file['content']}" for file in files)


def _install(kind: str, form: dict[str, Any]) -> None:
    match kind:
        case "cron":
            scheduler.install_cron(form["entry"])
        case "schtasks":
            scheduler.install_task(form["entry"])
        case "systemd":
            files = form["files"]
            scheduler.install_systemd({os.path.basename(f["path"]): f["content"] for f in files})
        case _:
            scheduler.install_launchd(form["files"][0]["content"])


def _remove(session: Session, kind: str) -> None:
    there = take_out(session, kind)
    if not there:
        session.note(f"{kind} had no entry of tideline")
    _tell_of_others(session, kind)
    if session.json:
        output.emit_json({"kind": kind, "installed": False, "removed": there})


def _tell_of_others(session: Session, kind: str) -> None:
    for other in KINDS:
        if other != kind and _has_entry(other):
            session.note(f"{other} has an entry too: `tideline schedule --{other} --remove`")


def _installed_kind() -> str:
    return next((kind for kind in KINDS if _has_entry(kind)), _usual_kind())


def _has_entry(kind: str) -> bool:
    """Say whether there is an entry, as far as can be told."""
    try:
        return scheduler.is_installed(kind)
    except TidelineError:
        return False


def _usual_kind() -> str:
    own = {"darwin": "launchd", "win32": "schtasks"}.get(sys.platform)
    if own is not None:
        return own
    has_systemd = shutil.which("systemctl") is not None
    return "systemd" if has_systemd and shutil.which("crontab") is None else "cron"


_LONGEST = 300  # characters of a line that is told whole


def _report_installed(
    session: Session, kind: str, at: Time, *, given: Time | None, held: Installed | None
) -> None:
    """Say when it will start, and what has become of the entry of before."""
    is_kept = given is None and held is not None and held.at is not None
    when = f"{_clock(at)}{' as before' * is_kept}"
    session.note(f"{kind} will start a dream every day at {when}; {_NEEDS[kind]}")
    if not session.has_memory:
        session.note(f"there is no memory at {session.database} yet: `tideline remember` makes it")
    if held is None:
        return
    if held.at is None and given is None:
        session.caution(
            "schedule", f"the entry of before had no daily time of its own; now it is {_clock(at)}",
            hint="tideline schedule --install --at HH:MM",
        )  # fmt: skip
    if held.has_sync:
        session.note("it syncs too, as before; `tideline schedule --remove` first takes that out")
    if held.database and held.database != session.database:
        session.caution(
            "schedule", f"the entry of before tended {held.database}, which no night tends now",
            hint=f"tideline schedule --install --db {held.database}",
        )  # fmt: skip
    _tell_of_kept_lines(session, held, stay="stand outside of the marks now")


def _tell_of_kept_lines(session: Session, held: Installed | None, *, stay: str) -> None:
    """Name the lines between the marks that are not of this program, and a line of ours that was
    changed by hand."""
    block = held.block if held is not None else None
    if block is None:
        return
    if block.foreign:
        lines = ", ".join(repr(output.clipped(_text(line))) for line in block.foreign)
        session.caution("schedule", f"lines of yours {stay}: {lines}", hint="crontab -e shows them")
    if block.is_changed:
        session.caution(
            "schedule", f"a line that was changed by hand is gone: {_text(block.line)[:_LONGEST]}",
            hint="put it outside of the marks: there it stays",
        )  # fmt: skip


def _report_not_installed(
    session: Session, kind: str, held: Installed | None, command: Sequence[str], at: Time
) -> None:
    """Say whether what was printed is in place."""
    if held is None:
        session.note(f"{_NEEDS[kind]}; --install puts this in place")
    elif held.at == at and held.words[-len(command) :] == tuple(command):
        session.note(f"{kind} has this entry: it starts a dream every day at {_clock(at)}")
    else:
        when = _clock(held.at) if held.at else "another time"
        session.note(f"{kind} has another entry, for {when}; --install puts this in its place")


def _clock(at: Time) -> str:
    return f"{at[0]:02d}:{at[1]:02d}"


def _text(line: bytes) -> str:
    return line.decode(errors="replace").strip()
