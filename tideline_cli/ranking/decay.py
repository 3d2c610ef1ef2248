"""Strength of a memory at an instant: the forgetting curve, and its factor in a score."""

from __future__ import annotations

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.model.fact import Fact, Tier

    Decay = Literal["half-life", "weibull", "spaced", "none"]

DECAYS: tuple[Decay, ...] = ("half-life", "weibull", "spaced", "none")
HALF_LIFE_DAYS = 11.25
DEPTH = 0.5
"""How much of its score a fact loses that has faded altogether."""
RATE = 0.8
_LN2 = log(2)
_DAY = 86_400_000  # milliseconds


def strength(
    importance: float, decay_rate: float, access_count: int, days: float, *, immune: bool
) -> float:
    """Return the strength of a memory, 0..1, `days` after it was last used.

    importance · exp(−λ · (1 + decay_rate) · days) · (1 + 0.1 · ln(1 + access_count)), with
    λ = 0.8 · ln 2 / (11.25 · (1 + importance)); 1 for what never fades (the permanent tier,
    pinned facts). Source: Tideline, decay after Ebbinghaus.
    """
    if immune:
        return 1.0
    rate = RATE * _LN2 / max(HALF_LIFE_DAYS * (1.0 + importance), 0.001)
    faded = importance * exp(-rate * (1.0 + decay_rate) * max(days, 0.0))
    return min(1.0, max(0.0, faded * (1.0 + 0.1 * log(1 + access_count))))


def highest_strength(days: float, access_count: int) -> float:
    """Return the highest strength of a fact that fades, whatever its importance up to 1 and its
    decay rate, so many days after its last use, where it was used no more often."""
    return strength(1.0, 0.0, access_count, days, immune=False)


def strength_at(fact: Fact, *, now: int) -> float:
    """Return the strength of a fact at an instant, in milliseconds."""
    return strength(
        fact.importance,
        fact.decay_rate,
        fact.access_count,
        (now - fact.last_accessed_at) / _DAY,
        immune=is_immune(fact.tier, fact.pinned),
    )


def is_immune(tier: Tier, pinned: bool) -> bool:
    """Say whether a fact never fades."""
    return pinned or tier == "permanent"


def modulator(value: float, depth: float = DEPTH) -> float:
    """Return the factor by which a strength changes a score, from 1 − depth to 1."""
    return 1.0 - depth + depth * value
