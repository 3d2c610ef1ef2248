"""Which facts say the same as another, and which of two twins stays."""

from __future__ import annotations

from collections import Counter

from tideline_cli.dream.relate import MOST
from tideline_cli.model.edge import REPLACING, SUCCEEDS
from tideline_cli.model.proposal import Merge
from tideline_cli.model.source import is_trusted
from tideline_cli.policy import gate
from tideline_cli.policy.identifiers import is_private
from tideline_cli.policy.periods import may_be_one, merged
from tideline_cli.policy.sameness import apart, richness, same_slot
from tideline_cli.ranking.decay import present

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tideline_cli.model.fact import Fact
    from tideline_cli.policy.sameness import Sameness

    Pair = tuple[Fact, Fact, float]
    Edge = tuple[str, str, str | None, int | None]  # kind, target id, reason, strength
    Edges = Mapping[str, Sequence[Edge]]


def plan(
    pairs: Iterable[Pair],
    edges: Edges,
    *,
    merge_at: float,
    now: int,
    rule: Sameness = "strict",
    learned: bool = False,
) -> list[Merge]:
    """Return the merges, in order; `pairs` come most alike first, by a `learned` embedder or not.

    A fact is merged away once at most, and what has gone keeps nothing. A later merge of the same
    keeper starts from what the earlier one made of it.
    """
    current: dict[str, Fact] = {}
    held: dict[str, list[Edge]] = {}
    gone: set[str] = set()
    found: list[Merge] = []
    for one, other, cosine in pairs:
        a, b = current.get(one.id, one), current.get(other.id, other)
        if cosine < merge_at or {a.id, b.id} & gone or not _may_merge(a, b, now):
            continue
        if apart(a.content, b.content, rule=rule, learned=learned) is not None:
            continue
        keeper, loser = (a, b) if _stays(a, b, now) else (b, a)
        if loser.pinned:
            continue
        own = held.setdefault(keeper.id, list(edges.get(keeper.id, ())))
        theirs = held.get(loser.id, edges.get(loser.id, ()))
        inherited = _inherited(own, theirs, keeper, loser)
        after = merged(keeper, loser)
        found.append(Merge(keeper, after, loser, cosine, inherited))
        own += [*inherited, *((kind, loser.id, None, None) for kind in SUCCEEDS)]
        current[keeper.id] = after
        gone.add(loser.id)
    return found


def _may_merge(a: Fact, b: Fact, now: int) -> bool:
    """Say whether two twins may become one: a confirmed or pinned fact gives way to none of its
    kind, what no longer holds is not the same as what does, nor what ends or begins at another
    time, and two slots or two addresses are two things."""
    if any(fact.valid_to is not None and fact.valid_to <= now for fact in (a, b)):
        return False
    if not may_be_one(a, b, now=now):
        return False
    if not same_slot(a, b):
        return False
    if a.content != b.content and (is_private(a) or is_private(b)):
        return False
    return not are_settled(a, b)


def are_settled(a: Fact, b: Fact) -> bool:
    """Say whether both of two facts are confirmed or pinned: two beliefs that stand by
    themselves."""
    return all(fact.status == "confirmed" or fact.pinned for fact in (a, b))


def _stays(a: Fact, b: Fact, now: int) -> bool:
    """Say whether `a` is the one to keep; of equals it is the one with the lesser id."""
    first, second = _merit(a, now), _merit(b, now)
    return a.id <= b.id if first == second else first > second


def _merit(fact: Fact, now: int) -> tuple[object, ...]:
    known = richness(fact)[:-1]
    strength = present(fact, now=now)
    return is_trusted(fact.source), fact.pinned, known, fact.status == "confirmed", strength


def _inherited(
    own: Sequence[Edge], theirs: Iterable[Edge], keeper: Fact, loser: Fact
) -> tuple[Edge, ...]:
    """Return the edges that the keeper takes over; from an untrusted fact a trusted one takes none
    that says that it replaced something."""
    known = {(kind, target) for kind, target, *_ in own}
    barred = () if gate.may_touch(loser.source, keeper.source) else REPLACING
    counts = Counter(kind for kind, *_ in own)
    taken: list[Edge] = []
    for edge in theirs:
        kind, target, *_ = edge
        full = kind not in REPLACING and counts[kind] >= MOST
        if target != keeper.id and kind not in barred and (kind, target) not in known and not full:
            taken.append(edge)
            counts[kind] += 1
    return tuple(taken)
