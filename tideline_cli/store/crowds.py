"""The newest facts of an origin, whose last ones may all be of one instant, as after an import
without times."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection


def newest(
    db: Connection, columns: str, condition: str, values: Sequence[Any], *, origin_number: int,
    limit: int | None,
) -> list[Any]:  # fmt: skip
    """Return columns of the `limit` newest active facts that fulfil a condition, newest first, of
    one instant the larger id first; None is all."""
    if limit:
        last = _last(db, columns, condition, values, origin_number=origin_number, limit=limit)
        if last:
            return last
    order = "ORDER BY created_at DESC, id DESC"
    # Only the numbers are sorted: a sort of whole rows copies the text of every fact.
    return db.execute(
        f"SELECT {columns} FROM fact WHERE seq IN (SELECT seq FROM fact WHERE {condition}"
        f" AND lifecycle = 'active' {order} LIMIT ?) {order}",
        (*values, -1 if limit is None else limit),
    ).fetchall()


def _last(
    db: Connection, columns: str, condition: str, values: Sequence[Any], *, origin_number: int,
    limit: int,
) -> list[Any] | None:  # fmt: skip
    """Return columns of the `limit` newest active facts that fulfil a condition, newest first, of
    one instant the larger id first. None where they are not all of one instant, or not among the
    last ids of the store: then the times must be sorted."""
    at = "SELECT created_at FROM fact INDEXED BY fact_active WHERE origin + 0 = ?"
    at += " AND lifecycle = 'active' ORDER BY created_at DESC LIMIT 1 OFFSET ?"
    newest, before = (db.execute(at, (origin_number, place)).get for place in (0, limit - 1))
    if before is None or before != newest:
        return None
    rows: list[Any] = db.execute(
        f"""
        SELECT {columns} FROM (
          SELECT * FROM fact
          INDEXED BY sqlite_autoindex_fact_1 ORDER BY id DESC LIMIT {2 * limit:d}) AS fact
        WHERE {condition} AND created_at = {newest:d} AND lifecycle = 'active' LIMIT {limit:d}
        """,
        values,
    ).fetchall()
    return rows if len(rows) == limit else None
