"""What a row claims that its fact is worth, and what of that it is given: a file that nobody
vouches for states no merit of its rows."""

from __future__ import annotations

from functools import cache

from tideline_cli.exchange.importer.cells import (
    count,
    flag,
    instants,
    past,
    rate,
    unit,
    with_progress,
    word,
)
from tideline_cli.model.fact import HEATS, SEGMENTS, STATUSES, clamped, initial_heat
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact, Heat, Segment, Status, Tier

_CLAIMS = tuple(field.name for field in FIELDS if field.is_merit)
_CLAIMED = frozenset(_CLAIMS)
_FIELDS = _CLAIMED - {"last_accessed_at", "tier"}
_LIMITED = _CLAIMED | {"created_at", "document"}
"""The keys of a row whose values may be limited: see `was_limited`."""


@record
class Worth:
    """What a fact is worth: all that lets it rank higher or stay longer."""

    importance: float
    confidence: float | None
    decay_rate: float
    heat: Heat
    status: Status | None
    pinned: bool
    access_count: int


def worth_of(
    row: Mapping[str, Any], segment: Segment, kind: str | None, tier: Tier, *, trusted: bool
) -> Worth:
    """Return what a row says that it is worth. One that nobody vouches for may say that it is worth
    less than its segment, and no more: it was never used, is not pinned, and fades as others do.
    """
    if _CLAIMED.isdisjoint(row):
        return _unclaimed(segment, kind if trusted else None, tier)
    defaults = SEGMENTS[segment]
    importance = clamped(unit(row, "importance", clamp=True, default=None), defaults.importance)
    confidence = unit(row, "confidence", clamp=True, default=None)
    decay = rate(row, defaults.decay_rate)
    heat: Any = word(row, "heat", HEATS)
    status: Any = word(row, "status", STATUSES)
    uses, pinned = count(row, "access_count"), flag(row, "pinned")
    if trusted:
        heat = heat or ("core" if pinned else initial_heat(segment, kind, tier, importance))
        return Worth(importance, confidence, decay, heat, status, pinned, uses)
    importance = min(importance, defaults.importance)
    heat = initial_heat(segment, None, tier, importance)
    confidence = None if confidence is None or confidence >= 1 else confidence
    decay = max(decay, defaults.decay_rate)
    return Worth(importance, confidence, decay, heat, None, False, 0)


@cache  # of few arguments, and of nearly every row
def _unclaimed(segment: Segment, kind: str | None, tier: Tier) -> Worth:
    """Return what a fact is worth of which a row claims nothing."""
    defaults = SEGMENTS[segment]
    heat = initial_heat(segment, kind, tier, defaults.importance)
    return Worth(defaults.importance, None, defaults.decay_rate, heat, None, False, 0)


def last_used(row: Mapping[str, Any], created_at: int, *, trusted: bool, now: int) -> int:
    """Return when a fact was used last; of one that nobody vouches for, when it was made."""
    if "last_accessed_at" not in row:
        return created_at
    used = past(row, "last_accessed_at", now)
    return used if used is not None and trusted else created_at


def was_limited(row: Mapping[str, Any], fact: Fact, *, trusted: bool, now: int) -> bool:
    """Say whether the row claimed more for its fact than it was given."""
    if _LIMITED.isdisjoint(row):
        return False
    for name in ("created_at", "last_accessed_at"):
        if getattr(fact, name) == now and (instants(row, name, 0) or 0) > now:
            return True
    row = with_progress(row)
    claimed = [name for name in _CLAIMS if row.get(name) is not None]
    if row.get("document") and fact.document is None:
        return True
    if trusted or not claimed:
        return False
    stated = worth_of(row, fact.segment, fact.kind, fact.tier, trusted=True)
    used = last_used(row, fact.created_at, trusted=True, now=now)
    return (
        any(getattr(stated, name) != getattr(fact, name) for name in claimed if name in _FIELDS)
        or row.get("tier", fact.tier) not in (None, fact.tier)
        or used > fact.last_accessed_at
    )


def was_confined(row: Mapping[str, Any], fact: Fact) -> bool:
    """Say whether the row named a segment that its source may not author."""
    return row.get("segment") not in (None, fact.segment) and not is_trusted(fact.source)
