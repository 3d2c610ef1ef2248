"""When a fact fades: what lets it rest, and the first instant at which a dream archives it."""

from __future__ import annotations

from math import log

from tideline_cli.model.record import record
from tideline_cli.model.source import is_typed
from tideline_cli.ranking.decay import HALF_LIFE_DAYS, RATE, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact, Tier
    from tideline_cli.model.source import Source

_DAY = 86_400_000  # milliseconds
ALWAYS = -(2**63)  # an instant before all others
FLOOR = 0.05
"""Below this strength a fact has faded."""
GIVEN_REST_MS = 30 * _DAY
"""So long a fact stays that `context` gave out."""
_LN2 = log(2)


@record
class Eviction:
    """What dream archives: facts made at least `after_ms` ago whose strength is under `below`. What
    a person typed, and did not call short-lived, must be `after_owner_ms` old; None is never."""

    below: float = FLOOR
    after_ms: int = 30 * _DAY
    after_owner_ms: int | None = None

    def may_fade(self, traits: Traits, *, now: int) -> bool:
        """Say whether a fact has rested, however weak it is."""
        rest = self.rest_ms(traits)
        is_old = rest is not None and max(0, now - traits.created_at) >= rest
        return is_old and not was_given_out(traits.given_at, now=now)

    def rest_ms(self, traits: Traits) -> int | None:
        """Return how old a fact must be; None for one that does not fade."""
        if traits.tier == "short" or not is_typed(traits.source, traits.agent):
            return self.after_ms
        return None if self.after_owner_ms is None else max(self.after_ms, self.after_owner_ms)


@record
class Traits:
    """What decides when a fact that may fade does so."""

    tier: Tier
    importance: float
    decay_rate: float
    access_count: int
    last_accessed_at: int
    created_at: int
    source: Source
    agent: str | None = None
    given_at: int | None = None

    def strength_at(self, *, now: int) -> float:
        """Return the strength at an instant."""
        days = (now - self.last_accessed_at) / _DAY
        return strength(self.importance, self.decay_rate, self.access_count, days, immune=False)


def traits_of(fact: Fact, given_at: int | None) -> Traits:
    """Return the traits of a fact that `context` gave out then."""
    return Traits(
        fact.tier, fact.importance, fact.decay_rate, fact.access_count, fact.last_accessed_at,
        fact.created_at, fact.source, fact.agent, given_at,
    )  # fmt: skip


def was_given_out(given_at: int | None, *, now: int) -> bool:
    """Say whether `context` gave a fact out so lately that it stays."""
    return given_at is not None and now - given_at < GIVEN_REST_MS


def fades_at(traits: Traits, rule: Eviction) -> int | None:
    """Return the first instant at which the fact has faded, unless it is used before; None where
    nothing fades. The instant may lie in the past."""
    weak = weak_at(traits, rule.below)
    rest = rule.rest_ms(traits)
    if weak is None or rest is None:
        return None
    given = ALWAYS if traits.given_at is None else traits.given_at + GIVEN_REST_MS
    return max(weak, traits.created_at + rest, given)


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
