"""The newest facts of an origin by one statement: a server sorts what is of one instant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection


def newest_numbers(
    db: Connection, sources: Sequence[tuple[str, str, tuple[Any, ...]]], choice: Any, *,
    origin_number: int, limit: int,
) -> list[int]:  # fmt: skip
    """Return the numbers of the first `limit` facts of a `newest.Choice`, newest first, of one
    instant in order of id."""
    parts: list[str] = []
    given: list[Any] = []
    for place, (_, condition, more) in enumerate(sources):
        parts.append(
            "SELECT * FROM (SELECT fact.seq, fact.created_at, fact.id FROM fact"
            f" WHERE {condition}{choice.narrowed}"
            f" ORDER BY fact.created_at DESC, fact.id LIMIT ?) AS part{place}"
        )
        given += origin_number, *more, *choice.values, limit
    every = " UNION ".join(parts)
    rows: list[Any] = db.execute(
        f"SELECT seq FROM ({every}) AS each ORDER BY created_at DESC, id LIMIT ?", (*given, limit)
    ).fetchall()
    return [seq for (seq,) in rows]
