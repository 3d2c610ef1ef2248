"""What of tideline starts every day already: when, for which memory, with a sync or without."""

from __future__ import annotations

import plistlib
import re
import shlex
from html import unescape

from tideline_cli.cli import crontab_text, scheduler, windows_tasks
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.cli.crontab_text import CronBlock

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
    if not scheduler.is_installed(kind):
        return None
    if kind == "cron":
        return _of_cron(crontab_text.block_of(scheduler.crontab()))
    if kind == "schtasks":
        return _of_task(windows_tasks.installed_text())
    return _of_launchd() if kind == "launchd" else _of_systemd()


def _of_cron(block: CronBlock) -> Installed:
    times, words = crontab_text.times_and_words(block.line)
    is_daily = times[2:] == ["*"] * 3
    return Installed(_at(times[1], times[0]) if is_daily else None, tuple(words), block)


def _of_systemd() -> Installed:
    service, timer = map(_text, scheduler.paths("systemd"))
    found, starts = _EVERY_DAY.search(timer), _STARTS.search(service)
    words = _words(starts[1]) if starts else []
    plain = (word.replace("%%", "%").replace("$$", "$") for word in words)
    return Installed(_at(*found.groups()) if found else None, tuple(plain))


def _of_launchd() -> Installed:
    (path,) = scheduler.paths("launchd")
    try:
        form = plistlib.loads(_text(path).encode())
        words = tuple(map(str, form["ProgramArguments"]))
        when = form["StartCalendarInterval"]
        return Installed(_at(str(when["Hour"]), str(when["Minute"])), words)
    except (plistlib.InvalidFileException, ValueError, LookupError, TypeError):
        return Installed(None, ())


def _of_task(text: str) -> Installed:
    found, told = _BOUNDARY.search(text), _TASK.search(text)
    words = re.findall(r'"([^"]*)"', unescape(told[1]).partition("/c ")[2][1:]) if told else []
    return Installed(_at(*found.groups()) if found else None, tuple(words))


def _at(hour: str, minute: str) -> tuple[int, int] | None:
    if not (hour.isdigit() and minute.isdigit()):
        return None
    at = int(hour), int(minute)
    return at if at < (24, 0) and at[1] < 60 else None


def _words(line: str) -> Sequence[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _text(path: str) -> str:
    """Return a file of an entry, empty where it is not there."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return ""
