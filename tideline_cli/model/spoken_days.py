"""The day that a fact speaks of, in its metadata: "yesterday" is one where it is known when it was
said."""

from __future__ import annotations

from tideline_cli.model.time_vocabulary import may_name_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Data = dict[str, Any]

DAY = "day"
"""The key of the metadata."""


def day_spoken_of(text: str, at: int) -> str | None:
    """Return the day that a text speaks of which is said at an instant, as ISO 8601; None where it
    names none, or several."""
    if not may_name_time(text):
        return None
    from tideline_cli.model.times_in_text import day_of  # noqa: PLC0415  few texts name a time

    return day_of(text, at)


def with_day(metadata: Mapping[str, Any] | None, content: str, *, at: int) -> Data | None:
    """Return the metadata of what is said at an instant with the day that it speaks of, if they
    state none."""
    if DAY in (metadata or {}) or not (day := day_spoken_of(content, at)):
        return None if metadata is None else {**metadata}
    return {**(metadata or {}), DAY: day}


def with_day_of(
    metadata: Mapping[str, Any] | None, content: str, *, before: str, at: int
) -> Data | None:
    """Return the metadata of what was said at an instant with the day that its new text speaks of,
    unless somebody has stated another than that of the text before."""
    stated = (metadata or {}).get(DAY)
    if stated is not None and stated != day_spoken_of(before, at):
        return {**(metadata or {})}
    kept = {name: value for name, value in (metadata or {}).items() if name != DAY}
    return with_day(kept or None, content, at=at)
