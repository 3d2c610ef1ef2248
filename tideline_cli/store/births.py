"""Births that the journal keeps together: one row for a run of facts that came in a row."""

from __future__ import annotations

from itertools import groupby

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

_LEAST = 3  # facts of a run: fewer are told one by one
FIRST = "(change.after + 0)"
"""The SQL for the first fact of a run; `change.row` is the last one."""


def run_of(seq: str) -> str:
    """Return the SQL condition that `change` is the run that a fact was born in."""
    return (
        "change.number = (SELECT run.number FROM change AS run INDEXED BY change_run"
        f" WHERE run.entity = 'facts' AND run.row >= {seq} ORDER BY run.row LIMIT 1)"
        f" AND {FIRST} <= {seq}"
    )


@record
class Birth:
    """The number of the change by which a fact came, and that of its batch."""

    number: int
    batch: int


_OF = f"""
SELECT born.value, change.number - change.row + born.value, change.batch
FROM json_each(?) AS born CROSS JOIN change ON {run_of("born.value")}
"""
_TOLD = """
INSERT INTO change (number, batch, entity, row, act, after)
SELECT ?1 + (SELECT ifnull(max(number), 0) FROM change), number, 'facts', ?3, '+', ?2
FROM batch WHERE open > 0
"""
_ALONE = """
INSERT INTO change (batch, entity, row, act)
SELECT number, 'fact', ?, '+' FROM batch WHERE open > 0
"""


def of(db: Connection, seqs: Iterable[int]) -> dict[int, Birth]:
    """Return the births of those of the facts that came in a run. Of such a fact it is the first
    change."""
    rows: Iterable[Any] = db.execute(_OF, (codec.dumps(list(seqs)),))
    return {seq: Birth(number, batch) for seq, number, batch in rows}


def batch_of(db: Connection, seq: int) -> int:
    """Return the batch of the run that a fact came in, 0 when it came in none."""
    birth = of(db, [seq]).get(seq)
    return 0 if birth is None else birth.batch


def keep_quiet(db: Connection, count: int) -> bool:
    """Begin to store so many facts whose births `tell_runs` tells; return False where each birth is
    told by itself: they are few, or no load is under way."""
    return count >= _LEAST and _hush(db, 3, 4)


def tell_runs(db: Connection, origins: Sequence[int]) -> None:
    """Tell the births of the newest facts in runs, after `keep_quiet`; `origins` are the numbers of
    theirs, in order of arrival."""
    _hush(db, 4, 3)
    first = facts.last_number(db) - len(origins) + 1
    for _, some in groupby(origins):
        count = len(list(some))
        if count < _LEAST:
            db.executemany(_ALONE, [(seq,) for seq in range(first, first + count)])
        else:
            db.execute(_TOLD, (count, first, first + count - 1))
        first += count


def _hush(db: Connection, before: int, after: int) -> bool:
    """Let the batch that is being written go from one way of telling births to another; return
    whether it was in the first."""
    db.execute("UPDATE batch SET open = ? WHERE open > 0 AND open = ?", (after, before))
    return bool(db.changes())


_HOLDING = f"""
SELECT DISTINCT change.number, change.batch, {FIRST}, change.row
FROM json_each(?) AS born CROSS JOIN change ON {run_of("born.value")}
"""
_PIECE = "INSERT INTO change (number, batch, entity, row, act, after) VALUES (?, ?, ?, ?, '+', ?)"


def part(db: Connection, seqs: Iterable[int]) -> None:
    """Tell the births of some facts apart from the runs that they are in, under their numbers."""
    wanted = set(seqs)
    runs: list[Any] = db.execute(_HOLDING, (codec.dumps(sorted(wanted)),)).fetchall()
    for number, batch, first, last in runs:
        db.execute("DELETE FROM change WHERE number = ?", (number,))
        for start, end in _pieces(first, last, wanted):
            is_alone = start in wanted
            entity, after = ("fact", None) if is_alone else ("facts", str(start))
            db.execute(_PIECE, (number - last + end, batch, entity, end, after))


def _pieces(first: int, last: int, wanted: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last fact of each piece of a run: a fact of `wanted`, or what lies
    between two of those."""
    start = first
    for seq in range(first, last + 1):
        if seq in wanted:
            if start < seq:
                yield start, seq - 1
            yield seq, seq
            start = seq + 1
    if start <= last:
        yield start, last
