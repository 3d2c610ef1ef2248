"""fading: which facts fade when, unless they are used."""

from __future__ import annotations

from heapq import nsmallest

from tideline_cli.model.instant import DAY_MS, LATEST_MS
from tideline_cli.model.record import record
from tideline_cli.ranking.fading import fades_at
from tideline_cli.store import passes, visibility
from tideline_cli.store.connection import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.ranking.fading import Eviction, Traits
    from tideline_cli.store.passes import Fading

SOON_MS = 14 * DAY_MS
"""What status and `fading` look ahead."""
_FORESEEN_MS = 45 * DAY_MS


@record
class Foretold:
    """A fact, when a dream archives it, its strength now, and when it was last given out."""

    fact: Fact
    at: int
    strength: float
    given_at: int | None


def foretold(
    db: Connection, rule: Eviction, *, viewer: Origin, now: int, within_ms: int, limit: int | None
) -> tuple[list[Foretold], int]:
    """Return the facts of an origin that fade within a span, soonest first, and their number."""
    items = _weak(db, rule, viewer=viewer, then=now + within_ms)
    found = list(_until(items, rule, now + within_ms))
    first = sorted(found, key=lambda one: one[:2])[:limit]  # of one moment in order of arrival
    whole = passes.whole(db, [seq for _, seq, _ in first], viewer=viewer)
    return [
        Foretold(whole[seq], at, traits.strength_at(now=now), traits.given_at)
        for at, seq, traits in first
        if seq in whole
    ], len(found)


def foresee(db: Connection, rule: Eviction, *, viewer: Origin, now: int) -> None:
    """Store what fades soonest in an origin, for `status`: all is read before the lock is taken."""
    number = visibility.number(db, viewer)
    items = _weak(db, rule, viewer=viewer, then=now + _FORESEEN_MS)
    ahead = ((at, seq) for at, seq, _ in _until(items, rule, now + _FORESEEN_MS))
    soonest = [(seq, at) for at, seq in nsmallest(passes.MOST_FADING, ahead)]
    with writing(db):
        passes.put_fading(db, soonest, origin_number=number)


def _weak(db: Connection, rule: Eviction, *, viewer: Origin, then: int) -> list[Fading]:
    """Return the facts that are weak enough to fade at an instant, if nobody uses them before."""
    return passes.fading(
        db, viewer=viewer, until=LATEST_MS, now=then, below=rule.below,
        keeps_typed=rule.after_owner_ms is None,
    )  # fmt: skip


def soon_count(db: Connection, rule: Eviction, *, viewer: Origin, now: int) -> int:
    """Return how many of the facts that the last dream foresaw still fade within 14 days; at most
    `outlook.MOST`."""
    number = visibility.number(db, viewer)
    items = passes.fading_soon(db, origin_number=number, until=now + SOON_MS)
    return sum(1 for _ in _until(items, rule, now + SOON_MS))


def _until(
    items: Iterable[Fading], rule: Eviction, until: int
) -> Iterator[tuple[int, int, Traits]]:
    """Yield (when, number, traits) of the facts that fade before an instant."""
    for item in items:
        traits = item.traits
        if traits.strength_at(now=until) >= rule.below:
            continue  # most facts: solving the curve costs four times as much
        at = fades_at(traits, rule)
        if at is not None and at < until:
            yield at, item.seq, traits
