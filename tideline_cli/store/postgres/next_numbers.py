"""The numbers that new rows will get, read under the lock of writers: so a row is stored without
waiting for its number.

The server compares: where a row gets another number, the transaction fails and stores nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NEXT = """
SELECT made.batch,
  (SELECT ifnull(max(ordinal), 0) + 1 FROM batch
   WHERE origin = (SELECT number FROM origin WHERE key = ?)),
  last_change() + 1, made.fact
FROM next_numbers() AS made
"""
"""The numbers of the next batch, of the next one of an origin, of the next change and fact."""
TAKEN = "SELECT seq FROM fact WHERE id = ?"


class NextNumbers:
    """What the next rows will have, of which each is promised once: the batch that `add` stores for
    an origin, of which `opened` asks again, and a fact."""

    def __init__(self, origin_number: int, add: str, opened: str) -> None:
        self._origin = origin_number
        self._add, self._asks = add, opened
        self._opened: tuple[int, int, int] | None = None
        self._is_batch_left = True
        self.insert = ""  # the statement that stores the fact
        self.fact_id = ""

    def batch(self, sql: str, bindings: Sequence[Any], row: Sequence[Any]) -> Any:
        """Return the columns that a statement will give and their values, where it stores the
        batch; `row` is that of NEXT."""
        if not self._is_batch_left or sql != self._add or bindings[0] != self._origin:
            return None
        self._is_batch_left = False
        self._opened = row[0], row[1], row[2]
        return "number, ordinal, first", self._opened

    def fact(self, sql: str, bindings: Sequence[Any], row: Sequence[Any]) -> Any:
        """Return the same of the fact, whose id is not taken."""
        if sql != self.insert or self.fact_id not in bindings:
            return None
        self.insert = ""
        return "seq", (row[3],)

    def opened(self, sql: str, bindings: Sequence[Any]) -> tuple[int, int] | None:
        """Return what is asked once of the batch that was promised."""
        row = self._opened
        if row is None or sql != self._asks or bindings[0] != row[0]:
            return None
        self._opened = None
        return row[1:]


def comparing(text: bytes, names: str, first: int) -> bytes:
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
