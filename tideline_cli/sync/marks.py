"""What the segments of a replica are, by their first lines: no key is needed, nothing is proved."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.sync import layout, segment
from tideline_cli.sync.layout import file_name
from tideline_cli.sync.segment import Mark, SegmentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_START = 4096  # bytes in which the first line of most segments ends
_FIRST_LINE = 1 << 20


def mark_at(folder: str, replica: str, number: int) -> Mark:
    """Return what the first line of a segment says; raise SegmentError or FileNotFoundError."""
    start = layout.read(folder, replica, file_name(number), most=_START)
    if b"\n" not in start and len(start) > _START:
        start = layout.read(folder, replica, file_name(number), most=_FIRST_LINE)
    return segment.marked(start)


def newest_snapshot(folder: str, replica: str, numbers: Sequence[int]) -> int:
    """Return the first number of the newest snapshot with all its parts among some numbers, 0
    where there is none."""
    held = set(numbers)
    for number in sorted(numbers, reverse=True):
        try:
            mark = mark_at(folder, replica, number)
        except (SegmentError, FileNotFoundError, UnavailableError):
            continue  # who reads it says so
        if mark.kind == "snapshot" and mark.part == 1 and held.issuperset(
            range(number, number + mark.parts)
        ):  # fmt: skip
            return number
    return 0
