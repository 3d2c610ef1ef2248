"""Labels of facts: the values of a slot, and the words of titles, tags, slots and kinds that a text
does not hold: a derived index of each origin, by which a fact is found by its labels.

Facts without labels have no row. Of a chunk of a document the kind says nothing: all of them have
it. Who changes one of `fields.SEARCHED` takes the fact out before
that, and puts it back afterwards; who deletes a fact takes it out before. `fts` reads it.
"""

from __future__ import annotations

from _operator import attrgetter

from tideline_cli.model import codec
from tideline_cli.model.fields import LISTS, SEARCHED
from tideline_cli.model.text import index_terms
from tideline_cli.store import fts, reads, visibility
from tideline_cli.store.connection import setting
from tideline_cli.store.fact_rows import SELECT, SELECT_WITH_TERMS, fact_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.reads import Read

_KIND = SEARCHED.index("kind")
_COLUMNS = tuple(
    "iif(document IS NULL, kind, NULL)" if name == "kind" else name for name in SEARCHED
)
_LABELLED = "(" + " OR ".join(f"{name} IS NOT NULL" for name in _COLUMNS) + ")"
_SELECT = f"SELECT seq, origin, terms, {', '.join(_COLUMNS)} FROM fact"
_SOME = f"{_SELECT} WHERE {_LABELLED} AND seq IN (SELECT value FROM json_each(?))"
_values = attrgetter(*SEARCHED)
_INSERT = "INSERT INTO label_term (origin, term, fact, size) VALUES (?, ?, ?, ?)"
_FEW = 500  # facts that are taken out by their terms; for more of them the table is read


def add(db: Connection, seq: int, fact: Fact, *, origin_number: int, held: Iterable[str]) -> None:
    """Index the labels of a new fact whose text holds these terms."""
    labels = [*_values(fact)]
    if fact.document is not None:
        labels[_KIND] = None
    rows = _rows(seq, origin_number, set(held), labels, _analyzer(db))
    db.executemany(_INSERT, rows)


def add_chunks(
    db: Connection, chunks: Iterable[tuple[int, str, Iterable[str]]], *, origin_number: int
) -> None:
    """Index the titles of new chunks of documents: (number, title, terms of the text)."""
    analyzer = _analyzer(db)
    named: dict[str, set[str]] = {}
    for seq, title, held in chunks:
        if title not in named:
            named[title] = _named([title], analyzer)
        found = named[title].difference(held)
        db.executemany(_INSERT, [(origin_number, term, seq, len(found)) for term in sorted(found)])


def take(db: Connection, seqs: Collection[int]) -> None:
    """Take facts out of the index whose labels are as they were indexed."""
    if len(seqs) > _FEW:
        take_wherever(db, seqs)
        return
    rows = db.execute(_SOME, (codec.dumps(list(seqs)),)).fetchall()
    analyzer = _analyzer(db)
    db.executemany(
        "DELETE FROM label_term WHERE origin = ? AND fact = ? AND term = ?",
        [(row[1], row[0], term) for row in rows for term in _named(_labels_of(row), analyzer)],
    )


def take_wherever(db: Connection, seqs: Collection[int]) -> None:
    """Take facts out of the index, under whatever terms they stand: all of it is read."""
    sql = "DELETE FROM label_term WHERE fact IN (SELECT value FROM json_each(?))"
    db.execute(sql, (codec.dumps(list(seqs)),))


def put(db: Connection, seqs: Iterable[int]) -> None:
    """Index the labels of facts that are not in the index."""
    for rows in reads.one_by_one(db, *reads.in_parts(_SOME, seqs, size=_FEW)):
        db.executemany(_INSERT, list(_of_rows(rows, _analyzer(db))))


def rows_of(
    rows: Iterable[Mapping[str, Any]], *, analyzer: Analyzer
) -> Iterator[dict[str, Any]]:
    """Yield the rows that index the labels of facts, which are given by their columns."""
    for row in rows:
        labels = [row.get(name) for name in SEARCHED]
        if row.get("document") is not None:
            labels[_KIND] = None
        if any(label is not None for label in labels):
            held, named = set(row["terms"].split()), _labels_of(labels)
            for one in _rows(row["seq"], row["origin"], held, named, analyzer):
                yield dict(zip(("origin", "term", "fact", "size"), one, strict=True))


def make_anew(db: Connection) -> None:
    """Index the labels of all facts again."""
    db.execute("DELETE FROM label_term")
    db.executemany(_INSERT, _of_rows(db.execute(f"{_SELECT} WHERE {_LABELLED}"), _analyzer(db)))


def wrong_count(db: Connection) -> int:
    """Return how many rows are missing or too many."""
    wanted = set(_of_rows(db.execute(f"{_SELECT} WHERE {_LABELLED}"), _analyzer(db)))
    held = set(db.execute("SELECT origin, term, fact, size FROM label_term"))
    return len(wanted ^ held)


def _of_rows(rows: Iterable[Any], analyzer: Analyzer) -> Iterator[tuple[int, str, int, int]]:
    for row in rows:
        seq, origin, held, *_ = row
        yield from _rows(seq, origin, set(held.split()), _labels_of(row), analyzer)


def _labels_of(row: Sequence[Any]) -> list[Any]:
    """Return the labels that a row of _SELECT ends with."""
    return [
        codec.loads(column) if column and name in LISTS else column
        for name, column in zip(SEARCHED, row[-len(SEARCHED) :], strict=True)
    ]


def _rows(
    seq: int, origin_number: int, held: set[str], labels: Iterable[Any], analyzer: Analyzer
) -> list[tuple[int, str, int, int]]:
    found = _named(labels, analyzer) - held
    return [(origin_number, term, seq, len(found)) for term in sorted(found)]


def _named(labels: Iterable[Any], analyzer: Analyzer) -> set[str]:
    """Return the terms of labels: texts, and lists of texts."""
    named: set[str] = set()
    for label in labels:
        for text in [label] if isinstance(label, str) else label or ():
            named.update(index_terms(text, analyzer=analyzer))
    return named


def _analyzer(db: Connection) -> Analyzer:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return analyzer


_MOST_PAST = 200  # older ones show what they have shown


def active_values(
    db: Connection, slot: str, *, scope: str | None, viewer: Origin
) -> list[tuple[Fact, str]]:
    """Return the active facts of a slot in order of arrival, each with its terms."""
    return reads.alone(db, values_of(slot, scope=scope, viewer=viewer))


def values_of(
    slot: str, *, scope: str | None, viewer: Origin
) -> Read[list[tuple[Fact, str]]]:
    """Read what `active_values` returns."""
    condition, names = visibility.where(viewer)
    sql = (
        f"{SELECT_WITH_TERMS} WHERE {condition} AND slot = ? AND scope IS ?"
        " AND lifecycle = 'active' ORDER BY fact.seq"
    )
    rows = yield sql, (*names, slot, scope)
    return [(fact_of(row), row[-1]) for row in rows]


def painted_values(db: Connection, slot: str, *, scope: str | None, viewer: Origin) -> list[Fact]:
    """Return the values of a slot that its time line is painted of, in order of arrival: the active
    ones, and the newest of those that others have painted over."""
    condition, names = visibility.where(viewer)
    place = f"{condition} AND slot = ? AND scope IS ?"
    values = (*names, slot, scope)
    sql = (
        f"{SELECT} WHERE {place} AND (lifecycle = 'active' OR fact.seq IN (SELECT seq FROM fact"
        f" WHERE {place} AND lifecycle <> 'active' AND statement IS NOT NULL"
        " ORDER BY seq DESC LIMIT ?)) ORDER BY fact.seq"
    )
    return [fact_of(row) for row in db.execute(sql, (*values, *values, _MOST_PAST))]


_COUNTED_OLDER = 20_000  # older holders that are counted beside them
_OLDER = "SELECT count(*) FROM (SELECT 1 FROM label_term WHERE origin = ? AND term = ? LIMIT ?)"


def older_label_holders(db: Connection, term: str, *, origin_number: int) -> int:
    """Return how many facts hold a term in their labels beyond the newest that a question reads,
    counted up to a bound."""
    most = fts.MOST_LABELLED + _COUNTED_OLDER
    return max(0, int(db.execute(_OLDER, (origin_number, term, most)).get) - fts.MOST_LABELLED)
