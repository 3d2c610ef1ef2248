"""contradictions: pairs of facts that may contradict each other, shown and never settled here."""

from __future__ import annotations

from itertools import combinations

from tideline_cli.model.record import Record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import said_terms, stem, terms
from tideline_cli.policy import contradictions as policy
from tideline_cli.policy.contradictions import MIN_SCORE, ComparedFact, Contradiction, statement
from tideline_cli.policy.periods import overlap
from tideline_cli.policy.sameness import jaccard
from tideline_cli.ranking.bm25 import condition_for
from tideline_cli.store import facts, fts, visibility
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.contradictions import Statement
    from tideline_cli.store.bulk_reads import Stated

NEWEST = 20_000  # facts that are compared unless all are asked for
_NEAREST = 16  # older facts that a fact is compared with, at most: those that share most words
_HOLDERS = 64  # older facts with a word that are looked at for that, at most: the nearest in time
_EXAMINED = 20_000  # pairs that cosines decide among by the rule of the reference, at most
_AT_ONCE = 256
_ASKED = 12  # words that a new fact is looked for by: the longest, which are rare
_LONGEST = 4  # words of it of which all but one are in a fact that is looked for
_READ = 12  # facts that are read for a new one, by each way to look for them
_MOST_NAMED = 3
COMPARED = 10
"""So many hits are compared, the best ones, however many are asked for."""


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
    from tideline_cli.store import bulk_reads  # noqa: PLC0415  a new fact needs none of it
    from tideline_cli.store.transactions import snapshot  # noqa: PLC0415  as above

    most = None if newest is None else newest + 1
    with snapshot(db):
        rows = bulk_reads.stated(db, viewer=viewer, segments=segments, now=now, limit=most)
        is_of_reference = setting(db, "analyzer", "standard") == "reference"
    is_partial = newest is not None and len(rows) > newest
    rows = rows[:newest]
    if is_of_reference:
        pairs, is_bounded = _by_reference(db, rows, min_score=min_score, limit=limit)
    else:
        pairs, is_bounded = _by_signs(rows)
    found = sorted((pair for pair in pairs if pair.score >= min_score), key=policy.order)[:limit]
    return ContradictionReport(tuple(found), len(rows), is_partial, is_bounded)


def contradicted(db: Connection, fact: Fact, *, viewer: Origin) -> tuple[ComparedFact, ...]:
    """Return the active facts of a viewer, of the scope and speaker of a new fact, that it may
    contradict, the strongest first; a few, and bounded in time."""
    if not _is_compared(fact):
        return ()
    told = _told(fact)
    near = _near_new(db, fact, told[1], origin_number=visibility.number(db, viewer))
    found = [
        pair for other in facts.get(db, near, viewer=viewer).values()
        if other.id != fact.id and other.scope == fact.scope and _is_compared(other)
        and (fact.slot is None or other.slot != fact.slot)  # a slot orders its values
        and overlap(fact, other)
        and (pair := policy.judged(*told, *_told(other)))
    ]  # fmt: skip
    best = sorted(found, key=policy.order)[:_MOST_NAMED]
    return tuple(pair.b if pair.a.id == fact.id else pair.a for pair in best)


def newer_first(matches: list[Match], read: Mapping[int, Fact]) -> list[Match]:
    """Return matches in order, where each that may contradict an older one scores no less than that
    one, and so stands before it. What nobody trusts moves before nothing that is trusted. `read`
    are the facts by number that are compared."""
    compared = matches[:COMPARED]
    told = {
        seq: _told(fact) for seq in (one.seq for one in compared)
        if (fact := read.get(seq)) is not None and _is_compared(fact)
    }  # fmt: skip
    moved = [*matches]
    for place, other in combinations([n for n, one in enumerate(compared) if one.seq in told], 2):
        old, new = moved[place], moved[other]
        is_fit = is_trusted(read[new.seq].source) or not is_trusted(read[old.seq].source)
        is_later = new.created_at > old.created_at and is_fit
        if is_later and policy.judged(*told[new.seq], *told[old.seq]):
            more = max(old.score - new.score, 0.0)
            why = replace(new.why, newer=new.why.newer + more)
            moved[other] = replace(new, score=new.score + more, why=why)
    return matches if moved == matches else sorted(moved, key=lambda match: match.order())


def _is_compared(fact: Fact) -> bool:
    return not fact.document and len(fact.content) <= policy.MAX_TEXT


def _near_new(db: Connection, fact: Fact, said: Statement, *, origin_number: int) -> list[int]:
    """Return by number the newest active facts that hold a word of a new one which few hold, those
    that hold all but one of its longest words, and for a move those that say who lives where."""
    asked = {*terms(fact.content, analyzer="standard")} - policy.NOT_TELLING
    longest = sorted(asked, key=lambda term: (-len(term), term))[:_ASKED]
    rare = tuple(
        term for term in longest
        if fts.rarity(db, term, origin_number=origin_number, enough=_READ) < _READ
    )
    most = dict.fromkeys(longest[:_LONGEST], 1.0)
    nearly_all = condition_for(most, max(len(most) - 1, 1))
    homes = tuple(map(stem, sorted(policy.LIVING))) if policy.LIVE in said.telling else ()
    wanted = [nearly_all] if nearly_all else []
    wanted += [("OR", words) for words in (rare, homes) if words]
    found: dict[int, None] = {}
    for condition in wanted:
        found |= dict.fromkeys(fts.holding_all(
            db, [condition], origin_number=origin_number, lifecycle="active", limit=_READ
        ))  # fmt: skip
    return [*found]


def _side(fact: Fact | Stated) -> ComparedFact:
    return ComparedFact(fact.id, fact.content, fact.created_at, fact.scope, fact.speaker)


def _told(fact: Fact | Stated) -> tuple[ComparedFact, Statement]:
    return _side(fact), statement(fact.content)


def _by_signs(rows: Sequence[Stated]) -> tuple[list[Contradiction], bool]:
    """Return the pairs that a sign tells of, and whether facts were left out."""
    told = [_told(row) for row in rows if len(row.content) <= policy.MAX_TEXT]
    near, is_bounded = _near([said.telling - {policy.SELF} for _, said in told])
    judged = (
        policy.judged(*told[new], *told[old]) for new, olds in enumerate(near) for old in olds
    )
    return [pair for pair in judged if pair], is_bounded


def _by_reference(
    db: Connection, rows: Sequence[Stated], *, min_score: float, limit: int
) -> tuple[list[Contradiction], bool]:
    """Return pairs by the rule of the reference; a score is no higher than the share of terms."""
    from tideline_cli.memory import lanes  # noqa: PLC0415  numpy; one analyser alone
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
            sides, their = (_side(rows[new]), _side(rows[old])), (held[new], held[old])
            pair = policy.compared(*sides, their, cosine)
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
