"""The words of titles, tags, slots and kinds that the text of a fact does not hold: a derived index
of each origin, by which a fact is found by its labels.

Facts without labels have no row. Who changes one of `fields.SEARCHED` puts the fact anew.
"""

from __future__ import annotations

from _operator import attrgetter

from tideline_cli.model import codec
from tideline_cli.model.fields import LISTS, SEARCHED
from tideline_cli.model.text import index_terms
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer

MOST = 1000  # holders of a term that a question reads, the newest
_COUNTED = 20_000  # older holders that are counted beside them
_LABELLED = "(" + " OR ".join(f"{name} IS NOT NULL" for name in SEARCHED) + ")"
_SELECT = f"SELECT seq, origin, terms, {', '.join(SEARCHED)} FROM fact"
_values = attrgetter(*SEARCHED)
_INSERT = "INSERT INTO label_term (origin, term, fact) VALUES (?, ?, ?)"
_HOLDERS = "SELECT fact FROM label_term WHERE origin = ? AND term = ? ORDER BY fact DESC LIMIT ?"
_OLDER = "SELECT count(*) FROM (SELECT 1 FROM label_term WHERE origin = ? AND term = ? LIMIT ?)"


def add(
    db: Connection, seq: int, fact: Fact, *, origin_number: int, held: Iterable[str]
) -> None:
    """Index the labels of a new fact whose text holds these terms."""
    rows = _rows(seq, origin_number, set(held), _values(fact), _analyzer(db))
    db.executemany(_INSERT, rows)


def put(db: Connection, seqs: Iterable[int]) -> None:
    """Index the labels of facts as they are now."""
    for seq in seqs:
        db.execute("DELETE FROM label_term WHERE fact = ?", (seq,))
        rows = db.execute(f"{_SELECT} WHERE seq = ? AND {_LABELLED}", (seq,)).fetchall()
        db.executemany(_INSERT, list(_of_rows(rows, _analyzer(db))))


def make_anew(db: Connection) -> None:
    """Index the labels of all facts again."""
    db.execute("DELETE FROM label_term")
    db.executemany(_INSERT, _of_rows(db.execute(f"{_SELECT} WHERE {_LABELLED}"), _analyzer(db)))


def wrong_count(db: Connection) -> int:
    """Return how many rows are missing or too many."""
    wanted = set(_of_rows(db.execute(f"{_SELECT} WHERE {_LABELLED}"), _analyzer(db)))
    held = set(db.execute("SELECT origin, term, fact FROM label_term"))
    return len(wanted ^ held)


def holders(
    db: Connection, asked: Sequence[str], *, origin_number: int
) -> dict[str, list[int]]:
    """Return the numbers of the facts whose labels hold an asked term, the newest MOST of each
    term, newest first; terms that no label holds are left out."""
    if not db.execute(
        "SELECT EXISTS (SELECT 1 FROM label_term WHERE origin = ?)", (origin_number,)
    ).get:
        return {}
    found: dict[str, list[int]] = {}
    for term in asked:
        rows = db.execute(_HOLDERS, (origin_number, term, MOST))
        seqs = [seq for (seq,) in rows]
        if seqs:
            found[term] = seqs
    return found


def older_count(db: Connection, term: str, *, origin_number: int) -> int:
    """Return how many facts hold a term in their labels beyond the newest MOST, counted up to a
    bound."""
    return max(0, int(db.execute(_OLDER, (origin_number, term, MOST + _COUNTED)).get) - MOST)


def counts(db: Connection, seqs: Iterable[int], *, origin_number: int) -> dict[int, int]:
    """Return how many label terms each of the facts of an origin has."""
    marks = ", ".join(map(str, seqs))
    rows: Iterable[Any] = db.execute(
        f"SELECT fact, count(*) FROM label_term WHERE fact IN ({marks}) AND origin = ?"
        " GROUP BY fact",
        (origin_number,),
    )
    return dict(rows)


def _of_rows(rows: Iterable[Any], analyzer: Analyzer) -> Iterator[tuple[int, str, int]]:
    for seq, origin, held, *columns in rows:
        labels = [
            codec.loads(column) if column and name in LISTS else column
            for name, column in zip(SEARCHED, columns, strict=True)
        ]
        yield from _rows(seq, origin, set(held.split()), labels, analyzer)


def _rows(
    seq: int, origin_number: int, held: set[str], labels: Iterable[Any], analyzer: Analyzer
) -> list[tuple[int, str, int]]:
    named: set[str] = set()
    for label in labels:
        for text in [label] if isinstance(label, str) else label or ():
            named.update(index_terms(text, analyzer=analyzer))
    return [(origin_number, term, seq) for term in sorted(named - held)]


def _analyzer(db: Connection) -> Analyzer:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return analyzer
