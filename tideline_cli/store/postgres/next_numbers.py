"""The numbers that new rows will get, read under the lock of writers: so a row is stored without
waiting for its number.

The server compares: where a row gets another number, the transaction fails and stores nothing.
"""

from __future__ import annotations

from tideline_cli.store import journal, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NEXT = """
SELECT (SELECT ifnull(max(number), 0) + 1 FROM batch),
  (SELECT ifnull(max(ordinal), 0) + 1 FROM batch
   WHERE origin = (SELECT number FROM origin WHERE key = ?)),
  (SELECT ifnull(max(number), 0) + 1 FROM change),
  (SELECT last_value + is_called::integer FROM fact_seq)
"""
TAKEN = "SELECT seq FROM fact WHERE id = ?"
ID = writes.STORED.index("id")


class NextNumbers:
    """What the next rows will have, of which each is promised once; `opened` answers what the
    journal asks of a new batch."""

    def __init__(self, row: Sequence[Any], origin_number: int) -> None:
        self._batch, self._ordinal, self._change, self._seq = row
        self._origin = origin_number
        self.opened: dict[tuple[int], tuple[int, int]] = {}

    def promised(self, sql: str, bindings: Sequence[Any]) -> tuple[str, tuple[int, ...]] | None:
        """Return the columns that a statement will give and their values, where that is known."""
        if sql == journal.ADD and bindings[0] == self._origin and self._batch:
            row = self._batch, self._ordinal, self._change
            self._batch = 0
            self.opened[row[:1]] = row[1:]
            return "number, ordinal, first", row
        if sql == writes.INSERT and self._seq:
            row = (self._seq,)
            self._seq = 0
            return "seq", row
        return None


def checked(text: bytes, names: str, first: int) -> bytes:
    """Return a statement that stores a row as one that fails where the row has other values than
    the parameters from a number on."""
    head, _, _ = text.rpartition(b"RETURNING")
    wanted = " AND ".join(
        f"{name} = ${first + place}" for place, name in enumerate(names.split(", "))
    )
    return (
        b"WITH made AS (" + head + f"RETURNING {names}) ".encode()
        + f"SELECT 1 / (count(*) = 1 AND bool_and({wanted}))::integer FROM made".encode()
    )  # fmt: skip
