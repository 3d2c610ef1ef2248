"""What may be typed next: the labels and facts of one origin that begin as it was typed. All of it
is bounded in number, newest or most frequent first."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store import references, visibility
from tideline_cli.store.peek import Interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

MOST = 50
ENDING = 6
"""Letters of an ending, as tables show it."""
_HIGHEST = chr(0x10FFFF)
_TEXT = "substr(content, 1, 200)"
_TAGGED = 20_000  # facts whose tags are read, the newest
_FULL = 26  # letters of an id

# Facts by the beginning of their ids, or by the letters with which their endings begin. The owner's
# are looked for in the index of all ids, as `references` does.
_BEGINNING = "fact.id >= ? AND fact.id < ?"
_AT_THE_END = f"(substr(id, -{ENDING}, ?) = ? OR substr(id, -?) = ?)"
_OF_OWNER = f"fact.seq IN (SELECT seq FROM fact AS named WHERE {_AT_THE_END})"
_STATES = {True: "lifecycle = 'active'", False: "lifecycle <> 'active' AND lifecycle <> 'pruned'"}
_INDEXES = {True: "fact_active", False: "fact_inactive"}


def slots(
    db: Connection, start: str, *, viewer: Origin, scopes: Sequence[str | None] | None
) -> list[tuple[str, str]]:
    """Return the slots that begin so, each with the newest of its values."""
    condition, names = _seen(viewer, scopes)
    return _rows(
        db,
        f"SELECT slot, {_TEXT}, max(seq) FROM fact WHERE {condition} AND slot IS NOT NULL"
        f" AND lifecycle = 'active' AND slot >= ? AND slot < ? GROUP BY slot LIMIT {MOST}",
        (*names, start, start + _HIGHEST),
    )


def tags(
    db: Connection, start: str, *, viewer: Origin, scopes: Sequence[str | None] | None
) -> list[tuple[str, int]]:
    """Return the tags that begin so and how many facts have each, of the newest 20,000 with tags.
    """
    condition, names = _seen(viewer, scopes)
    return _rows(
        db,
        "SELECT value, count(*) AS uses FROM (SELECT tags FROM fact"
        f" WHERE {condition} AND lifecycle = 'active' AND tags IS NOT NULL"
        f" ORDER BY seq DESC LIMIT {_TAGGED}) AS newest, json_each(newest.tags)"
        " WHERE value >= ? AND value < ?"
        f" GROUP BY value ORDER BY uses DESC, value LIMIT {MOST}",
        (*names, start, start + _HIGHEST),
    )


def scopes(db: Connection, start: str, *, viewer: Origin) -> list[tuple[str, int]]:
    """Return the scopes that begin so, and how many active facts each has."""
    condition, names = visibility.where(viewer)
    return _rows(
        db,
        f"SELECT scope, count(*) FROM fact WHERE {condition} AND scope IS NOT NULL"
        f" AND lifecycle = 'active' AND scope >= ? AND scope < ? GROUP BY scope LIMIT {MOST}",
        (*names, start, start + _HIGHEST),
    )


def newest(
    db: Connection, *, viewer: Origin, is_active: bool, most: int = MOST
) -> list[tuple[str, str]]:
    """Return ids and texts of the newest facts, active ones or the others."""
    return _rows(
        db,
        f"SELECT fact.id, {_TEXT} FROM fact INDEXED BY {_INDEXES[is_active]}"
        " WHERE origin + 0 = ? AND " + _STATES[is_active] + " ORDER BY created_at DESC LIMIT ?",
        (visibility.number(db, viewer), most),
    )


def named(
    db: Connection, part: str, *, viewer: Origin, is_active: bool
) -> list[tuple[str, str]]:
    """Return ids and texts of the facts whose ids begin or end so, newest first, active ones or the
    others; also of those whose last letters begin so."""
    if not (part.isascii() and part.isalnum() and len(part) <= _FULL):
        return []
    part = part.upper()
    condition, names = visibility.where(viewer)
    select = f"SELECT fact.id, {_TEXT} FROM fact WHERE {condition} AND {_STATES[is_active]} AND "
    ordered = f" ORDER BY fact.id DESC LIMIT {MOST}"
    at_end = (len(part), part, len(part), part)
    ending = _OF_OWNER if viewer.is_owner else _AT_THE_END
    found = dict(_rows(db, select + ending + ordered, (*names, *at_end)))
    if len(found) < MOST:
        found |= _rows(db, select + _BEGINNING + ordered, (*names, part, part + "~"))
    return list(found.items())[:MOST]


def shared(db: Connection, endings: Collection[str], *, viewer: Origin) -> set[str] | None:
    """Return which of these endings several ids have, or are a beginning too; None where there was
    no time to look."""
    condition, names = visibility.where(viewer)
    wanted = codec.dumps(list(endings))
    among = f"substr(id, -{ENDING}) IN (SELECT value FROM json_each(?))"
    if viewer.is_owner:
        among = f"fact.seq IN (SELECT seq FROM fact AS named WHERE {among})"
    try:
        rows: list[Any] = db.execute(
            f"SELECT substr(id, -{ENDING}) AS ending FROM fact WHERE {condition} AND {among}"
            " GROUP BY ending HAVING count(*) > 1",
            (*names, wanted),
        ).fetchall()
        begins = {one for one in endings if references.begins(db, one, viewer=viewer)}
    except Interrupted:
        return None
    return {ending for (ending,) in rows} | begins


def _rows(db: Connection, sql: str, values: tuple[Any, ...]) -> list[Any]:
    """Return the first two columns of the rows, as many as there was time for."""
    found: list[Any] = []
    try:
        for row in db.execute(sql, values):
            found.append(row[:2])
    except Interrupted:
        pass
    return found


def _seen(
    viewer: Origin, scopes: Sequence[str | None] | None
) -> tuple[str, tuple[str, ...]]:
    condition, names = visibility.where(viewer)
    if scopes is None:
        return condition, names
    return f"{condition} AND {visibility.in_scopes(scopes)}", (*names, *filter(None, scopes))
