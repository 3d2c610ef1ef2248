"""recall: the facts that answer a query, best first, and why."""

from __future__ import annotations

from itertools import combinations
from sys import modules

from tideline_cli.errors import ReplacedError, UnavailableError, UsageError
from tideline_cli.memory.lexical import known_of
from tideline_cli.memory.query import DEFAULT_LIMIT, Match, Ranked, Recalled, nothing
from tideline_cli.memory.search import search_of, view_of
from tideline_cli.memory.words_lane import by_words
from tideline_cli.model.fact import is_restless
from tideline_cli.model.hit import Hit
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.time_vocabulary import may_name_time
from tideline_cli.policy.statements import MAX_TEXT, gist, may_contradict
from tideline_cli.ranking.score_bounds import changes_at
from tideline_cli.store import facts, fts, overview, reads, score_bounds, visibility
from tideline_cli.store.connection import (
    DatabaseError,
    at_once,
    heat_rule,
    in_passing,
    snapshot,
    writing,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.query import Backlog, Query, Recalled
    from tideline_cli.memory.search import Search, View
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read

# This many take 0.2 s. A recall meets more only after a change of the program.
_HOLDERS_AT_ONCE = 1 << 19
_BOUNDS_AT_ONCE = 16 * score_bounds.CHUNK
COMPARED = 10
"""So many hits are compared with one another, the best ones, however many are asked for."""


def recall(db: Connection, query: Query, *, viewer: Origin, now: int) -> Recalled:
    """Return the facts of `viewer` that answer the query; writes nothing.

    Lexical hits come first, in order of BM25 · trust · (0.5 + 0.5 · strength) · role. Below them,
    facts that only the vectors find fill the places that are left. Files of the reference's
    analyser weigh no roles.
    """
    with snapshot(db):
        return recalled(view_of(db, viewer=viewer, now=now), query)


def recalled(view: View, query: Query) -> Recalled:
    """Return what `recall` does of a memory that is looked at already."""
    if query.way.is_learned and not view.is_learned:
        raise UsageError(
            "fusion by scores needs a learned embedder", hint="see `tideline embedder list`"
        )
    search = search_of(view, query)
    is_asked = view.number != visibility.NOBODY
    if is_asked and (of_time := _of_time(view, search, alone=True)):
        found = Ranked(of_time)
    elif not is_asked or (search.question.is_empty() and not query.way.takes_stop_words):
        return nothing(query, is_learned=view.is_learned)
    elif query.is_other_way:
        from tideline_cli.memory import fusions  # noqa: PLC0415  other fusions alone

        found = fusions.answered_otherwise(view, search)
    else:
        found = _appended(view, search)
        if not found.matches:
            found = replace(found, matches=_of_time(view, search, alone=False))
    read = found.read or {}
    if unread := [match.seq for match in found.matches if match.seq not in read]:
        read |= facts.get(view.db, unread, viewer=view.viewer)
    least = query.min_score
    matches = [
        match for match in found.matches
        if match.seq in read and (not least or match.score >= least)
    ]  # fmt: skip
    is_whole = found.lacking is None
    gone = view.origin.gone
    return Recalled(
        tuple(Hit(read[match.seq], match.score, match.why, match.weak) for match in matches),
        tuple(match.seq for match in matches),
        found.backlog,
        view.number if gone.read > overview.LAG else 0,
        found.lacking,
        query.joined_by(is_learned=view.is_learned and is_whole),
        query.mode if is_whole else "keyword",
        view.number,
        gone.facts > 0,
        view.unbounded,
        found.archived,
    )


def _of_time(view: View, search: Search, *, alone: bool) -> list[Match]:
    """Return the facts of a time that a question names; `alone`, where it names nothing else."""
    query, question = search.query, search.question
    if query.is_other_way or query.wanted.as_of is not None or question.is_of_reference:
        return []
    if query.mode == "semantic" or not may_name_time(query.text):
        return []
    from tideline_cli.memory import named_dates  # noqa: PLC0415  datetime, 2 ms

    return named_dates.of_time(view, search, alone=alone)


def _appended(view: View, search: Search) -> Ranked:
    """Return what the words find, below it what only likeness finds, and last what rests on one
    word of a question that is mostly unknown; where likeness cannot find, why."""
    query = search.query
    if not search.question.weights:
        return Ranked(by_words(view, search)[0])
    matches: list[Match] = []
    weak: list[Match] = []
    read: dict[int, Fact] = {}
    backlog: Backlog | None = None
    pool = search.limit
    if query.mode != "semantic" and query.wanted.as_of is None:
        search = replace(search, known=known_of(view, search))
    archived = None if search.known is None else search.known.archived
    try:
        if query.mode != "semantic":
            by_score = view.is_learned and query.takes_scores
            matches, weak = _by_words(view, replace(search, by_score=by_score), read)
        if len(matches) < pool and query.mode != "keyword":
            from tideline_cli.memory import semantic  # noqa: PLC0415  2 ms

            matches, backlog, archived = semantic.extended(
                view, search, matches, read, archived=archived
            )
        if query.mmr < 1.0:
            from tideline_cli.memory.fusions import diversify  # noqa: PLC0415  --mmr alone

            matches = diversify(view, query, matches)
        if weak:
            matches = _weak_last(matches, weak, query.limit if query.mmr < 1.0 else pool)
    except UnavailableError as error:
        if not matches:
            matches, weak = _by_words(view, search, read)
        return Ranked(_weak_last(matches, weak, query.limit), backlog, error, read, archived)
    return Ranked(matches, backlog, None, read, archived)


def _by_words(view: View, search: Search, read: dict[int, Fact]) -> tuple[list[Match], list[Match]]:
    """Return the best by words, of two that may contradict each other the newer one first, and
    apart the weak ones. What is `read` for that is added."""
    found, weak = by_words(view, replace(search, limit=max(search.limit, DEFAULT_LIMIT)))
    if len(found) > 1 and not search.question.is_of_reference:
        read |= facts.get(view.db, [one.seq for one in found], viewer=view.viewer)
        found = newer_first(found, read)
    return found[: search.limit], weak


def newer_first(matches: list[Match], read: Mapping[int, Fact]) -> list[Match]:
    """Return matches in order, where each that may contradict an older one scores no less than that
    one, and so stands before it. What nobody trusts moves before nothing that is trusted. `read`
    are the facts by number that are compared."""
    compared = {
        place: fact for place, one in enumerate(matches[:COMPARED])
        if (fact := read.get(one.seq)) and not fact.document and len(fact.content) <= MAX_TEXT
    }  # fmt: skip
    gists = {place: gist(fact.content) for place, fact in compared.items()}
    moved = [*matches]
    for place, other in combinations(compared, 2):
        old, new = compared[place], compared[other]
        if (
            new.created_at <= old.created_at or old.speaker != new.speaker
            or (is_trusted(old.source) and not is_trusted(new.source))
            or not may_contradict(gists[place], gists[other])
        ):  # fmt: skip
            continue
        from tideline_cli.policy.contradictions import are_contradictory  # noqa: PLC0415  few pairs may

        if are_contradictory(old, new):
            first, then = moved[place], moved[other]
            more = max(first.score - then.score, 0.0)
            why = replace(then.why, newer=then.why.newer + more)
            moved[other] = replace(then, score=then.score + more, why=why)
    return matches if moved == matches else sorted(moved, key=lambda match: match.order())


def _weak_last(matches: list[Match], weak: Sequence[Match], limit: int) -> list[Match]:
    """Return the best `limit` of what the lanes find, and behind it of what rests on one word of a
    question that is mostly unknown and that likeness does not find."""
    found = {match.seq for match in matches}
    return [*matches, *(match for match in weak if match.seq not in found)][:limit]


def write_back(
    db: Connection, answer: Recalled, *, touch: bool, now: int, given: Collection[str] = ()
) -> None:
    """Count the uses and store the vectors that a recall made: best effort, after the answer. With
    `given`, note of these hits that they were given out.

    Does nothing, without an error, when another process is writing, when the store is read-only,
    or when its content was replaced since.
    """
    try:
        unbounded = answer.unbounded
        if unbounded is None:
            unbounded = score_bounds.missing_count(db, origin_number=answer.origin_number)
        is_behind = unbounded > score_bounds.LAG
        works = is_behind or answer.unsettled or answer.backlog is not None or has_questions()
        if not (works or given or (touch and answer.seqs)):
            return
        with in_passing(db):
            derive = (lambda: _derive(db, answer, is_behind=is_behind, now=now)) if works else None
            used = _store(db, answer, given, derive, touch=touch, now=now)
            if used:
                from tideline_cli.memory import heat  # noqa: PLC0415  few uses move any

                heat.settle_used(db, used, viewer=answer.hits[0].fact.origin, now=now)
    except (DatabaseError, ReplacedError):
        return


def _store(
    db: Connection, answer: Recalled, given: Collection[str], derive: Callable[[], None] | None, *,
    touch: bool, now: int,
) -> Mapping[int, Fact]:  # fmt: skip
    """Store what an answer leaves behind, and what it has to `derive`; return the facts whose heat
    its use may move, as they are then. What changes nothing but counts is one exchange with a
    server."""
    from tideline_cli.store import uses  # noqa: PLC0415  most contexts count nothing

    hits = {seq: hit.fact for seq, hit in zip(answer.seqs, answer.hits, strict=True)}
    ids = [fact.id for fact in hits.values()]
    left = list(hits) if touch else []
    looks = _looks(db, hits, now=now) if touch else []
    notes: list[Read[None]] = []
    if given:
        from tideline_cli.store import uses  # noqa: PLC0415  recall gives nothing out

        out = {seq: one.id for seq, one in hits.items() if one.id in given}
        notes = [uses.note_given(out, now=now)]
    said: list[Any] = []
    if not (derive or (left and not reads.has_trips(db))) and not any(
        changes_at(hits[seq].access_count + 1) for seq in left
    ):
        steady = [uses.counted(left, now=now, ids=ids, is_steady=True)] if left else []
        said = at_once(db, *steady, *notes, *looks)
        reached = {seq for seq, _ in said[0]} if steady else set()
        left, notes = [seq for seq in left if seq not in reached], []
    if derive or left:
        turn = writing(db, uses.counted(left, now=now, ids=ids) if left else None)
        with turn:
            if derive:
                derive()
            uses.bound_anew(db, turn.said or ())
            said = reads.together(db, *notes, *looks)
    return said[-1] if looks else {}


def _looks(db: Connection, hits: Mapping[int, Fact], *, now: int) -> list[Read[dict[int, Fact]]]:
    """Return what reads the hits anew, where their use may move the heat of any."""
    is_moving = any(is_restless(one, one.access_count + 1, now=now) for one in hits.values())
    if not hits or not (is_moving or heat_rule(db) is not None):
        return []
    return [facts.numbered(hits, viewer=next(iter(hits.values())).origin)]


def _derive(db: Connection, answer: Recalled, *, is_behind: bool, now: int) -> None:
    """Store what was made of facts on the way, and bring the derived indexes nearer to the facts
    that many writes have brought."""
    if is_behind:
        from tideline_cli.store import common_postings  # noqa: PLC0415  after many writes

        score_bounds.extend(db, limit=_BOUNDS_AT_ONCE, origin_number=answer.origin_number)
        fts.fold(db, origin_number=answer.origin_number)
        common_postings.settle_all(db, most=_HOLDERS_AT_ONCE)
    if answer.unsettled:
        overview.settle(db, origin_number=answer.unsettled, now=now)
    if answer.backlog is not None:
        from tideline_cli.memory import semantic  # noqa: PLC0415  only where vectors were made

        semantic.store_backlog(db, answer.backlog)
    if has_questions():
        from tideline_cli.memory import coded_lane  # noqa: PLC0415  learned embedders alone

        coded_lane.store_new(db)


def has_questions() -> bool:
    """Say whether a learned embedder has embedded questions: else what keeps them is not loaded."""
    lane: Any = modules.get("tideline_cli.memory.coded_lane")
    return lane is not None and bool(lane.has_new())
