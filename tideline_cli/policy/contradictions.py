"""When two facts of one segment may contradict each other: alike in words, apart in meaning. Pure.

score = overlap · divergence; overlap is the Jaccard index of the terms, divergence 1 − cosine of
the vectors (no less than 0, no more than 1), or 1 − overlap where there are none. Source:
Tideline, contradictions.
"""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.model.scope import are_seen_together
from tideline_cli.policy.sameness import jaccard

MIN_OVERLAP = 0.2
MIN_SCORE = 0.12


@record
class ComparedFact:
    """What of a fact is compared with another."""

    id: str
    content: str
    created_at: int
    terms: frozenset[str]
    scope: str | None = None


@record
class Contradiction:
    """Two facts that may contradict each other; `a` is the newer, then of larger id."""

    a: ComparedFact
    b: ComparedFact
    overlap: float
    divergence: float
    score: float


def compared(one: ComparedFact, other: ComparedFact, cosine: float | None) -> Contradiction | None:
    """Return how far two facts of one segment contradict each other; None when they are about
    different things, or hold in two scopes of which none sees the other."""
    if one.scope != other.scope and not are_seen_together(one.scope, other.scope):
        return None
    overlap = jaccard(one.terms, other.terms)
    if overlap < MIN_OVERLAP:
        return None
    divergence = 1.0 - (overlap if cosine is None else max(0.0, cosine))
    a, b = sorted((one, other), key=lambda fact: (fact.created_at, fact.id), reverse=True)
    return Contradiction(a, b, overlap, divergence, overlap * divergence)


def order(found: Contradiction) -> tuple[float, int, int]:
    """Return the key by which the strongest comes first, then the newest."""
    return -found.score, -found.a.created_at, -found.b.created_at
