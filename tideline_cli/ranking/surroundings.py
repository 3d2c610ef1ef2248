"""What stands around a fact counts too: what was said next to it, in its session, by whom, when."""

from __future__ import annotations

from bisect import bisect_left

from tideline_cli.ranking.bm25 import K1, B, idf_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tideline_cli.model.window import Part, Window

CANDIDATES = 50
"""So many of the best by their words are looked at again, at least, with what is next to them."""
DATED = 200
"""The same where a question names a time: it shares fewer words with its answer."""
NEIGHBOUR = 0.4
"""The share of the better neighbour: an answer shares few words with what it answers."""
SESSION = 0.2
"""The share of the best fact of the session."""
SPEAKER = 1.5
"""The factor of what somebody said whom the question names."""
TIME = 3.0
"""The factor of a fact from a time that the question names."""
WHOLE = 40
"""Terms up to which a fact takes all of its neighbour's share; a long one explains itself."""
_BEHIND = 1.0 - 1e-9


def bounds(trusted: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return for each score by words alone of trusted facts, lowest first, the least score in view
    of all of those that have as much; the facts are given as (by words, in view of all)."""
    found: list[tuple[float, float]] = []
    least = float("inf")
    for own, score in sorted(trusted, reverse=True):
        least = min(least, score)
        found.append((own, least))
    return found[::-1]


def held_back(own: float, score: float, bounds: Sequence[tuple[float, float]]) -> float:
    """Return the score of a fact that nobody trusts: what stands around it is what its writer
    claims, so it stays behind each trusted fact whose words count as much."""
    place = bisect_left(bounds, (own, -1.0))
    if place == len(bounds):
        return score
    return min(score, max(own, bounds[place][1] * _BEHIND))


def neighbour_share(best: float, length: int) -> float:
    """Return what the better neighbour adds to the worth of a fact with so many terms."""
    return NEIGHBOUR * best * min(1.0, WHOLE / max(length, 1))


def session_share(best: float) -> float:
    """Return what the best fact of its session adds to the worth of a fact."""
    return SESSION * best


def nearness(at: int, windows: Iterable[Window]) -> float:
    """Return the factor of a fact made at an instant: highest in a window, 1 far from it."""
    best = 0.0
    for window in windows:
        away = max(window.start - at, at - window.end, 0)
        best = max(best, 1.0 - away / window.edge)
    return 1.0 + (TIME - 1.0) * best


def date_weight(holders: int, facts: int) -> float:
    """Return the idf of a part of a date that so many of the facts are of."""
    return idf_of(max(facts, holders), holders)


def date_score(
    parts: Iterable[Part], weights: Mapping[Part, float], *, length: int, mean_length: float
) -> float:
    """Return what the date of a fact adds to its BM25: each part of it that the question names
    counts as one occurrence of a word."""
    total = sum(weights.get(part, 0.0) for part in parts)
    return total * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * length / mean_length))


def most_date_score(weights: Mapping[Part, float]) -> float:
    """Return the most that the date of a fact adds to its BM25: one year, one month and one day."""
    most: dict[str, float] = {}
    for (name, _), weight in weights.items():
        most[name] = max(weight, most.get(name, 0.0))
    return sum(most.values()) * (K1 + 1.0) / (1.0 + K1 * (1.0 - B))
