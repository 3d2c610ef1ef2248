"""How words and likeness become one order. Append-only: hits of the vector lane come below every
lexical hit. By scores, for learned embedders: likeness adds a share to what the words are worth."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHARE = 0.5
DAMPING = 0.9
LIKENESS = 0.3
"""The share of the best score that the likest fact gets, by scores."""
BESIDE = 0.2
"""The share of its better neighbour in the likeness of a fact."""


def base(lexical_scores: Sequence[float]) -> float:
    """Return the highest score of a vector hit: half the lowest lexical score, or half of 1."""
    return SHARE * (min(lexical_scores) if lexical_scores else 1.0)


def damping(rank: int) -> float:
    """Return the factor of the vector hit at `rank` (from 0, best cosine first): 0.9^rank."""
    return DAMPING**rank
