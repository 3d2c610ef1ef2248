"""Facts by their id: by all of it, or by the beginning or ending that a user types; and what is
known of a whole id."""

from __future__ import annotations

from tideline_cli.errors import AmbiguousError
from tideline_cli.model import codec
from tideline_cli.model.origin import OWNER
from tideline_cli.store import visibility
from tideline_cli.store.fact_rows import SELECT, fact_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin
    from tideline_cli.model.source import Source

LEAST = 4
"""Letters of an id that are enough where they are one fact's alone."""
_FULL = 26  # letters of an id
_NAMED = 5
_UNDONE = 20  # undos that are asked for a fact that is not there
_LONG = 10_000


def row_of(db: Connection, reference: str, *, viewer: Origin | Everyone) -> tuple[Any, ...] | None:
    """Return the row of the fact with this id, or with the one id that begins so; None where there
    is none. Raise AmbiguousError where several facts are meant."""
    condition, values = visibility.where(viewer)
    try:
        sql = f"{SELECT} WHERE fact.id = ? AND {condition}"
        row: tuple[Any, ...] | None = db.execute(sql, (reference, *values)).fetchone()
    except UnicodeEncodeError:  # not UTF-8, as no id is
        return None
    if row is not None and len(reference) >= _FULL:
        return row
    # A short id does not stand before the facts whose ids begin with it.
    if not is_part(reference):
        return row
    others = _beginning(db, reference.upper(), viewer)
    if row is not None:
        others = [row, *(other for other in others if other[1] != row[1])]
    if len(others) > 1:
        raise _ambiguous(reference, others)
    return others[0] if others else None


def whole(db: Connection, typed: str, *, viewer: Origin | Everyone) -> str:
    """Return the id that ends as it was typed, where no id begins so; else what was typed. Raise
    AmbiguousError where several end so. What a file says is never taken for an ending."""
    bare = typed.removeprefix("…")
    if not is_part(bare) or (bare == typed and row_of(db, typed, viewer=viewer) is not None):
        return typed
    found = _ending(db, bare.upper(), viewer)
    if len(found) > 1:
        raise _ambiguous(typed, found)
    return str(fact_of(found[0]).id) if found else typed


def is_part(reference: str) -> bool:
    """Say whether a text may be a part of an id that is long enough."""
    return LEAST <= len(reference) <= _FULL and reference.isascii() and reference.isalnum()


def begins(db: Connection, part: str, *, viewer: Origin) -> bool:
    """Say whether the id of a fact begins so."""
    return bool(_beginning(db, part, viewer))


def undo_of(db: Connection, reference: str, *, viewer: Origin) -> int | None:
    """Return the number that users see of the undo that took the fact with this id out, None where
    none of the last ones did. Long ones, as of an import, are left out: to read them takes time."""
    if not is_part(reference):
        return None
    rows: list[Any] = db.execute(
        "SELECT ordinal, first, last FROM batch JOIN origin ON origin.number = batch.origin"
        " WHERE origin.key = ? AND undoes IS NOT NULL ORDER BY batch.number DESC LIMIT ?",
        (viewer.key, _UNDONE),
    ).fetchall()
    within = [(ordinal, first, last) for ordinal, first, last in rows if last - first < _LONG]
    for ordinal, first, last in within:
        taken = db.execute(
            "SELECT EXISTS (SELECT 1 FROM change WHERE number BETWEEN ? AND ? AND entity = 'fact'"
            " AND act = '-' AND upper(before ->> 'id') LIKE ? AND before ->> 'origin' ="
            " (SELECT number FROM origin WHERE key = ?))",
            (first, last, f"{reference.upper()}%", viewer.key),
        ).get
        if taken:
            return int(ordinal)
    return None


def _beginning(db: Connection, prefix: str, viewer: Origin | Everyone) -> list[tuple[Any, ...]]:
    condition, values = visibility.where(viewer)
    sql = f"{SELECT} WHERE fact.id >= ? AND fact.id < ? AND {condition} LIMIT ?"
    return db.execute(sql, (prefix, prefix + "~", *values, _NAMED + 1)).fetchall()


def _ending(db: Connection, ending: str, viewer: Origin | Everyone) -> list[tuple[Any, ...]]:
    """Return the facts whose id ends so. The owner's are looked for in the index of all ids, which
    is faster by far; the time of another origin tells nothing of what others hold."""
    condition, values = visibility.where(viewer)
    wanted = "fact.id LIKE ?"
    if viewer == OWNER:
        wanted = "fact.seq IN (SELECT seq FROM fact AS named WHERE named.id LIKE ?)"
    sql = f"{SELECT} WHERE {wanted} AND {condition} LIMIT ?"
    return db.execute(sql, (f"%{ending}", *values, _NAMED + 1)).fetchall()


def _ambiguous(reference: str, rows: list[tuple[Any, ...]]) -> AmbiguousError:
    """Return the error that lists the facts which may be meant, the first few."""
    found = [fact_of(row) for row in rows]
    told = tuple((fact.id, fact.content) for fact in found[:_NAMED])
    more = " at least" if len(found) > _NAMED else ""
    return AmbiguousError(
        f"{reference} may be{more} {len(found)} facts", hint="give more of the id", facts=told
    )


def exists(db: Connection, fact_id: str, *, viewer: Origin) -> bool:
    """Say whether a viewer has a fact with exactly this id."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT 1 FROM fact WHERE id = ? AND {condition}"
    return db.execute(sql, (fact_id, *values)).fetchone() is not None


def is_taken(db: Connection, fact_id: str) -> bool:
    """Say whether a fact of any origin has exactly this id."""
    return db.execute("SELECT 1 FROM fact WHERE id = ?", (fact_id,)).fetchone() is not None


def has_text(db: Connection, fact_id: str, content: str, *, viewer: Origin) -> bool:
    """Say whether a viewer has a fact with exactly this id and this text."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT 1 FROM fact WHERE id = ? AND content = ? AND {condition}"
    return db.execute(sql, (fact_id, content, *values)).fetchone() is not None


def source_of(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> Source | None:
    """Return who said the fact with exactly this id, None where a viewer has none."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT source FROM fact WHERE id = ? AND {condition}"
    row: Any = db.execute(sql, (fact_id, *values)).fetchone()
    return None if row is None else row[0]


def active_ids(db: Connection, *, viewer: Origin) -> set[str]:
    """Return the ids of all active facts of an origin."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT id FROM fact WHERE lifecycle = 'active' AND {condition}"
    return {fact_id for (fact_id,) in db.execute(sql, values)}


def all_ids(db: Connection, *, viewer: Origin) -> set[str]:
    """Return the ids of all facts of an origin, archived ones too."""
    condition, values = visibility.where(viewer)
    return {fact_id for (fact_id,) in db.execute(f"SELECT id FROM fact WHERE {condition}", values)}


def owners(db: Connection, ids: Sequence[str], *, viewer: Origin | Everyone) -> dict[str, str]:
    """Return, for each of these ids that a viewer has, the key of the origin that it belongs to."""
    condition, values = visibility.where(viewer)
    sql = (
        "SELECT fact.id, origin.key FROM fact JOIN origin ON origin.number = fact.origin"
        f" WHERE fact.id IN (SELECT value FROM json_each(?)) AND {condition} ORDER BY fact.seq"
    )
    return dict(db.execute(sql, (codec.dumps([*ids]), *values)))
