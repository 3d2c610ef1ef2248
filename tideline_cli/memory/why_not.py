"""Why a fact is not among the hits of a query."""

from __future__ import annotations

from tideline_cli.memory.answer import with_links
from tideline_cli.memory.query import ALL
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import record, replace
from tideline_cli.store import facts
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from apsw import Connection

    from tideline_cli.memory.query import Query
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin

    Reason = Literal[
        "found", "archived", "not_valid", "other_scope", "filtered", "no_shared_term",
        "below_min_score", "outranked", "not_put_forward", "too_far",
    ]


@record
class WhyNot:
    """Why a fact is not among the hits. `rank` and `hit` are its own in an answer without a limit,
    among all that the lanes put forward for the question, or the hit without limits of distance
    where it is too far; `last` is the last hit that is shown. None where it has none."""

    fact: Fact
    reason: Reason
    rank: int | None = None
    hit: Hit | None = None
    last: Hit | None = None


def verdict(
    db: Connection, query: Query, reference: str, *, viewer: Origin, now: int, graph: str = "off"
) -> WhyNot:
    """Return why a fact is not among the hits of a query, the first reason that there is. `graph`
    says whether links are followed.

    Raises NotFoundError and AmbiguousError as `facts.find` does.
    """

    def hits_of(asked: Query) -> tuple[Hit, ...]:
        answer = recall(db, asked, viewer=viewer, now=now)
        return with_links(db, asked, answer, viewer=viewer, now=now, graph=graph).hits

    with snapshot(db):
        fact = facts.find(db, reference, viewer=viewer)
        seq = facts.number_of(db, fact.id, viewer=viewer)
        reason = _kept_away(db, query, fact, seq, viewer=viewer, now=now)
    if reason is not None:
        return WhyNot(fact, reason)
    hits = hits_of(query)
    place = _place(hits, fact)
    if place is not None:
        return WhyNot(fact, "found", place + 1, hits[place], hits[-1])
    whole = replace(query, limit=ALL, mmr=1.0, min_score=0.0, pool=query.reach)
    every = hits_of(whole)
    place = _place(every, fact)
    if place is None:
        is_behind = _place(hits_of(replace(whole, pool=ALL)), fact) is not None
        reason = "not_put_forward" if is_behind else "no_shared_term"
        far = None if reason == "not_put_forward" else _far(fact, whole, hits_of)
        return far or WhyNot(fact, reason)
    hit = every[place]
    is_low = bool(query.min_score) and hit.score < query.min_score
    last = hits[-1] if hits else None
    return WhyNot(fact, "below_min_score" if is_low else "outranked", place + 1, hit, last)


def _place(hits: Sequence[Hit], fact: Fact) -> int | None:
    return next((at for at, hit in enumerate(hits) if hit.fact.id == fact.id), None)


def _far(fact: Fact, whole: Query, hits_of: Callable[[Query], Sequence[Hit]]) -> WhyNot | None:
    """Return that a fact is too far for its class, None where that is not the reason."""
    if not whole.way.by_distance or whole.mode == "keyword" or whole.min_sim is not None:
        return None
    every = hits_of(replace(whole, pool=ALL, min_sim=-1.0))
    place = _place(every, fact)
    return None if place is None else WhyNot(fact, "too_far", hit=every[place])


def _kept_away(
    db: Connection, query: Query, fact: Fact, seq: int, *, viewer: Origin, now: int
) -> Reason | None:
    """Return what keeps a fact out whatever its words are, None for nothing."""
    wanted = query.wanted
    if wanted.as_of is None and fact.lifecycle != "active":
        return "archived"
    bare = type(wanted)(lifecycle=wanted.lifecycle, as_of=wanted.as_of)
    if not facts.among(db, [seq], viewer=viewer, wanted=bare, now=now):
        return "not_valid"
    scoped = replace(bare, scopes=wanted.scopes)
    if not facts.among(db, [seq], viewer=viewer, wanted=scoped, now=now):
        return "other_scope"
    if not facts.among(db, [seq], viewer=viewer, wanted=wanted, now=now):
        return "filtered"
    return None

