"""The facts around a fact, and the links among them: what `tideline graph` shows."""

from __future__ import annotations

from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.record import record, replace
from tideline_cli.ranking.graph import FAN_OUT, spread
from tideline_cli.store import facts, neighbours, visibility
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.neighbours import Tie

_STRONG = ("supersedes", "transition", "corrects", "contradicts", "contrasts_with")
_NONE: Mapping[str, int] = {}
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
    links. `is_cut`: there are more. `left_out`: of facts with more links than are followed, how
    many of the facts that they are linked with are not shown. `elsewhere`: facts of other scopes
    that are linked with these."""

    centre: str | None
    facts: tuple[Fact, ...]
    hops: dict[str, int]
    edges: tuple[Connected, ...]
    is_cut: bool
    left_out: Mapping[str, int] = _NONE
    elsewhere: int = 0


@record
class Reach:
    """How far a graph goes: links away from its centre, facts, and links that are followed from
    one fact."""

    hops: int
    limit: int
    fan_out: int = FAN_OUT


def around(
    db: Connection, centre: Fact, *, viewer: Origin, reach: Reach, wanted: Filter
) -> Graph:
    """Return the facts that are asked for and that few links lead to from a fact, both ways, the
    nearest first."""
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        start = facts.number_of(db, centre.id, viewer=viewer)
        away, counts = _walked(db, start, reach, origin_number, wanted)
        seqs = list(away)
        made = _graph(db, seqs[: reach.limit], viewer=viewer)
        ties = neighbours.between(db, list(made), origin_number=origin_number)
        hidden = _elsewhere(db, list(made), origin_number, wanted)
    hops_of = {fact.id: away[seq] for seq, fact in made.items()}
    left_out = _left_out(made, ties, counts, reach.fan_out)
    return Graph(
        centre.id, tuple(made.values()), hops_of, _edges(made, ties), len(seqs) > reach.limit,
        left_out, hidden,
    )  # fmt: skip


def _walked(
    db: Connection, start: int, reach: Reach, origin_number: int, wanted: Filter
) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many links away facts are from the first one, by number, and with how many facts
    each of those is linked whose links were followed."""
    edges: dict[str, list[str]] = {}
    counts: dict[int, int] = {}
    border, known = [start], {start}
    for _ in range(reach.hops):
        found = neighbours.steps(
            db, border, origin_number=origin_number, limit=reach.fan_out, wanted=wanted
        )
        counts |= found.neighbours
        for hop in found.hops:
            edges.setdefault(str(hop.seq), []).append(str(hop.other))
        border = [seq for seq in dict.fromkeys(hop.other for hop in found.hops) if seq not in known]
        known.update(border)
        if len(known) > reach.limit:
            break
    away = spread(edges, [str(start)], hops=reach.hops, fan_out=reach.fan_out)
    return {int(seq): hop for seq, hop in away.items()}, counts


def _left_out(
    made: Mapping[int, Fact], ties: Sequence[Tie], counts: Mapping[int, int], fan_out: int
) -> dict[str, int]:
    """Return by id, of the facts with more links than were followed, how many of the facts that
    they are linked with are not shown."""
    shown: dict[int, set[int]] = {}
    for tie in ties:
        shown.setdefault(tie.start, set()).add(tie.end)
        shown.setdefault(tie.end, set()).add(tie.start)
    more = {
        fact.id: counts[seq] - len(shown.get(seq, ()))
        for seq, fact in made.items()
        if counts.get(seq, 0) > fan_out
    }
    return {fact_id: count for fact_id, count in more.items() if count > 0}


def whole(db: Connection, *, viewer: Origin, limit: int, wanted: Filter) -> Graph:
    """Return the weightiest facts of an origin that are asked for and linked with one another, and
    those links."""
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        seqs = neighbours.linked(db, origin_number=origin_number, limit=limit + 1, wanted=wanted)
        made = _graph(db, seqs[:limit], viewer=viewer)
        ties = neighbours.between(db, list(made), origin_number=origin_number)
        hidden = 0
        if wanted.scopes is not None:
            anywhere = replace(wanted, scopes=None)
            hidden = neighbours.linked_count(
                db, origin_number=origin_number, wanted=anywhere
            ) - neighbours.linked_count(db, origin_number=origin_number, wanted=wanted)
    edges = _edges(made, ties)
    return Graph(None, tuple(made.values()), {}, edges, len(seqs) > limit, elsewhere=hidden)


def _elsewhere(db: Connection, seqs: list[int], origin_number: int, wanted: Filter) -> int:
    """Return how many facts of other scopes are linked with these."""
    if wanted.scopes is None:
        return 0
    every, seen = (
        neighbours.beside_count(db, seqs, origin_number=origin_number, wanted=asked)
        for asked in (replace(wanted, scopes=None), wanted)
    )
    return every - seen


def _graph(db: Connection, seqs: Sequence[int], *, viewer: Origin) -> dict[int, Fact]:
    read = facts.get(db, seqs, viewer=viewer)
    return {seq: read[seq] for seq in seqs if seq in read}


def _edges(made: Mapping[int, Fact], ties: Sequence[Tie]) -> tuple[Connected, ...]:
    """Return the links among facts; a symmetric one is stored from both ends, and told once."""
    told: dict[tuple[object, str], Connected] = {}
    for tie in ties:
        ends = made[tie.start].id, made[tie.end].id
        pair: object = frozenset(ends) if tie.kind in SYMMETRIC else ends
        told.setdefault((pair, tie.kind), Connected(ends[0], tie.kind, ends[1], tie.strength))
    return tuple(told.values())
