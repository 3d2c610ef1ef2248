"""Storing many new facts at once, a group of rows by one statement, and counting them."""

from __future__ import annotations

from _operator import itemgetter
from itertools import chain

from tideline_cli.model.text import IndexTerms
from tideline_cli.ranking.score_bounds import bound_code_like, bound_of_fact
from tideline_cli.store import SERVERS, births, digest, schema
from tideline_cli.store.fact_rows import COLUMNS, columns_of, fact_of_columns
from tideline_cli.store.writes import STORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer
    Columns = list[Any]
    Own = tuple[str, str, int, str, int, int]
    Run = tuple[Columns, list[tuple[Any, ...]]]

ID, CONTENT, ORIGIN = (COLUMNS.index(name) for name in ("id", "content", "origin"))
"""Places in what `sealed` returns."""
BOUND = len(STORED)
"""The place of the byte that bounds the score of the fact, which is stored apart."""
OWN_ID: Literal[0] = 0
OWN_CONTENT: Literal[1] = 1
OWN_LENGTH: Literal[2] = 2
OWN_TERMS: Literal[3] = 3
"""Places in what a fact has for itself."""
STORED_OWN: Literal[5] = 5
"""So many of these values stand in the table."""
_OF_TEXT = ("id", "content")  # of what a digest covers, what each of some facts has for itself
_OWN = (*_OF_TEXT, "length", "terms", "digest")
_PLACES = {name: STORED.index(name) for name in _OWN}
_own = itemgetter(*map(STORED.index, _OWN), BOUND)
_SHARED = tuple(name for name in STORED if name not in _OWN)
_shared = itemgetter(*map(STORED.index, _SHARED))
_TERMS = STORED.index("terms")
_weights = itemgetter(*map(STORED.index, ("source", "role", "importance", "tier", "pinned")))
_GROUP = 32  # facts of a statement: what it costs beside its rows is shared
_ROW = f"({', '.join('?' * len(STORED))})"
_INTO = f"INSERT INTO fact ({', '.join(STORED)}) VALUES "
_INSERT_GROUP = _INTO + ", ".join([_ROW] * _GROUP)
_INSERT_ONE = _INTO + _ROW


def _row_alike(place: int) -> str:
    """Return the values of one of the facts that are alike: what they share is given once."""
    first = 1 + len(_SHARED) + place * STORED_OWN
    at = {name: 1 + number for number, name in enumerate(_SHARED)}
    at |= {name: first + number for number, name in enumerate(_OWN)}
    return "(" + ", ".join(f"?{at[name]}" for name in STORED) + ")"


_INSERT_ALIKE = _INTO + ", ".join(map(_row_alike, range(_GROUP)))


def sealed(fact: Fact, terms: IndexTerms, analyzer: Analyzer) -> Columns:
    """Return what the file keeps of a new fact that was never used, its terms, digest and bound
    included; its origin by its key, in the place of which `insert` wants a number."""
    values = columns_of(fact)
    seal = digest.of(values)
    joined = terms.joined()
    values += (len(terms), joined, seal)
    source, role, importance, tier, pinned = _weights(values)
    role = None if analyzer == "reference" else role
    values.append(bound_of_fact(joined, source, role, importance, tier, pinned, 0))
    return values


class SharedColumns:
    """A fact of which others differ by their ids, their texts and their terms alone, which have no
    further forms: `columns` are what `sealed` returns of it."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._bound: int = columns[BOUND]
        self._before, self._between, self._behind = digest.pieces_of(columns, _OF_TEXT)

    def own_of(self, fact_id: str, content: str, terms: list[str]) -> Own:
        """Return what another fact has for itself."""
        seal = digest.of_parts((self._before, fact_id, self._between, content, self._behind))
        bound = bound_code_like(self._bound, terms)
        return fact_id, content, len(terms), " ".join(terms), seal, bound


def own_of(columns: Columns) -> Own:
    """Return what a fact has for itself of what `sealed` returns of it."""
    own: Own = _own(columns)
    return own


def with_own(columns: Columns, own: Sequence[Any]) -> Columns:
    """Return the columns of a fact that is like the one of `columns` but for what it has for
    itself."""
    whole = [*columns]
    for name, value in zip(_OWN, own, strict=False):
        whole[_PLACES[name]] = value
    if len(own) > STORED_OWN:
        whole[BOUND] = own[STORED_OWN]
    return whole


def numbered(columns: Columns, origin_number: int) -> Columns:
    """Return columns as `insert` takes them."""
    return [*columns[:ORIGIN], origin_number, *columns[ORIGIN + 1 : BOUND]]


def alone(columns: Columns, origin_number: int) -> Run:
    """Return a fact as `insert` takes it, which is not like the one before."""
    return numbered(columns, origin_number), [_own(columns)[:STORED_OWN]]


def unsealed(columns: Columns) -> tuple[Fact, IndexTerms]:
    """Return the fact and the terms that `sealed` was given, of a fact that was never used."""
    return fact_of_columns(columns), IndexTerms.parted(columns[_TERMS])


def taken(db: Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these ULIDs that facts have, of whatever origin."""
    of_all = "fact WHERE id IN (SELECT value FROM json_each(?))"
    if db.filename.startswith(SERVERS):  # where a role does not see them
        of_all = "taken_ids(ARRAY(SELECT value FROM json_each(?))) AS id"
    rows: Iterable[Any] = db.execute(
        f"SELECT id FROM {of_all}",
        ('["' + '","'.join(ids) + '"]',),  # ULIDs: nothing in them is escaped
    )
    return {fact_id for (fact_id,) in rows}


def insert(db: Connection, runs: Iterable[Run]) -> None:
    """Store new facts, whose ids nobody has, in this order; the columns of a run are what
    `numbered` returns."""
    runs = list(runs)
    origins = [columns[ORIGIN] for columns, own in runs for _ in own]
    is_quiet = births.keep_quiet(db, len(origins))
    if db.filename.startswith(SERVERS):
        from tideline_cli.store.postgres import many_facts  # noqa: PLC0415  no file

        many_facts.insert(db, [one for columns, own in runs for one in _each(columns, own)])
    else:
        _insert_runs(db, runs)
    if is_quiet:
        births.tell_runs(db, origins)


def _insert_runs(db: Connection, runs: Iterable[Run]) -> None:
    waiting: list[Columns] = []
    for columns, own in runs:
        whole = len(own) - len(own) % _GROUP
        if whole:
            _insert_each(db, waiting)
            waiting.clear()
            _insert_alike(db, columns, own[:whole])
        waiting += _each(columns, own[whole:])
    _insert_each(db, waiting)


def _each(columns: Columns, own: Sequence[tuple[Any, ...]]) -> list[Columns]:
    """Return the columns of each of some facts that are alike."""
    return [columns if columns[ID] == one[OWN_ID] else with_own(columns, one) for one in own]


def _insert_alike(db: Connection, columns: Columns, own: Sequence[tuple[Any, ...]]) -> None:
    shared = _shared(columns)
    for start in range(0, len(own), _GROUP):
        some = chain.from_iterable(own[start : start + _GROUP])
        db.execute(_INSERT_ALIKE, (*shared, *some))


def _insert_each(db: Connection, rows: Sequence[Columns]) -> None:
    whole = len(rows) - len(rows) % _GROUP
    for start in range(0, whole, _GROUP):
        db.execute(_INSERT_GROUP, tuple(chain.from_iterable(rows[start : start + _GROUP])))
    db.executemany(_INSERT_ONE, rows[whole:])


_key = itemgetter(*map(STORED.index, schema.CENSUS_KEY))
_CREATED = STORED.index("created_at")
_ORIGIN, _LIFECYCLE, _SOURCE, _SCOPE = map(
    schema.CENSUS_KEY.index, ("origin", "lifecycle", "source", "scope")
)


def count_after(db: Connection, seq: int) -> None:
    """Count all facts after number `seq`, in a load, before any of them is changed."""
    for statement in schema.COUNT_LATER:
        db.execute(statement, (seq,))


class NewCounts:
    """The counts of facts that a load stores, made from their columns: a fifth of the time that it
    takes to read them again."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], list[int]] = {}

    def add(self, runs: Iterable[Run]) -> None:
        """Count new facts as `bulk_inserts.insert` takes them."""
        found = self._found
        for columns, own in runs:
            key = (*_key(columns), _hour(columns[_CREATED]))
            held = found.get(key)
            if held is None:
                held = found[key] = [0, 0, 0]
            held[0] += len(own)
            held[1] += sum([one[OWN_LENGTH] for one in own])
            held[2] += sum([_octets(one[OWN_CONTENT]) + _octets(one[OWN_TERMS]) for one in own])

    def store(self, db: Connection) -> None:
        """Add what was counted to the tables."""
        census: list[tuple[Any, ...]] = []
        arrivals: list[tuple[Any, ...]] = []
        tallies: list[tuple[Any, ...]] = []
        for (*key, hour), (facts, tokens, octets) in self._found.items():
            scope = "" if key[_SCOPE] is None else key[_SCOPE]
            census.append((*key[:_SCOPE], scope, *key[_SCOPE + 1 :], facts, octets))
            if key[_LIFECYCLE] == "active":
                arrivals.append((key[_ORIGIN], hour, facts, tokens))
                tallies.append((key[_ORIGIN], key[_SOURCE], facts, tokens))
        for statement, rows in zip(schema.ADD_COUNTS, (census, arrivals, tallies), strict=True):
            db.executemany(statement, rows)


def _hour(ms: int) -> int:
    """Return the hour of an instant as SQLite divides: towards 1970."""
    return ms // schema.HOUR_MS if ms >= 0 else -(-ms // schema.HOUR_MS)


def _octets(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
