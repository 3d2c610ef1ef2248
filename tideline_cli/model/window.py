"""A stretch of time that a question names."""

from __future__ import annotations

from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Part = tuple[str, int]  # of a date: ("year", 2023), ("month", 5) or ("day", 7)


class Window(Record):
    """From `start` to before `end`, in milliseconds; `edge` is how far from it a fact is still
    near. `parts` are those of a date that the question names in words."""

    start: int
    end: int
    edge: int
    parts: tuple[Part, ...] = ()
