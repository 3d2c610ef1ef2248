"""When the states of facts were stated: read from the journal, noted for what an import brings."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.saying import SHOWN, StatedAt, Times, unpainted
from tideline_cli.store import images, reads, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin
    from tideline_cli.store.reads import Read, Rows

# What a pass, an import or an undo does is nobody's word at that time.
_SILENT = "('dream', 'gc', 'consolidate', 'doctor', 'import', 'relink', 'link', 'recall', 'sync')"
PASSES = ("dream", "gc", "consolidate")
SAYING = ("remember", "edit")
"""By these, a fact that is used is said again; what a model distils is a use alone."""
# An edit that moves a fact into a slot or a scope says that it holds there. A restore shows other
# values of a slot again too, of which it says nothing.
_IS_SAID = f"""(entity = 'usage' AND batch.verb IN {SAYING}
  OR entity = 'fact' AND batch.verb = 'restore' AND before ->> 'lifecycle' <> 'active'
    AND (fact.slot IS NULL OR CAST(fact.statement ->> 'back' AS BIGINT) >= batch.at)
  OR entity = 'fact' AND batch.verb = 'edit'
    AND (before LIKE '%"slot":%' OR before LIKE '%"scope":%'))"""  # of what has changed
_NUMBER = 16  # hexadecimal digits
_IS_LATER = "change.number > ifnull(stated.change, 0)"
# Nor is what was taken back a word.
_HEARD = f"""batch.verb NOT IN {_SILENT} AND batch.undoes IS NULL
  AND batch.number NOT IN (SELECT value FROM json_each(?))"""
_SPOKEN = f"""
SELECT max(fact.id), max(fact.created_at),
  max(iif(heard AND {_IS_LATER}, batch.at, NULL)), max(iif(heard, batch.at, NULL)),
  max(iif(heard AND {_IS_SAID}, batch.at, NULL)),
  max(iif(heard, printf('%0{_NUMBER}x', change.number) || batch.at, NULL)),
  max(iif(undone.verb = 'import' AND {_IS_LATER}, 1, 0))
FROM change JOIN fact ON fact.seq = change.row
  JOIN (SELECT *, {_HEARD} AS heard FROM batch) AS batch ON batch.number = change.batch
  LEFT JOIN batch AS undone ON undone.number = batch.undoes
  LEFT JOIN stated ON stated.fact = change.row
WHERE change.entity IN ('fact', 'usage') AND (change.entity = 'usage' OR change.act <> '+')
  AND change.number NOT IN (SELECT value FROM json_each(?)) AND {{condition}}
GROUP BY change.row
"""
_WORDS = f"""
SELECT batch.at FROM change JOIN batch ON batch.number = change.batch
  LEFT JOIN stated ON stated.fact = change.row
WHERE {_HEARD} AND change.row = (SELECT seq FROM fact WHERE id = ?)
  AND change.entity IN ('fact', 'usage')
  AND (change.entity = 'usage' OR change.act <> '+') AND {{condition}}
  AND change.number NOT IN (SELECT value FROM json_each(?))
GROUP BY batch.number ORDER BY min(change.number)
"""
_OF_SLOTS = """
SELECT change.row, number, act, before FROM change
WHERE entity = 'fact' AND change.row IN ({rows}) ORDER BY change.row, number
"""
_CHANGED = "SELECT row FROM change WHERE entity = 'fact' AND row IN ({rows})"
_TOUCHED = """
SELECT row FROM change WHERE number > ? AND entity = 'fact' AND act = '~' AND (
  row IN (SELECT seq FROM fact WHERE slot IS NOT NULL) OR before LIKE '%"slot":"%')
"""
_UNDOS = "SELECT number, undoes FROM batch WHERE undoes IS NOT NULL ORDER BY number DESC"
_NOTED = """
SELECT fact.id, stated.changed_at, stated.said_at
FROM stated JOIN fact ON fact.seq = stated.fact WHERE {condition}
"""
_NOTE = """
INSERT INTO stated (fact, change, changed_at, said_at, gone)
SELECT fact.seq, (SELECT ifnull(max(number), 0) FROM change), CAST(value ->> 1 AS BIGINT),
  CAST(value ->> 2 AS BIGINT), value ->> 3
FROM json_each(?) JOIN fact ON fact.id = value ->> 0 WHERE true
ON CONFLICT DO UPDATE SET change = excluded.change, changed_at = excluded.changed_at,
  said_at = {said}, gone = ifnull(excluded.gone, stated.gone)
"""
_SAID, _LATEST_SAID = "excluded.said_at", "max(excluded.said_at, stated.said_at)"


def times(
    db: Connection, *, viewer: Origin | Everyone, ids: Sequence[str] | None = None
) -> dict[str, Times]:
    """Return when the states of facts were stated, by id; with `ids`, of those facts alone. A fact
    that is not there was stated when it was made, and never since."""
    found = stated(db, viewer=viewer, ids=ids)
    return {one: Times(at.changed_at, max(at.spoken, at.brought)) for one, at in found.items()}


def stated(
    db: Connection, *, viewer: Origin | Everyone, ids: Sequence[str] | None = None
) -> dict[str, StatedAt]:
    """Return the same, with what was said here apart."""
    condition, values = visibility.where(viewer)
    if ids is not None:
        condition += (
            " AND fact.seq IN (SELECT seq FROM fact WHERE id IN (SELECT value FROM json_each(?)))"
        )
        values = (*values, codec.dumps(list(ids)))
    shown = f"SELECT seq FROM fact WHERE slot IS NOT NULL AND {condition}"
    rows, undos, *told = reads.together(
        db, reads.asked(_NOTED.format(condition=condition), values), reads.asked(_UNDOS),
        *_changes(shown, values),
    )  # fmt: skip
    noted = {fact_id: StatedAt(changed, 0, said) for fact_id, changed, said in rows}
    found = dict(noted)
    taken = codec.dumps(sorted(_taken(undos))), codec.dumps(_painted(_said_by(*told)))
    sql = _SPOKEN.format(condition=condition)
    for fact_id, *rest, is_undone in _rows(db, sql, (*taken, *values)).fetchall():
        known = None if is_undone else noted.get(fact_id)
        at = _latest(db, fact_id, known, rest, taken)
        if at is None:
            found.pop(fact_id, None)
        else:
            found[fact_id] = at
    return found


def taken_back(db: Connection) -> set[int]:
    """Return the numbers of the batches that are taken back: those that a standing undo names."""
    return _taken(reads.alone(db, reads.asked(_UNDOS)))


def _taken(undos: Iterable[tuple[int, int]]) -> set[int]:
    taken: set[int] = set()
    for number, undone in undos:
        if number not in taken:
            taken.add(undone)
    return taken


def said_since(db: Connection, number: int) -> dict[int, frozenset[str]]:
    """Return, for each change after this number of a value of a slot, what it has changed of what
    that shows as it was said: nothing where another value has painted over it."""
    told = reads.together(db, *_changes(_TOUCHED, (number,)))
    return {one: names for one, _, names in _said_by(*told) if one > number}


def _changes(rows: str, values: Sequence[object]) -> tuple[Read[Rows], Read[dict[int, str]]]:
    """Return what reads all changes of the facts that a statement numbers, and those that have any
    as they are now."""
    return (
        reads.asked(_OF_SLOTS.format(rows=rows), values),
        images.images_in("fact", _CHANGED.format(rows=rows), values),
    )


def _painted(told: Iterable[tuple[int, str, frozenset[str]]]) -> list[int]:
    """Return the changes by which a value of a slot has painted over one: they are no word."""
    return [
        one for one, before, names in told
        if not names and images.is_part(before) and codec.loads(before).keys() <= {*SHOWN}
    ]  # fmt: skip


def _said_by(
    changes: Rows, current: Mapping[int, str]
) -> Iterator[tuple[int, str, frozenset[str]]]:
    """Yield of all updates of some facts the number, the image, and what changed as it was said."""
    by_row: dict[int, list[tuple[int, str, str | None]]] = {}
    for row, number, act, before in changes:
        by_row.setdefault(row, []).append((number, act, before))
    for row, told in by_row.items():
        states = images.row_states([before for *_, before in told], now=current.get(row))
        known = [said_of_row(codec.loads(state)) if state else {} for state in states]
        for (number, act, before), was, now in zip(told, known, known[1:], strict=False):
            if act == "~" and before is not None:
                names = (name for name in SHOWN if was.get(name) != now.get(name))
                yield number, before, frozenset(names)


def said_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said of a fact, of its row as the journal keeps it."""
    statement = row["statement"]
    return unpainted({**row, "statement": None if statement is None else codec.loads(statement)})


def note(
    db: Connection, stated: Mapping[str, Times], gone: Mapping[str, str], *, is_all: bool = False
) -> None:
    """Note in an open batch when the present states of some facts were stated, and said elsewhere;
    and why those that are archived are so, where that is known. Of what was said elsewhere the
    latest counts, unless `is_all` that is known of it."""
    if stated:
        rows = [(fact_id, at.changed_at, at.said_at, gone.get(fact_id))
                for fact_id, at in stated.items()]  # fmt: skip
        db.execute(_NOTE.format(said=_SAID if is_all else _LATEST_SAID), (codec.dumps(rows),))


def _latest(
    db: Connection, fact_id: str, known: StatedAt | None, words: list[Any], taken: tuple[str, str]
) -> StatedAt | None:
    born, changed_since, changed, spoken, last = words
    brought = known.brought if known else 0
    if known is not None:
        if changed_since is None:
            return StatedAt(known.changed_at, spoken or 0, brought)
        changed = changed_since
    if changed is None:
        return None
    before = max(born, known.changed_at if known else born)
    if int(last[_NUMBER:]) < max(changed, before):
        changed = _in_order(db, fact_id, before, taken, since=known is not None)
    return StatedAt(changed, spoken or 0, brought)


def _in_order(
    db: Connection, fact_id: str, before: int, taken: tuple[str, str], *, since: bool
) -> int:
    """Return when a fact was last changed that had last changed `before`: each word is later than
    those that came earlier, by a millisecond where the clock says that it is not."""
    latest = before
    sql = _WORDS.format(condition=_IS_LATER if since else "true")
    words = _rows(db, sql, (taken[0], fact_id, taken[1]))
    for (at,) in words:
        latest = at if at >= latest else latest + 1
    return latest


def _rows(db: Connection, sql: str, values: tuple[Any, ...]) -> Any:
    return db.execute(sql, values)
