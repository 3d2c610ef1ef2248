"""Which batches stand: those that no undo took back, or whose undo was itself taken back."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin


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
_UNDOES = """
SELECT number, undoes FROM batch
WHERE origin = (SELECT number FROM origin WHERE key = ?) AND undoes IS NOT NULL
"""
_ONE = "SELECT number, ordinal, at, verb, undoes FROM batch WHERE number = ?"
_ALL = 2**62


def standing(db: Connection, *, viewer: Origin) -> Iterator[StandingBatch]:
    """Yield the batches of an origin that stand, newest first.

    What is newer decides: an undo takes back nothing where a newer one that stands took it back.
    """
    taken: set[int] = set()
    below = _ALL
    while True:
        rows: list[Any] = db.execute(_DONE, (viewer.key, below)).fetchall()  # none stays open
        if not rows:
            return
        for row in rows:
            step = StandingBatch(*row)
            below = step.ordinal
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
    for step in standing(db, viewer=viewer):
        number = step.number if step.undoes is None else chains.first(step.undoes)
        if number in seen:  # something newer took it back, or brought it back
            continue
        seen.add(number)
        if step.undoes is None:
            yield step
        elif chains.bring_back(step.undoes) and (meant := _of(db, number)) is not None:
            yield meant


class Chains:
    """Which batch each undo of an origin took back, read where it is asked for first."""

    def __init__(self, db: Connection, *, viewer: Origin) -> None:
        self._db = db
        self._viewer = viewer
        self._known: dict[int, int] | None = None

    def _taken_by(self, number: int) -> int | None:
        """Return the number of the batch that a batch took back, None for one that is no undo."""
        if self._known is None:
            rows: Any = self._db.execute(_UNDOES, (self._viewer.key,)).fetchall()
            self._known = dict(rows)
        return self._known.get(number)

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


def _of(db: Connection, number: int) -> StandingBatch | None:
    row: Any = db.execute(_ONE, (number,)).fetchone()
    return StandingBatch(*row) if row else None


def taker(db: Connection, number: int, *, viewer: Origin) -> int:
    """Return the number that users know of the undo that took a batch back and stands, 0 where
    none does."""
    for step in standing(db, viewer=viewer):
        if step.undoes == number:
            return step.ordinal
        if step.number <= number:
            break
    return 0
