"""Facts by their class, and by distance within it: near ones, and those that words find."""

from __future__ import annotations

from tideline_cli.memory.weighing import Ranked, liked_by, match_of, with_weights
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import decays, priority

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.memory.weighing import Inquiry, Liked, Weighed
    from tideline_cli.model.origin import Origin

# The nearest are asked for from the widest limit of all classes on: 1.25.
_LEAST = 1.0 - max(group.most for group in priority.GROUPS.values()) / 2.0
_FAR = 0.0  # the cosine of a fact that has no vector


def by_classes(db: Connection, asked: Inquiry, *, viewer: Origin) -> Ranked:
    """Return the facts by priority · 10 + distance + penalty + distrust − overlap: the score is
    that with the other sign. 30 near facts are looked at, 30 that words find, and where the
    question is about the user 30 that are near to a question about their profile. A class takes
    what is nearer than its limit, or, where the query has a `min_sim`, what is as like as that."""
    query = asked.query
    room = max(priority.POOL, 2 * query.reach)
    probes = (priority.PROBE,) if priority.asks_about_user(query.text) else ()
    near, *others = liked_by(
        db, asked, (query.text, *probes), room, viewer=viewer, floor=_LEAST
    )
    probed = others[0].cosines if others else {}
    words: dict[int, Match] = {}
    if query.mode != "semantic":
        words = {
            match.seq: match for match in asked.by_words(replace(query, decay="none"), room)
        }
    cosines = {
        seq: max(lane[seq] for lane in (near.cosines, probed) if seq in lane)
        for seq in (*probed, *near.cosines)
    }
    cosines |= _cosines(
        db, asked, [seq for seq in words if seq not in cosines], viewer
    )
    seqs = dict.fromkeys((*probed, *near.cosines, *words))
    taken = [
        (one, group, is_near)
        for one in with_weights(
            db, asked, seqs, words=words, cosines=cosines, viewer=viewer
        )
        if (is_near := _is_near(one, group := _group(one, probed), query.min_sim))
        or one.words is not None
    ]
    shared = priority.overlaps(query.text, [one.fact.content for one, *_ in taken])
    found = [
        _match(asked, one, group, overlap, is_near=is_near, like=near)
        for (one, group, is_near), overlap in zip(taken, shared, strict=True)
    ]
    return Ranked(found, near.backlog)


def _group(one: Weighed, probed: dict[int, float]) -> priority.Group:
    is_probed = one.seq in probed and priority.is_of_user(probed[one.seq])
    return priority.group_of(one.fact, is_probed=is_probed)


def _distance(one: Weighed) -> float:
    return priority.distance(_FAR if one.cosine is None else one.cosine)


def _is_near(one: Weighed, group: priority.Group, min_sim: float | None) -> bool:
    """Say whether a fact is near enough: for its class, or where a call says how near, for that."""
    if min_sim is not None:
        return one.cosine is not None and one.cosine >= min_sim
    return _distance(one) < group.most


def _match(
    asked: Inquiry, one: Weighed, group: priority.Group, overlap: float, *, is_near: bool,
    like: Liked,
) -> Match:  # fmt: skip
    rank = priority.priority_of(group, trusted=is_trusted(one.fact.source))
    far, penalty = _distance(one), _penalty(asked, one)
    distrust = 1.0 - one.trust * one.role
    parts = {"priority": rank, "distance": far, "penalty": penalty, "distrust": distrust,
             "overlap": overlap}  # fmt: skip
    if not is_near:
        parts["by_words"] = 1
    score = overlap - priority.summed_up(rank, far, penalty, distrust)
    return match_of(one, score, parts, like, group.name)


def _penalty(asked: Inquiry, one: Weighed) -> float:
    """Return what time adds to a distance: by spaced repetition its penalty, by another curve what
    is lost of the strength."""
    if not asked.query.depth:
        return 0.0
    if asked.query.decay == "spaced":
        return decays.penalty_at(one.fact, now=asked.moment)
    return 1.0 - one.strength


def _cosines(
    db: Connection, asked: Inquiry, seqs: Sequence[int], viewer: Origin
) -> dict[int, float]:
    """Return the cosines of facts that words have found."""
    if asked.query.mode == "keyword" or not seqs:
        return {}
    from tideline_cli.memory import semantic  # noqa: PLC0415  2 ms

    return semantic.cosines_of(db, asked.query.text, seqs, viewer=viewer)
