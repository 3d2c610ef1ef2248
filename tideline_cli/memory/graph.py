"""The facts around a fact, and the links among them: what `tideline graph` shows."""

from __future__ import annotations

from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.record import record
from tideline_cli.ranking.graph import FAN_OUT, spread
from tideline_cli.store import facts, neighbours, visibility
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.neighbours import Hop

_STRONG = ("supersedes", "transition", "corrects", "contradicts", "contrasts_with")
_WEAK = ("relates", "same_topic", "similar")


@record
class Connected:
    """A link between two facts of a graph; two that say the same from either end are one."""

    source: str
    kind: str
    target: str
    strength: int | None

    @property
    def weight(self) -> str:
        """Return how much the kind of the link says. Source: Tideline, graph export."""
        return "strong" if self.kind in _STRONG else "weak" if self.kind in _WEAK else "medium"


@record
class Graph:
    """Facts, by how many links they are away from the `centre` (None: all of an origin), and their
    links. `is_cut`: there are more."""

    centre: str | None
    facts: tuple[Fact, ...]
    hops: dict[str, int]
    edges: tuple[Connected, ...]
    is_cut: bool


def around(
    db: Connection, centre: Fact, *, viewer: Origin, hops: int, limit: int, archived: bool
) -> Graph:
    """Return the facts that few links lead to from a fact, both ways, the nearest first; with
    `archived` those too that are no longer active."""
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        start = facts.number_of(db, centre.id, viewer=viewer)
        edges: dict[str, list[str]] = {}
        border, known = [start], {start}
        for _ in range(hops):
            steps = neighbours.steps(
                db, border, origin_number=origin_number, limit=FAN_OUT, archived=archived
            )
            for step in steps:
                edges.setdefault(str(step.seq), []).append(str(step.other))
            border = [
                seq for seq in dict.fromkeys(step.other for step in steps) if seq not in known
            ]
            known.update(border)
            if len(known) > limit:
                break
        away = spread(edges, [str(start)], hops=hops)
        seqs = [int(seq) for seq in away]
        made = _graph(db, seqs[:limit], viewer=viewer)
    by_number = {int(seq): hop for seq, hop in away.items()}
    hops_of = {fact.id: by_number[seq] for seq, fact in made.items()}
    return Graph(
        centre.id, tuple(made.values()), hops_of, _edges(db, made, origin_number), len(seqs) > limit
    )


def whole(db: Connection, *, viewer: Origin, limit: int, archived: bool) -> Graph:
    """Return the weightiest facts of an origin that have links, and those links."""
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        seqs = neighbours.linked(
            db, origin_number=origin_number, limit=limit + 1, archived=archived
        )
        made = _graph(db, seqs[:limit], viewer=viewer)
        edges = _edges(db, made, origin_number)
        return Graph(None, tuple(made.values()), {}, edges, len(seqs) > limit)


def _graph(db: Connection, seqs: Sequence[int], *, viewer: Origin) -> dict[int, Fact]:
    read = facts.get(db, seqs, viewer=viewer)
    return {seq: read[seq] for seq in seqs if seq in read}


def _edges(db: Connection, made: dict[int, Fact], origin_number: int) -> tuple[Connected, ...]:
    """Return the links among facts; a symmetric one is stored from both ends, and told once."""
    told: dict[tuple[object, str], Connected] = {}
    for step in neighbours.between(db, list(made), origin_number=origin_number):
        ends = made[step.seq].id, made[step.other].id
        pair: object = frozenset(ends) if step.kind in SYMMETRIC else ends
        told.setdefault((pair, step.kind), _edge(ends, step))
    return tuple(told.values())


def _edge(ends: tuple[str, str], step: Hop) -> Connected:
    return Connected(ends[0], step.kind, ends[1], step.strength)
