"""The second stage of ranking: the best by their words again, in view of what stands around them.

Facts next to one in its session, its session, who said it and when. The best by their words and
their neighbours are weighed; a fact without session and speaker keeps its score, unless the
question names a time.
"""

from __future__ import annotations

from tideline_cli.memory import lexical
from tideline_cli.memory.query import Match
from tideline_cli.model.record import record, replace
from tideline_cli.model.text import normalise, terms
from tideline_cli.ranking import surroundings as worth
from tideline_cli.store import fts, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.scorer import Scorer
    from tideline_cli.model.window import Part, Window
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.lapsed import Lapsed
    from tideline_cli.store.sessions import Place

_NOWHERE = sessions.Place(None, None, 0)


@record
class _Asked:
    """A question: its terms with their weights, the times that it names, and whose facts answer it
    when."""

    terms: Mapping[str, float]
    windows: tuple[Window, ...]
    origin_number: int
    now: int
    wanted: Filter
    fading: float

    @property
    def instant(self) -> int:
        return self.now if self.wanted.as_of is None else self.wanted.as_of


@record
class _Look:
    """What a fact is worth by its own words, to itself and to those around it: its fading is not
    theirs. And what its date added, and who said it and when multiplied."""

    match: Match
    own: float
    share: float
    date: float
    speaker: float
    time: float


@record
class _View:
    """A fact with its score, what its neighbours and its session added, and its neighbours."""

    look: _Look
    score: float
    neighbour: float
    session: float
    beside: Sequence[_Look]


def search(
    db: Connection, question: Mapping[str, float], *, origin_number: int, now: int, limit: int,
    wanted: Filter, fading: float, windows: tuple[Window, ...], has_sessions: bool,
    gone: Lapsed | None = None, text: str | None = None,
) -> list[Match]:  # fmt: skip
    """Return the best `limit` facts in order for the terms of a question and their weights, and for
    the times that it names. `has_sessions` says whether some fact has a session or a speaker. With
    `text`, that of the question, what is like it by a learned embedder counts too."""
    asked = _Asked(question, windows, origin_number, now, wanted, fading)
    count = max(limit, worth.DATED if asked.windows else worth.CANDIDATES)
    scorer = lexical.best_by_words(
        db, asked.terms, origin_number=asked.origin_number, now=asked.now, limit=count,
        wanted=asked.wanted, fading=asked.fading, gone=gone,
    )  # fmt: skip
    pool = {match.seq: match for match in scorer.matches}
    beside: dict[int, list[int]] = {}
    places: dict[int, Place] = {}
    hidden: set[int] = set()
    near = None
    if text is not None:
        from tideline_cli.memory import fusion  # noqa: PLC0415  learned embedders alone

        near = fusion.near(db, text, origin_number=origin_number)
        others = [seq for seq in (near.cosines if near else ()) if seq not in pool]
        found, hidden = _weighed(db, asked, scorer, others)
        pool |= found
    if has_sessions and pool:
        beside = _beside(db, asked, pool)
        others = [seq for seq in beside if seq not in pool]
        found, more = _weighed(db, asked, scorer, others)
        pool |= found
        hidden |= more
        places = sessions.places(db, pool, origin_number=asked.origin_number)
    looks = _looks(db, asked, pool, places, scorer.mean_length)
    best = _best_of_sessions([looks[match.seq] for match in scorer.matches], places)
    views = [
        _viewed(look, places.get(seq, _NOWHERE), [looks[at] for at in beside.get(seq, ())], best)
        for seq, look in looks.items()
    ]
    if near is not None and text is not None:
        ranked = fusion.joined(
            db, text, near, list(map(_again, views)), beside, origin_number=origin_number
        )
        shown = [match for match in ranked if match.score > 0.0 and match.seq not in hidden]
        return sorted(shown, key=Match.order)[:limit]
    views = [view for view in views if view.score > 0.0 and view.look.match.seq not in hidden]
    return list(map(_again, sorted(views, key=_order)[:limit]))


def _order(view: _View) -> tuple[float, int, str]:
    match = view.look.match
    return -view.score, -match.created_at, match.id


def _beside(db: Connection, asked: _Asked, pool: Mapping[int, Match]) -> dict[int, list[int]]:
    """Return the facts next to each other, of which one at least is in the pool, by number."""
    found = sessions.neighbours(
        db, pool, origin_number=asked.origin_number, now=asked.instant,
        is_past=asked.wanted.as_of is not None,
    )  # fmt: skip
    beside: dict[int, list[int]] = {}
    for seq, near in found.items():
        for other in (near.before, near.after):
            if other is not None:
                beside.setdefault(seq, []).append(other)
                if other not in pool:
                    beside.setdefault(other, []).append(seq)
    return beside


def _weighed(
    db: Connection, asked: _Asked, scorer: Scorer, seqs: Sequence[int]
) -> tuple[dict[int, Match], set[int]]:
    """Return facts with the scores of their words, and which of them the filter hides: these count
    for their neighbours, and are not shown."""

    def rows(wanted: Filter) -> list[fts.RankingRow]:
        return fts.ranking_rows(
            db, seqs, origin_number=asked.origin_number, now=asked.now, wanted=wanted
        )

    wanted = asked.wanted
    whole = rows(type(wanted)(lifecycle=wanted.lifecycle, as_of=wanted.as_of))
    shown = {row[0] for row in (whole if wanted.is_open() else rows(wanted))}
    found = {match.seq: match for match in scorer.weighed(whole)}
    return found, set(found).difference(shown)


def _looks(
    db: Connection, asked: _Asked, pool: Mapping[int, Match], places: Mapping[int, Place],
    mean_length: float,
) -> dict[int, _Look]:  # fmt: skip
    named = _named_speakers(asked, places)
    dates = _Dates(db, asked, mean_length) if asked.windows else None
    if dates is not None and not places:
        places = sessions.places(db, pool, origin_number=asked.origin_number)
    looks: dict[int, _Look] = {}
    for seq, match in pool.items():
        place = places.get(seq, _NOWHERE)
        date, time = (0.0, 1.0) if dates is None else dates.of(match, place.length)
        speaker = worth.SPEAKER if place.speaker in named else 1.0
        why = match.why
        own = ((why.bm25 or 0.0) + date) * speaker * time
        looks[seq] = _Look(match, own, own * why.trust * why.role, date, speaker, time)
    return looks


def _named_speakers(asked: _Asked, places: Mapping[int, Place]) -> set[str]:
    """Return the speakers of whom the question has a word."""
    speakers = {place.speaker for place in places.values() if place.speaker}
    return {
        name for name in speakers
        if not asked.terms.keys().isdisjoint(terms(normalise(name), analyzer="standard"))
    }  # fmt: skip


class _Dates:
    """What the times that a question names add to facts."""

    def __init__(self, db: Connection, asked: _Asked, mean_length: float) -> None:
        from tideline_cli.model import question_times  # noqa: PLC0415  it is loaded: a time is named

        self._parts_at = question_times.parts_at
        self._windows = asked.windows
        self._mean_length = mean_length
        parts = {part for window in asked.windows for part in window.parts}
        self._weights = _part_weights(db, asked, parts) if parts else {}

    def of(self, match: Match, length: int) -> tuple[float, float]:
        """Return what its date adds to the words of a fact, and its factor."""
        time = worth.nearness(match.created_at, self._windows)
        if not (self._weights and match.why.bm25):
            return 0.0, time
        parts = self._parts_at(match.created_at)
        return worth.date_score(
            parts, self._weights, length=length, mean_length=self._mean_length
        ), time


def _part_weights(db: Connection, asked: _Asked, parts: set[Part]) -> dict[Part, float]:
    """Return the idf of parts of dates among the active facts of the origin."""
    from tideline_cli.store import arrivals  # noqa: PLC0415  the question names a date

    days = arrivals.by_day(db, origin_number=asked.origin_number)
    facts = sum(count for *_, count in days)
    place = {"year": 0, "month": 1, "day": 2}
    return {
        (name, value): worth.date_weight(
            sum(day[3] for day in days if day[place[name]] == value), facts
        )
        for name, value in parts
    }


def _best_of_sessions(
    candidates: Sequence[_Look], places: Mapping[int, Place]
) -> dict[object, float]:
    best: dict[object, float] = {}
    for look in candidates:
        group = places.get(look.match.seq, _NOWHERE).group
        if group is not None:
            best[group] = max(best.get(group, 0.0), look.share)
    return best


def _viewed(
    look: _Look, place: Place, beside: Sequence[_Look], best: Mapping[object, float]
) -> _View:
    """Return the score of a fact in view of what stands around it."""
    neighbour = session = 0.0
    if beside:
        shares = [near.share for near in beside]
        neighbour = worth.neighbour_share(max(shares), place.length)
    if place.group is not None:
        session = worth.session_share(best.get(place.group, 0.0))
    why = look.match.why
    score = (look.own + neighbour + session) * why.trust * why.modulator * why.role
    return _View(look, score, neighbour, session, beside)


def _again(view: _View) -> Match:
    """Return a fact with its score, and why it has it."""
    look = view.look
    match, why = look.match, look.match.why
    if not (view.neighbour or view.session or look.date) and look.speaker == look.time == 1.0:
        return match
    weak = match.weak
    if view.beside and not why.matched_terms:
        weak = max(view.beside, key=lambda near: near.share).match.weak
    more = replace(why, date=look.date, speaker=look.speaker, time=look.time,
                   neighbour=view.neighbour, session=view.session)  # fmt: skip
    return replace(match, score=view.score, why=more, weak=weak)
