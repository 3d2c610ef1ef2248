"""Standard input as text: UTF-8, and bounded."""

from __future__ import annotations

import sys

from tideline_cli.errors import UsageError

_MOST_BYTES = 64 * 1024 * 1024
_LONGEST_LINE = 1 << 20  # characters of a line of a batch: to read and judge one of 60 MB took 20 s


def text() -> str:
    """Return all of standard input; raise UsageError when it is not UTF-8 or has no end."""
    raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise UsageError("standard input is larger than 64 MiB", hint="use `tideline import`")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8 (byte {error.start})", hint="convert it with iconv"
        ) from error


def check_line(line: str) -> None:
    """Raise UsageError for a line of a batch that is too long."""
    if len(line) > _LONGEST_LINE:
        raise UsageError(
            f"the line has {len(line):,} characters; one may have {_LONGEST_LINE:,}",
            hint="split it",
        )
