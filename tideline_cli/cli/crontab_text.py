"""The block of tideline in a crontab: its line between two marks, and what others wrote there.
Pure."""

from __future__ import annotations

import os
import shlex

from tideline_cli.errors import UsageError
from tideline_cli.model.record import record

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
