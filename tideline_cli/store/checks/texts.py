"""Every text that a memory file keeps, with the fact that it belongs to: what a search for secrets
reads."""

from __future__ import annotations

from tideline_cli.model import fields
from tideline_cli.model.edge import sql_list, words_for
from tideline_cli.model.origin import Everyone
from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin

FIELDS = ("content", *fields.TEXTS, "tags", "metadata")
_FACTS = f"""
SELECT fact.id, origin.key, {", ".join(f"fact.{name}" for name in FIELDS)}
FROM fact JOIN origin ON origin.number = fact.origin WHERE {{}} ORDER BY fact.seq
"""
_REASONS = """
SELECT fact.id, origin.key, link.reason FROM link JOIN fact ON fact.seq = link.from_fact
JOIN origin ON origin.number = fact.origin WHERE link.reason IS NOT NULL AND {} ORDER BY link.number
"""
# Of an update the history keeps what changed alone: whose it was, the fact tells, or its removal.
_PAST = f"""
SELECT coalesce(change.before ->> 'id', fact.id, gone.before ->> 'id'), origin.key,
  {", ".join(f"change.before ->> '{name}'" for name in FIELDS)}
FROM change LEFT JOIN fact ON fact.seq = change.row
LEFT JOIN change AS gone ON fact.seq IS NULL AND gone.row = change.row AND gone.entity = 'fact'
  AND gone.act = '-'
JOIN origin ON origin.number
  = coalesce(change.before ->> 'origin', fact.origin, gone.before ->> 'origin')
WHERE change.entity = 'fact' AND change.before IS NOT NULL AND {{}} ORDER BY change.number
"""
_PAST_REASONS = """
SELECT fact.id, origin.key, change.before ->> 'reason'
FROM change JOIN fact ON fact.seq = change.before ->> 'from_fact'
JOIN origin ON origin.number = fact.origin
WHERE change.entity = 'link' AND change.before ->> 'reason' IS NOT NULL AND {}
ORDER BY change.number
"""


def stated_texts(
    db: Connection, *, viewer: Origin | Everyone
) -> Iterator[tuple[str, str, str, str]]:
    """Yield (id of a fact, its origin, where, text) of facts and links, as they are and as the
    history keeps them; tags and metadata are JSON."""
    condition, values = "true", tuple[str, ...]()
    if not isinstance(viewer, Everyone):
        condition, values = "origin.key = ?", (viewer.key,)
    for sql, places in (
        (_FACTS, FIELDS), (_REASONS, ("link",)), (_PAST, ("history",) * len(FIELDS)),
        (_PAST_REASONS, ("history",)),
    ):  # fmt: skip
        for fact_id, origin, *fact_texts in db.execute(sql.format(condition), values):
            for place, text in zip(places, fact_texts, strict=True):
                if isinstance(text, str):
                    yield fact_id, origin, place, text


def merged_away(db: Connection, *, viewer: Origin | Everyone) -> list[tuple[str, str, str, str]]:
    """Return (id, source, text, text of the fact that stayed) of the facts that a dream archived as
    duplicates, and whose text no active fact of their origin has. One that stays may inherit such
    an edge to one that went earlier, or that the same dream archives later, for another reason:
    that is no merge."""
    condition, values = visibility.where(viewer)
    sql = f"""
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
    """
    rows: Iterable[Any] = db.execute(sql, values)
    return [(fact_id, source, gone, kept) for fact_id, source, gone, kept in rows]


def fact_texts(db: Connection, *, viewer: Origin | Everyone) -> list[tuple[int, str]]:
    """Return the number and text of every fact that `viewer` may see, whatever its lifecycle."""
    condition, values = visibility.where(viewer)
    return list(db.execute(f"SELECT seq, content FROM fact WHERE {condition}", values))


def analysed(db: Connection, *, viewer: Origin | Everyone) -> Iterator[tuple[str, str, int]]:
    """Yield (content, index terms, their number) of every fact, for a check. Bytes that are damaged
    and no longer text are replaced by a mark."""
    condition, values = visibility.where(viewer)
    for content, terms, length in db.execute(
        "SELECT CAST(content AS BLOB), CAST(terms AS BLOB), length FROM fact"
        f" WHERE {condition}",
        values,
    ):
        yield _marked(content), _marked(terms), length


def readable(db: Connection, seqs: Iterable[int], *, viewer: Origin | Everyone) -> dict[int, str]:
    """Return the texts of facts by number, for a check, with marks for damaged bytes."""
    condition, values = visibility.where(viewer)
    marks = ", ".join(map(str, map(int, seqs)))
    sql = f"SELECT seq, CAST(content AS BLOB) FROM fact WHERE seq IN ({marks}) AND {condition}"
    return {seq: _marked(content) for seq, content in db.execute(sql, values)}


def _marked(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")
