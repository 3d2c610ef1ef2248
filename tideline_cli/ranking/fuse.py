"""Append-only fusion: what the vectors found goes below every lexical hit."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHARE = 0.5
DAMPING = 0.9


def base(lexical_scores: Sequence[float]) -> float:
    """Return the ceiling of recovered scores: half the lowest lexical score, or half of 1."""
    return SHARE * (min(lexical_scores) if lexical_scores else 1.0)


def damping(rank: int) -> float:
    """Return the factor of the recovered hit at `rank` (from 0, best cosine first): 0.9^rank."""
    return DAMPING**rank


def ranks_that_matter(factors: Sequence[float], limit: int) -> bool:
    """Say whether a later recovered hit could still come among the best `limit`.

    `factors` are damping · trust · modulator of the hits so far, in cosine order; a later one
    has at most its damping.
    """
    if len(factors) < limit:
        return True
    return damping(len(factors)) >= sorted(factors, reverse=True)[limit - 1]
