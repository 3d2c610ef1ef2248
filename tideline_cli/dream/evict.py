"""Which facts have faded: what dream archives when it is old, and what the decay sweep takes."""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking.decay import strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tideline_cli.model.fact import Lifecycle, Tier

    Faded = tuple[int, float, float, Lifecycle]  # number, strength, age in days, what it becomes

ARCHIVE_BELOW = 0.15
PRUNE_BELOW = 0.05


def plan(
    rows: Iterable[tuple[Any, ...]], *, now: int, below: float, after_ms: int
) -> list[Faded]:
    """Return the facts that are at least `after_ms` old and weaker than `below`.

    `rows` are those of `store.bulk_reads.fading`: neither permanent, pinned nor confirmed.
    """
    return [
        (seq, power, age / DAY_MS, "archived")
        for seq, _, power, age in _strengths(rows, now)
        if age >= after_ms and power < below
    ]


def sweep(rows: Iterable[tuple[Any, ...]], *, now: int) -> list[Faded]:
    """Return what the decay sweep takes: long-lived facts below 0.05 are archived, others below
    0.05 pruned and below 0.15 archived. Source: Tideline, decay sweep."""
    found: list[Faded] = []
    for seq, tier, power, age in _strengths(rows, now):
        becomes = _lot(tier, power)
        if becomes is not None:
            found.append((seq, power, age / DAY_MS, becomes))
    return found


def _lot(tier: Tier, power: float) -> Lifecycle | None:
    if power < PRUNE_BELOW:
        return "archived" if tier == "long" else "pruned"
    return "archived" if tier != "long" and power < ARCHIVE_BELOW else None


def _strengths(
    rows: Iterable[tuple[Any, ...]], now: int
) -> Iterable[tuple[int, Tier, float, int]]:
    """Yield (number, tier, strength, age in milliseconds)."""
    for seq, _, tier, importance, rate, segment, uses, used_at, created_at in rows:
        own = SEGMENTS[segment].decay_rate if rate is None else rate
        idle = (now - used_at) / DAY_MS
        power = strength(importance, own, uses, idle, immune=False)
        yield seq, tier, power, now - created_at
