"""recall: the facts that answer a query, best first, and why."""

from __future__ import annotations

from itertools import combinations
from sys import modules

from tideline_cli.errors import ReplacedError, UnavailableError, UsageError
from tideline_cli.memory import lexical
from tideline_cli.memory.query import DEFAULT_LIMIT, Match, Recalled, nothing
from tideline_cli.memory.question import question_of
from tideline_cli.model.fact import is_restless
from tideline_cli.model.hit import Hit
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.statements import MAX_TEXT, gist, may_contradict
from tideline_cli.ranking.question_words import may_name_time
from tideline_cli.store import facts, lapsed, score_bounds, sessions, visibility
from tideline_cli.store.connection import DatabaseError, named_settings
from tideline_cli.store.transactions import heat_rule, in_passing, snapshot, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.named_dates import NamedDates
    from tideline_cli.memory.query import Backlog, Query
    from tideline_cli.memory.question import Question
    from tideline_cli.memory.retention import Retained
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.lapsed import Lapsed

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
        origin_number = visibility.number(db, viewer)
        of_file = named_settings(db, "analyzer", "embedder")
        question = question_of(query.text, of_file.get("analyzer", "standard"))
        is_learned = " " in of_file.get("embedder", "")
        if query.fusion == "score" and not is_learned:
            raise UsageError(
                "fusion by scores needs a learned embedder", hint="see `tideline embedder list`"
            )
        if origin_number == visibility.NOBODY or (
            question.is_empty() and not query.takes_stop_words
        ):
            return nothing(query, is_learned=is_learned)
        gone = lapsed.at(db, origin_number=origin_number, now=now)
        read: dict[int, Fact] = {}
        matches, backlog, lacking = _ranked(
            db, query, question, viewer=viewer, origin_number=origin_number, now=now, gone=gone,
            is_learned=is_learned, read=read,
        )  # fmt: skip
        if unread := [match.seq for match in matches if match.seq not in read]:
            read |= facts.get(db, unread, viewer=viewer)
    least = query.min_score
    matches = [
        match for match in matches if match.seq in read and (not least or match.score >= least)
    ]
    return Recalled(
        tuple(Hit(read[match.seq], match.score, match.why, match.weak) for match in matches),
        tuple(match.seq for match in matches),
        backlog,
        origin_number if gone.read > lapsed.LAG else 0,
        lacking,
        query.joined_by(is_learned=is_learned and lacking is None),
        query.mode if lacking is None else "keyword",
        origin_number,
        gone.facts > 0,
    )


def _ranked(
    db: Connection, query: Query, question: Question, *, viewer: Origin, origin_number: int,
    now: int, gone: Lapsed, is_learned: bool, read: dict[int, Fact],
) -> tuple[list[Match], Backlog | None, UnavailableError | None]:
    """Return what the lanes find for a query in order, last what rests on one word of a question
    that is mostly unknown; and why likeness cannot find. What is `read` on the way is added."""
    if query.is_other_way:
        return _otherwise(
            db, query, question, viewer=viewer, origin_number=origin_number, now=now, gone=gone
        )
    if not question.weights:
        return _named(db, query, question.names, origin_number=origin_number, now=now), None, None
    pool = max(query.limit, query.reach)
    backlog: Backlog | None = None

    def by_words(*, by_score: bool = False) -> tuple[list[Match], list[Match]]:
        found, weak = _by_words(
            db, query, question, origin_number=origin_number, now=now,
            limit=max(pool, DEFAULT_LIMIT), gone=gone, by_score=by_score, reach=query.reach,
        )  # fmt: skip
        if len(found) > 1 and not question.is_of_reference:
            read.update(facts.get(db, [one.seq for one in found], viewer=viewer))
            found = newer_first(found, read)
        return found[:pool], weak

    matches: list[Match] = []
    weak: list[Match] = []
    try:
        if query.mode != "semantic":
            matches, weak = by_words(by_score=is_learned and query.takes_scores)
        if len(matches) < pool and query.mode != "keyword":
            from tideline_cli.memory import semantic  # noqa: PLC0415  2 ms

            matches, backlog = semantic.extended(
                db, query, matches, viewer=viewer, now=now, limit=pool,
                weighs_roles=not question.is_of_reference,
            )  # fmt: skip
        if query.mmr < 1.0:
            from tideline_cli.memory.ways import diversify  # noqa: PLC0415  --mmr alone

            matches = diversify(db, query, matches, viewer=viewer)
        if weak:
            matches = _weak_last(matches, weak, query.limit if query.mmr < 1.0 else pool)
    except UnavailableError as error:
        if not matches:
            matches, weak = by_words()
        return _weak_last(matches, weak, query.limit), backlog, error
    return matches, backlog, None


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


def _by_words(
    db: Connection, query: Query, question: Question, *, origin_number: int, now: int, limit: int,
    gone: Lapsed, by_score: bool, reach: int,
) -> tuple[list[Match], list[Match]]:  # fmt: skip
    """Return the best facts by their words and, where something is known of that, by what was said
    next to them, by whom and when: of as many as a question for `reach` hits looks at. Apart stand
    those that rest on one word of a question that is mostly unknown."""
    dates: NamedDates | None = None
    has_sessions = False
    retained: Retained | None = None
    if query.decay not in ("half-life", "none"):
        from tideline_cli.memory import retention  # noqa: PLC0415  another curve alone

        moment = now if query.wanted.as_of is None else query.wanted.as_of
        retained = retention.retained_by(query.decay, now=moment)
    if not question.is_of_reference:
        if may_name_time(query.text):
            from tideline_cli.memory import named_dates  # noqa: PLC0415  datetime, 2 ms

            dates = named_dates.named_in(db, query.text, now=now, origin_number=origin_number)
        has_sessions = sessions.are_there(db, origin_number=origin_number)
    if not (dates or has_sessions or (by_score and not question.is_of_reference)):
        return lexical.search(
            db, question, origin_number=origin_number, now=now, limit=limit, wanted=query.wanted,
            fading=query.depth, gone=gone, retained=retained,
        )  # fmt: skip
    from tideline_cli.memory import surroundings  # noqa: PLC0415  most memories have no sessions

    return surroundings.search(
        db, question, origin_number=origin_number, now=now, limit=limit, wanted=query.wanted,
        fading=query.depth, dates=dates, has_sessions=has_sessions, gone=gone, reach=reach,
        text=query.text if by_score else None, retained=retained,
    )  # fmt: skip


def _otherwise(
    db: Connection, query: Query, question: Question, *, viewer: Origin, origin_number: int,
    now: int, gone: Lapsed,
) -> tuple[list[Match], Backlog | None, UnavailableError | None]:  # fmt: skip
    """Return what is found for a query that is answered in another way."""
    from tideline_cli.memory import ways  # noqa: PLC0415  other fusions alone

    def by_words(wanted: Query, limit: int) -> list[Match]:
        if not question.weights:
            few = replace(wanted, limit=limit, pool=limit)
            return _named(db, few, question.names, origin_number=origin_number, now=now)
        sure, weak = _by_words(
            db, wanted, question, origin_number=origin_number, now=now, limit=limit, gone=gone,
            by_score=False, reach=limit,
        )  # fmt: skip
        return sorted([*sure, *weak], key=Match.order)[:limit] if weak else sure

    def weak_among(seqs: Sequence[int]) -> Collection[int]:
        return lexical.weak_among(
            db, question, seqs, origin_number=origin_number, now=now, wanted=query.wanted
        ) if seqs and question.weights else ()  # fmt: skip

    asked = ways.Inquiry(
        query, origin_number, now, by_words, weak_among,
        weighs_roles=not question.is_of_reference,
    )  # fmt: skip
    found = ways.answered_otherwise(db, asked, viewer=viewer)
    return found.matches, found.backlog, found.lacking


def _named(
    db: Connection, query: Query, names: tuple[str, ...], *, origin_number: int, now: int
) -> list[Match]:
    """Return the facts that hold stop words as a name, where a question has nothing else."""
    if query.mode == "semantic" or not names:
        return []
    from tideline_cli.memory import stop_names  # noqa: PLC0415  few ask for a stop word alone

    return stop_names.search(db, names, query, origin_number=origin_number, now=now)


def write_back(
    db: Connection, answer: Recalled, *, touch: bool, now: int, given: Collection[str] = ()
) -> None:
    """Count the uses and store the vectors that a recall made: best effort, after the answer. With
    `given`, note of these hits that they were given out.

    Does nothing, without an error, when another process is writing, when the store is read-only,
    or when its content was replaced since.
    """
    try:
        missing = score_bounds.missing_count(db, origin_number=answer.origin_number)
        unbounded = missing > score_bounds.LAG
        works = answer.backlog is not None or unbounded or answer.unsettled or bool(given)
        works = works or has_questions()
        if not (works or (answer.seqs and touch)):
            return
        with in_passing(db):
            with writing(db):
                if unbounded:
                    _catch_up(db, answer.origin_number)
                _store_uses(db, answer, given, touch=touch, now=now)
            if touch:
                _settle_heat(db, answer, now=now)
    except (DatabaseError, ReplacedError):
        return


def _store_uses(
    db: Connection, answer: Recalled, given: Collection[str], *, touch: bool, now: int
) -> None:
    if answer.unsettled:
        lapsed.settle(db, origin_number=answer.unsettled, now=now)
    if touch:
        from tideline_cli.store import uses  # noqa: PLC0415  context touches nothing

        ids = [hit.fact.id for hit in answer.hits]
        uses.touch(db, answer.seqs, now=now, ids=ids)
    if given:
        _note_given(db, answer, given, now=now)
    if answer.backlog is not None:
        from tideline_cli.memory import semantic  # noqa: PLC0415  only where vectors were made

        semantic.store_backlog(db, answer.backlog)
    if has_questions():
        from tideline_cli.memory import coded_lane  # noqa: PLC0415  learned embedders alone

        coded_lane.store_new(db)


def _catch_up(db: Connection, origin_number: int) -> None:
    """Bring the derived indexes nearer to the facts that many writes have brought."""
    from tideline_cli.store import common_upkeep, fts  # noqa: PLC0415  after many writes

    score_bounds.extend(db, limit=_BOUNDS_AT_ONCE, origin_number=origin_number)
    fts.fold(db, origin_number=origin_number)
    common_upkeep.settle_all(db, most=_HOLDERS_AT_ONCE)


def _settle_heat(db: Connection, answer: Recalled, *, now: int) -> None:
    """Move the heat of the facts that were used, where their use may move it."""
    used = [hit.fact for hit in answer.hits]
    is_moving = any(is_restless(fact, fact.access_count + 1, now=now) for fact in used)
    if not used or not (is_moving or heat_rule(db) is not None):
        return
    from tideline_cli.memory import heat  # noqa: PLC0415  few uses move any

    heat.settle_used(db, answer.seqs, viewer=used[0].origin, now=now)


def has_questions() -> bool:
    """Say whether a learned embedder has embedded questions: else what keeps them is not loaded."""
    lane: Any = modules.get("tideline_cli.memory.coded_lane")
    return lane is not None and bool(lane.has_new())


def _note_given(db: Connection, answer: Recalled, given: Collection[str], *, now: int) -> None:
    from tideline_cli.store import given as gifts  # noqa: PLC0415  recall gives nothing out

    hits = zip(answer.seqs, answer.hits, strict=True)
    gifts.put(db, {seq: hit.fact.id for seq, hit in hits if hit.fact.id in given}, now=now)
