"""Which of the edges that a model proposes are taken: pure guards, in a fixed order."""

from __future__ import annotations

from tideline_cli.model.edge import FACTUAL
from tideline_cli.model.record import record
from tideline_cli.policy.prompt_lines import shown_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    class Reference(Protocol):
        """An edge as a reply proposes it."""

        @property
        def a(self) -> str: ...
        @property
        def b(self) -> str: ...
        @property
        def type(self) -> str | None: ...
        @property
        def reason(self) -> str | None: ...
        @property
        def strength(self) -> int | None: ...


SAME_TOPIC = "same_topic"
MIN_FACTUAL_STRENGTH = 3
DEFAULT_STRENGTH = 3
SAME_TOPIC_STRENGTH = 2
MAX_SAME_TOPIC = 2
_NEW = "new:"
_MOST_DIGITS = 4


@record
class Pair:
    """An edge that is taken, between two ids."""

    a: str
    b: str
    kind: str
    reason: str
    strength: int


def taken(
    references: Iterable[Reference], *, new: Sequence[str | None], shown: Sequence[str]
) -> list[Pair]:
    """Return the edges that pass every guard.

    An end is `new:<i>`, the i-th of `new` (None: it was not stored), or one that was shown, by its
    number or id.
    Both ends are known and differ; the kind is a factual one or same_topic; a reason is given; a
    factual edge is strong enough; a pair is joined once, the first proposal wins; no fact gets
    more than two edges of same_topic.
    """
    pairs: list[Pair] = []
    joined: set[frozenset[str]] = set()
    topics: dict[str, int] = {}
    for reference in references:
        pair = _checked(reference, new, shown)
        if pair is None or frozenset((pair.a, pair.b)) in joined:
            continue
        if pair.kind == SAME_TOPIC:
            if any(topics.get(end, 0) >= MAX_SAME_TOPIC for end in (pair.a, pair.b)):
                continue
            for end in (pair.a, pair.b):
                topics[end] = topics.get(end, 0) + 1
        joined.add(frozenset((pair.a, pair.b)))
        pairs.append(pair)
    return pairs


def _checked(
    reference: Reference, new: Sequence[str | None], shown: Sequence[str]
) -> Pair | None:
    a, b = (_resolved(end, new, shown) for end in (reference.a, reference.b))
    kind, reason = reference.type, reference.reason
    if a is None or b is None or a == b or kind is None or not (reason or "").strip():
        return None
    if kind == SAME_TOPIC:
        return Pair(a, b, kind, reason or "", SAME_TOPIC_STRENGTH)
    strength = DEFAULT_STRENGTH if reference.strength is None else reference.strength
    if kind not in FACTUAL or strength < MIN_FACTUAL_STRENGTH:
        return None
    return Pair(a, b, kind, reason or "", strength)


def _resolved(end: str, new: Sequence[str | None], shown: Sequence[str]) -> str | None:
    if not end.startswith(_NEW):
        return found if (found := shown_id(end, shown)) in shown else None
    place = end[len(_NEW) :]
    if not (place.isascii() and place.isdigit() and len(place) <= _MOST_DIGITS):
        return None
    return new[int(place)] if int(place) < len(new) else None
