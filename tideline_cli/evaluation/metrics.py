"""How good a ranking is: measures of one question, and the interval of their mean. Pure.

Every function takes ids in rank order; None stands for "no gold".
"""

from __future__ import annotations

from math import ceil, isnan, log2

from tideline_cli.model.record import record
from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Gold = Sequence[str] | Mapping[str, float]

ROUNDS = 1000
SEED = 0xC0FFEE
_PICKS_AT_ONCE = 2**21  # numbers that are drawn at one time: 16 MiB


def recall_at(retrieved: Sequence[str], gold: Gold, k: int) -> float | None:
    """Return the share of the distinct gold that is among the first k."""
    wanted = set(gold)
    return len(wanted.intersection(retrieved[:k])) / len(wanted) if wanted else None


def hit_at(retrieved: Sequence[str], gold: Gold, k: int) -> float | None:
    """Return 1 when any gold is among the first k, else 0."""
    return float(not set(gold).isdisjoint(retrieved[:k])) if gold else None


def reciprocal_rank(retrieved: Sequence[str], gold: Gold, k: int | None = None) -> float | None:
    """Return 1 / the rank of the first gold (among the first k), or 0."""
    if not gold:
        return None
    wanted = set(gold)
    ranks = (rank for rank, found in enumerate(retrieved[:k], 1) if found in wanted)
    rank = next(ranks, 0)
    return 1 / rank if rank else 0.0


def ndcg(retrieved: Sequence[str], gold: Gold, k: int) -> float | None:
    """Return the discounted gain of the first k over that of the best order of all gold. The gains
    are the values of `gold`, or 1 when it is a list; what comes twice counts once."""
    gains: dict[str, float] = dict.fromkeys(gold, 1.0)
    gains.update(gold if isinstance(gold, dict) else {})
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


@record
class Interval:
    """A mean and its bootstrap interval."""

    mean: float
    lo: float
    hi: float
    n: int


def mulberry32(seed: int, n: int, *, after: int = 0) -> Any:
    """Return n numbers in [0, 1) of the mulberry32 generator, those behind the first `after`."""
    a = np.uint64(seed) + np.arange(after + 1, after + n + 1, dtype=np.uint64) * np.uint64(
        0x6D2B79F5
    )
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
    all_values, means = np.asarray(values, dtype=float), list[float]()
    at_once = max(1, _PICKS_AT_ONCE // n)
    for start in range(0, rounds, at_once):
        count = min(at_once, rounds - start)
        picks = (mulberry32(seed, count * n, after=start * n) * n).astype(np.int64)
        means += all_values[picks.reshape(count, n)].mean(axis=1).tolist()
    tail = (1 - share) / 2 * 100
    return Interval(mean(values), percentile(means, tail), percentile(means, 100 - tail), n)
