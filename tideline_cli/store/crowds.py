"""The newest facts of an origin, whose last ones may all be of one instant, as after an import
without times."""

from __future__ import annotations

from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection


def newest(
    db: Connection, condition: str, values: Sequence[Any], *, origin_number: int, limit: int | None
) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL for the numbers of the `limit` newest active facts that fulfil a condition, of
    one instant those of the larger ids, and its parameters; None is all."""
    last = limit and _last(db, condition, values, origin_number=origin_number, limit=limit)
    if last:
        return "SELECT value FROM json_each(?)", (codec.dumps(last),)
    return (
        f"SELECT seq FROM fact WHERE {condition} AND lifecycle = 'active'"
        " ORDER BY created_at DESC, id DESC LIMIT ?",
        (*values, -1 if limit is None else limit),
    )


def _last(
    db: Connection, condition: str, values: Sequence[Any], *, origin_number: int, limit: int
) -> list[int] | None:
    """Return the numbers of the `limit` newest active facts that fulfil a condition, newest first,
    of one instant the larger id first. None where they are not all of one instant, or not among the
    last ids of the store: then the times must be sorted."""
    at = "SELECT created_at FROM fact INDEXED BY fact_active WHERE origin + 0 = ?"
    at += " AND lifecycle = 'active' ORDER BY created_at DESC LIMIT 1 OFFSET ?"
    newest, before = (db.execute(at, (origin_number, place)).get for place in (0, limit - 1))
    if before is None or before != newest:
        return None
    rows: list[Any] = db.execute(
        f"""
        SELECT seq FROM (
          SELECT seq, origin, created_at, lifecycle, valid_to, segment, document FROM fact
          INDEXED BY sqlite_autoindex_fact_1 ORDER BY id DESC LIMIT {2 * limit:d}) AS fact
        WHERE {condition} AND created_at = {newest:d} AND lifecycle = 'active' LIMIT {limit:d}
        """,
        values,
    ).fetchall()
    return [seq for (seq,) in rows] if len(rows) == limit else None
