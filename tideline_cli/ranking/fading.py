"""When a fact fades: what lets it rest, and the first instant at which a dream archives it."""

from __future__ import annotations

from math import log

from tideline_cli.model.record import record
from tideline_cli.ranking.decay import HALF_LIFE_DAYS, RATE, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.source import Source

_DAY = 86_400_000  # milliseconds
ALWAYS = -(2**63)  # an instant before all others
GIVEN_REST_MS = 30 * _DAY
"""So long a fact stays that `context` gave out."""
_LN2 = log(2)


@record
class Eviction:
    """What dream archives: facts made at least `after_ms` ago, those that the owner typed at least
    `after_owner_ms` ago if that is longer, whose strength is under `below`."""

    below: float = 0.05
    after_ms: int = 30 * _DAY
    after_owner_ms: int | None = None

    def rest_ms(self, source: Source) -> int:
        """Return how old a fact of a source must be."""
        own = self.after_owner_ms if source == "owner_message" else None
        return self.after_ms if own is None else max(self.after_ms, own)


@record
class Traits:
    """What decides when a fact that may fade does so."""

    importance: float
    decay_rate: float
    access_count: int
    last_accessed_at: int
    created_at: int
    source: Source
    given_at: int | None = None

    def strength_at(self, *, now: int) -> float:
        """Return the strength at an instant."""
        days = (now - self.last_accessed_at) / _DAY
        return strength(self.importance, self.decay_rate, self.access_count, days, immune=False)


def was_given_out(given_at: int | None, *, now: int) -> bool:
    """Say whether `context` gave a fact out so lately that it stays."""
    return given_at is not None and now - given_at < GIVEN_REST_MS


def fades_at(traits: Traits, rule: Eviction) -> int | None:
    """Return the first instant at which the fact has faded, unless it is used before; None where
    nothing fades. The instant may lie in the past."""
    weak = weak_at(traits, rule.below)
    if weak is None:
        return None
    rested = traits.created_at + rule.rest_ms(traits.source)
    given = ALWAYS if traits.given_at is None else traits.given_at + GIVEN_REST_MS
    return max(weak, rested, given)


def weak_at(traits: Traits, below: float) -> int | None:
    """Return the first instant at which the strength is under `below`, None when it never is.

    The curve solved for the time; what its rounding leaves is walked, a millisecond a step.
    """
    if below <= 0.0:
        return None
    if traits.strength_at(now=traits.last_accessed_at) < below:
        return ALWAYS
    first = traits.importance * (1.0 + 0.1 * log(1 + traits.access_count))
    a_day = RATE * _LN2 / (HALF_LIFE_DAYS * (1.0 + traits.importance)) * (1.0 + traits.decay_rate)
    at = traits.last_accessed_at + int(log(first / below) / a_day * _DAY)
    while at > traits.last_accessed_at and traits.strength_at(now=at - 1) < below:
        at -= 1
    while traits.strength_at(now=at) >= below:
        at += 1
    return at
