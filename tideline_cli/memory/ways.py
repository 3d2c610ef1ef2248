"""Answers ranked in other ways: by ranks, by points, by classes and distance. One branch of recall.
"""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.memory import weighing
from tideline_cli.memory.query import Match
from tideline_cli.memory.weighing import Liked, Ranked
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.record import replace
from tideline_cli.ranking import fusions
from tideline_cli.ranking.points import Points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from apsw import Connection

    from tideline_cli.memory.weighing import Inquiry, Weighed
    from tideline_cli.model.origin import Origin

_AT_ONCE = 400


def answered_otherwise(
    db: Connection, asked: Inquiry, *, viewer: Origin
) -> Ranked:
    """Return the answer of a query that names another fusion, or points; where likeness cannot be
    had, the answer by words."""
    try:
        return _ranked(db, asked, viewer)
    except UnavailableError as error:
        words = replace(asked, query=replace(asked.query, mode="keyword", mmr=1.0))
        return replace(_ranked(db, words, viewer), lacking=error)


def _ranked(db: Connection, asked: Inquiry, viewer: Origin) -> Ranked:
    query = asked.query
    if query.fusion == "rrf":
        found = _by_ranks(db, asked, viewer)
    elif query.fusion == "priority":
        from tideline_cli.memory import by_priority  # noqa: PLC0415  one fusion alone

        found = by_priority.by_classes(db, asked, viewer=viewer)
    else:
        found = _by_points(db, asked, viewer)
    matches = sorted(found.matches, key=Match.order)
    if query.mmr >= 1.0:
        return replace(found, matches=matches[: query.limit])
    return replace(found, matches=_diverse(db, asked, matches, viewer))


def _diverse(
    db: Connection, asked: Inquiry, matches: list[Match], viewer: Origin
) -> list[Match]:
    """Return the best by maximal marginal relevance, which wants scores from 0 on."""
    from tideline_cli.memory import diverse  # noqa: PLC0415  --mmr alone

    least = min(0.0, min((match.score for match in matches), default=0.0))
    lifted = [replace(match, score=match.score - least) for match in matches]
    chosen = diverse.diversify(db, asked.query, lifted, viewer=viewer)
    own = {match.seq: match for match in matches}
    return [own[match.seq] for match in chosen]


def _words(asked: Inquiry, limit: int) -> list[Match]:
    """Return the best by words. How facts fade counts once, and not here."""
    if asked.query.mode == "semantic":
        return []
    return asked.by_words(replace(asked.query, decay="none"), limit)


def _by_ranks(db: Connection, asked: Inquiry, viewer: Origin) -> Ranked:
    """Return the facts by the sum of 1 / (60 + rank) of both lanes · quality · relevance · trust.
    """
    most_words, most_alike = fusions.pools(asked.query.reach)
    words = {match.seq: match for match in _words(asked, most_words)}
    like = weighing.liked(db, asked, most_alike, viewer=viewer)
    ranks: dict[int, dict[str, float]] = {}
    for name, lane in (("words_rank", words), ("likeness_rank", like.cosines)):
        for rank, seq in enumerate(lane, 1):
            ranks.setdefault(seq, {})[name] = rank
    found: list[Match] = []
    for one in weighing.with_weights(
        db, asked, ranks, words=words, cosines=like.cosines, viewer=viewer
    ):
        fact, own = weighing.modest(one.fact), ranks[one.seq]
        joined = fusions.reciprocal(int(rank) for rank in own.values())
        worthy = fusions.quality(fact.heat, fact.importance, pinned=fact.pinned)
        parts = {**own, "rrf": joined, "quality": worthy}
        found.append(weighing.match_of(one, joined * worthy * one.share, parts, like))
    return Ranked(found, like.backlog)


def _by_points(db: Connection, asked: Inquiry, viewer: Origin) -> Ranked:
    """Return the facts by points; in hybrid mode a likeness of 1 adds 10."""
    query = asked.query
    is_alone = query.mode == "points"
    room = query.limit if is_alone else 2 * query.reach
    scored = [] if query.mode == "semantic" else _pointed(db, asked, room, viewer)
    had = {one.seq: got for one, got in scored}
    like = Liked({}) if is_alone else weighing.liked(db, asked, room, viewer=viewer)
    found: list[Match] = []
    words = {one.seq: one.words for one, _ in scored if one.words}
    seqs = dict.fromkeys((*had, *like.cosines))
    for one in weighing.with_weights(
        db, asked, seqs, words=words, cosines=like.cosines, viewer=viewer
    ):
        parts: dict[str, float] = {}
        if one.seq in had:
            parts |= {name: getattr(had[one.seq], name) for name in _PARTS}
        if one.cosine is not None:
            parts["likeness"] = fusions.likeness_points(one.cosine)
        found.append(weighing.match_of(one, sum(parts.values()) * one.share, parts, like))
    return Ranked(found, like.backlog)


_PARTS = ("words", "id", "tags", "recency", "active")


def _pointed(
    db: Connection, asked: Inquiry, limit: int, viewer: Origin
) -> list[tuple[Weighed, Points]]:
    """Return the best facts by points, with them. Those with the most are read first, until the
    best beat whatever is left: no factor is more than 1."""
    from tideline_cli.memory import by_points  # noqa: PLC0415  points alone

    had = by_points.matches(
        db, asked.query, origin_number=asked.origin_number, now=asked.now
    )
    ordered = sorted(had, key=lambda seq: -had[seq].total)
    best: list[tuple[float, int, str, Weighed]] = []
    for start in range(0, len(ordered), _AT_ONCE):
        part = ordered[start : start + _AT_ONCE]
        if len(best) >= limit and -best[limit - 1][0] > had[part[0]].total:
            break
        for one in weighing.with_weights(db, asked, part, words={}, cosines={}, viewer=viewer):
            score = had[one.seq].total * one.share
            best.append((-score, -one.fact.created_at, one.fact.id, one))
        best = sorted(best, key=lambda item: item[:3])[:limit]
    held = by_points.held_terms(db, asked.query, [item[3].seq for item in best],
                                viewer=viewer)  # fmt: skip
    return [(replace(one, words=_said(one, held)), had[one.seq]) for *_, one in best]


def _said(one: Weighed, held: Mapping[int, tuple[str, ...]]) -> Match:
    """Return a fact as one that words have found."""
    why = Breakdown(
        None, held.get(one.seq, ()), one.strength, one.factor, one.trust, "lexical"
    )
    return Match(one.seq, one.fact.id, one.fact.created_at, 0.0, why)
