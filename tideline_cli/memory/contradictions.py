"""contradictions: pairs of facts that may contradict each other, shown and never settled here."""

from __future__ import annotations

from tideline_cli.memory import lanes
from tideline_cli.model.record import Record
from tideline_cli.model.text import index_terms, said_terms
from tideline_cli.policy import contradictions as policy
from tideline_cli.policy.contradictions import (
    MIN_SCORE,
    ComparedFact,
    Contradiction,
    compared_fact,
    statement,
)
from tideline_cli.policy.sameness import jaccard
from tideline_cli.policy.statements import MAX_TEXT, SELF
from tideline_cli.store import passes, sync_registers, visibility
from tideline_cli.store.connection import has_synced, setting, snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.passes import Stated

NEWEST = 20_000  # facts that are compared unless all are asked for
_NEAREST = 16  # older facts that a fact is compared with, at most: those that share most words
_HOLDERS = 64  # older facts with a word that are looked at for that, at most: the nearest in time
_EXAMINED = 20_000  # pairs that cosines decide among by the rule of the reference, at most
_AT_ONCE = 256


class ContradictionReport(Record):
    """The pairs, strongest first; how many facts were compared, and whether there are more.
    `is_bounded`: some facts have more facts alike than they were compared with."""

    found: tuple[Contradiction, ...]
    compared: int
    is_partial: bool
    is_bounded: bool = False


def contradictions(
    db: Connection,
    *,
    viewer: Origin,
    now: int,
    limit: int,
    segments: Sequence[str] = (),
    min_score: float = MIN_SCORE,
    newest: int | None = NEWEST,
) -> ContradictionReport:
    """Return the `limit` strongest pairs among the active facts of `viewer` that have not ended.

    Writes nothing. `newest` None compares all facts. The time is that of the facts, not of the
    pairs: each is compared with the few older ones that share most words with it. A store of the
    reference's analyser is compared by the reference's rule.
    """
    most = None if newest is None else newest + 1
    with snapshot(db):
        rows = passes.stated(db, viewer=viewer, segments=segments, now=now, limit=most)
        is_of_reference = setting(db, "analyzer", "standard") == "reference"
    is_partial = newest is not None and len(rows) > newest
    rows = rows[:newest]
    if is_of_reference:
        pairs, is_bounded = _by_reference(db, rows, min_score=min_score, limit=limit)
    else:
        pairs, is_bounded = _by_signs(rows)
    found = sorted((pair for pair in pairs if pair.score >= min_score), key=policy.order)[:limit]
    return ContradictionReport(tuple(found), len(rows), is_partial, is_bounded)


def _by_signs(rows: Sequence[Stated]) -> tuple[list[Contradiction], bool]:
    """Return the pairs that a sign tells of, and whether facts were left out."""
    told = [
        (compared_fact(row), statement(row.content))
        for row in rows if len(row.content) <= MAX_TEXT
    ]  # fmt: skip
    near, is_bounded = _near([said.telling - {SELF} for _, said in told])
    judged = (
        policy.judged(*told[new], *told[old]) for new, olds in enumerate(near) for old in olds
    )
    return [pair for pair in judged if pair], is_bounded


def _by_reference(
    db: Connection, rows: Sequence[Stated], *, min_score: float, limit: int
) -> tuple[list[Contradiction], bool]:
    """Return pairs by the rule of the reference; a score is no higher than the share of terms."""
    from tideline_cli.vector.embedder import cosines  # noqa: PLC0415  as above

    held = [frozenset(said_terms(row.terms)) for row in rows]
    near, is_bounded = _near(held)
    shares = sorted(
        (-share, new, old) for new, olds in enumerate(near) for old in olds
        if rows[new].segment == rows[old].segment
        and (share := jaccard(held[new], held[old])) >= max(policy.MIN_OVERLAP, min_score)
    )  # fmt: skip
    found: list[Contradiction] = []
    for start in range(0, min(len(shares), _EXAMINED), _AT_ONCE):
        embedder = lanes.embedder_of(db)
        part = shares[start : start + _AT_ONCE]
        found = sorted(found, key=policy.order)[:limit]
        if len(found) == limit and found[-1].score > -part[0][0]:
            return found, is_bounded
        texts = [(rows[new].content, rows[old].content) for _, new, old in part]
        for (_, new, old), cosine in zip(part, cosines(embedder, texts), strict=True):
            sides = compared_fact(rows[new]), compared_fact(rows[old])
            pair = policy.compared(*sides, (held[new], held[old]), cosine)
            found += [pair] if pair else []
    return found, is_bounded or len(shares) > _EXAMINED


def _near(keys: Sequence[Collection[str]]) -> tuple[list[list[int]], bool]:
    """Return for each fact, newest first, the older ones that share most keys with it, by place;
    never more than so many, so that the time is linear; and whether some were left out."""
    holders: dict[str, list[int]] = {}
    near: list[list[int]] = []
    is_bounded = False
    for place in range(len(keys) - 1, -1, -1):
        counts: dict[int, int] = {}
        for key in keys[place]:
            older = holders.setdefault(key, [])
            is_bounded |= len(older) > _HOLDERS
            for other in older[-_HOLDERS:]:
                counts[other] = counts.get(other, 0) + 1
            older.append(place)
        best = sorted(sorted(counts), key=counts.__getitem__, reverse=True)
        is_bounded |= len(best) > _NEAREST
        near.append(best[:_NEAREST])
    return near[::-1], is_bounded


def pairs(db: Connection, *, viewer: Origin) -> list[Contradiction]:
    """Return the pairs of a viewer, each with the value that holds first."""
    if not has_synced(db):
        return []
    number = visibility.number(db, viewer)
    found: list[Contradiction] = []
    told = sync_registers.ruled(db, "slot", origin_number=number)
    stored = sync_registers.in_table(db, {one for pair in told for one in pair})
    for archived, holds in told:
        if archived in stored and holds in stored:
            both = [stored[one][1] for one in (holds, archived)]
            a, b = (
                ComparedFact(one.id, one.content, one.created_at, one.scope, title=one.title)
                for one in both
            )
            overlap = jaccard(*(
                frozenset(index_terms(one.content, analyzer="standard").said) for one in both
            ))  # fmt: skip
            found.append(Contradiction(a, b, overlap, 1.0 - overlap, 1.0))
    return found
