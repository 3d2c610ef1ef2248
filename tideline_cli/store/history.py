"""Reading the journal: batches by the number that users see, what they did, and which of them
stand."""

from __future__ import annotations

from itertools import islice

from tideline_cli.model import codec
from tideline_cli.model.edge import kinds_under
from tideline_cli.model.record import record, replace
from tideline_cli.store import images, journal, reads, visibility
from tideline_cli.store.facts import narrowing
from tideline_cli.store.journal import Deeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.reads import Read


@record
class Batch:
    """A batch as the journal knows it; the numbers of its changes go from `first` to `last`."""

    number: int
    origin: str
    ordinal: int
    verb: str
    outcome: str
    reason: str | None
    first: int
    last: int


_BATCH = """
SELECT batch.number, origin.key, ordinal, verb, outcome, reason, first, last
FROM batch JOIN origin ON origin.number = batch.origin
"""
BY_NUMBER = f"{_BATCH} WHERE batch.number = ?"
HAS_CHANGES = "SELECT EXISTS (SELECT 1 FROM batch_count WHERE batch = ?)"


def find(db: Connection, ordinal: int, *, viewer: Origin) -> Batch | None:
    """Return the batch of an origin that its users know by this number."""
    row = db.execute(f"{_BATCH} WHERE origin.key = ? AND ordinal = ?", (viewer.key, ordinal))
    return next((Batch(*values) for values in row), None)


def by_number(db: Connection, number: int) -> Batch | None:
    """Return the batch with this number, of any origin; None for changes from outside."""
    rows = db.execute(BY_NUMBER, (number,))
    return next((Batch(*values) for values in rows), None)


def has_changes(db: Connection, batch: Batch) -> bool:
    """Say whether the journal still knows anything that a batch did."""
    return bool(db.execute(HAS_CHANGES, (batch.number,)).get)


@record
class Entry:
    """What one batch did to one row, or a batch that was blocked and did nothing. `batch` is None
    for a batch of another origin, whose numbers are not shown.

    `before` is the old row as JSON text, None for an insert; `row` and `change` are the numbers
    of the row and of the change; `edge` is a link in words: its kind and where it leads; `kind` is
    that of a link.
    """

    batch: int | None
    at: int
    verb: str
    outcome: str
    reason: str | None
    entity: str | None
    act: str | None
    fact: str | None
    before: str | None
    row: int | None = None
    change: int | None = None
    edge: str | None = None
    kind: str | None = None


@record
class Listed:
    """A batch in a list: `changes` counts what it did to the facts of its own origin, and to their
    edges and use. A batch that was blocked, or found nothing to do, has none."""

    number: int
    ordinal: int
    at: int
    verb: str
    outcome: str
    reason: str | None
    first: int
    last: int
    changes: Deeds


# A row that is gone is shown to the origin that it belonged to. The origin of a fact is read from
# what the journal keeps of it, the origin of an edge from the fact where it started. The image of
# an update has neither: those of a fact that is gone are in that of its end.
_GONE = """(SELECT gone.before FROM change AS gone
  WHERE gone.row = change.row AND gone.entity = 'fact' AND gone.act = '-'
  ORDER BY gone.number DESC LIMIT 1)"""
_IMAGE = f"iif(change.act = '~' AND change.before ->> 'seq' IS NULL, {_GONE}, change.before)"
_ENTRY = f"""
SELECT iif(batch.origin = own.number, batch.ordinal, NULL), batch.at, batch.verb, batch.outcome,
       iif(batch.origin = own.number, batch.reason, NULL), change.entity, change.act,
       ifnull(fact.id, iif(change.entity = 'fact', {_IMAGE} ->> 'id', NULL)),
       iif(change.entity = 'link' AND fact.id IS NULL, NULL, change.before),
       change.row, change.number, ' → ' || target.id,
       iif(change.entity = 'link', {journal.EDGE_KIND}, NULL),
       iif(change.entity = 'facts', {images.FIRST}, NULL)
FROM origin AS own, change CROSS JOIN batch ON batch.number = change.batch
  LEFT JOIN link ON change.entity = 'link' AND link.number = change.row
  LEFT JOIN fact AS target ON target.seq = link.to_fact
  LEFT JOIN fact ON fact.seq = CASE change.entity
    WHEN 'link' THEN ifnull(change.before ->> 'from_fact', link.from_fact) ELSE change.row END
WHERE own.key = ? AND (change.entity = 'facts' OR coalesce(fact.origin,
  iif(change.entity = 'fact', CAST({_IMAGE} ->> 'origin' AS BIGINT), NULL),
  batch.origin) = own.number)
"""
_LISTED = f"""
SELECT batch.number, ordinal, at, verb, outcome, reason, first, last,
       EXISTS (SELECT 1 FROM batch_count WHERE batch_count.batch = batch.number),
       {", ".join(f"ifnull({name}, 0)" for name in (*journal.COUNTS, "turns"))}
FROM origin AS own CROSS JOIN batch ON batch.origin = own.number
  LEFT JOIN batch_count ON batch_count.batch = batch.number AND batch_count.origin = own.number
WHERE own.key = ? ORDER BY ordinal DESC
"""


def batches(db: Connection, *, viewer: Origin) -> Iterator[Listed]:
    """Yield the batches of an origin, newest first; not those that changed only facts of others."""
    for row in db.execute(_LISTED, (viewer.key,)):
        did, counts = row[8], Deeds(*row[9:])
        if counts.total() or not did:
            yield Listed(*(*row[:8], counts))


def entries(db: Connection, *, viewer: Origin, limit: int, most: int = -1) -> Iterator[Entry]:
    """Yield what the newest `limit` batches did, newest first, of each `most` changes; -1: all."""
    for batch in islice(batches(db, viewer=viewer), limit if limit >= 0 else None):
        yield from entries_in(db, batch, viewer=viewer, most=most)


def changes_of(db: Connection, wanted: Filter, *, viewer: Origin) -> dict[int, int]:
    """Return by batch how many changes it made to the facts asked for, or to their use."""
    condition, names = visibility.where(viewer)
    narrowed, values = narrowing(wanted)
    found: dict[int, int] = {}
    alone = "change.row = fact.seq AND change.entity IN ('fact', 'usage')"
    for joined in (alone, images.run_of("fact.seq")):
        sql = (
            f"SELECT change.batch, count(*) FROM fact CROSS JOIN change ON {joined}"
            f" WHERE {condition}{narrowed} GROUP BY change.batch"
        )
        for batch, count in db.execute(sql, (*names, *values)):
            found[batch] = found.get(batch, 0) + count
    return found


def entries_about(
    db: Connection, batch: Listed, wanted: Filter, *, viewer: Origin, most: int = -1
) -> Iterator[Entry]:
    """Yield the first `most` of the changes of a batch that `changes_of` counts."""
    condition, names = visibility.where(viewer)
    narrowed, values = narrowing(wanted)
    sql = f"""{_ENTRY} AND change.number BETWEEN ? AND ? AND change.batch = ?
    AND (change.entity = 'facts' OR change.entity IN ('fact', 'usage')
      AND change.row IN (SELECT fact.seq FROM fact WHERE {condition}{narrowed}))
    ORDER BY change.number"""
    rows = db.execute(sql, (viewer.key, batch.first, batch.last, batch.number, *names, *values))
    yield from islice(_entries(db, rows, viewer, wanted), most if most >= 0 else None)


def entries_in(db: Connection, batch: Listed, *, viewer: Origin, most: int = -1) -> Iterator[Entry]:
    """Yield the first `most` changes of a batch; one entry without a change where there is none."""
    if not batch.changes.total():
        yield Entry(
            batch.ordinal, batch.at, batch.verb, batch.outcome, batch.reason, None, None, None, None
        )
        return
    sql = f"""{_ENTRY} AND change.number BETWEEN ? AND ? AND change.batch = ?
    ORDER BY change.number"""
    rows = db.execute(sql, (viewer.key, batch.first, batch.last, batch.number))
    yield from islice(_entries(db, rows, viewer), most if most >= 0 else None)


def entries_of(db: Connection, seq: int, *, viewer: Origin) -> Iterator[Entry]:
    """Yield what any batch did to one fact of an origin, oldest first."""
    for *row, _ in db.execute(f"{_ENTRY} AND {images.run_of('?2')}", (viewer.key, seq)):
        yield from _born(db, Entry(*row), [seq], viewer)
    sql = f"""{_ENTRY} AND change.entity IN ('fact', 'usage') AND change.row = ?
    ORDER BY change.number"""
    rows = db.execute(sql, (viewer.key, seq))
    yield from _entries(db, rows, viewer)


def entries_at(db: Connection, changes: Iterable[int], *, viewer: Origin) -> Iterator[Entry]:
    """Yield those of the changes of these numbers that are of an origin's facts, oldest first."""
    sql = f"""{_ENTRY} AND change.number IN (SELECT value FROM json_each(?))
    ORDER BY change.number"""
    rows = db.execute(sql, (viewer.key, codec.dumps(list(changes))))
    yield from _entries(db, rows, viewer)


def _entries(
    db: Connection, rows: Iterable[Any], viewer: Origin, wanted: Filter | None = None
) -> Iterator[Entry]:
    """Yield an entry of each change, of a row that stands for two edges one of each, and of a run
    one for each birth: with `wanted`, for those of the facts that it asks for."""
    for *row, first in rows:
        entry = Entry(*row)
        if first is not None:
            last = entry.row or 0
            asked = range(first, last + 1) if wanted is None else _asked(
                db, first, last, viewer, wanted
            )  # fmt: skip
            yield from _born(db, entry, asked, viewer)
        elif entry.kind is None:
            yield entry
        else:
            for kind in kinds_under(entry.kind):
                before = images.of_kind(entry.before, kind)
                edge = entry.edge and kind + entry.edge
                yield replace(entry, before=before, edge=edge, kind=kind)


def _born(db: Connection, run: Entry, seqs: Sequence[int], viewer: Origin) -> Iterator[Entry]:
    """Yield the births of these facts of a run, those of facts that are there by the origin of the
    facts. Those that are gone have the origin of the batch."""
    if not seqs:
        return
    known: Iterable[Any] = db.execute(
        "SELECT seq, id, origin.key FROM fact JOIN origin ON origin.number = fact.origin"
        " WHERE seq BETWEEN ? AND ?", (seqs[0], seqs[-1]),
    )  # fmt: skip
    there = {seq: (fact_id, key == viewer.key) for seq, fact_id, key in known}
    gone = None, run.batch is not None
    ahead = (run.change or 0) - (run.row or 0)
    for seq in seqs:
        fact_id, is_own = there.get(seq, gone)
        if is_own:
            yield Entry(
                run.batch, run.at, run.verb, run.outcome, run.reason, "fact", run.act, fact_id,
                None, seq, seq + ahead,
            )  # fmt: skip


def _asked(db: Connection, first: int, last: int, viewer: Origin, wanted: Filter) -> list[int]:
    """Return those of the facts between two numbers that a filter asks for."""
    condition, names = visibility.where(viewer)
    narrowed, values = narrowing(wanted)
    sql = (
        f"SELECT fact.seq FROM fact WHERE fact.seq BETWEEN ? AND ? AND {condition}{narrowed}"
        " ORDER BY fact.seq"
    )
    return [seq for (seq,) in db.execute(sql, (first, last, *names, *values))]


def with_whole_images(db: Connection, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield entries with the whole row before each change, where the journal keeps a part of it."""
    for entry in entries:
        if entry.entity == "fact" and images.is_part(entry.before):
            row, change = entry.row or 0, entry.change or 0
            yield replace(entry, before=images.state_before(db, row, change))
        else:
            yield entry


@record
class StandingBatch:
    """A batch that stands: its number, the one that users know, when it was made and by which verb.
    `undoes` is the number of the batch that it took back, None for a batch that is no undo."""

    number: int
    ordinal: int
    at: int
    verb: str
    undoes: int | None


_DONE = """
SELECT number, ordinal, at, verb, undoes FROM batch
WHERE origin = (SELECT number FROM origin WHERE key = ?) AND ordinal < ? AND outcome = 'done'
ORDER BY ordinal DESC LIMIT 200
"""
_CHAINED = """
SELECT number, ordinal, at, verb, undoes FROM batch
WHERE origin = (SELECT number FROM origin WHERE key = ?1) AND (undoes IS NOT NULL
  OR number IN (SELECT undoes FROM batch WHERE undoes IS NOT NULL))
"""
_ALL = 2**62


def standing(
    db: Connection, *, viewer: Origin, chains: Chains | None = None
) -> Iterator[StandingBatch]:
    """Yield the batches of an origin that stand, newest first. From a server the `chains` that are
    wanted as well come along.

    What is newer decides: an undo takes back nothing where a newer one that stands took it back.
    """
    taken: set[int] = set()
    below = _ALL
    others = () if chains is None or not reads.has_trips(db) else (chains.read(),)
    while True:
        rows, *_ = reads.together(db, reads.asked(_DONE, (viewer.key, below)), *others)
        if not rows:
            return
        others = ()
        below = rows[-1][1]
        yield from _kept(rows, taken)


def newest(number: int, *, viewer: Origin) -> Read[list[StandingBatch]]:
    """Read the batches that stand and are newer than the one with this number, newest first."""
    taken: set[int] = set()
    found: list[StandingBatch] = []
    below = _ALL
    while rows := (yield _DONE, (viewer.key, below)):
        found += _kept([row for row in rows if row[0] > number], taken)
        below = rows[-1][1]
        if rows[-1][0] <= number:
            break
    return found


def _kept(rows: Iterable[Any], taken: set[int]) -> Iterator[StandingBatch]:
    """Yield those of the batches that newer ones have not `taken` back."""
    for row in rows:
        step = StandingBatch(*row)
        if step.number in taken:
            continue
        if step.undoes is not None:
            taken.add(step.undoes)
        yield step


def back(db: Connection, *, viewer: Origin) -> Iterator[StandingBatch]:
    """Yield the batches of an origin that stand and are no undo, in the order in which steps back
    take them: one that was brought back counts as new as what brought it back."""
    seen: set[int] = set()
    chains = Chains(db, viewer=viewer)
    for step in standing(db, viewer=viewer, chains=chains):
        number = step.number if step.undoes is None else chains.first(step.undoes)
        if number in seen:  # something newer took it back, or brought it back
            continue
        seen.add(number)
        if step.undoes is None:
            yield step
        elif chains.bring_back(step.undoes) and (meant := chains.batch(number)) is not None:
            yield meant


class Chains:
    """Which batch each undo of an origin took back, read where it is asked for first."""

    def __init__(self, db: Connection, *, viewer: Origin) -> None:
        self._db = db
        self._viewer = viewer
        self._known: dict[int, StandingBatch] | None = None

    def read(self) -> Read[None]:
        """Read all of them."""
        rows = yield _CHAINED, (self._viewer.key,)
        self._known = {row[0]: StandingBatch(*row) for row in rows}

    def batch(self, number: int) -> StandingBatch | None:
        """Return a batch that is an undo or was taken back, None for another."""
        if self._known is None:
            reads.alone(self._db, self.read())
        return (self._known or {}).get(number)

    def _taken_by(self, number: int) -> int | None:
        """Return the number of the batch that a batch took back, None for one that is no undo."""
        own = self.batch(number)
        return None if own is None else own.undoes

    def first(self, number: int) -> int:
        """Return the number of the batch that a chain of undos is about."""
        while (before := self._taken_by(number)) is not None:
            number = before
        return number

    def bring_back(self, undoes: int | None) -> bool:
        """Say whether a batch that undoes this one is a step forward: it takes back an undo, or
        what took back a step forward."""
        forward = True
        while undoes is not None:
            forward = not forward
            undoes = self._taken_by(undoes)
        return forward


@record
class BatchDeeds:
    """What one batch did: in counts, and the first fact of them: its id, and what it says or said.
    """

    counts: journal.Deeds
    fact: str | None
    text: str | None


# The first change of a batch that is of some kind. A fact is known by its own number, an edge by
# the fact where it starts, also one that is gone.
_FIRST = f"""
SELECT place FROM (
SELECT change.number, CASE change.entity WHEN 'link' THEN {journal.START}
       WHEN 'facts' THEN change.after + 0 ELSE change.row END AS place
FROM batch JOIN change ON change.number BETWEEN batch.first AND batch.last
  AND change.batch = batch.number
WHERE batch.number = ?1 AND entity IN (?2, iif(?2 = 'fact', 'facts', ?2)) AND (act = '+') = (?3 = 1)
) AS done
WHERE ifnull((SELECT origin FROM fact WHERE fact.seq = place), ?4) = ?4
ORDER BY number LIMIT 1
"""
_KINDS = (
    (("added",), "fact", 1), (("changed", "removed"), "fact", 0),
    (("used",), "usage", 1), (("used",), "usage", 0),
    (("linked",), "link", 1), (("relinked", "unlinked"), "link", 0),
)  # fmt: skip
"""Which counts tell of a kind of change: of what, and whether it was added."""
_OF_GONE = """
SELECT row, before ->> 'id', before ->> 'content' FROM change
WHERE entity = 'fact' AND act = '-' AND before ->> 'origin' = ?2
  AND row IN (SELECT value FROM json_each(?1)) ORDER BY number
"""
_HERE = """
SELECT seq, id, content FROM fact
WHERE origin = ?2 AND seq IN (SELECT value FROM json_each(?1))
"""


def deeds_of(db: Connection, ordinals: Collection[int], *, viewer: Origin) -> dict[int, BatchDeeds]:
    """Return what batches of an origin did, by the numbers that users know."""
    owner = visibility.number(db, viewer)
    numbers = _numbers(db, ordinals, owner)
    counts = {
        ordinal: journal.deeds_of_batch(db, number, origin_number=owner)
        for ordinal, number in numbers.items()
    }
    first = {
        ordinal: _first(db, number, counts[ordinal], owner) for ordinal, number in numbers.items()
    }
    known = _texts(db, [seq for seq in first.values() if seq is not None], owner)
    none = (None, None)
    return {
        ordinal: BatchDeeds(counts[ordinal], *known.get(first[ordinal] or 0, none))
        for ordinal in numbers
    }


def _numbers(db: Connection, ordinals: Collection[int], owner: int) -> Mapping[int, int]:
    """Return the numbers of batches by those that users know."""
    sql = (
        "SELECT ordinal, number FROM batch"
        " WHERE origin = ? AND ordinal IN (SELECT value FROM json_each(?))"
    )
    return dict(db.execute(sql, (owner, codec.dumps(list(ordinals)))))


def _first(db: Connection, number: int, counts: journal.Deeds, owner: int) -> int | None:
    """Return the first fact of those that a batch added, else of those that it changed or removed,
    and so on: only what its counts tell of is looked for."""
    for names, entity, is_added in _KINDS:
        if any(getattr(counts, name) for name in names):
            row: Any = db.execute(_FIRST, (number, entity, is_added, owner)).fetchone()
            if row is not None:
                return int(row[0])
    return None


def _texts(db: Connection, facts: Collection[int], owner: int) -> dict[int, tuple[str, str]]:
    """Return id and text of facts by number, also of those that are gone."""
    wanted = codec.dumps(list(facts))
    found: dict[int, tuple[str, str]] = {}
    for query in (_OF_GONE, _HERE):
        rows: list[Any] = db.execute(query, (wanted, owner)).fetchall()
        found |= {seq: (fact_id, text) for seq, fact_id, text in rows}
    return found
