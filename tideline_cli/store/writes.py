"""Storing a fact, and changing one that is there."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.store import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact

_STORED = (
    "id", "origin", "created_at", "lifecycle", "segment", "tier", "heat", "importance",
    "decay_rate", "source", "confidence", "status", "slot", "valid_from", "valid_to", "pinned",
    "kind", "title", "source_turn", "tags", "derived_from", "metadata", "length", "content",
    "terms", "digest",
)  # fmt: skip
_INSERT = (
    f"INSERT INTO fact ({', '.join(_STORED)}) VALUES ({', '.join('?' * len(_STORED))}) "
    "ON CONFLICT (id) DO NOTHING"
)
_CHANGEABLE = (
    "segment", "tier", "decay_rate", "importance", "confidence", "status", "slot", "valid_from",
    "valid_to", "lifecycle", "source_turn", "pinned", "heat", "metadata", "kind", "title", "tags",
    "derived_from",
)  # fmt: skip


def insert(db: Connection, fact: Fact, *, origin_number: int, terms: Sequence[str]) -> bool:
    """Store a fact under its origin's number; return False when its id is taken."""
    tags, sources = _list_text(fact.tags), _list_text(fact.derived_from)
    db.execute(
        _INSERT,
        (
            fact.id, origin_number, fact.created_at, fact.lifecycle, fact.segment, fact.tier,
            fact.heat, fact.importance, _own_rate(fact), fact.source, fact.confidence, fact.status,
            fact.slot, fact.valid_from, fact.valid_to, int(fact.pinned), fact.kind, fact.title,
            fact.source_turn, tags, sources,
            None if fact.metadata is None else codec.dumps(fact.metadata), len(terms),
            fact.content, " ".join(terms),
            digest.of(
                fact.id, fact.origin.key, fact.created_at, fact.source, fact.kind, fact.title,
                tags, sources, fact.content,
            ),
        ),
    )  # fmt: skip
    return db.changes() > 0


def change(db: Connection, before: Fact, after: Fact) -> None:
    """Store what differs between two states of a fact, its use excepted."""
    changed = [name for name in _CHANGEABLE if getattr(before, name) != getattr(after, name)]
    if changed:
        db.execute(
            f"UPDATE fact SET {', '.join(f'{name} = ?' for name in changed)} WHERE id = ?",
            (
                *(
                    _own_rate(after) if name == "decay_rate" else _plain(getattr(after, name))
                    for name in changed
                ),
                before.id,
            ),
        )
    if not digest.HELD.isdisjoint(changed):
        rows: list[Any] = db.execute("SELECT seq FROM fact WHERE id = ?", (before.id,)).fetchall()
        digest.put(db, [int(seq) for (seq,) in rows])


def archive(db: Connection, fact_id: str, *, now: int) -> None:
    """Close a fact: it stays in the file, out of recall, valid until now or until it ended."""
    db.execute(
        "UPDATE fact SET lifecycle = 'archived', valid_to = min(ifnull(valid_to, ?1), ?1)"
        " WHERE id = ?2",
        (now, fact_id),
    )


def put_terms(db: Connection, seq: int, terms: Sequence[str]) -> None:
    """Store the index terms of a fact."""
    db.execute(
        "UPDATE fact SET terms = ?, length = ? WHERE seq = ?",
        (" ".join(terms), len(terms), seq),
    )


def _list_text(values: tuple[str, ...]) -> str | None:
    return codec.dumps(list(values)) if values else None


def _own_rate(fact: Fact) -> float | None:
    """Return the decay rate where it is not that of the segment."""
    return None if fact.decay_rate == SEGMENTS[fact.segment].decay_rate else fact.decay_rate


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return codec.dumps(value)
    if isinstance(value, tuple):
        return _list_text(value)
    return int(value) if isinstance(value, bool) else value
