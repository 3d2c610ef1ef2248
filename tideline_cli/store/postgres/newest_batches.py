"""The newest batches of an origin, as those ask for them who choose one to take back."""

from __future__ import annotations

from tideline_cli.store import history, steps, undo_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.store.postgres.foresight import Foreseeing

_FEW = 50
_NEWEST = f"""
SELECT batch.number, origin.key, ordinal, verb, outcome, reason, first, last, at, undoes,
  EXISTS (SELECT 1 FROM batch_count WHERE batch = batch.number),
  (SELECT ifnull(sum(added + removed), 0) FROM batch_count WHERE batch = batch.number)
FROM batch JOIN origin ON origin.number = batch.origin
WHERE origin.key = ? ORDER BY ordinal DESC LIMIT {_FEW}
"""
_FILLED = frozenset((history.BY_NUMBER, history.HAS_CHANGES, undo_rows.FACT_COUNT, steps.UNDOES,
                     steps.ONE))  # fmt: skip


def fill(ahead: Foreseeing, key: str) -> None:
    """Ask ahead for the newest batches of an origin."""

    def filled(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
        known = {row[0]: row for row in rows}

        def told(*places: int) -> Any:
            def one(given: tuple[int, ...]) -> list[tuple[Any, ...]] | None:
                row = known.get(given[0])
                return None if row is None else [tuple(row[place] for place in places)]

            return one

        return {
            history.BY_NUMBER: told(*range(8)), history.HAS_CHANGES: told(10),
            undo_rows.FACT_COUNT: told(11), steps.UNDOES: told(9), steps.ONE: told(0, 2, 8, 3, 9),
        }  # fmt: skip

    ahead.fill(_NEWEST, (key,), filled, texts=_FILLED)
