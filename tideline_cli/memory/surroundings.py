"""The second stage of ranking: the best by their words again, in view of what stands around them.

Facts next to one in its session, its session, who said it and when. The best by their words and
their neighbours are weighed; a fact without session and speaker keeps its score, unless the
question names a time.
"""

from __future__ import annotations

from tideline_cli.memory import lexical
from tideline_cli.memory.query import Match, is_one_word
from tideline_cli.model.record import record, replace
from tideline_cli.model.text import index_terms, normalise
from tideline_cli.ranking import surroundings as worth
from tideline_cli.store import fts, reads, sequences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tideline_cli.memory.named_dates import NamedDates
    from tideline_cli.memory.query import Question
    from tideline_cli.memory.scorer import Scorer
    from tideline_cli.memory.search import Search, View
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.reads import Read
    from tideline_cli.store.sequences import Place

_NOWHERE = sequences.Place(None, None, 0, False)


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
    """A fact with its score, what its neighbours and its session added, its neighbours, and the
    factor that holds it behind what is trusted."""

    look: _Look
    score: float
    neighbour: float
    session: float
    beside: Sequence[_Look]
    held: float = 1.0


def search(view: View, search: Search, dates: NamedDates | None) -> tuple[list[Match], list[Match]]:
    """Return the best facts in order for a question and for the dates that it names, of those that
    are weighed for as many hits as it reaches for. Apart stand those that the search by words tells
    apart, but for what more is known of them."""
    limit, text = search.limit, search.query.text if search.by_score else None
    has_sessions = view.origin.has_sessions
    is_plain = text is None and not has_sessions and search.wanted.is_of_active()
    most = max(search.reach, worth.DATED if dates else worth.CANDIDATES)
    scorer = lexical.best_by_words(
        view, replace(search, limit=most), dates.floor(limit) if dates and is_plain else None
    )
    pool = {match.seq: match for match in scorer.matches}
    beside, hidden, near = dict[int, list[int]](), set[int](), None
    if text is not None:
        from tideline_cli.memory import likeness  # noqa: PLC0415  learned embedders alone

        near = likeness.near(view, text)
        others = [seq for seq in (near.cosines if near else ()) if seq not in pool]
        found, hidden = _weighed(view, search, scorer, others)
        pool |= found
    places: dict[int, Place] = {}
    if has_sessions and pool:
        near_by = sequences.around(
            view.db, list(pool), origin_number=view.number, now=view.now, wanted=search.wanted,
            has_chunks=view.origin.has_chunks, heat=scorer.wants_heat,
        )  # fmt: skip
        beside, places = _both_ways(near_by.beside, pool), near_by.places
        more = scorer.weighed([row for row in near_by.rows if row[0] not in pool])
        pool |= {match.seq: match for match in more}
        hidden |= {match.seq for match in more if match.seq not in near_by.shown}
    elif pool:
        places = reads.alone(view.db, sequences.places(pool, origin_number=view.number))
    if dates is not None:
        dates.look_up(pool)
    looks = _looks(search, dates, pool, places, scorer.mean_length)
    weak = set[int]()
    if scorer.is_mostly_unknown:
        alike = near.alike() if near else set()
        weak = _on_one_word(search.question, scorer.matches, looks, alike, beside)
    best = _best_of_sessions([looks[match.seq] for match in scorer.matches], places)
    views = _held_back(_views(looks, places, beside, best), places, hidden)
    if near is None or text is None:
        return _best(views, hidden, weak, limit)
    claiming = {seq for seq in pool if not places[seq].is_trusted}
    ranked = likeness.joined(view, text, near, list(map(_again, views)), beside, claiming)
    shown = [one for one in ranked if one.seq not in hidden and _is_hit(one, one.score)]
    return _parted(sorted(shown, key=Match.order), weak, limit)


def _on_one_word(
    question: Question, candidates: Sequence[Match], looks: Mapping[int, _Look],
    alike: Collection[int], beside: Mapping[int, Collection[int]],
) -> set[int]:  # fmt: skip
    """Return the facts that share one word alone with a question, neither their speaker nor their
    time, are not alike, and are next to none that is more."""
    sure = {
        match.seq for match in candidates
        if not is_one_word(match.why.matched_terms, question.forms)
        or looks[match.seq].speaker != 1.0 or looks[match.seq].time != 1.0
    }.union(alike)  # fmt: skip
    return {seq for seq in looks if seq not in sure and sure.isdisjoint(beside.get(seq, ()))}


def _parted(
    ranked: Sequence[Match], weak: Collection[int], limit: int
) -> tuple[list[Match], list[Match]]:
    """Return the best `limit` facts, and the best of those that are weak."""
    sure = [match for match in ranked if match.seq not in weak]
    rest = [replace(match, weak=True) for match in ranked if match.seq in weak]
    return sure[:limit], rest[:limit]


def _best(
    views: Iterable[_View], hidden: Collection[int], weak: Collection[int], limit: int
) -> tuple[list[Match], list[Match]]:
    shown = [
        view for view in views
        if view.look.match.seq not in hidden and _is_hit(view.look.match, view.score)
    ]  # fmt: skip
    ordered = sorted(shown, key=_order)
    if not weak:
        return list(map(_again, ordered[:limit])), []
    return _parted(list(map(_again, ordered)), weak, limit)


def _views(
    looks: Mapping[int, _Look], places: Mapping[int, Place],
    beside: Mapping[int, Sequence[int]], best: Mapping[object, float],
) -> list[_View]:  # fmt: skip
    return [
        _viewed(look, places.get(seq, _NOWHERE), [looks[at] for at in beside.get(seq, ())], best)
        for seq, look in looks.items()
    ]


def _held_back(
    views: Sequence[_View], places: Mapping[int, Place], hidden: Collection[int]
) -> list[_View]:
    """Return the facts, with those that nobody trusts held behind the trusted ones that are shown
    and come first by their words: who claims a session, a speaker or a time gains no place."""
    shown = [view for view in views if view.look.match.seq not in hidden]
    trusted = [places[view.look.match.seq].is_trusted for view in shown]
    bounds = worth.bounds(
        [(view.look.match.score, view.score) for view, is_free in zip(shown, trusted, strict=True)
         if is_free]
    )  # fmt: skip
    held: list[_View] = []
    for view, is_free in zip(shown, trusted, strict=True):
        score = view.score if is_free else worth.held_back(
            view.look.match.score, view.score, bounds
        )  # fmt: skip
        factor = score / view.score if score < view.score else 1.0
        held.append(view if factor == 1.0 else replace(view, score=score, held=factor))
    return held


def _is_hit(match: Match, score: float) -> bool:
    """Say whether a fact answers: by its words, whatever it is trusted, or by what is around it."""
    return score > 0.0 or bool(match.why.matched_terms)


def _order(view: _View) -> tuple[float, int, str]:
    match = view.look.match
    return -view.score, -match.created_at, match.id


def _both_ways(
    near: Mapping[int, Sequence[int]], pool: Mapping[int, Match]
) -> dict[int, list[int]]:
    """Return the facts next to each other, by number, of those next to some of the pool."""
    beside: dict[int, list[int]] = {}
    for seq in pool:
        for other in near.get(seq, ()):
            beside.setdefault(seq, []).append(other)
            if other not in pool:
                beside.setdefault(other, []).append(seq)
    return beside


def _weighed(
    view: View, search: Search, scorer: Scorer, seqs: Sequence[int]
) -> tuple[dict[int, Match], set[int]]:
    """Return facts with the scores of their words, and which of them the filter hides: these count
    for their neighbours, and are not shown."""

    def rows(wanted: Filter) -> Read[list[fts.RankingRow]]:
        return fts.ranked(
            seqs, origin_number=view.number, now=view.now, wanted=wanted, heat=scorer.wants_heat
        )

    wanted = search.wanted
    every = rows(type(wanted)(lifecycle=wanted.lifecycle, as_of=wanted.as_of))
    whole, *asked = reads.together(view.db, every, *([] if wanted.is_open() else [rows(wanted)]))
    shown = {row[0] for row in (asked[0] if asked else whole)}
    found = {match.seq: match for match in scorer.weighed(whole)}
    return found, set(found).difference(shown)


def _looks(
    search: Search, dates: NamedDates | None, pool: Mapping[int, Match],
    places: Mapping[int, Place], mean_length: float,
) -> dict[int, _Look]:  # fmt: skip
    named = _named_speakers(search, places)
    looks: dict[int, _Look] = {}
    for seq, match in pool.items():
        place = places.get(seq, _NOWHERE)
        date, time = (0.0, 1.0) if dates is None else dates.of(match, place.length, mean_length)
        speaker = worth.SPEAKER if place.speaker in named else 1.0
        why = match.why
        own = ((why.bm25 or 0.0) + date) * speaker * time
        looks[seq] = _Look(match, own, own * why.trust * why.role, date, speaker, time)
    return looks


def _named_speakers(search: Search, places: Mapping[int, Place]) -> set[str]:
    """Return the speakers of whom the question has a word."""
    speakers = {place.speaker for place in places.values() if place.speaker}
    terms, analyzer = search.question.weights.keys(), search.question.analyzer
    return {
        name for name in speakers
        if not terms.isdisjoint(index_terms(normalise(name), analyzer=analyzer))
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
        share = beside[0].share if len(beside) == 1 else max([near.share for near in beside])
        neighbour = worth.neighbour_share(share, place.length) if share else 0.0
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
    more = replace(why, date=look.date, speaker=look.speaker, time=look.time, held=view.held,
                   neighbour=view.neighbour, session=view.session)  # fmt: skip
    return replace(match, score=view.score, why=more, weak=weak)
