"""Turns of sessions: keeping them, finding them, forgetting and removing them.

They are ranked as facts that were said in a session are: BM25, then the best again in view of what
was said next to them, of their session, of who said it, and of the time that a question names.
"""

from __future__ import annotations

from tideline_cli.errors import WriteBlockedError
from tideline_cli.memory.query import question_of
from tideline_cli.model import times_in_text
from tideline_cli.model.fact import role_weight
from tideline_cli.model.origin import UNKNOWN
from tideline_cli.model.record import Record, record
from tideline_cli.model.text import index_terms, normalise
from tideline_cli.model.time_vocabulary import may_name_time
from tideline_cli.ranking import bm25
from tideline_cli.ranking import surroundings as worth
from tideline_cli.store import journal, sessions, visibility
from tideline_cli.store.connection import setting, snapshot
from tideline_cli.store.purging import finish_purge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Question
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.model.window import Window
    from tideline_cli.store.sessions import KeptSession, KeptTurn, NewSession, NewTurn, TurnRow

LIMIT = 8
READ = 2000
"""Turns whose words are read for one question: those whose asked words are rarest in all."""
_ONCE = (bm25.K1 + 1.0) / (1.0 + bm25.K1 * (1.0 - bm25.B))
"""What BM25 makes at most of the idf of words that a turn says once."""
_COMMON = 50_000  # holders of a term that are not looked up where rarer ones have found READ turns


@record
class TurnHit:
    """A turn that answers, its session, its score, and the words that it shares."""

    turn: KeptTurn
    session: KeptSession
    score: float
    terms: tuple[str, ...]


@record
class Asked:
    """What is asked of turns. With `role` only turns of that role are shown."""

    text: str
    limit: int = LIMIT
    scopes: tuple[str | None, ...] | None = None
    role: str | None = None


class _Look(Record):
    """A turn, what it is worth by its own words to itself and to those around it, its length, and
    the words that it shares with the question."""

    row: TurnRow
    own: float
    share: float
    length: int
    terms: tuple[str, ...]


def search(db: Connection, asked: Asked, *, viewer: Origin, now: int) -> list[TurnHit]:
    """Return the turns of a viewer that answer a question, best first; writes nothing."""
    with snapshot(db):
        origin = visibility.number(db, viewer)
        turns, tokens, _ = sessions.tally(db, origin_number=origin)
        if not turns:
            return []
        analyzer: Analyzer = setting(db, "analyzer", "standard")
        question = question_of(asked.text, analyzer)
        held = sessions.holders(db, question.terms, origin_number=origin)
        stats = bm25.statistics(turns, tokens, held, question.weights, question.forms)
        best = _Best(db, asked, question, stats, origin, now)
        ranked = best.ranked(best.candidates(held))
        found = sessions.texts(db, [number for number, _, _ in ranked], viewer=viewer)
    return [TurnHit(*found[number], score, terms)
            for number, score, terms in ranked if number in found]  # fmt: skip


class _Best:
    """Finds the best turns for one question."""

    def __init__(
        self, db: Connection, asked: Asked, question: Question, stats: bm25.Statistics, origin: int,
        now: int,
    ) -> None:  # fmt: skip
        self._db = db
        self._asked = asked
        self._question = question
        self._stats = stats
        self._terms = tuple(stats.idf)
        self._origin = origin
        self._windows: Sequence[Window] = ()
        if may_name_time(asked.text):
            self._windows = times_in_text.windows(asked.text, now=now)

    def candidates(self, held: Mapping[str, int]) -> list[_Look]:
        """Return the turns that come first by their words, best first."""
        sums: dict[int, float] = {}
        for term, idf in self._stats.idf.items():  # the rarest first
            if len(sums) >= READ and held.get(term, 0) > _COMMON:
                break
            known = sums.get
            for number in sessions.postings(self._db, term, origin_number=self._origin):
                sums[number] = known(number, 0.0) + idf
        numbers = sorted(sums, key=lambda number: (-sums[number], -number))[:READ]
        most = max(worth.DATED if self._windows else worth.CANDIDATES, self._asked.limit)
        looks: list[_Look] = []
        for start in range(0, len(numbers), sessions.AT_ONCE):
            part = numbers[start : start + sessions.AT_ONCE]
            if len(looks) == most and sums[part[0]] * _ONCE < looks[-1].share:
                break
            found = sessions.rows(
                self._db, part, origin_number=self._origin, scopes=self._asked.scopes
            )
            looks += [self._look(row) for row in found]
            looks.sort(key=lambda look: (-look.share, -look.row[3], look.row[0]))
            looks = looks[:most]
        return looks

    def _look(self, row: TurnRow) -> _Look:
        _, _, _, said_at, role, speaker, joined = row
        listed = joined.split()
        value, matched = bm25.score(listed, self._terms, self._stats)
        factor = worth.nearness(said_at, self._windows) if self._windows else 1.0
        if speaker and not self._question.weights.keys().isdisjoint(
            index_terms(normalise(speaker), analyzer=self._question.analyzer)
        ):
            factor *= worth.SPEAKER
        own = value * factor
        return _Look(row, own, own * role_weight(role), len(listed), matched)

    def ranked(self, looks: Sequence[_Look]) -> list[tuple[int, float, tuple[str, ...]]]:
        """Return number, score and shared words of the best in view of what stands around them."""
        pool = {look.row[1:3]: look for look in looks}
        places = {(session, place + step) for session, place in pool for step in (-1, 1)}
        near = sessions.next_to(self._db, sorted(places - pool.keys()), origin_number=self._origin)
        pool |= {row[1:3]: self._look(row) for row in near}
        best: dict[int, float] = {}
        for look in looks:
            best[look.row[1]] = max(best.get(look.row[1], 0.0), look.share)
        scored: list[tuple[float, int, int, tuple[str, ...]]] = []
        for (session, place), look in pool.items():
            shares = [pool[at].share for at in ((session, place - 1), (session, place + 1))
                      if at in pool]  # fmt: skip
            beside = worth.neighbour_share(max(shares, default=0.0), look.length)
            whole = look.own + beside + worth.session_share(best.get(session, 0.0))
            score = whole * role_weight(look.row[4])
            if score > 0.0 and self._asked.role in (None, look.row[4]):
                scored.append((-score, -look.row[3], look.row[0], look.terms))
        scored.sort()
        return [(number, -score, terms) for score, _, number, terms in
                scored[: self._asked.limit]]  # fmt: skip


@record
class Kept:
    """What became of turns: how many are new, how many of them were hidden and are shown again, how
    many were known, and whether the session was purged, so that nothing of it is kept. `batch` is 0
    where nothing was new."""

    new: int
    back: int
    known: int
    purged: bool
    batch: int


def keep(
    db: Connection, session: NewSession, turns: Sequence[NewTurn], *, viewer: Origin, now: int,
    again: bool,
) -> Kept:  # fmt: skip
    """Keep the turns of a session that are not kept yet, as one batch of the journal. What was
    forgotten, undone or purged comes back only with `again`."""
    if viewer == UNKNOWN:
        raise WriteBlockedError("an unknown origin may not write", hint="name it with --origin")
    with snapshot(db):
        purged = sessions.is_purged(db, session.client, session.name, viewer=viewer)
        known = sessions.known(db, [one.key for one in turns], viewer=viewer)
    if purged and not again:
        return Kept(0, 0, len(turns), True, 0)
    gone = [key for key, state in known.items() if again and state == "purged"]
    hidden = [key for key, state in known.items() if again and state == "hidden"]
    fresh = {one.key: one for one in turns if one.key not in known or one.key in gone}
    same = len(known) - len(hidden) - len(gone)
    if not fresh and not hidden:
        return Kept(0, 0, same, False, 0)
    with journal.batch(db, verb="sessions", by=viewer, now=now) as batch:
        sessions.forget_purged(db, gone, origin_number=batch.origin_number)
        late = sessions.known(db, fresh, viewer=viewer)  # which another process has kept meanwhile
        listed = [one for key, one in fresh.items() if key not in late]
        if listed:
            sessions.add(db, batch, session, listed)
        if hidden:
            sessions.bring_back(db, batch, hidden)
        if not batch.is_empty():
            batch.explain(f"turns of {session.client}")
    return Kept(len(listed), len(hidden), same + len(late), False, batch.ordinal)


def forget(db: Connection, held: KeptSession, *, viewer: Origin, now: int) -> tuple[int, int]:
    """Hide a session; return how many turns it had, and the number of the batch."""
    with journal.batch(db, verb="sessions", by=viewer, now=now) as batch:
        count = sessions.hide(db, batch, held.number)
        batch.explain(f"session of {held.client} forgotten")
    return count, batch.ordinal


def purge(db: Connection, held: KeptSession, *, viewer: Origin, now: int) -> tuple[int, int, bool]:
    """Remove the turns of a session for good; return how many, the number of the batch, and whether
    the files may still hold traces."""
    with journal.batch(db, verb="purge", by=viewer, now=now) as batch:
        numbers = sessions.all_of(db, held.number, origin_number=batch.origin_number)
        sessions.remove(db, numbers, keyed="i", marked=held.number)
        batch.explain(f"{len(numbers):,} turns of a session")
    return len(numbers), batch.ordinal, not finish_purge(db)


def purge_turns(db: Connection, numbers: Sequence[int], *, viewer: Origin, now: int) -> bool:
    """Remove turns for good; return whether the files may still hold traces."""
    with journal.batch(db, verb="purge", by=viewer, now=now) as batch:
        sessions.remove(db, numbers, keyed="it")
        batch.explain(f"{len(numbers):,} turns of sessions")
    return not finish_purge(db)


def retain(
    db: Connection, *, viewer: Origin, now: int, days_ms: int | None, octets: int | None
) -> int:
    """Remove for good the turns of an origin that are older than it keeps them, and the oldest of
    those that take more room than they may; return how many."""
    origin = visibility.number(db, viewer)
    gone = [] if days_ms is None else sessions.older(db, now - days_ms, origin_number=origin)
    gone = gone or ([] if octets is None else sessions.beyond(db, octets, origin_number=origin))
    if not gone:
        return 0
    with journal.batch(db, verb="sessions", by=viewer, now=now) as batch:
        sessions.remove(db, gone)
        batch.explain(f"{len(gone):,} turns of sessions")
    finish_purge(db)
    return len(gone)
