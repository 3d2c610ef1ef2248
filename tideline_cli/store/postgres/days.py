"""Days in the zone of this machine: a server has a zone of its own."""

from __future__ import annotations

import time
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def by_day(db: Connection, *, origin_number: int) -> list[tuple[int, int, int, int]]:
    """Return for each day its year, month and day and how many active facts of an origin were made
    on it, as `store.arrivals` does for files."""
    counts: Counter[tuple[int, int, int]] = Counter()
    rows = db.execute("SELECT hour, facts FROM arrival WHERE origin = ?", (origin_number,))
    for hour, facts in rows:
        counts[time.localtime(hour * 3600)[:3]] += facts
    return [(*day, facts) for day, facts in sorted(counts.items())]
