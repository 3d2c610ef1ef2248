"""How good a ranking is. Every function takes ids in rank order; None stands for 'no gold'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isnan, log2

import numpy as np

ROUNDS = 1000
SEED = 0xC0FFEE


def recall(retrieved: Sequence[str], gold: Sequence[str] | Mapping[str, float], k: int):
    """Return the share of the distinct gold that is among the first k."""
    wanted = set(gold)
    return len(wanted.intersection(retrieved[:k])) / len(wanted) if wanted else None


def hit(retrieved: Sequence[str], gold: Sequence[str] | Mapping[str, float], k: int):
    """Return 1 when any gold is among the first k, else 0."""
    return float(not set(gold).isdisjoint(retrieved[:k])) if gold else None


def reciprocal_rank(
    retrieved: Sequence[str], gold: Sequence[str] | Mapping[str, float], k: int | None = None
):
    """Return 1 / the rank of the first gold (among the first k), or 0."""
    if not gold:
        return None
    wanted = set(gold)
    ranks = (rank for rank, found in enumerate(retrieved[:k], 1) if found in wanted)
    rank = next(ranks, 0)
    return 1 / rank if rank else 0.0


def ndcg(retrieved: Sequence[str], gold: Sequence[str] | Mapping[str, float], k: int):
    """Return the discounted gain of the first k over that of the best order of all gold.

    The gains are the values of `gold`, or 1 when it is a list; what comes twice counts once.
    """
    gains = dict(gold) if isinstance(gold, Mapping) else dict.fromkeys(gold, 1.0)
    if not gains:
        return None
    found = [gains.get(name, 0.0) for name in dict.fromkeys(retrieved)][:k]
    best = sorted(gains.values(), reverse=True)[:k]
    ideal = _discounted(best)
    return _discounted(found) / ideal if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def percentile(values: Sequence[float], p: float) -> float:
    """Return the nearest-rank percentile."""
    if not values:
        return 0.0
    return sorted(values)[max(0, ceil(p / 100 * len(values)) - 1)]


def mean(values: Sequence[float]) -> float:
    """Return the mean of what is a number."""
    numbers = [value for value in values if not isnan(value)]
    return sum(numbers) / len(numbers) if numbers else 0.0


@dataclass(frozen=True)
class Interval:
    """A mean and its bootstrap interval."""

    mean: float
    lo: float
    hi: float
    n: int


def mulberry32(seed: int, n: int) -> np.ndarray:
    """Return the first n numbers in [0, 1) of the mulberry32 generator."""
    a = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x6D2B79F5)
    a = a.astype(np.uint32)
    t = (a ^ (a >> np.uint32(15))) * (a | np.uint32(1))
    t ^= t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))
    return (t ^ (t >> np.uint32(14))) / 2**32


def bootstrap(
    values: Sequence[float], *, rounds: int = ROUNDS, share: float = 0.95, seed: int = SEED
) -> Interval:
    """Return the mean of the values and the interval that holds `share` of resampled means."""
    n = len(values)
    if not n:
        return Interval(0.0, 0.0, 0.0, 0)
    picks = (mulberry32(seed, rounds * n) * n).astype(np.int64).reshape(rounds, n)
    means = np.asarray(values, dtype=float)[picks].mean(axis=1).tolist()
    tail = (1 - share) / 2 * 100
    return Interval(mean(values), percentile(means, tail), percentile(means, 100 - tail), n)
