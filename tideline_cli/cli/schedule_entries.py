"""What makes a command run every day: a crontab line, systemd units, a launchd list. Pure texts."""

from __future__ import annotations

from shlex import quote

from tideline_cli.cli.crontab_text import BACKSLASH
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT = "tideline-dream"
LABEL = "tideline.dream"
_ABOUT = "tideline: tend the memory"
# systemd looks for variables in the arguments, not in the program, where $$ stays as it is.
_BY_SHELL = ("/bin/sh", "-c", 'exec "$0" "$@"')


def check_command(words: Sequence[str]) -> None:
    """Raise UsageError when a word cannot stand in a line of text."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(f"not UTF-8, so it cannot be scheduled: {word!r}") from None
        if any(char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029" for char in word):
            raise UsageError(f"a control character, so it cannot be scheduled: {word!r}")


def moment(text: str) -> tuple[int, int]:
    """Return the hour and the minute of HH:MM; raise UsageError for anything else."""
    hour, colon, minute = text.strip().partition(":")
    is_time = all(part.isascii() and part.isdigit() for part in (hour, minute))
    if colon and is_time and len(hour) <= 2 and len(minute) == 2:
        at = int(hour), int(minute)
        if at < (24, 0) and at[1] < 60:
            return at
    raise UsageError(f"--at: {text[:40]!r} is not a time of day", hint="use HH:MM, such as 03:30")


def cron_line(command: Sequence[str], at: tuple[int, int]) -> str:
    """Return a crontab line, which a shell understands as well."""
    hour, minute = at
    return f"{minute} {hour} * * * {' '.join(map(_for_cron, command))}"


def systemd_units(command: Sequence[str], at: tuple[int, int]) -> dict[str, str]:
    """Return the user units by file name: the service, and the timer that starts it."""
    words = [*_BY_SHELL, *command] if "$" in command[0] else command
    return {
        f"{UNIT}.service": (
            f"[Unit]\nDescription={_ABOUT}\n\n"
            f"[Service]\nType=oneshot\nNice=10\nExecStart={' '.join(map(_for_systemd, words))}\n"
        ),
        f"{UNIT}.timer": (
            f"[Unit]\nDescription={_ABOUT}\n\n"
            f"[Timer]\nOnCalendar=*-*-* {at[0]:02d}:{at[1]:02d}:00\nPersistent=true\n\n"
            "[Install]\nWantedBy=timers.target\n"
        ),
    }


def launchd_list(command: Sequence[str], at: tuple[int, int], log: str) -> str:
    """Return the property list of a launchd agent. What it says goes to the end of the file `log`:
    launchd mails nothing, and throws away what is told to nobody."""
    from plistlib import dumps  # noqa: PLC0415  an XML library, for macOS alone

    form = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "StartCalendarInterval": {"Hour": at[0], "Minute": at[1]},
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return dumps(form, sort_keys=False).decode()


def _for_cron(word: str) -> str:
    """Quote for the shell; a percent sign, which is a newline to cron, gets a backslash."""
    pieces: list[str] = []
    piece = ""
    for char in word:
        if char in "%\\":
            pieces += [quote(piece) if piece else "", "\\%" if char == "%" else BACKSLASH]
            piece = ""
        else:
            piece += char
    return "".join([*pieces, quote(piece) if piece or not pieces else ""])


def _for_systemd(word: str) -> str:
    for char, safe in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(char, safe)
    return f'"{word}"'
