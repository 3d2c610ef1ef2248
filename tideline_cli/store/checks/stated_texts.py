"""Every text that a memory file keeps, with the fact that it belongs to: what a search for secrets
reads."""

from __future__ import annotations

from tideline_cli.model.origin import Everyone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

FIELDS = (
    "content", "title", "slot", "source_turn", "tags", "metadata", "session", "speaker",
    "document", "agent",
)  # fmt: skip
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
        rows: Iterable[Any] = db.execute(sql.format(condition), values)
        for fact_id, origin, *texts in rows:
            for place, text in zip(places, texts, strict=True):
                if isinstance(text, str):
                    yield fact_id, origin, place, text
