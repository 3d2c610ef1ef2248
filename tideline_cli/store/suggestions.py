"""What may be typed next, from a look into the memory that leaves no trace: the labels and facts of
one origin that begin as it was typed, bounded in time and in number, newest or most frequent first.
"""

from __future__ import annotations

import os

import apsw

from tideline_cli.model import codec
from tideline_cli.store import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    connection,
    file_kind,
    references,
    visibility,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.model.origin import Origin

MOST = 50
ENDING = 6
"""Letters of an ending, as tables show it."""
_HIGHEST = chr(0x10FFFF)
_TEXT = "substr(content, 1, 200)"
_READ = 20_000  # facts whose tags or speakers are read, the newest
_FULL = 26  # letters of an id

_NEAR = 2_000  # facts that are looked at before all others, the newest

_BEGINNING = "id >= ? AND id < ?"
_END = f"substr(id, length(id) - {ENDING - 1})"
_INDEXES = {
    True: ("fact_active", "lifecycle = 'active'"), False: ("fact_inactive", "lifecycle <> 'active'")
}  # fmt: skip


def slots(
    db: Connection, start: str, *, viewer: Origin, scopes: Sequence[str | None] | None
) -> list[tuple[str, str]]:
    """Return the slots that begin so, each with the newest of its values."""
    condition, names = visibility.where(viewer)
    within, named = _within(scopes)
    return _rows(
        db,
        f"SELECT slot, {_TEXT} FROM fact WHERE seq IN ("
        f"SELECT max(seq) FROM fact WHERE {condition} AND slot IS NOT NULL"
        f" AND lifecycle = 'active'{within} AND slot >= ? AND slot < ?"
        f" GROUP BY slot ORDER BY slot LIMIT {MOST}) ORDER BY slot",
        (*names, *named, start, start + _HIGHEST),
    )


def tags(
    db: Connection, start: str, *, viewer: Origin, scopes: Sequence[str | None] | None
) -> list[tuple[str, int]]:
    """Return the tags that begin so and how many of the newest 20,000 with tags have each."""
    within, names = _within(scopes)
    return _rows(
        db,
        f"SELECT value, count(*) AS uses FROM ({_newest('tags', within)}) AS newest,"
        " json_each(newest.tags) WHERE value >= ? AND value < ?"
        f" GROUP BY value ORDER BY uses DESC, value LIMIT {MOST}",
        (visibility.number(db, viewer), *names, start, start + _HIGHEST),
    )


def frequent(
    db: Connection, column: Literal["speaker", "agent"], start: str, *, viewer: Origin,
    scopes: Sequence[str | None] | None,
) -> list[tuple[str, int]]:  # fmt: skip
    """Return the speakers or agents that begin so, the most frequent first, and how many facts each
    has, of the newest 20,000 with one."""
    within, names = _within(scopes)
    return _rows(
        db,
        f"SELECT {column}, count(*) AS said FROM ({_newest(column, within)}) AS newest"
        f" WHERE {column} >= ? AND {column} < ?"
        f" GROUP BY {column} ORDER BY said DESC, {column} LIMIT {MOST}",
        (visibility.number(db, viewer), *names, start, start + _HIGHEST),
    )


def counted(
    db: Connection, column: Literal["scope", "session", "document"], start: str, *,
    viewer: Origin, scopes: Sequence[str | None] | None,
) -> list[tuple[str, int]]:  # fmt: skip
    """Return the scopes, sessions or documents that begin so, with their active facts."""
    condition, names = visibility.where(viewer)
    within, named = _within(scopes)
    return _rows(
        db,
        f"SELECT {column}, count(*) FROM fact WHERE {condition} AND {column} IS NOT NULL"
        f" AND lifecycle = 'active'{within} AND {column} >= ? AND {column} < ?"
        f" GROUP BY {column} ORDER BY {column} LIMIT {MOST}",
        (*names, *named, start, start + _HIGHEST),
    )


def _newest(column: str, within: str) -> str:
    return (
        f"SELECT {column} FROM {_by_time(is_active=True)} AND {column} IS NOT NULL{within}"
        f" ORDER BY created_at DESC, seq DESC LIMIT {_READ}"
    )


def newest(db: Connection, *, viewer: Origin, is_active: bool) -> list[tuple[str, str]]:
    """Return ids and texts of the newest facts, active ones or the others."""
    return _rows(
        db,
        f"SELECT id, {_TEXT} FROM {_by_time(is_active=is_active)} AND lifecycle <> 'pruned'"
        f" ORDER BY created_at DESC, seq DESC LIMIT {MOST}",
        (visibility.number(db, viewer),),
    )


def named(db: Connection, part: str, *, viewer: Origin, is_active: bool) -> list[tuple[str, str]]:
    """Return ids and texts of the facts whose ids begin or end so, or whose last letters begin so,
    active ones or the others: of the newest facts first, then of all."""
    if not (part.isascii() and part.isalnum() and len(part) <= _FULL):
        return []
    part = part.upper()
    number = visibility.number(db, viewer)
    ending = (
        f"(substr({_END}, 1, {len(part)}) = ? OR substr(id, length(id) - {len(part) - 1}) = ?)"
    )
    near = (
        f"SELECT id, content FROM {_by_time(is_active=is_active)} AND lifecycle <> 'pruned'"
        f" ORDER BY created_at DESC, seq DESC LIMIT {_NEAR}"
    )
    sql = f"SELECT id, {_TEXT} FROM ({near}) AS near WHERE {ending}"
    found = dict(_rows(db, sql, (number, part, part)))
    for condition, values in ((ending, (part, part)), (_BEGINNING, (part, part + "~"))):
        if len(found) < MOST:
            source = _by_id(condition, viewer=viewer, is_active=is_active)
            sql = f"SELECT id, {_TEXT} FROM {source} AND lifecycle <> 'pruned'"
            found |= _rows(db, f"{sql} ORDER BY id DESC LIMIT {MOST}", (number, *values))
    return list(found.items())[:MOST]


def shared(db: Connection, endings: Collection[str], *, viewer: Origin) -> set[str] | None:
    """Return which endings several ids have, or are a beginning too; None without time left."""
    condition = f"{_END} IN (SELECT value FROM json_each(?))"
    values = (visibility.number(db, viewer), codec.dumps(list(endings)))
    found: list[str] = []
    try:
        for is_active in _INDEXES:
            source = _by_id(condition, viewer=viewer, is_active=is_active)
            rows: list[Any] = db.execute(f"SELECT {_END} FROM {source}", values).fetchall()
            found += (ending for (ending,) in rows)
        begins = {one for one in endings if references.begins(db, one, viewer=viewer)}
    except Interrupted:
        return None
    return {one for one in found if found.count(one) > 1} | begins


def _by_time(*, is_active: bool) -> str:
    """Return the facts of one origin, the parameter, by the index of their times."""
    index, state = _INDEXES[is_active]
    return f"fact INDEXED BY {index} WHERE origin + 0 = ? AND {state}"


def _by_id(condition: str, *, viewer: Origin, is_active: bool) -> str:
    """Return the facts of one origin whose ids fulfil a condition. The owner's are looked for in
    the index of all ids, as `references` does, which is faster by far."""
    if not viewer.is_owner:
        return f"{_by_time(is_active=is_active)} AND {condition}"
    named = f"seq IN (SELECT seq FROM fact AS named WHERE {condition})"
    return f"fact NOT INDEXED WHERE origin = ? AND {_INDEXES[is_active][1]} AND {named}"


def _rows(db: Connection, sql: str, values: tuple[Any, ...]) -> list[Any]:
    """Return the first two columns of the rows, as many as there was time for."""
    found: list[Any] = []
    try:
        for row in db.execute(sql, values):
            found.append(row[:2])
    except Interrupted:
        pass
    return found


def _within(scopes: Sequence[str | None] | None) -> tuple[str, tuple[str, ...]]:
    """Return the condition for facts of these scopes, and its parameters."""
    if scopes is None:
        return "", ()
    return f" AND {visibility.in_scopes(scopes)}", tuple(filter(None, scopes))


_PATIENCE_MS = 50
_STEPS = 5_000  # of SQLite's machine between two looks at the clock, some 50 µs
Interrupted = apsw.InterruptError


def peek(path: str, *, is_over: Callable[[], bool]) -> Connection | None:
    """Return a connection that only reads, None where there is no store of this version. What it
    runs ends with `Interrupted` as soon as `is_over` says so."""
    path = file_kind.real(path)
    if file_kind.regular(path) is None or os.path.lexists(path + "-journal"):
        return None
    # Without a log all is in the file, and a reader would make an empty log beside it.
    has_log = _size(path + "-wal") > 0
    db = connection.open_for_inspection(path) if has_log else connection.connect_unchanging(path)
    db.set_busy_timeout(_PATIENCE_MS)
    db.execute("PRAGMA query_only = ON").fetchall()
    known = (APPLICATION_ID, SCHEMA_VERSION)
    if (db.pragma("application_id"), db.pragma("user_version")) != known:
        db.close()
        return None
    db.set_progress_handler(is_over, _STEPS)
    return db


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
