"""Which facts are much alike without saying the same."""

from __future__ import annotations

from tideline_cli.model.proposal import Relate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from tideline_cli.model.fact import Fact

KIND = "relates"
MOST = 12  # edges of the kind that leave one fact


def plan(
    pairs: Iterable[tuple[Fact, Fact, float]],
    related: Mapping[str, Collection[str]],
    *,
    relate_at: float,
    twins: Collection[frozenset[str]],
    gone: Collection[str],
) -> list[Relate]:
    """Return the edges to make, two for a pair; `pairs` come most alike first.

    `related` are the ids that each fact is related to already, `twins` pairs of settled facts that
    say the same, `gone` facts that were merged away. A threshold of 1 or more relates nothing.
    """
    if relate_at >= 1:
        return []
    known = {fact_id: set(targets) for fact_id, targets in related.items()}
    found: list[Relate] = []
    for a, b, cosine in pairs:
        ids = frozenset((a.id, b.id))
        if cosine < relate_at or ids in twins or a.id in gone or b.id in gone:
            continue
        for source, target in ((a, b), (b, a)):
            mine = known.setdefault(source.id, set())
            if target.id not in mine and len(mine) < MOST:
                mine.add(target.id)
                found.append(Relate(source, target, cosine))
    return found
