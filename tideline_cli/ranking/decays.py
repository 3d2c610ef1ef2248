"""The other forgetting curves that an answer may be ranked by: Weibull's, and spaced repetition."""

from __future__ import annotations

from math import e, exp, log

from tideline_cli.model.record import record
from tideline_cli.ranking import decay as half_life

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.model.fact import Fact, Heat
    from tideline_cli.ranking.decay import Decay

DAYS = 30.0
"""The half-life of what has no importance, and how long one use keeps, in days."""
CURVES: Mapping[Heat, tuple[float, float]] = {
    "core": (0.8, 0.9),
    "working": (1.0, 0.3),
    "peripheral": (1.3, 0.1),
}
"""The exponent of the age and the least relevance, by heat."""
RECENCY, FREQUENCY, IMPORTANCE = 0.4, 0.3, 0.3
_DAY = 86_400_000  # milliseconds
_LONGEST = 10.0
_LEAST = 0.01
_USES = 5.0


@record
class Weibull:
    """What makes a relevance: recency, frequency and importance are weighed, `composite` is their
    sum, and no relevance is below the floor of its heat."""

    half_life: float
    beta: float
    floor: float
    recency: float
    frequency: float
    intrinsic: float
    composite: float
    relevance: float


def weibull(
    heat: Heat, importance: float, access_count: int, days: float, *, pinned: bool
) -> Weibull:
    """Return the relevance of a memory, 0.01..1, and its parts, `days` after it was made.

    0.4 · exp(−ln 2 / h · days^β) + 0.3 · (1 − exp(−uses / 5)) + 0.3 · importance, at least the
    floor of the heat, with h = 30 · min(e^(1.5 · importance), 10) days; 1 for what is pinned.
    Source: RsClaw, relevance_score, a stretched exponential after Weibull.
    """
    beta, floor = CURVES[heat]
    lasts = DAYS * min(exp(1.5 * importance), _LONGEST)
    recency = exp(-log(2) / lasts * max(days, 0.0) ** beta)
    frequency = 1.0 - exp(-access_count / _USES)
    composite = RECENCY * recency + FREQUENCY * frequency + IMPORTANCE * importance
    relevance = 1.0 if pinned else min(1.0, max(_LEAST, floor, composite))
    return Weibull(lasts, beta, floor, recency, frequency, importance, composite, relevance)


def keeps(access_count: int) -> float:
    """Return for how many days the uses of a memory keep it: 30 · ln(uses + e)."""
    return DAYS * log(access_count + e)


def penalty(access_count: int, days: float) -> float:
    """Return what is added to the distance of a memory, 0 or more, `days` after its last use:
    days / (30 · ln(uses + e)). Source: VectorMemory, spaced repetition."""
    return max(days, 0.0) / keeps(access_count)


def spaced(access_count: int, days: float, *, immune: bool) -> float:
    """Return the strength by spaced repetition, 0..1: exp(−penalty); 1 for what never fades."""
    return 1.0 if immune else exp(-penalty(access_count, days))


def relevance_at(fact: Fact, *, now: int) -> Weibull:
    """Return the relevance of a fact at an instant, with its parts; its age is from its making."""
    days = (now - fact.created_at) / _DAY
    return weibull(fact.heat, fact.importance, fact.access_count, days, pinned=fact.pinned)


def penalty_at(fact: Fact, *, now: int) -> float:
    """Return the penalty of a fact at an instant, 0 for what never fades."""
    if half_life.is_immune(fact.tier, fact.pinned):
        return 0.0
    return penalty(fact.access_count, (now - fact.last_accessed_at) / _DAY)


def strength_by(fact: Fact, decay: Decay, *, now: int) -> float:
    """Return how strong a fact is at an instant, 0..1, as one of the curves has it."""
    match decay:
        case "half-life":
            return half_life.strength_at(fact, now=now)
        case "weibull":
            return relevance_at(fact, now=now).relevance
        case "spaced":
            return exp(-penalty_at(fact, now=now))
        case "none":
            return 1.0


def parts_by(fact: Fact, decay: Decay, *, now: int) -> dict[str, float]:
    """Return what makes a strength at an instant, by name; nothing for curves of one number."""
    if decay == "weibull":
        told = relevance_at(fact, now=now)
        return {name: getattr(told, name) for name in _TOLD}
    if decay == "spaced":
        days = max(0.0, (now - fact.last_accessed_at) / _DAY)
        return {
            "days": days, "keeps": keeps(fact.access_count),
            "penalty": penalty_at(fact, now=now),
        }  # fmt: skip
    return {}


_TOLD = ("half_life", "beta", "floor", "recency", "frequency", "intrinsic", "composite")
