"""What asking models has cost: requests and tokens a day, of an origin of a memory, in a file of
the state folder. It holds numbers alone."""

from __future__ import annotations

import os

from tideline_cli.model import codec
from tideline_cli.model.instant import DAY_MS, iso
from tideline_cli.model.record import Record
from tideline_cli.serve import hook_state
from tideline_cli.store import locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.serve.queue import Whose

DAYS = 30
"""Days that are told."""
USUAL_REPLY = 300
"""Tokens of a reply where none was seen."""
_KEPT = 60  # days
_MOST = 64 * 1024
_PATIENCE = 5.0  # seconds
_A_MILLION = 1_000_000


class Cost(Record):
    """How many requests, tokens sent and tokens received."""

    requests: int = 0
    sent: int = 0
    received: int = 0

    def plus(self, other: Cost) -> Cost:
        """Return both together."""
        return Cost(
            self.requests + other.requests, self.sent + other.sent, self.received + other.received
        )

    @property
    def tokens(self) -> int:
        """Return all tokens."""
        return self.sent + self.received

    def price(self, cents_in: int | None, cents_out: int | None) -> float | None:
        """Return what it costs where a million tokens cost so many hundredths; None where nothing
        says what they cost."""
        if cents_in is None and cents_out is None:
            return None
        return (self.sent * (cents_in or 0) + self.received * (cents_out or 0)) / 100 / _A_MILLION


def tokens_of(text: str) -> int:
    """Return about how many tokens a text is: a quarter of its bytes."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def note(state: str, whose: Whose, cost: Cost, *, now: int) -> None:
    """Add to what a day has cost."""
    path = _path(state, whose)
    handle = hook_state.opened_lock(path)
    try:
        locks.take(handle, seconds=_PATIENCE)
        days = _read(path)
        today = iso(now)[:10]
        days[today] = days.get(today, Cost()).plus(cost)
        since = iso(now - _KEPT * DAY_MS)[:10]
        kept = {day: [one.requests, one.sent, one.received]
                for day, one in sorted(days.items()) if day > since}  # fmt: skip
        hook_state.put_text(path, codec.dumps(kept) + "\n")
    finally:
        os.close(handle)


def since(state: str, whose: Whose, days: int, *, now: int) -> Cost:
    """Return what the last so many days have cost, that of now the last."""
    first = iso(now - (days - 1) * DAY_MS)[:10]
    total = Cost()
    for day, one in _read(_path(state, whose)).items():
        total = total.plus(one) if day >= first else total
    return total


def _read(path: str) -> dict[str, Cost]:
    try:
        days: Any = codec.loads(hook_state.read(path, most=_MOST))
        return {str(day): Cost(*map(int, numbers)) for day, numbers in days.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _path(state: str, whose: Whose) -> str:
    name = f"costs-{hook_state.mark_of(whose.database, whose.origin)}.json"
    return os.path.join(hook_state.folder_of(state), name)
