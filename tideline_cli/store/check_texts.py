"""Texts of facts as a check reads them: damaged ones too, and those that a dream took away."""

from __future__ import annotations

from tideline_cli.model.edge import sql_list, words_for
from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin

def merged_away(db: Connection, *, viewer: Origin | Everyone) -> list[tuple[str, str, str, str]]:
    """Return (id, source, text, text of the fact that stayed) of the facts that a dream archived as
    duplicates, and whose text no active fact of their origin has. One that stays may inherit such
    an edge to one that went earlier, or that the same dream archives later, for another reason:
    that is no merge."""
    condition, values = visibility.where(viewer)
    rows: Iterable[Any] = db.execute(
        f"""
        SELECT fact.id, fact.source, fact.content, min(keeper.content)
        FROM change JOIN batch ON batch.number = change.batch AND batch.verb = 'dream'
        JOIN link ON link.number = change.row
          AND link.kind IN ({sql_list(words_for("contradicts"))})
        JOIN fact ON fact.seq = link.to_fact AND fact.lifecycle = 'archived'
        JOIN fact AS keeper ON keeper.seq = link.from_fact
        WHERE change.entity = 'link' AND change.act = '+' AND {condition} AND EXISTS (
          SELECT 1 FROM change AS went WHERE went.row = fact.seq AND went.entity = 'fact'
          AND went.batch = change.batch AND went.before ->> 'lifecycle' = 'active'
          AND went.number < change.number)
        AND NOT EXISTS (
          SELECT 1 FROM fact AS again WHERE again.origin = fact.origin
          AND again.lifecycle = 'active' AND again.content = fact.content)
        GROUP BY fact.seq ORDER BY fact.seq
        """,
        values,
    )
    return [(fact_id, source, gone, kept) for fact_id, source, gone, kept in rows]


def texts(db: Connection, *, viewer: Origin | Everyone) -> list[tuple[int, str]]:
    """Return the number and text of every fact that `viewer` may see, whatever its lifecycle."""
    condition, values = visibility.where(viewer)
    rows: list[Any] = db.execute(
        f"SELECT seq, content FROM fact WHERE {condition}", values
    ).fetchall()
    return rows


def analysed(
    db: Connection, *, viewer: Origin | Everyone
) -> Iterator[tuple[str, str, int]]:
    """Yield (content, index terms, their number) of every fact, for a check. Bytes that are damaged
    and no longer text are replaced by a mark."""
    condition, values = visibility.where(viewer)
    for content, terms, length in db.execute(
        "SELECT CAST(content AS BLOB), CAST(terms AS BLOB), length FROM fact"
        f" WHERE {condition}",
        values,
    ):
        yield _marked(content), _marked(terms), length


def readable(
    db: Connection, seqs: Iterable[int], *, viewer: Origin | Everyone
) -> dict[int, str]:
    """Return the texts of facts by number, for a check. Bytes that are damaged and no longer text
    are replaced by a mark."""
    condition, values = visibility.where(viewer)
    marks = ", ".join(map(str, map(int, seqs)))
    rows: Iterable[Any] = db.execute(
        f"SELECT seq, CAST(content AS BLOB) FROM fact WHERE seq IN ({marks}) AND {condition}",
        values,
    )
    return {seq: _marked(content) for seq, content in rows}


def _marked(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")
