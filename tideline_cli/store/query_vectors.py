"""Codes of questions: each origin's own, the latest few, and none of their texts."""

from __future__ import annotations

from tideline_cli.model.lean import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from apsw import Connection

MOST = 128
_DIGEST = 16  # bytes


def digest_of(text: str) -> bytes:
    """Return what stands for the text of a question."""
    return bytes(blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).digest())


def find(db: Connection, digest: bytes, *, origin_number: int, embedder: str) -> bytes | None:
    """Return the code of a question that an origin has asked before."""
    row: Any = db.execute(
        "SELECT code FROM query_vector WHERE origin = ? AND embedder = ? AND digest = ?",
        (origin_number, embedder, digest),
    ).fetchone()
    return None if row is None else bytes(row[0])


def put(
    db: Connection, digest: bytes, code: bytes, *, origin_number: int, embedder: str
) -> None:
    """Keep the code of a question; the oldest of its origin goes where there are many."""
    if find(db, digest, origin_number=origin_number, embedder=embedder) is not None:
        return
    db.execute(
        """
        INSERT INTO query_vector (origin, embedder, digest, code, number)
        SELECT ?1, ?2, ?3, ?4, 1 + ifnull(max(number), 0) FROM query_vector WHERE origin = ?1
        """,
        (origin_number, embedder, digest, code),
    )
    db.execute(
        """
        DELETE FROM query_vector WHERE origin = ?1 AND number <= (
          SELECT number FROM query_vector WHERE origin = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2
        )
        """,
        (origin_number, MOST),
    )


def forget(db: Connection, origin_numbers: Collection[int]) -> None:
    """Forget the questions of some origins."""
    db.executemany(
        "DELETE FROM query_vector WHERE origin = ?", [(number,) for number in origin_numbers]
    )
