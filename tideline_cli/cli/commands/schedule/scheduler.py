"""What starts a command every day, by crontab, systemd, launchd or the tasks of Windows: put in
place, taken out and read, with the databases that an entry tends."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
from html import unescape
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from tideline_cli import config
from tideline_cli.cli.commands.schedule import entries
from tideline_cli.config import own_address
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import CannotWriteError, TidelineError, UnavailableError, UsageError
from tideline_cli.model.record import record
from tideline_cli.store.private_files import hand_over, make_folder
from tideline_cli.system import NOFOLLOW, durable, set_mode, user_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tideline_cli.cli.commands.schedule.entries import CronBlock
    from tideline_cli.cli.session import Session

_PATIENCE = 60  # seconds
_NO_CRONTAB = (b"no crontab", b"no such file")  # the second is BusyBox
_TIMER = f"{entries.UNIT}.timer"


def is_installed(kind: str) -> bool:
    """Say whether there is an entry of tideline."""
    if kind == "schtasks":
        return task_is_installed()
    if kind == "cron":
        return shutil.which("crontab") is not None and entries.has_block(crontab())
    return any(os.path.lexists(path) for path in paths(kind))


def paths(kind: str) -> tuple[str, ...]:
    """Return the files of a systemd or launchd entry."""
    home = os.path.expanduser("~")
    if kind == "launchd":
        return (os.path.join(home, "Library", "LaunchAgents", f"{entries.LABEL}.plist"),)
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".config")
    folder = os.path.join(base, "systemd", "user")
    unit = entries.UNIT
    return tuple(os.path.join(folder, f"{unit}.{end}") for end in ("service", "timer"))


def launchd_log() -> str:
    """Return the file that keeps what the nights of a launchd agent say."""
    return os.path.join(os.path.expanduser("~"), "Library", "Logs", "tideline", "dream.log")


def install_cron(line: str) -> None:
    """Put a line into the user's crontab, in place of the one before."""
    _need("crontab")
    old = crontab()
    new = entries.with_block(old, line)
    if new != old:
        _call("crontab", "-", given=new, refused="the crontab is as it was")


def remove_cron() -> None:
    """Take the line of tideline out of the user's crontab."""
    new = entries.without_block(crontab())
    if new:
        _call("crontab", "-", given=new, refused="the crontab is as it was")
    else:
        _call("crontab", "-r")


def install_systemd(units: Mapping[str, str]) -> None:
    """Write the user units and start the timer."""
    _need("systemctl")
    folder = _write(units)
    start = f"systemctl --user enable --now {_TIMER}"
    refused = f"the units are in {folder}; start the timer with `{start}`"
    _call("systemctl", "--user", "daemon-reload", refused=refused)
    _call("systemctl", "--user", "enable", "--now", _TIMER, refused=refused)


def remove_systemd() -> None:
    """Stop the timer and take the units away."""
    refused = f"the units are gone; a running timer ends with `systemctl --user stop {_TIMER}`"
    try:
        _call("systemctl", "--user", "disable", "--now", _TIMER, refused=refused)
    finally:
        wanted = os.path.join(os.path.dirname(paths("systemd")[0]), "timers.target.wants", _TIMER)
        _delete(*paths("systemd"), wanted)
    _call("systemctl", "--user", "daemon-reload", refused=refused)


def install_launchd(text: str) -> None:
    """Write the agent and load it, in place of the one before."""
    _need("launchctl")
    (path,) = paths("launchd")
    _write({os.path.basename(path): text}, os.path.dirname(path))
    _make_log(launchd_log())
    _run("launchctl", "bootout", f"{_domain()}/{entries.LABEL}")
    refused = f"the agent is in {path}; it is loaded at the next login"
    _call("launchctl", "bootstrap", _domain(), path, refused=refused)


def remove_launchd() -> None:
    """Unload the agent and take it away."""
    try:
        _run("launchctl", "bootout", f"{_domain()}/{entries.LABEL}")
    finally:
        _delete(*paths("launchd"))


def _make_log(path: str) -> None:
    """Make the log for its owner alone: launchd would make it readable for others."""
    folder = os.path.dirname(path)
    make_folder(folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NOFOLLOW, 0o600)
    try:
        set_mode(handle, 0o600)
        hand_over(handle, path, like=folder)
    finally:
        os.close(handle)


def _domain() -> str:
    return f"gui/{user_number()}"


def crontab() -> bytes:
    """Return the user's crontab, empty when there is none. A failure is an error, never empty."""
    done = _run("crontab", "-l")
    if done.returncode == 0:
        return done.stdout
    if not done.stdout and any(text in done.stderr.lower() for text in _NO_CRONTAB):
        return b""
    raise _failure("crontab -l", done, "")


def _need(program: str) -> None:
    if shutil.which(program) is None:
        others = {"crontab": "--systemd", "systemctl": "--cron"}
        hint = f"install it, or use {others[program]}" if program in others else "macOS has it"
        raise UnavailableError(f"no such program: {program}", hint=hint)


def _call(*argv: str, given: bytes | None = None, refused: str = "") -> None:
    done = _run(*argv, given=given)
    if done.returncode != 0:
        raise _failure(" ".join(argv), done, refused)


def _run(*argv: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    _need(argv[0])
    try:
        return subprocess.run(  # noqa: S603  a list, no shell
            argv,
            input=b"" if given is None else given,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{' '.join(argv)} did not end within {_PATIENCE} s") from error
    except OSError as error:
        raise UnavailableError(f"cannot run {argv[0]}: {error.strerror}") from error


def _failure(
    what: str, done: subprocess.CompletedProcess[bytes], hint: str
) -> UnavailableError | CannotWriteError:
    said = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace").split("\n")[0]
    kind = CannotWriteError if what.startswith("crontab") else UnavailableError
    return kind(f"{what} failed: {said or f'exit code {done.returncode}'}", hint=hint)


def _write(files: Mapping[str, str], folder: str = "") -> str:
    """Write files into a folder, each replaced as a whole, and return the folder."""
    folder = folder or os.path.dirname(paths("systemd")[0])
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        _put(os.path.join(folder, name), text)
    return folder


def _put(path: str, text: str) -> None:
    """Replace a file as a whole, by a new one that only this process writes."""
    folder, name = os.path.split(path)
    fresh = os.path.join(folder, f".{name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW, 0o644)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            set_mode(handle, 0o644)
            hand_over(handle, fresh, like=folder)
            file.write(text)
        durable.put_over(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise


def _delete(*paths: str) -> None:
    for path in paths:
        if os.path.lexists(path):
            os.unlink(path)


TASK_NAME = "tideline-dream"
_LONGEST_COMMAND = 8000  # characters of a command line of cmd
_BEGINS = "2026-01-01"  # any day that is over
_TASK_FORM = """<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>tideline: tend the memory</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>{begins}T{hour:02d}:{minute:02d}:00</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Priority>8</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>%SystemRoot%\\System32\\cmd.exe</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def task_log(database: str) -> str:
    """Return the file that keeps what the nights say, beside the memory file."""
    return f"{database}-dream.log"


def task_text(command: Sequence[str], at: tuple[int, int], log: str) -> str:
    """Return the text of the task; raise UsageError for words that cmd would change."""
    words = [os.path.normpath(command[0]), *command[1:]]
    for word in (*words, log):
        if any(char in word for char in '"%'):
            raise UsageError(
                f"cmd would change {word!r}, so it cannot be scheduled",
                hint='use paths without % and "',
            )
    inner = " ".join(f'"{word}"' for word in words) + f' >> "{log}" 2>&1'
    if len(inner) > _LONGEST_COMMAND:
        raise UsageError("the paths are too long for cmd", hint="use shorter ones")
    hour, minute = at
    arguments = escape(f'/d /v:off /c "{inner}"')
    return _TASK_FORM.format(begins=_BEGINS, hour=hour, minute=minute, arguments=arguments)


def task_is_installed() -> bool:
    """Say whether there is the task; False where there are no tasks of Windows."""
    return os.name == "nt" and _run_schtasks("/Query", "/TN", TASK_NAME).returncode == 0


def installed_task() -> str:
    """Return the text of the task that is there, empty where it cannot be had."""
    done = _run_schtasks("/Query", "/TN", TASK_NAME, "/XML")
    raw = done.stdout.replace(b"\0", b"") if done.returncode == 0 else b""
    return raw.decode(errors="replace")


def install_task(text: str) -> None:
    """Put the task in place of the one before."""
    with TemporaryDirectory(prefix="tideline-") as folder:
        path = os.path.join(folder, "task.xml")
        with open(path, "x", encoding="utf-16", newline="\r\n") as file:
            file.write(text)
        _call_schtasks("/Create", "/TN", TASK_NAME, "/XML", path, "/F")


def remove_task() -> None:
    """Take the task away."""
    _call_schtasks("/Delete", "/TN", TASK_NAME, "/F")


def _call_schtasks(*words: str) -> None:
    done = _run_schtasks(*words)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace")
        why = said.split("\n")[0].strip() or f"exit code {done.returncode}"
        raise UnavailableError(f"schtasks {words[0]} failed: {why}")


def _run_schtasks(*words: str) -> subprocess.CompletedProcess[bytes]:
    if os.name != "nt":
        raise UnavailableError("there is no schtasks", hint="Windows has it: use --cron here")
    program = os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", "schtasks.exe")
    try:
        return subprocess.run(  # noqa: S603  a list, no shell
            [program, *words], stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"schtasks cannot be run: {error}") from error


_EVERY_DAY = re.compile(r"^OnCalendar=\*-\*-\* (\d\d):(\d\d):00$", re.MULTILINE)
_STARTS = re.compile(r"^ExecStart=(.*)$", re.MULTILINE)
_BOUNDARY = re.compile(r"<StartBoundary>[^<T]*T(\d\d):(\d\d):\d\d")
_TASK = re.compile(r"<Arguments>([^<]*)</Arguments>")


@record
class Installed:
    """An entry that is in place: its hour and minute (None where it names no daily time), its
    words, and for cron what stands between the marks."""

    at: tuple[int, int] | None
    words: tuple[str, ...]
    block: CronBlock | None = None

    @property
    def has_sync(self) -> bool:
        """Say whether it syncs."""
        return "--sync" in self.words

    @property
    def database(self) -> str:
        """Return the memory file that it names, empty for none."""
        if "--db" not in self.words[:-1]:
            return ""
        return self.words[self.words.index("--db") + 1]


def entry_of(kind: str) -> Installed | None:
    """Return the entry of a kind, None where there is none. Raises TidelineError or OSError where
    that cannot be told."""
    if not is_installed(kind):
        return None
    if kind == "cron":
        return _of_cron(entries.block_of(crontab()))
    if kind == "schtasks":
        return _of_task(installed_task())
    return _of_launchd() if kind == "launchd" else _of_systemd()


def _of_cron(block: CronBlock) -> Installed:
    times, words = entries.times_and_words(block.line)
    is_daily = times[2:] == ["*"] * 3
    return Installed(_time_of(times[1], times[0]) if is_daily else None, tuple(words), block)


def _of_systemd() -> Installed:
    service, timer = map(_file_text, paths("systemd"))
    found, starts = _EVERY_DAY.search(timer), _STARTS.search(service)
    words = _words_of(starts[1]) if starts else []
    plain = (word.replace("%%", "%").replace("$$", "$") for word in words)
    return Installed(_time_of(*found.groups()) if found else None, tuple(plain))


def _of_launchd() -> Installed:
    (path,) = paths("launchd")
    try:
        form = plistlib.loads(_file_text(path).encode())
        words = tuple(map(str, form["ProgramArguments"]))
        when = form["StartCalendarInterval"]
        return Installed(_time_of(str(when["Hour"]), str(when["Minute"])), words)
    except (plistlib.InvalidFileException, ValueError, LookupError, TypeError):
        return Installed(None, ())


def _of_task(text: str) -> Installed:
    found, told = _BOUNDARY.search(text), _TASK.search(text)
    words = re.findall(r'"([^"]*)"', unescape(told[1]).partition("/c ")[2][1:]) if told else []
    return Installed(_time_of(*found.groups()) if found else None, tuple(words))


def _time_of(hour: str, minute: str) -> tuple[int, int] | None:
    if not (hour.isdigit() and minute.isdigit()):
        return None
    at = int(hour), int(minute)
    return at if at < (24, 0) and at[1] < 60 else None


def _words_of(line: str) -> Sequence[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _file_text(path: str) -> str:
    """Return a file of an entry, empty where it is not there."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return ""


KINDS = ("cron", "systemd", "launchd", "schtasks")
_OF_SHELLS = ("TIDELINE_", "XDG_")
_OF_LIBRARY = (
    "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE",
    "PGSERVICE", "PGSERVICEFILE", "PGSSLMODE", "PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT",
)  # fmt: skip
"""Variables by which the client library of a server finds it, and logs in."""


def entry_words(session: Session) -> tuple[str, ...]:
    """Return the words of an entry that name its database: none where it tends all that the
    settings name. Warn where it can tend one alone."""
    one = ("--db", session.database)
    if session.options.db or not session.config.get(TABLE):
        return one
    if not own_address.table_in_use(session.config):
        return one
    if _is_found_by_others(session):
        return ()
    session.caution(
        "schedule",
        f"this tends {session.database} alone: a night does not find the settings, which name "
        f"other databases in {TABLE}",
        hint="they are found where neither TIDELINE_HOME nor XDG_CONFIG_HOME leads to them; or "
        "schedule `tideline dream --quiet` yourself, with these variables",
    )
    return one


def tell_what_is_missing(session: Session) -> None:
    """Say what the entry of a memory on a server does not have, and a night has to find."""
    if not session.is_on_server:
        return
    if session.stated_database != session.database:
        session.caution(
            "schedule", "the entry is without the password of the address",
            hint="a night finds it in ~/.pgpass: HOST:PORT:DATABASE:USER:PASSWORD",
        )  # fmt: skip
    here = [name for name in _OF_LIBRARY if name in os.environ]
    if here:
        session.caution(
            "schedule", f"the entry is without {', '.join(here)}, which name the server or how to "
            "log in here",
            hint="say it in the address, and a password in ~/.pgpass",
        )  # fmt: skip


def tell_of_entries(session: Session) -> None:
    """Say where an entry that is in place names one database, and so leaves the others alone."""
    for kind in KINDS:
        try:
            held = entry_of(kind)
        except (TidelineError, OSError):
            continue
        if held is not None and held.database:
            session.caution(
                "schedule", f"{kind} starts dreams for {held.database} alone, which leave the "
                f"databases of {TABLE} alone",
                hint=f"`tideline schedule --{kind} --install` makes them tend all",
            )  # fmt: skip


def _is_found_by_others(session: Session) -> bool:
    """Say whether a program without the variables of this shell has the same settings."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(_OF_SHELLS)}
    return config.config_file(plain) == config.config_file(os.environ) and _default_database(
        plain
    ) == session.config.get("database")


def _default_database(environ: Mapping[str, str]) -> str:
    found: str = config.load(environ, None).get("database")
    return found
