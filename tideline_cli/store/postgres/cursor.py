"""What a statement gave, and the lists that one takes, as the store knows both of a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol

    from tideline_cli.store.postgres.driver import ServerAnswer

    class Waiting(Protocol):
        """A connection whose statements may wait to be sent."""

        def flush(self) -> None: ...


class Cursor:
    """What a statement gave: its rows, read when they are asked for."""

    def __init__(self, db: Waiting) -> None:
        self._db = db
        self._rows: list[tuple[Any, ...]] = []
        self._at = 0

    def take(self, answer: ServerAnswer) -> None:
        """Take the answer of the server."""
        self._rows += answer.rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        self._db.flush()
        while self._at < len(self._rows):
            self._at += 1
            yield self._rows[self._at - 1]

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, None behind the last."""
        return next(iter(self), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that were not read."""
        return list(self)

    @property
    def get(self) -> Any:
        """All rows, with as little around them as there can be."""
        rows = [row[0] if len(row) == 1 else row for row in self]
        return None if not rows else rows[0] if len(rows) == 1 else rows


def read_list(value: object) -> object:
    """Return a list that a statement takes as JSON as a list."""
    if not isinstance(value, str):
        return value
    from tideline_cli.model import codec  # noqa: PLC0415  lists alone

    return codec.loads(value)
