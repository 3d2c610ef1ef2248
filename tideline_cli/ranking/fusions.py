"""Other ways in which words and likeness become one order: by ranks, and by points and likeness."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tideline_cli.model.fact import Heat

K = 60
SIMILARITY = 10.0
"""How many points a likeness of 1 is worth beside the points of words."""
PINNED = 1.25
OF_HEAT: Mapping[Heat, float] = {"core": 1.15, "working": 1.0, "peripheral": 0.8}
_LEAST_POOL = 16


def pools(limit: int) -> tuple[int, int]:
    """Return how many facts the words and the likeness put forward for so many hits."""
    return max(4 * limit, _LEAST_POOL), 3 * limit


def reciprocal(ranks: Iterable[int], *, k: int = K) -> float:
    """Return the sum of 1 / (60 + rank) over the ranks of a fact, which count from 1.

    Source: Cormack, Clarke and Büttcher (2009), reciprocal rank fusion, as RsClaw has it.
    """
    return sum(1.0 / (k + rank) for rank in ranks)


def quality(heat: Heat, importance: float, *, pinned: bool) -> float:
    """Return the factor of a fact by itself: 1.25 where it is pinned, 1.15, 1 or 0.8 by its heat,
    and 0.75 + 0.5 · importance. Source: RsClaw."""
    return (PINNED if pinned else 1.0) * OF_HEAT[heat] * (0.75 + 0.5 * importance)


def likeness_points(cosine: float) -> float:
    """Return what a cosine is worth in points, 0..10. Source: Mother Brain, its hybrid mode."""
    return SIMILARITY * min(1.0, max(0.0, cosine))
