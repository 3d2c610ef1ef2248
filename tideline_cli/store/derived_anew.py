"""What is derived of the facts and the journal, made anew at the end of an upgrade."""

from __future__ import annotations

from tideline_cli.store import (
    batch_counts,
    common_upkeep,
    digest,
    labels,
    lapsed_anew,
    score_bounds,
)
from tideline_cli.store.checks import text_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

_AT_ONCE = 1 << 16  # facts


def make(db: Connection) -> None:
    """Make it, in a file that has the schema of this program."""
    rows: list[Any] = db.execute("SELECT seq FROM fact WHERE digest IS NULL").fetchall()
    digest.put(db, [seq for (seq,) in rows])
    score_bounds.clear(db)
    while score_bounds.missing_count(db, origin_number=None) > 0:
        score_bounds.extend(db, limit=_AT_ONCE, origin_number=None)
    common_upkeep.clear(db)
    common_upkeep.settle_all(db)
    labels.make_anew(db)
    lapsed_anew.count_anew(db)
    text_index.enrol_anew(db)
    batch_counts.count_anew(db)
