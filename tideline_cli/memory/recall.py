"""recall: the facts that answer a query, best first, and why."""

from __future__ import annotations

from tideline_cli.errors import ReplacedError
from tideline_cli.memory import lexical
from tideline_cli.model.hit import Hit
from tideline_cli.model.record import record
from tideline_cli.model.text import normalise, terms
from tideline_cli.store import facts, score_bounds, uses, visibility
from tideline_cli.store.connection import TOUCH_BUSY_MS, DatabaseError, setting
from tideline_cli.store.facts import Filter
from tideline_cli.store.transactions import snapshot, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from apsw import Connection

    from tideline_cli.memory.lexical import Match
    from tideline_cli.memory.semantic import Backlog
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.ranking.decay import Decay

    Mode = Literal["hybrid", "keyword", "semantic"]
    Fusion = Literal["append"]

MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic")
DEFAULT_LIMIT = 8
ALL = 2**31 - 1
MAX_QUERY_TERMS = 256
_POOL = 200  # hits that maximal marginal relevance chooses among, at least
# 0.2 s; a recall meets more only after a change of program.
_BOUNDS_AT_ONCE = 16 * score_bounds.CHUNK


@record
class Query:
    """What is asked. `mmr` 1 keeps the order of the scores; `min_sim` None is the embedder's."""

    text: str
    limit: int = DEFAULT_LIMIT
    mode: Mode = "hybrid"
    fusion: Fusion = "append"
    decay: Decay = "half-life"
    min_sim: float | None = None
    mmr: float = 1.0
    wanted: Filter = Filter()


@record
class Answer:
    """The hits in order, their numbers, and the vectors that were made on the way."""

    hits: tuple[Hit, ...]
    seqs: tuple[int, ...]
    backlog: Backlog | None


NOTHING = Answer((), (), None)


def recall(db: Connection, query: Query, *, viewer: Origin, now: int) -> Answer:
    """Return the facts of `viewer` that answer the query; writes nothing.

    Lexical hits come first, in order of BM25 · trust · (0.5 + 0.5 · strength); what only the
    vectors find fills the places they leave free, below them.
    """
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
        asked = list(dict.fromkeys(terms(normalise(query.text), analyzer=analyzer)))
        if origin_number == visibility.NOBODY or not asked:
            return NOTHING
        pool = query.limit if query.mmr >= 1.0 else max(_POOL, 10 * query.limit)
        matches: list[Match] = []
        if query.mode != "semantic":
            matches = lexical.search(
                db,
                asked[:MAX_QUERY_TERMS],
                origin_number=origin_number,
                now=now,
                limit=pool,
                wanted=query.wanted,
                fading=query.decay != "none",
            )
        backlog: Backlog | None = None
        if len(matches) < pool and query.mode != "keyword":
            from tideline_cli.memory import semantic  # noqa: PLC0415  2 ms

            matches, backlog = semantic.extended(
                db, query, matches, viewer=viewer, now=now, limit=pool
            )
        if query.mmr < 1.0:
            from tideline_cli.memory import semantic  # noqa: PLC0415  only where places are free

            matches = semantic.diversified(db, query, matches, viewer=viewer)
        read = facts.get(db, [match.seq for match in matches], viewer=viewer)
    matches = [match for match in matches if match.seq in read]
    return Answer(
        tuple(Hit(read[match.seq], match.score, match.why) for match in matches),
        tuple(match.seq for match in matches),
        backlog,
    )


def settle(db: Connection, answer: Answer, *, touch: bool, now: int) -> None:
    """Count the uses and keep the vectors that a recall made: best effort, after the answer.

    Gives up quietly when another process is writing, the store is read-only, or it holds another
    content by now.
    """
    try:
        unbounded = score_bounds.missing_count(db) > score_bounds.LAG
        if not (answer.seqs and touch) and answer.backlog is None and not unbounded:
            return
        db.set_busy_timeout(TOUCH_BUSY_MS)
        with writing(db):
            if unbounded:
                score_bounds.extend(db, limit=_BOUNDS_AT_ONCE)
            if touch:
                ids = [hit.fact.id for hit in answer.hits]
                uses.touch(db, answer.seqs, now=now, ids=ids)
            if answer.backlog is not None:
                from tideline_cli.memory import semantic  # noqa: PLC0415  only where vectors were made

                semantic.keep(db, answer.backlog)
    except (DatabaseError, ReplacedError):
        return
