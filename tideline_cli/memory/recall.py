"""recall: the facts that answer a query, best first, and why."""

from __future__ import annotations

from tideline_cli.errors import ReplacedError
from tideline_cli.memory import lexical
from tideline_cli.memory.query import NOTHING, Recalled
from tideline_cli.model.hit import Hit
from tideline_cli.model.text import normalise, terms
from tideline_cli.store import facts, lapsed, score_bounds, visibility
from tideline_cli.store.connection import TOUCH_BUSY_MS, DatabaseError, setting
from tideline_cli.store.transactions import snapshot, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from apsw import Connection

    from tideline_cli.memory.query import Backlog, Match, Query
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.lapsed import Lapsed

MAX_QUERY_TERMS = 256
_POOL = 200  # hits that maximal marginal relevance chooses among, at least
# This many take 0.2 s. A recall meets more only after a change of the program.
_HOLDERS_AT_ONCE = 1 << 19
_BOUNDS_AT_ONCE = 16 * score_bounds.CHUNK


def recall(db: Connection, query: Query, *, viewer: Origin, now: int) -> Recalled:
    """Return the facts of `viewer` that answer the query; writes nothing.

    Lexical hits come first, in order of BM25 · trust · (0.5 + 0.5 · strength). Below them, facts
    that only the vectors find fill the places that are left.
    """
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
        asked = list(dict.fromkeys(terms(normalise(query.text), analyzer=analyzer)))
        if origin_number == visibility.NOBODY or not asked:
            return NOTHING
        gone = lapsed.at(db, origin_number=origin_number, now=now)
        matches, backlog = _ranked(
            db, query, asked, viewer=viewer, origin_number=origin_number, now=now, gone=gone
        )
        read = facts.get(db, [match.seq for match in matches], viewer=viewer)
    matches = [match for match in matches if match.seq in read]
    return Recalled(
        tuple(Hit(read[match.seq], match.score, match.why, match.weak) for match in matches),
        tuple(match.seq for match in matches),
        backlog,
        origin_number if gone.read > lapsed.LAG else 0,
    )


def _ranked(
    db: Connection, query: Query, asked: list[str], *, viewer: Origin, origin_number: int,
    now: int, gone: Lapsed,
) -> tuple[list[Match], Backlog | None]:
    """Return what the lanes find for the terms and the text of a query, in order."""
    pool = query.limit if query.mmr >= 1.0 else max(_POOL, 10 * query.limit)
    matches: list[Match] = []
    backlog: Backlog | None = None
    if query.mode != "semantic":
        matches = lexical.search(
            db,
            asked[:MAX_QUERY_TERMS],
            origin_number=origin_number,
            now=now,
            limit=pool,
            wanted=query.wanted,
            fading=query.decay != "none",
            gone=gone,
        )
    if len(matches) < pool and query.mode != "keyword":
        from tideline_cli.memory import semantic  # noqa: PLC0415  2 ms

        matches, backlog = semantic.extended(
            db, query, matches, viewer=viewer, now=now, limit=pool
        )
    if query.mmr < 1.0:
        from tideline_cli.memory import semantic  # noqa: PLC0415  2 ms

        matches = semantic.diversify(db, query, matches, viewer=viewer)
    return matches, backlog


def write_back(
    db: Connection, answer: Recalled, *, touch: bool, now: int, given: Collection[str] = ()
) -> None:
    """Count the uses and store the vectors that a recall made: best effort, after the answer. With
    `given`, note of these hits that they were given out.

    Does nothing, without an error, when another process is writing, when the store is read-only,
    or when its content was replaced since.
    """
    try:
        unbounded = score_bounds.missing_count(db) > score_bounds.LAG
        works = answer.backlog is not None or unbounded or answer.unsettled or bool(given)
        if not (works or (answer.seqs and touch)):
            return
        db.set_busy_timeout(TOUCH_BUSY_MS)
        with writing(db):
            if unbounded:
                score_bounds.extend(db, limit=_BOUNDS_AT_ONCE)
                from tideline_cli.store import common_upkeep  # noqa: PLC0415  after many writes

                common_upkeep.settle_all(db, most=_HOLDERS_AT_ONCE)
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
    except (DatabaseError, ReplacedError):
        return


def _note_given(db: Connection, answer: Recalled, given: Collection[str], *, now: int) -> None:
    from tideline_cli.store import given as gifts  # noqa: PLC0415  recall gives nothing out

    hits = zip(answer.seqs, answer.hits, strict=True)
    gifts.put(db, {seq: hit.fact.id for seq, hit in hits if hit.fact.id in given}, now=now)
