"""What is derived of the facts and the journal, made anew at the end of an upgrade."""

from __future__ import annotations

from tideline_cli.store import batch_counts, digest, labels, lapsed_anew, score_bounds
from tideline_cli.store.checks import text_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection


def make(db: Connection) -> None:
    """Make it, in a file that has the schema of this program."""
    rows: list[Any] = db.execute("SELECT seq FROM fact WHERE digest IS NULL").fetchall()
    changed = [seq for (seq,) in rows]
    digest.put(db, changed)
    score_bounds.put_of(db, changed)
    labels.make_anew(db)
    lapsed_anew.count_anew(db)
    text_index.enrol_anew(db)
    batch_counts.count_anew(db)
