"""What help and manual say of times, once for every command that takes one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

KINDS = ("start", "last", "end")
"""The kinds of options that take a time in words."""
RULES = """TIME is a day (2026-11-07), a month (2026-11), a year (2026), a week (2026-W45), today,
yesterday, tomorrow, friday, "last week", "next month"; a point in time (2026-11-07T14:30,
with Z or +01:00 for a zone, now, epoch milliseconds); or so long ago: 12h, 7d, 2w, "2 weeks ago",
and ahead: +30d, "in 3 days". A day lasts from midnight to midnight in the zone of this machine
(TZ), and so does every time without a zone: --since takes its beginning, --until and --as-of its
end, and what is valid to a day holds on that day. In JSON, in rows and in files times are ISO 8601
UTC."""


def help_of(command: ModuleType) -> str:
    """Return the help of a command, with the rules of times where it takes one."""
    text: str = command.HELP
    takes_times = any(option.kind in KINDS for option in command.Options.ALL)
    return f"{text}\n\n{RULES}" if takes_times else text
