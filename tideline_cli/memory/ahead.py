"""What a recall or a write will ask of a memory on a server, so that it takes few round trips.

Everything here is a guess: what was not foreseen is asked when it is needed, and what was foreseen
and is not needed is not looked at.
"""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory import near_duplicates
from tideline_cli.memory.question import question_of
from tideline_cli.model import codec
from tideline_cli.model.text import index_terms
from tideline_cli.ranking.question_words import may_name_time
from tideline_cli.store import (
    common_postings,
    facts,
    fts,
    label_holders,
    lapsed,
    score_bounds,
    sessions,
    slots,
    vectors,
    visibility,
    writes,
)
from tideline_cli.store.lapsed import Lapsed
from tideline_cli.store.postgres import derived, term_lists, use_counts
from tideline_cli.store.postgres.known_answers import standing_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Backlog, Query, Recalled
    from tideline_cli.model.fact import NewFact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.postgres.foresight import Foreseeing
    from tideline_cli.store.postgres.promising import Promising

_LIKELY, _NEAR = 0, 1  # lists of the server's
_MOST = 400  # facts that may be the best, of which all is asked that ranks them
_BOTH_SIDES = """
SELECT array_agg(DISTINCT one) FROM (
  SELECT unnest(ARRAY[before, after]) AS one FROM ({}) AS near (own, before, after)) AS each
WHERE one IS NOT NULL
"""
_HOLDERS = 2_000  # holders of the rarest terms, of which those are chosen
_ALIKE = 2  # the list of the server's of facts that may say the same
_MOST_ALIKE = 257


def of_recall(
    db: Connection, ahead: Foreseeing, query: Query, *, viewer: Origin, now: int
) -> None:
    """Foresee what a recall asks before it knows any fact. Inside its transaction."""
    origin = ahead.origins.get(viewer.key, visibility.NOBODY)
    analyzer: Analyzer = ahead.guess.get("analyzer", "standard")
    if ahead.foreseen == (id(query), origin, analyzer):
        return
    ahead.foreseen = id(query), origin, analyzer
    ahead.foresee(
        lambda: visibility.number(db, viewer),
        lambda: lapsed.at(db, origin_number=origin, now=now),
        lambda: fts.totals(db, origin_number=origin, gone=Lapsed()),
        lambda: sessions.are_there(db, origin_number=origin),
        lambda: fts.has_archived(db, viewer=viewer),
    )
    derived.unbounded(ahead, origin)
    derived.lapsing(ahead, origin, now=now)
    if query.wanted.as_of is None:
        ahead.follow(lambda: _ended(db, query, origin_number=origin, now=now))
    ahead.lighter |= term_lists.LIGHTER
    ahead.whole = lambda seqs: facts.get(db, seqs, viewer=viewer)
    question = question_of(query.text, analyzer)
    of_words(db, ahead, question.weights, origin_number=origin)
    if query.mode != "semantic":
        if question.weights:
            _of_ranking(db, ahead, query, origin_number=origin, now=now)
        if analyzer != "reference" and may_name_time(query.text):
            _of_dates(db, ahead, query, origin_number=origin, now=now)
    embedder = ahead.guess.get("embedder", DEFAULT_EMBEDDER)
    if query.mode != "keyword" and " " not in embedder:
        _of_likeness(db, ahead, origin_number=origin, embedder=embedder)


def _ended(db: Connection, query: Query, *, origin_number: int, now: int) -> None:
    """Ask for the facts that have ended, where there are any: they are named beside an answer."""
    gone = lapsed.at(db, origin_number=origin_number, now=now)
    if gone.is_counted or gone.read:
        lapsed.ended_rows(
            db, query.wanted, origin_number=origin_number, now=now, limit=lapsed.MOST_READ
        )


def _of_likeness(
    db: Connection, ahead: Foreseeing, *, origin_number: int, embedder: str
) -> None:
    """Foresee what the lane of vectors asks; the vectors themselves where they are few."""
    ahead.foresee(
        lambda: vectors.embedded_up_to(db, origin_number=origin_number, embedder=embedder),
        lambda: vectors.made_count(db, origin_number=origin_number, embedder=embedder),
        lambda: vectors.last_chunk(db, origin_number=origin_number, embedder=embedder),
    )
    derived.waiting(ahead, origin_number, embedder)
    derived.vectors(ahead, origin_number, embedder)


def of_words(
    db: Connection, ahead: Foreseeing, weights: Mapping[str, float], *, origin_number: int
) -> None:
    """Foresee what is asked of the terms of a question, and have the likely facts found."""
    if not weights:
        return
    terms = [*weights]
    parts = [max(1, round(1_000 * weight)) for weight in weights.values()]
    stored = [common_postings.indexed(term, origin_number=origin_number) for term in terms]
    ahead.fill(
        term_lists.TERMS, (origin_number, terms, stored),
        lambda rows: term_lists.fillers(rows, origin_number=origin_number),
        texts=term_lists.FILLED,
    )  # fmt: skip
    ahead.find_list(
        _LIKELY, term_lists.FOUND,
        (stored, parts, _HOLDERS, _MOST, origin_number, terms),
    )
    ahead.foresee(lambda: label_holders.are_there(db, origin_number=origin_number))
    derived.labels(ahead, origin_number, terms)


def _of_ranking(
    db: Connection, ahead: Foreseeing, query: Query, *, origin_number: int, now: int
) -> None:
    """Foresee what is asked to rank the likely facts."""
    likely = [standing_for(_LIKELY)]
    ahead.likely = lambda: fts.ranking_rows(
        db, likely, origin_number=origin_number, now=now, wanted=query.wanted
    )
    ahead.foresee(ahead.likely, lambda: score_bounds.codes(db, origin_number=origin_number))


def of_fuller(
    db: Connection, ahead: Foreseeing, weights: Mapping[str, float], *, origin_number: int
) -> None:
    """Foresee the same of a question with stored words in the place of unknown ones."""
    of_words(db, ahead, weights, origin_number=origin_number)
    ahead.foresee(ahead.likely)


def _of_dates(
    db: Connection, ahead: Foreseeing, query: Query, *, origin_number: int, now: int
) -> None:
    """Foresee what the times ask that a question may name."""
    from tideline_cli.model import question_times  # noqa: PLC0415  a time may be named
    from tideline_cli.store import arrivals  # noqa: PLC0415  as above

    windows = question_times.windows(query.text, now=now)
    if not windows:
        return
    ahead.foresee(
        lambda: arrivals.evenly_trusted(db, origin_number=origin_number),
        *[lambda sql=sql, one=one: arrivals.hour_by(db, sql, one, origin_number=origin_number)
          for one in windows for sql in (arrivals.LAST, arrivals.NEXT)],
    )  # fmt: skip
    if any(window.parts for window in windows):
        ahead.foresee(lambda: arrivals.by_day(db, origin_number=origin_number))


def after_recall(
    db: Connection, ahead: Foreseeing, backlog: Backlog | None, *, origin_number: int
) -> None:
    """Note what the write-back will ask for, while it is known."""
    missing = score_bounds.missing_count(db, origin_number=origin_number)
    ahead.lags = missing > score_bounds.LAG
    if backlog is not None:
        origin, embedder = backlog.origin_number, backlog.embedder
        last = vectors.last_chunk(db, origin_number=origin, embedder=embedder)
        after = vectors.embedded_up_to(db, origin_number=origin, embedder=embedder)
        ahead.unembedded = after, last[0] if last else 0


def of_write_back(
    db: Connection, ahead: Foreseeing, answer: Recalled, *, touch: bool
) -> None:
    """Foresee what is asked to count uses, and to store the vectors that a recall made."""
    if touch and answer.seqs:
        ahead.foresee(lambda: use_counts.foresee(db, answer.seqs))
    made = answer.backlog
    if made is not None and made.numbers:
        after, last = ahead.unembedded
        derived.appending(
            db, ahead, made.numbers[-1], origin_number=made.origin_number, embedder=made.embedder,
            after=after, last=last,
        )  # fmt: skip


def of_neighbours(
    db: Connection, ahead: Foreseeing, seqs: Collection[int], *, origin_number: int, now: int,
    wanted: Filter, has_sessions: bool,
) -> None:  # fmt: skip
    """Foresee what is asked of the best facts by their words, and of those next to them."""
    best, near = list(seqs), [standing_for(_NEAR)]
    ahead.foresee(
        lambda: sessions.places(db, best, origin_number=origin_number),
        lambda: ahead.whole(best),
    )
    if not has_sessions:
        return
    instant = now if wanted.as_of is None else wanted.as_of
    is_past = wanted.as_of is not None
    given = codec.dumps(best), origin_number, instant
    both = " UNION ALL ".join(sessions.next_to(is_past=is_past))
    ahead.find_list(_NEAR, _BOTH_SIDES.format(both), given)
    bare = type(wanted)(lifecycle=wanted.lifecycle, as_of=wanted.as_of)
    ahead.foresee(
        *[lambda kind=kind: sessions.next_ones(
              db, best, kind, origin_number=origin_number, now=instant, is_past=is_past)
          for kind in sessions.KINDS],
        lambda: sessions.are_cut(db, origin_number=origin_number),
        *[lambda one=one: fts.ranking_rows(
              db, near, origin_number=origin_number, now=now, wanted=one)
          for one in ((bare,) if wanted.is_open() else (bare, wanted))],
        lambda: sessions.places(db, near, origin_number=origin_number),
        lambda: ahead.whole(near),
    )  # fmt: skip


def of_facts(
    db: Connection, ahead: Promising, references: Sequence[str], *, viewer: Origin
) -> None:
    """Foresee what is asked of facts that are named, with the next transaction."""
    ahead.foresee(*[
        lambda one=one: facts.find(db, one, viewer=viewer) for one in references
    ])  # fmt: skip


def of_remember(db: Connection, ahead: Promising, new: NewFact, *, fact_id: str) -> None:
    """Foresee what is asked before a fact is stored, with the next transaction."""
    of_facts(db, ahead, new.supersedes, viewer=new.origin)
    ahead.foresee_fact(writes.INSERT, fact_id)
    ahead.foresee(lambda: _of_twins(db, ahead, new))
    slot = new.slot
    if slot is not None:
        ahead.foresee(
            lambda: slots.values_in(db, slot, scope=new.scope, viewer=new.origin)
        )


def _of_twins(db: Connection, ahead: Promising, new: NewFact) -> None:
    """Foresee what is asked of facts that may say the same."""
    origin = ahead.origins.get(new.origin.key, visibility.NOBODY)
    analyzer: Analyzer = ahead.guess.get("analyzer", "standard")
    distinct = frozenset(index_terms(new.content, analyzer=analyzer).said)
    if not distinct or origin == visibility.NOBODY:
        return
    terms = sorted(near_duplicates.probed(distinct))
    stored = [common_postings.indexed(term, origin_number=origin) for term in terms]
    ahead.fill(
        term_lists.TERMS, (origin, terms, stored),
        lambda rows: term_lists.fillers(rows, origin_number=origin), texts=term_lists.FILLED,
    )  # fmt: skip
    own = [common_postings.indexed(term, origin_number=origin)
           for term in near_duplicates.probed(distinct)]  # fmt: skip
    least = near_duplicates.least_shared(distinct)
    ahead.find_list(_ALIKE, term_lists.MANY_OF, (own, least, _MOST_ALIKE))
    alike = [standing_for(_ALIKE)]
    ahead.foresee(
        lambda: list(fts.terms_of(db, alike, origin_number=origin)),
        lambda: facts.with_terms(db, alike, viewer=new.origin),
    )
