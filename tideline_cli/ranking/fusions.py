"""Other ways in which words and likeness become one order: by ranks, by points and likeness, with
less repetition."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from tideline_cli.model.fact import Heat

K = 60
SIMILARITY = 10.0
"""How many points a likeness of 1 is worth beside the points of words."""
PINNED = 1.25
OF_HEAT: Mapping[Heat, float] = {"core": 1.15, "working": 1.0, "peripheral": 0.8}


def reciprocal(ranks: Iterable[int]) -> float:
    """Return the sum of 1 / (60 + rank) over the ranks of a fact, which count from 1.

    Source: Cormack, Clarke and Büttcher (2009), reciprocal rank fusion, as RsClaw has it.
    """
    return sum(1.0 / (K + rank) for rank in ranks)


def quality(heat: Heat, importance: float, *, pinned: bool) -> float:
    """Return the factor of a fact by itself: 1.25 where it is pinned, 1.15, 1 or 0.8 by its heat,
    and 0.75 + 0.5 · importance. Source: RsClaw."""
    return (PINNED if pinned else 1.0) * OF_HEAT[heat] * (0.75 + 0.5 * importance)


def likeness_points(cosine: float) -> float:
    """Return what a cosine is worth in points, 0..10. Source: Mother Brain, its hybrid mode."""
    return SIMILARITY * min(1.0, max(0.0, cosine))


_WORD, _ID, _TAG, _DAY, _WEEK, _ACTIVE = 2, 3, 3, 2, 1, 1
_DAY_HOURS, _WEEK_HOURS = 24.0, 7 * 24.0


@record
class Points:
    """The points of a fact, and for what it has them."""

    words: int
    id: int
    tags: int
    recency: int
    active: int

    @property
    def total(self) -> int:
        return self.words + self.id + self.tags + self.recency + self.active

    @property
    def is_match(self) -> bool:
        """Say whether a word, the id or a tag matched: what is merely new or active does not."""
        return bool(self.words or self.id or self.tags)


def question_words(question: str) -> tuple[str, ...]:
    """Return the words of a question, in lower case, that have two letters or more."""
    return tuple(word for word in question.lower().split() if len(word) > 1)


def points(
    words: Collection[str], *, text: str, fact_id: str, asked_tags: Collection[str],
    tags: Collection[str], hours: float | None, is_active: bool,
    least_of_id: int = 1,
) -> Points:  # fmt: skip
    """Return the points of a fact for the words of a question and for the tags that it asks for.

    2 for each word that stands in its text, as a part of words too, 3 for each of `least_of_id`
    letters or more that stands in its id; 3 for each tag; 2 when it is younger than 24 hours, 1
    when it is younger than 7 days (`hours` None has no age); 1 when it is active. Source: Mother
    Brain, its keyword mode.
    """
    said = text.lower()
    young = 0
    if hours is not None:
        young = _DAY if hours < _DAY_HOURS else _WEEK if hours < _WEEK_HOURS else 0
    return Points(
        _WORD * sum(word in said for word in words),
        _ID * sum(word in fact_id for word in words if len(word) >= least_of_id),
        _TAG * sum(tag in tags for tag in asked_tags),
        young,
        _ACTIVE if is_active else 0,
    )


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
