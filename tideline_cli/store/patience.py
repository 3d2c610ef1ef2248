"""How long servers are waited for: `within` holds for all waits of a block, also those for a
connection."""

from __future__ import annotations

from time import monotonic

_until: list[float] = []  # the time of `monotonic` at which servers are waited for no more
TOO_LATE = "the server does not answer in time"


class within:  # noqa: N801  reads as what it does
    """Wait for servers no longer than some seconds in all while the block runs: then a wait ends
    with TimeoutError."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        _until[:] = [monotonic() + self._seconds]

    def __exit__(self, *_: object) -> None:
        _until.clear()


def left(*ends: float) -> float | None:
    """Return the seconds that may still be waited, also by `ends`, times of `monotonic`; None where
    nothing bounds them.

    Raises TimeoutError where there is none left.
    """
    if not (_until or ends):
        return None
    seconds = min(*_until, *ends, float("inf")) - monotonic()
    if seconds <= 0:
        raise TimeoutError(TOO_LATE)
    return seconds
