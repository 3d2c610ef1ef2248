"""The texts of entries that run a command every day: a crontab line in its block between two marks,
systemd units, a launchd list. Pure."""

from __future__ import annotations

import os
import shlex
from plistlib import dumps
from shlex import quote

from tideline_cli.errors import UsageError
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN, END = b"# >>> tideline >>>", b"# <<< tideline <<<"
BACKSLASH = "\"$(printf '\\134')\""
"""A backslash for the shell: some crons remove one before another, others do not; none changes
this one."""
_OURS = ("--pending", "--sync", "--quiet")
_TIMES = 5  # fields before the command


@record
class CronBlock:
    """What stands between the marks: the line of tideline (empty where there is none), whether
    somebody has changed it, and the lines of others before and after it."""

    line: bytes = b""
    is_changed: bool = False
    before: tuple[bytes, ...] = ()
    after: tuple[bytes, ...] = ()

    @property
    def foreign(self) -> tuple[bytes, ...]:
        """Return the lines of others."""
        return (*self.before, *self.after)


def with_block(crontab: bytes, line: str) -> bytes:
    """Return a crontab with the line between the marks of tideline, in place of the one of before.

    Lines of others between the marks go outside of them, on the side of the line on which they
    were. Everything else stays as it is, but for a newline at the end where there was none.
    """
    marked = b"\n".join((BEGIN, line.encode(), END)) + b"\n"
    before, ours, after = _parted(crontab)
    if ours:
        held = block_of(crontab)
        return before + b"".join(held.before) + marked + b"".join(held.after) + after
    return before + (b"\n" if before and not before.endswith(b"\n") else b"") + marked


def without_block(crontab: bytes) -> bytes:
    """Return a crontab without the marks and the line of tideline; the lines of others stay."""
    before, _, after = _parted(crontab)
    return before + b"".join(block_of(crontab).foreign) + after


def has_block(crontab: bytes) -> bool:
    """Say whether a crontab has an entry of tideline."""
    return bool(_parted(crontab)[1])


def block_of(crontab: bytes) -> CronBlock:
    """Return what stands between the marks; raise UsageError for marks that make no pair."""
    lines = _parted(crontab)[1].splitlines(keepends=True)[1:-1]
    ours = next((number for number, line in enumerate(lines) if _program(line)), None)
    if ours is None:
        return CronBlock(before=tuple(line for line in lines if line.strip()))
    parts = (lines[:ours], lines[ours + 1 :])
    before, after = (tuple(line for line in part if line.strip()) for part in parts)
    return CronBlock(lines[ours], not _is_as_made(lines[ours]), before, after)


def times_and_words(line: bytes) -> tuple[list[str], list[str]]:
    """Return the five fields of time and the words of the command of a line; two empty lists for a
    line that has none."""
    text = line.decode(errors="surrogateescape").replace(BACKSLASH, "'\\'").replace("\\%", "%")
    parts = text.split(None, _TIMES)
    if len(parts) <= _TIMES or parts[0].startswith("#") or "=" in parts[0]:
        return [], []
    try:
        return parts[:_TIMES], shlex.split(parts[_TIMES])
    except ValueError:
        return [], []


def _program(line: bytes) -> list[str]:
    """Return the words that start this program for a dream, empty for any other line."""
    _, words = times_and_words(line)
    if "dream" not in words:
        return []
    program = words[: words.index("dream")]
    return program if any(os.path.basename(word).startswith("tideline") for word in program) else []


def _is_as_made(line: bytes) -> bool:
    """Say whether a line is one that `schedule` writes, for any time, program and memory."""
    times, words = times_and_words(line)
    rest = words[words.index("dream") + 1 :]
    flags, named = rest[:-2], rest[-2:-1]
    is_daily = times[2:] == ["*"] * 3 and all(field.isdigit() for field in times[:2])
    return is_daily and named == ["--db"] and all(flag in _OURS for flag in flags)


def _parted(crontab: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what stands before the block of tideline, the block, and what stands after it."""
    lines = crontab.splitlines(keepends=True)
    marks = [line.strip() for line in lines]
    if BEGIN not in marks and END not in marks:
        return crontab, b"", b""
    counts = marks.count(BEGIN), marks.count(END)
    if counts != (1, 1) or marks.index(BEGIN) > marks.index(END):
        raise UsageError(
            "the marks of tideline in your crontab do not make a pair",
            hint=f"take the lines {BEGIN.decode()!r} and {END.decode()!r} out with `crontab -e`",
        )
    first, last = marks.index(BEGIN), marks.index(END) + 1
    return tuple(b"".join(part) for part in (lines[:first], lines[first:last], lines[last:]))  # type: ignore[return-value]


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
