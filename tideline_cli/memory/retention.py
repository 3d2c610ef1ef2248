"""How strong the rows of a search are by another forgetting curve than the half-life."""

from __future__ import annotations

from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking import decays
from tideline_cli.ranking.decay import is_immune
from tideline_cli.store import fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.ranking.decay import Decay
    from tideline_cli.store.fts import RankingRow

    Retained = Callable[[RankingRow], float]


def retained_by(
    db: Connection, decay: Decay, *, origin_number: int, now: int
) -> Retained | None:
    """Return the strength of a row at an instant as a function; None where the half-life is asked
    for, or no fading at all."""
    match decay:
        case "weibull":
            return lambda row: _relevance(db, row, origin_number, now)
        case "spaced":
            return lambda row: _spaced(row, now)
        case _:
            return None


def _relevance(db: Connection, row: RankingRow, origin_number: int, now: int) -> float:
    seq, _, _, _, _, importance, _, _, _, pinned, created_at, access_count, _, _ = row
    days = (now - created_at) / DAY_MS
    heat = fts.heat_of(db, seq, origin_number=origin_number)
    return decays.weibull(heat, importance, access_count, days, pinned=bool(pinned)).relevance


def _spaced(row: RankingRow, now: int) -> float:
    _, _, _, _, _, _, _, _, tier, pinned, _, access_count, last_accessed_at, _ = row
    days = (now - last_accessed_at) / DAY_MS
    return decays.spaced(access_count, days, immune=is_immune(tier, bool(pinned)))
