"""The counts of facts by what status and the ranking ask for, made without looking at each fact."""

from __future__ import annotations

from _operator import itemgetter

from tideline_cli.store import schema
from tideline_cli.store.bulk_inserts import OWN_CONTENT, OWN_LENGTH, OWN_TERMS
from tideline_cli.store.writes import STORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.bulk_inserts import Run

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
