"""Removing facts for good: their rows, all that is derived from them, what the journal says, and
what is left of them in the files."""

from __future__ import annotations

import apsw

from tideline_cli.model import codec
from tideline_cli.model.edge import SUPERSEDES, sql_list, words_for
from tideline_cli.store import (
    SERVERS,
    common_postings,
    connection,
    fts,
    images,
    journal,
    labels,
    score_bounds,
    vectors,
    visibility,
)
from tideline_cli.store.connection import (
    TRACES,
    TRACES_IN_FILE,
    TRACES_IN_LOG,
    drop_setting,
    purge_pending,
    put_setting,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin

_MIN_PREFIX = 4
_FULL = 26  # letters of an id
# Facts that an undo has taken out live on in the journal.
_FACTS = """
SELECT seq, id, origin, created_at, pinned, status, derived_from, content FROM fact
"""
_UNDONE = """
SELECT DISTINCT row AS seq, before ->> 'id' AS id, before ->> 'origin' AS origin,
       before ->> 'created_at' AS created_at, before ->> 'pinned' AS pinned,
       before ->> 'status' AS status, before ->> 'derived_from' AS derived_from,
       before ->> 'content' AS content
FROM change
WHERE entity = 'fact' AND act = '-' AND row NOT IN (SELECT seq FROM fact)
"""


def undone(db: Connection, reference: str, *, viewer: Origin | Everyone) -> list[int]:
    """Return the numbers of facts with this id, or beginning of it, that only the journal knows."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT seq, id FROM ({_UNDONE}) AS fact WHERE {condition}"
    rows: Iterable[Any] = db.execute(sql, values)
    known = dict(rows)
    exact = [seq for seq, fact_id in known.items() if fact_id == reference]
    if exact or len(reference) < _MIN_PREFIX:
        return exact
    return [seq for seq, fact_id in known.items() if fact_id.startswith(reference.upper())]


def with_citers(
    db: Connection, named: Iterable[int], *, viewer: Origin | Everyone,
    is_spared: Callable[[int], bool] | None = None,
) -> dict[int, str]:  # fmt: skip
    """Return the ids of facts, by number, in order of arrival: the named ones; all that `viewer`
    may see and that derives from them, directly or not; archived and pruned facts with the same
    text, but for those that are spared; and what only the journal still knows of the same text or
    id."""
    condition, values = visibility.where(viewer)
    citing: dict[str, list[int]] = {}
    typed: list[tuple[str, int, int]] = []
    twins: dict[tuple[Any, ...], list[int]] = {}
    gone: dict[int, tuple[Any, ...]] = {}
    sql = f"""SELECT seq, id, origin, derived_from, NULL FROM fact
    WHERE derived_from IS NOT NULL AND {condition}
    UNION ALL SELECT seq, id, origin, derived_from, content FROM ({_UNDONE}) AS fact
    WHERE {condition}"""
    for seq, fact_id, origin, cited, content in db.execute(sql, (*values, *values)):
        for source in codec.loads(cited or "[]"):
            citing.setdefault(source, []).append(seq)
            if len(source) != _FULL or source != source.upper():
                typed.append((source, seq, origin))
        if content is not None:
            gone[seq] = (fact_id, origin, content)
            twins.setdefault((fact_id,), []).append(seq)
            twins.setdefault((origin, content), []).append(seq)
    for source, seq, origin in typed:
        for fact_id in _meant(db, source, gone, before=seq, origin_number=origin):
            citing.setdefault(fact_id, []).append(seq)
    found: dict[int, str] = {}
    waiting = list(named)
    while waiting:
        seq = waiting.pop()
        if seq not in found:
            fact_id, *text = gone.get(seq) or _fact(db, seq)
            found[seq] = fact_id
            waiting += citing.get(fact_id, [])
            waiting += twins.get((fact_id,), []) + twins.get(tuple(text), [])
            copies = _copies(db, *text)
            waiting += [one for one in copies if is_spared is None or not is_spared(one)]
    return dict(sorted(found.items()))


def earlier(db: Connection, gone: Collection[int], *, viewer: Origin) -> list[str]:
    """Return the ids of archived facts that the given facts have replaced. They say the same in
    other words, and a purge leaves them."""
    condition, values = visibility.where(viewer)
    rows: Iterable[Any] = db.execute(
        f"""
        SELECT DISTINCT fact.id, fact.seq FROM link JOIN fact ON fact.seq = link.to_fact
        WHERE link.from_fact IN (SELECT value FROM json_each(?))
          AND link.kind IN ({sql_list(words_for(*SUPERSEDES))}) AND lifecycle <> 'active'
          AND fact.seq NOT IN (SELECT value FROM json_each(?)) AND {condition} ORDER BY fact.seq
        """,
        (codec.dumps(list(gone)), codec.dumps(list(gone)), *values),
    )
    return [fact_id for fact_id, _ in rows]


def _meant(
    db: Connection, typed: str, gone: dict[int, tuple[Any, ...]], *, before: int, origin_number: int
) -> set[str]:
    """Return the id of the fact older than number `before` that a citation names by the beginning
    of its id or in small letters, as a file or an older version may have stored it.
    """
    wanted = typed.strip().upper()
    if len(wanted) < _MIN_PREFIX or not (wanted.isascii() and wanted.isalnum()):
        return set()
    sql = "SELECT id FROM fact WHERE id >= ? AND id < ? AND origin = ? AND seq < ? LIMIT 2"
    rows: Iterable[Any] = db.execute(sql, (wanted, wanted + "~", origin_number, before))
    found = {fact_id for (fact_id,) in rows} | {
        fact_id
        for seq, (fact_id, its, _) in gone.items()
        if seq < before and its == origin_number and fact_id.startswith(wanted)
    }
    return found if len(found) == 1 else set()


def _copies(db: Connection, origin_number: int, content: str) -> list[int]:
    """Return the archived and pruned facts of an origin with exactly the same text."""
    sql = "SELECT seq FROM fact WHERE origin = ? AND lifecycle <> 'active' AND content = ?"
    return [seq for (seq,) in db.execute(sql, (origin_number, content))]


def made_before(
    db: Connection, instant: int, *, viewer: Origin | Everyone, confirmed: bool
) -> dict[int, str]:
    """Return the ids of the facts made before an instant, by number, with any lifecycle, also those
    that only the journal knows; confirmed and pinned ones only when asked for."""
    condition, values = visibility.where(viewer)
    kept = "" if confirmed else " AND pinned = 0 AND ifnull(status, '') <> 'confirmed'"
    sql = (
        f"SELECT seq, id FROM ({_FACTS} UNION ALL {_UNDONE}) AS fact"
        f" WHERE created_at < ? AND {condition}{kept} ORDER BY seq"
    )
    return dict(db.execute(sql, (instant, *values)))


def _fact(db: Connection, seq: int) -> tuple[Any, ...]:
    sql = "SELECT id, origin, content FROM fact WHERE seq = ?"
    found: list[Any] = db.execute(sql, (seq,)).fetchall()
    return tuple(found[0])


def remove(db: Connection, gone: Collection[int]) -> None:
    """Remove facts and every row that says something of them, in a bulk batch of the caller.

    What pages and the log still hold is removed by `finish_purge`.
    """
    if not db.filename.startswith(SERVERS):
        put_setting(db, TRACES, TRACES_IN_FILE)
    listed = codec.dumps(list(gone))
    vectors.remove(db, gone)
    # What the origins of purged facts have asked may have been about those.
    sql = "SELECT DISTINCT origin FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
    origins: Any = db.execute(sql, (listed,)).fetchall()
    vectors.forget_questions(db, [number for (number,) in origins])
    score_bounds.forget(db, gone)
    labels.take_wherever(db, gone)
    is_out = take_out(db, listed, count=len(gone))
    if not is_out:
        fts.leave(db)
    db.execute("DELETE FROM fact WHERE seq IN (SELECT value FROM json_each(?))", (listed,))
    for counted in ("archived_term", "lapsed_term"):
        db.execute(f"DELETE FROM {counted} WHERE facts = 0")
    images.part_run(db, gone)
    told = [number for life in images.lives(db, gone) for number, _, _ in life]
    own: Iterable[Any] = db.execute(
        "SELECT number FROM change WHERE entity IN ('fact', 'usage')"
        " AND row IN (SELECT value FROM json_each(?))",
        (listed,),
    )
    told += [number for (number,) in own]
    journal.take_off(db, told)
    db.execute(
        "DELETE FROM change WHERE number IN (SELECT value FROM json_each(?))",
        (codec.dumps(told),),
    )
    # The numbers of the newest changes are used again. Batches that go on must find their changes.
    db.execute(
        "UPDATE batch SET first = (SELECT 1 + ifnull(max(number), 0) FROM change)"
        " WHERE first > (SELECT 1 + ifnull(max(number), 0) FROM change)"
    )
    db.execute(
        "UPDATE stated SET change = (SELECT ifnull(max(number), 0) FROM change)"
        " WHERE change > (SELECT ifnull(max(number), 0) FROM change)"
    )
    if not is_out:
        fts.rebuild(db)
    common_postings.correct(db, gone)


MOST = 1000
"""For more facts the index is made anew."""
_PLAIN = 4  # the format of an index from which nothing was ever deleted row by row
_TAKEN = """
INSERT INTO fact_fts (fact_fts, rowid, terms)
SELECT 'delete', seq, terms FROM fact_index WHERE seq IN (SELECT value FROM json_each(?))
"""


def take_out(db: Connection, listed: str, *, count: int) -> bool:
    """Take facts that are still there, so many as JSON, out of the index; return False where it has
    to be made anew.

    Deleted row by row, terms would stay as the borders of pages. Here the deletion is a part of the
    index that says what is gone, and all parts are merged into one: what is gone is in none, and
    the borders are made of what is left. It takes a tenth of the time of making the index anew.
    """
    if count > MOST or _format(db) != _PLAIN:
        return False
    db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('secure-delete', 0)")
    db.execute(_TAKEN, (listed,))
    db.execute("INSERT INTO fact_fts (fact_fts) VALUES ('optimize')")
    db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('secure-delete', 1)")
    return True


def _format(db: Connection) -> int:
    if db.filename.startswith(SERVERS):  # where deleted facts take their postings along
        return _PLAIN
    return int(db.execute("SELECT v FROM fact_fts_config WHERE k = 'version'").get)


def finish_purge(db: Connection, *, patience_ms: int = 1000) -> bool:
    """Leave no trace of purged facts in any file; return False when another process or a full disk
    prevents it.

    Pages keep what was moved or deleted until they are written again, so the whole file is written
    again. Then the log is emptied, because it holds older pages; no other process may be reading
    at that time.
    """
    if db.filename.startswith(SERVERS):  # what it keeps, only its administrator can remove
        return True
    patience = db.pragma("busy_timeout")
    try:
        if purge_pending(db) == TRACES_IN_FILE:
            with connection.in_turn(db):
                db.execute("VACUUM")
                put_setting(db, TRACES, TRACES_IN_LOG)
        db.set_busy_timeout(patience_ms)
        is_busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        if not is_busy:
            drop_setting(db, TRACES)
        return not is_busy
    except apsw.Error:
        return False
    finally:
        db.set_busy_timeout(patience)
