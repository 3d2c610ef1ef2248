"""The numbers that new rows will get, read under the lock of writers: so a row is stored without
waiting for its number.

The server compares: where a row gets another number, the transaction fails and stores nothing.
"""

from __future__ import annotations

from tideline_cli.store import journal, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.store.postgres.known_answers import Ahead, Key

NEXT = """
SELECT made.batch,
  (SELECT ifnull(max(ordinal), 0) + 1 FROM batch
   WHERE origin = (SELECT number FROM origin WHERE key = ?)),
  last_change() + 1, made.fact
FROM next_numbers() AS made
"""
"""The numbers of the next batch, of the next one of an origin, of the next change and fact."""
TAKEN = "SELECT seq FROM fact WHERE id = ?"
_ID = writes.STORED.index("id")


class NextNumbers:
    """What the next rows of an origin will have, of which each is promised once."""

    def __init__(self, origin_number: int) -> None:
        self._origin = origin_number
        self._left = {journal.ADD, writes.INSERT}
        self._opened: tuple[int, int, int] | None = None

    def promised(
        self, sql: str, bindings: Sequence[Any], row: Sequence[Any], answers: Mapping[Key, Ahead]
    ) -> tuple[str, tuple[int, ...]] | None:
        """Return the columns that a statement will give and their values, where that is known: of
        NEXT, and of `answers`, which say that the id of a new fact is not taken."""
        if sql not in self._left:
            return None
        batch, ordinal, change, seq = row
        if sql == journal.ADD:
            if bindings[0] != self._origin:
                return None
            self._left.discard(sql)
            self._opened = batch, ordinal, change
            return "number, ordinal, first", self._opened
        taken = answers.get((TAKEN, (bindings[_ID],)))
        if taken is None or taken.rows != []:
            return None
        self._left.discard(sql)
        return "seq", (seq,)

    def opened(self, sql: str, bindings: Sequence[Any]) -> tuple[int, int] | None:
        """Return what the journal asks once of the batch that was promised."""
        row = self._opened
        if row is None or sql != journal.OPENED or bindings[0] != row[0]:
            return None
        self._opened = None
        return row[1:]

    @staticmethod
    def checked(text: bytes, names: str, first: int) -> bytes:
        """Return a statement that stores a row as one that fails where the row has other values
        than the parameters from a number on."""
        head, _, _ = text.rpartition(b"RETURNING")
        wanted = " AND ".join(
            f"{name} = ${first + place}" for place, name in enumerate(names.split(", "))
        )
        return (
            b"WITH made AS (" + head + f"RETURNING {names}) ".encode()
            + f"SELECT 1 / (count(*) = 1 AND bool_and({wanted}))::integer FROM made".encode()
        )  # fmt: skip
