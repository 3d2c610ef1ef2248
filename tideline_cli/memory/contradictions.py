"""contradictions: pairs of facts that may contradict each other, and what a new fact may take back.
They are shown, and never settled here."""

from __future__ import annotations

from tideline_cli.memory.query import DEFAULT_LIMIT, Match
from tideline_cli.model.record import Record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import said_terms, terms
from tideline_cli.policy import contradictions as policy
from tideline_cli.policy.contradictions import MIN_SCORE, ComparedFact, Contradiction
from tideline_cli.policy.sameness import jaccard
from tideline_cli.policy.sign_words import MOVE
from tideline_cli.policy.statements import statement
from tideline_cli.ranking.bm25 import condition_for
from tideline_cli.store import facts, fts, visibility
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.statements import Statement
    from tideline_cli.store.bulk_reads import Stated

NEWEST = 20_000  # facts that are compared unless all are asked for
_NEAREST = 16  # older facts that a fact is compared with, at most: those that share most words
_HOLDERS = 64  # older facts with a word that are looked at for that, at most: the nearest in time
_EXAMINED = 20_000  # pairs that cosines decide among by the rule of the reference, at most
_AT_ONCE = 256
_ASKED = 8  # words that a new fact is looked for by
_READ = 24  # facts that are read for a new one, by each way to look for them
_MOST_NAMED = 3
_REORDERED = DEFAULT_LIMIT  # hits that are compared, the best ones, however many are asked for


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


def taken_back(db: Connection, fact: Fact, *, viewer: Origin) -> tuple[ComparedFact, ...]:
    """Return the active facts of a viewer, of the scope and speaker of a new fact, that it may
    contradict, the strongest first; a few, and bounded in time."""
    if fact.document is not None or len(fact.content) > policy.MAX_TEXT:
        return ()
    said = statement(fact.content)
    near = _near_new(db, fact, said, origin_number=visibility.number(db, viewer))
    found: list[tuple[float, int, str, ComparedFact]] = []
    for other in facts.get(db, near, viewer=viewer).values():
        has_ended = other.valid_to is not None and other.valid_to <= fact.created_at
        if other.id == fact.id or other.scope != fact.scope or other.document or has_ended:
            continue
        side = _side(other)
        pair = _judged(_side(fact), said, side, statement(other.content))
        if pair is not None:
            found.append((-pair.score, -side.created_at, side.id, side))
    return tuple(side for *_, side in sorted(found)[:_MOST_NAMED])


def newer_first(db: Connection, matches: list[Match], *, viewer: Origin) -> list[Match]:
    """Return matches in order, where each that may contradict an older one scores no less than that
    one, and so stands before it. What nobody trusts moves before nothing that is trusted."""
    compared = matches[:_REORDERED]
    read = facts.get(db, [match.seq for match in compared], viewer=viewer)
    known = {
        seq: statement(fact.content) for seq, fact in read.items()
        if len(fact.content) <= policy.MAX_TEXT and not fact.document
    }  # fmt: skip
    moved = [*matches]
    for place, old in enumerate(compared):
        if old.seq not in known:
            continue
        for other in range(place + 1, len(compared)):
            new = moved[other]
            if new.seq not in known or new.created_at <= old.created_at:
                continue
            if _takes_back(read[new.seq], read[old.seq], known[new.seq], known[old.seq]):
                more = max(moved[place].score - new.score, 0.0)
                why = replace(new.why, newer=new.why.newer + more)
                moved[other] = replace(new, score=new.score + more, why=why)
    return matches if moved == matches else sorted(moved, key=Match.order)


def _takes_back(new: Fact, old: Fact, said: Statement, held: Statement) -> bool:
    is_fit = is_trusted(new.source) or not is_trusted(old.source)
    return is_fit and _judged(_side(new), said, _side(old), held) is not None


def _near_new(db: Connection, fact: Fact, said: Statement, *, origin_number: int) -> list[int]:
    """Return by number the newest active facts that hold nearly all words of a new one, then those
    that hold some, and for a move those that say where somebody lives."""
    asked = policy.asked_terms(terms(fact.content, analyzer="standard"))
    asked = sorted(asked, key=len, reverse=True)[:_ASKED]  # long words are rare
    most = len(asked)
    wanted = [
        condition_for(dict.fromkeys(asked, 1.0), need)
        for need in dict.fromkeys((max(most - 1, 1), max(2 * most // 5, 1)))
    ]
    if MOVE in policy.keys(said):
        wanted.append(("OR", policy.move_terms()))
    found: dict[int, None] = {}
    for condition in wanted:
        if condition is not None and len(found) < _READ:
            found |= dict.fromkeys(fts.holding_all(
                db, [condition], origin_number=origin_number, lifecycle="active", limit=_READ
            ))  # fmt: skip
    return [*found]


def _side(fact: Fact | Stated) -> ComparedFact:
    return ComparedFact(fact.id, fact.content, fact.created_at, fact.scope, fact.speaker)


def _by_signs(rows: Sequence[Stated]) -> tuple[list[Contradiction], bool]:
    """Return the pairs that a sign tells of, and whether facts were left out."""
    rows = [row for row in rows if len(row.content) <= policy.MAX_TEXT]
    sides = [_side(row) for row in rows]
    said = [statement(row.content) for row in rows]
    near = _Near([policy.keys(one) for one in said])
    found = [
        pair for new, old in near.pairs()
        if (pair := _judged(sides[new], said[new], sides[old], said[old])) is not None
    ]  # fmt: skip
    return found, near.is_bounded


def _judged(
    one: ComparedFact, said: Statement, other: ComparedFact, held: Statement
) -> Contradiction | None:
    by = policy.sign(said, held) if policy.may_meet(one, other) else None
    return policy.found(one, other, by, jaccard(said.telling, held.telling)) if by else None


def _by_reference(
    db: Connection, rows: Sequence[Stated], *, min_score: float, limit: int
) -> tuple[list[Contradiction], bool]:
    """Return pairs by the rule of the reference; a score is no higher than the share of terms."""
    from tideline_cli.memory import lanes  # noqa: PLC0415  numpy; one analyser alone
    from tideline_cli.vector.embedder import cosines  # noqa: PLC0415  as above

    held = [frozenset(said_terms(row.terms)) for row in rows]
    near = _Near(held)
    shares = sorted(
        (-share, new, old) for new, old in near.pairs()
        if rows[new].segment == rows[old].segment
        and (share := jaccard(held[new], held[old])) >= max(policy.MIN_OVERLAP, min_score)
    )  # fmt: skip
    found: list[Contradiction] = []
    for start in range(0, min(len(shares), _EXAMINED), _AT_ONCE):
        embedder = lanes.embedder_of(db)
        part = shares[start : start + _AT_ONCE]
        found = sorted(found, key=policy.order)[:limit]
        if len(found) == limit and found[-1].score > -part[0][0]:
            return found, near.is_bounded
        texts = [(rows[new].content, rows[old].content) for _, new, old in part]
        for (_, new, old), cosine in zip(part, cosines(embedder, texts), strict=True):
            sides, their = (_side(rows[new]), _side(rows[old])), (held[new], held[old])
            pair = policy.compared(*sides, their, cosine)
            found += [pair] if pair and policy.may_meet(*sides) else []
    return found, near.is_bounded or len(shares) > _EXAMINED


class _Near:
    """For each fact the older ones that share most keys with it, by place, newest first: never more
    than so many, so that the time is linear. `is_bounded` says whether some were left out."""

    def __init__(self, keys: Sequence[Collection[str]]) -> None:
        self._keys = keys
        self.is_bounded = False
        self._holders: dict[str, list[int]] = {}
        for place, its in enumerate(keys):
            for key in its:
                self._holders.setdefault(key, []).append(place)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (newer, older)."""
        passed = dict.fromkeys(self._holders, 0)
        for place, its in enumerate(self._keys):
            counts: dict[int, int] = {}
            for key in its:
                passed[key] = start = passed[key] + 1
                holders = self._holders[key]
                self.is_bounded |= len(holders) - start > _HOLDERS
                for other in holders[start : start + _HOLDERS]:
                    counts[other] = counts.get(other, 0) + 1
            best = sorted(counts, key=lambda other: (-counts[other], other))
            self.is_bounded |= len(best) > _NEAREST
            for other in best[:_NEAREST]:
                yield place, other
