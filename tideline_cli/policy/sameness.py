"""When two facts say the same, which of them is richer, and what the survivor inherits.

Terms in common and likeness only find candidates; `apart` decides whether a candidate says the
same: the one rule of every verb and pass.
"""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.model.fact import Fact

    Sameness = Literal["strict", "reference"]

SAMENESS: tuple[Sameness, ...] = ("strict", "reference")
SAME_TERMS = 0.85
# Of two facts, one of them in a slot, by the rule `reference`.
SAME_SLOT_TERMS = 0.40
SAME_SLOT_COSINE = 0.45


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a∩b| / |a∪b|, and 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def apart(one: str, other: str, *, rule: Sameness, learned: bool = False) -> str | None:
    """Return what keeps a candidate from saying the same, in a few words; None when nothing does.

    By the rule `reference` every candidate says the same. `learned`: a learned embedder found it.
    """
    if rule == "reference" or one == other:
        return None
    from tideline_cli.policy.difference import difference  # noqa: PLC0415  only for candidates

    return difference(one, other, learned=learned)


def may_be_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two texts with these index terms may say the same: not where the digits differ
    of the terms that one has and the other lacks.

    Cheap: of thousands of facts that follow one pattern, few are read and compared.
    """
    return _digits(one - other) == _digits(other - one)


def _digits(terms: frozenset[str]) -> list[str]:
    return sorted(char for term in terms for char in term if char.isdigit())


def same_slot(one: Fact, other: Fact) -> bool:
    """Say whether two facts may be the same by their slots: two different ones are two things."""
    return one.slot is None or other.slot is None or one.slot == other.slot


def richness(fact: Fact) -> tuple[bool, int, float, float, int, int]:
    """Return the key by which the richer of two facts is the greater."""
    return (
        fact.slot is not None,
        SEGMENTS[fact.segment].specificity,
        fact.confidence or 0.0,
        fact.importance,
        fact.access_count,
        fact.created_at,
    )


def enriched(survivor: Fact, other: Fact) -> Fact:
    """Return `survivor` with what `other` knows better; provenance stays as it is.

    A trusted fact learns nothing of an untrusted one: a slot, a segment, a confidence or a
    valid-from that nobody vouches for would move, fade or hide it.
    """
    if is_trusted(survivor.source) and not is_trusted(other.source):
        return survivor
    more_specific = SEGMENTS[other.segment].specificity > SEGMENTS[survivor.segment].specificity
    segment = other.segment if more_specific else survivor.segment
    since = min(_begin(survivor), _begin(other))
    return replace(
        survivor,
        slot=survivor.slot or other.slot,
        segment=segment,
        tier=SEGMENTS[segment].tier if more_specific else survivor.tier,
        decay_rate=SEGMENTS[segment].decay_rate if more_specific else survivor.decay_rate,
        importance=max(survivor.importance, other.importance),
        confidence=_surer(survivor.confidence, other.confidence),
        access_count=max(survivor.access_count, other.access_count),
        source_turn=survivor.source_turn or other.source_turn,
        valid_from=survivor.valid_from if since == _begin(survivor) else since,
    )


def _begin(fact: Fact) -> int:
    return fact.created_at if fact.valid_from is None else fact.valid_from


def _surer(one: float | None, other: float | None) -> float | None:
    """Return the confidence of the survivor, or the higher one where both state one: an unstated
    one is full, and a stated one takes nothing off it."""
    return one if one is None or other is None else max(one, other)
