"""Which facts hold a term in their labels: `labels` read, by each recall."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.store.reads import Read

MOST = 1000  # holders of a term that a question reads, the newest
_COUNTED = 20_000  # older holders that are counted beside them
HOLDERS = (
    "SELECT fact, size FROM label_term WHERE origin = ? AND term = ? ORDER BY fact DESC LIMIT ?"
)
_OLDER = "SELECT count(*) FROM (SELECT 1 FROM label_term WHERE origin = ? AND term = ? LIMIT ?)"


def holders(term: str, *, origin_number: int) -> Read[dict[int, int]]:
    """Return the numbers of the newest MOST facts whose labels hold an asked term, newest first,
    and how many terms the labels of each have."""
    rows = yield HOLDERS, (origin_number, term, MOST)
    return dict(rows)


def older_count(db: Connection, term: str, *, origin_number: int) -> int:
    """Return how many facts hold a term in their labels beyond the newest MOST, counted up to a
    bound."""
    return max(0, int(db.execute(_OLDER, (origin_number, term, MOST + _COUNTED)).get) - MOST)
