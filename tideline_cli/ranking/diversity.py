"""Maximal marginal relevance: trade a little score for less repetition."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def mmr_order(
    scores: Sequence[float], similarity: Callable[[int, int], float], weight: float, limit: int
) -> list[int]:
    """Return the indices of up to `limit` items, greedily by
    weight · score / best − (1 − weight) · similarity to the nearest item already picked.

    `weight` 1 keeps the order. Equal gains keep the earlier item. Source: Carbonell and
    Goldstein 1998.
    """
    if weight >= 1.0 or not scores:
        return list(range(min(limit, len(scores))))
    best = max(scores) or 1.0
    nearest = [0.0] * len(scores)
    left = list(range(len(scores)))
    picked: list[int] = []
    while left and len(picked) < limit:
        gains = [(weight * scores[i] / best - (1.0 - weight) * nearest[i], -i) for i in left]
        chosen = -max(gains)[1]
        left.remove(chosen)
        for i in left:
            close = similarity(i, chosen)
            nearest[i] = close if not picked else max(nearest[i], close)
        picked.append(chosen)
    return picked
