"""The best by maximal marginal relevance: hits that are like none before them."""

from __future__ import annotations

from tideline_cli.memory.lanes import lane_of
from tideline_cli.memory.semantic import are_few
from tideline_cli.ranking import diversity
from tideline_cli.store import facts, vectors, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.nearest import Lane
    from tideline_cli.memory.query import Match, Query
    from tideline_cli.model.origin import Origin


def diversify(
    db: Connection, query: Query, matches: list[Match], *, viewer: Origin
) -> list[Match]:
    """Return the best `query.limit` of the matches by maximal marginal relevance."""
    read = facts.get(db, [match.seq for match in matches], viewer=viewer)
    if not matches:
        return []
    texts = [read[match.seq].content for match in matches]
    lane = lane_of(db, large=not are_few(texts))
    likeness = (
        _stored_likeness(db, lane, matches, texts, visibility.number(db, viewer))
        if " " in lane.name
        else lane.likeness(texts)
    )
    chosen = diversity.mmr_order(
        [match.score for match in matches], likeness, query.mmr, query.limit
    )
    return [matches[i] for i in chosen]


def _stored_likeness(
    db: Connection, lane: Lane[Any], matches: list[Match], texts: list[str], origin_number: int
) -> Callable[[int, int], float]:
    """Return the function of two indices that is the cosine of these matches by a learned embedder:
    by the vectors that are stored, so that few texts are embedded or none."""
    from tideline_cli.vector.embedders.codes import cosine  # noqa: PLC0415  learned embedders alone

    seqs = [match.seq for match in matches]
    held = vectors.packed_of(db, seqs, origin_number=origin_number, embedder=lane.name)
    for seq, text in zip(seqs, texts, strict=True):
        if seq not in held:
            held[seq] = lane.packed([text])
    return lambda a, b: cosine(held[seqs[a]], held[seqs[b]])
