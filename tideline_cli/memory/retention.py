"""How strong the rows of a search are by another forgetting curve than the half-life."""

from __future__ import annotations

from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record
from tideline_cli.ranking import decays
from tideline_cli.ranking.decay import is_immune

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.ranking.decay import Decay
    from tideline_cli.store.fts import RankingRow


@record
class Retained:
    """The strength of a row at an instant; `by_heat` says that the row must end with the heat."""

    strength: Callable[[RankingRow], float]
    by_heat: bool = False


def retained_by(decay: Decay, *, now: int) -> Retained | None:
    """Return how strong rows are at an instant; None where the half-life is asked for, or no fading
    at all."""
    match decay:
        case "weibull":
            return Retained(lambda row: _relevance(row, now), by_heat=True)
        case "spaced":
            return Retained(lambda row: _spaced(row, now))
        case _:
            return None


def _relevance(row: Any, now: int) -> float:
    _, _, _, _, _, importance, _, _, _, pinned, created_at, access_count, _, _, heat = row
    days = (now - created_at) / DAY_MS
    return decays.weibull(heat, importance, access_count, days, pinned=bool(pinned)).relevance


def _spaced(row: RankingRow, now: int) -> float:
    _, _, _, _, _, _, _, _, tier, pinned, _, access_count, last_accessed_at, _ = row
    days = (now - last_accessed_at) / DAY_MS
    return decays.spaced(access_count, days, immune=is_immune(tier, bool(pinned)))
