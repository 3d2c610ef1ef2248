"""Which facts hold a term in their labels: `labels` read, by each recall."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

MOST = 1000  # holders of a term that a question reads, the newest
_COUNTED = 20_000  # older holders that are counted beside them
HOLDERS = (
    "SELECT fact, size FROM label_term WHERE origin = ? AND term = ? ORDER BY fact DESC LIMIT ?"
)
_OLDER = "SELECT count(*) FROM (SELECT 1 FROM label_term WHERE origin = ? AND term = ? LIMIT ?)"


def holders(
    db: Connection, asked: Sequence[str], *, origin_number: int
) -> dict[str, dict[int, int]]:
    """Return the numbers of the facts whose labels hold an asked term, the newest MOST of each
    term, newest first, and how many terms the labels of each have; terms that no label holds are
    left out."""
    if not are_there(db, origin_number=origin_number):
        return {}
    found: dict[str, dict[int, int]] = {}
    for term in asked:
        rows: Iterable[Any] = db.execute(HOLDERS, (origin_number, term, MOST))
        sizes = dict(rows)
        if sizes:
            found[term] = sizes
    return found


def are_there(db: Connection, *, origin_number: int) -> bool:
    """Say whether any fact of an origin has a term in its labels that its text does not hold."""
    sql = "SELECT EXISTS (SELECT 1 FROM label_term WHERE origin = ?)"
    return bool(db.execute(sql, (origin_number,)).get)


def older_count(db: Connection, term: str, *, origin_number: int) -> int:
    """Return how many facts hold a term in their labels beyond the newest MOST, counted up to a
    bound."""
    return max(0, int(db.execute(_OLDER, (origin_number, term, MOST + _COUNTED)).get) - MOST)
