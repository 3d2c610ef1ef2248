"""Why an archived fact is archived, and which ones a person would miss: what faded, and what was
merged into another fact."""

from __future__ import annotations

from tideline_cli.memory.amend import blocking_successor, filled_by
from tideline_cli.memory.lexical import holding_now
from tideline_cli.memory.query import Recalled, conditions, matched_count, weights_of, word_count
from tideline_cli.memory.rivals import rule_of
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.instant import LATEST_MS, iso
from tideline_cli.model.record import record, replace
from tideline_cli.policy.sameness import says_same
from tideline_cli.policy.transitions import REMOVED, restored
from tideline_cli.ranking import bm25
from tideline_cli.ranking.decay import is_immune, strength_at
from tideline_cli.store import archivals, facts, fts, overview, passes, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.memory.query import Query, Question
    from tideline_cli.memory.search import View
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.archivals import Departure
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.reads import Read

    Reason = Literal["faded", "merged", "superseded", "forgotten", "ended", "unknown"]

MISSED = ("faded", "merged")
"""The reasons for which nobody asked: the facts that are announced."""
_SWEEPS = ("dream", "gc")
_FORGETTING = ("forget", "library", "ingest")
_SAYING = ("remember", "edit", "extract")
_BROUGHT = ("import", "sync")
"""Verbs by which facts come as they are elsewhere."""
_UNASKED = (*_SWEEPS, "consolidate", *_BROUGHT)
_LOOKED_THROUGH = 4000
_AT_ONCE = 50
_WEAK = 0.15  # below it the decay sweep archives

ANNOUNCED = 8
"""So many archived facts are named beside an answer at most, and so many that have ended."""
_READ = 4000  # archived facts that are looked at, the best and newest ones
_READ_AT_ONCE = 200


@record
class Archived:
    """A fact by number that holds no more: why and when it went, and the active fact that says the
    same, of one that was merged. One that has ended need not be archived."""

    seq: int
    fact: Fact
    reason: Reason
    at: int
    kept: str | None = None

    @property
    def is_missed(self) -> bool:
        """Say whether nobody asked for it to go."""
        return self.reason in MISSED

    @property
    def had_lapsed(self) -> bool:
        """Say whether it had ended by itself before it was archived."""
        end = self.fact.valid_to
        return end is not None and end < self.at


def explained(db: Connection, found: Mapping[int, Fact], *, viewer: Origin) -> list[Archived]:
    """Return why each of these facts, all of them archived, is so; in the order given."""
    return _told(db, found, *_departures(db, found), viewer)


def _departures(
    db: Connection, seqs: Iterable[int]
) -> tuple[Mapping[int, Departure], Mapping[int, Sequence[tuple[str, int]]]]:
    """Return by number how facts have left, and in whose place others stand."""
    *trails, places = reads.together(db, *archivals.trails(seqs), archivals.successors(seqs))
    return archivals.departed(*trails), places


def _told(
    db: Connection, found: Mapping[int, Fact], left: Mapping[int, Departure],
    places: Mapping[int, Sequence[tuple[str, int]]], viewer: Origin,
) -> list[Archived]:  # fmt: skip
    """Return why facts are archived that have left so, and in whose place these stand."""
    return [
        _explained(db, seq, fact, left.get(seq, archivals.UNKNOWN), places.get(seq, ()), viewer,
                   frozenset())
        for seq, fact in found.items()
    ]


def reasons(db: Connection, found: Iterable[Fact]) -> dict[str, str]:
    """Return by id why archived facts are so, as their origins see it, or `unknown`."""
    return {
        one.fact.id: one.reason
        for origin, facts_of in _by_origin(db, found).items()
        for one in explained(db, facts_of, viewer=origin)
    }


def stated_reasons(db: Connection, found: Iterable[Fact]) -> dict[str, str]:
    """Return by id why archived facts were archived when they were, each as its own origin sees it:
    what has become since of the fact that one was merged into does not count."""
    told: dict[str, str] = {}
    for origin, facts_of in _by_origin(db, found).items():
        left, places = _departures(db, facts_of)
        for seq, fact in facts_of.items():
            departure = left.get(seq, archivals.UNKNOWN)
            told[fact.id], _ = _reason(db, fact, departure, places.get(seq, ()), origin)
    return told


def _by_origin(db: Connection, found: Iterable[Fact]) -> dict[Origin, dict[int, Fact]]:
    by_origin: dict[Origin, dict[str, Fact]] = {}
    for fact in found:
        by_origin.setdefault(fact.origin, {})[fact.id] = fact
    return {
        origin: dict(facts.by_ids(db, some, viewer=origin).values())
        for origin, some in by_origin.items()
    }


def missed(db: Connection, seqs: Sequence[int], *, viewer: Origin) -> list[Archived]:
    """Return those of the archived facts that nobody asked to go, and whose place no other
    statement has taken since; in the order given."""
    return _missed_of(db, seqs, archivals.of(db, seqs), viewer=viewer)


def _missed_of(
    db: Connection, seqs: Sequence[int], left: Mapping[int, Departure], *, viewer: Origin
) -> list[Archived]:
    """Return the same of facts of which it is known how they have left."""
    hopeful = [seq for seq in seqs if seq in left and left[seq].verb in _UNASKED]
    if not hopeful:
        return []
    read, places = reads.together(
        db, facts.numbered(hopeful, viewer=viewer), archivals.successors(hopeful)
    )
    found = {seq: read[seq] for seq in hopeful if seq in read}
    return [
        one
        for one in _told(db, found, left, places, viewer)
        if one.is_missed and not _is_replaced(db, one, viewer)
    ]


def listed(db: Connection, wanted: Filter, *, viewer: Origin, limit: int | None) -> list[Archived]:
    """Return the newest archived facts that a filter asks for and that nobody asked to go. Of those
    that were archived for other reasons some thousands are looked through."""
    reach = _LOOKED_THROUGH if limit is None else _LOOKED_THROUGH + limit
    archived = replace(wanted, lifecycle="archived")
    seqs = archivals.newest(db, viewer=viewer, wanted=archived, limit=reach)
    found: list[Archived] = []
    for start in range(0, len(seqs), _AT_ONCE):
        found += missed(db, seqs[start : start + _AT_ONCE], viewer=viewer)
        if limit is not None and len(found) >= limit:
            return found[:limit]
    return found


def others_count(db: Connection, wanted: Filter, *, viewer: Origin, listed: int) -> int:
    """Return how many archived facts are asked for beside `listed`, up to some thousands."""
    archived = replace(wanted, lifecycle="archived")
    reach = _LOOKED_THROUGH + listed
    return len(archivals.newest(db, viewer=viewer, wanted=archived, limit=reach)) - listed


def _is_replaced(db: Connection, one: Archived, viewer: Origin) -> bool:
    """Say whether it could not come back beside what holds now. What it was merged into says the
    same, and does not count."""
    end = one.fact.valid_to if one.had_lapsed else None
    back = restored(one.fact, end=end)
    there = (
        blocking_successor(db, back, viewer=viewer),
        filled_by(db, back, viewer=viewer, now=LATEST_MS),
    )
    return any(successor is not None and successor.id != one.kept for successor in there)


def _explained(
    db: Connection, seq: int, fact: Fact, left: Departure, places: Sequence[tuple[str, int]],
    viewer: Origin, seen: frozenset[str],
) -> Archived:  # fmt: skip
    reason, kept = _reason(db, fact, left, places, viewer)
    at = left.at if reason != "unknown" or left.verb else fact.valid_to or 0
    if left.verb in _BROUGHT and fact.valid_to is not None:
        at = fact.valid_to  # when it went where it came from
    one = Archived(seq, fact, reason, at)
    return one if kept is None else _followed(db, one, kept, viewer, seen | {fact.id})


def _reason(
    db: Connection, fact: Fact, left: Departure, places: Sequence[tuple[str, int]], viewer: Origin
) -> tuple[Reason, str | None]:
    """Return why a fact is archived, and the fact that it was merged into."""
    if left.noted is not None:
        return _as_noted(left.noted, places)
    if left.verb in _SWEEPS:
        kept = next((source for source, at in places if at == left.at), None)
        return ("faded", None) if kept is None else ("merged", kept)
    if left.verb == "consolidate":
        source = next((source for source, at in places if at == left.at), None)
        return ("faded", None) if source is None else _by_text(db, fact, source, viewer)
    if left.verb in _FORGETTING:
        return ("superseded" if any(at == left.at for _, at in places) else "forgotten"), None
    if left.verb in _SAYING:
        return "superseded", None
    return _of_a_file(db, fact, places, viewer) if left.verb == "import" else ("unknown", None)


def _as_noted(noted: str, places: Sequence[tuple[str, int]]) -> tuple[Reason, str | None]:
    """Return the reason that the file told from which a fact, or its later state, has come."""
    match noted:
        case "faded" | "superseded" | "forgotten":
            return noted, None
        case "merged":
            return "merged", places[0][0] if places else None
        case _:
            return "unknown", None


def _of_a_file(
    db: Connection, fact: Fact, places: Sequence[tuple[str, int]], viewer: Origin
) -> tuple[Reason, str | None]:
    """Return why a fact went where a file comes from, which does not tell: by the fact in its
    place, by what a model noted, or by how weak it was when it went."""
    if places:
        return _by_text(db, fact, places[0][0], viewer)
    if fact.valid_to is None or fact.pinned or fact.status == "confirmed":
        return "unknown", None
    noted = REMOVED in (fact.metadata or {})
    fades = not is_immune(fact.tier, fact.pinned) and strength_at(fact, now=fact.valid_to) < _WEAK
    return ("faded" if noted or fades else "unknown"), None


def _by_text(db: Connection, fact: Fact, source: str, viewer: Origin) -> tuple[Reason, str | None]:
    """Return merged where the fact in its place says the same, else superseded."""
    other = facts.find(db, source, viewer=viewer)
    if says_same(other.content, fact.content, rule=rule_of(db)):
        return "merged", source
    return "superseded", None


def _followed(
    db: Connection, one: Archived, kept: str, viewer: Origin, seen: frozenset[str]
) -> Archived:
    """Return the fact with what became of the one that it was merged into: where that one was
    superseded or forgotten, so was this one, which says the same."""
    keeper = facts.find(db, kept, viewer=viewer)
    if keeper.lifecycle == "active":
        return Archived(one.seq, one.fact, "merged", one.at, kept)
    if keeper.lifecycle != "archived" or kept in seen:
        return Archived(one.seq, one.fact, "merged", one.at)
    seq = facts.number_of(db, kept, viewer=viewer)
    left, places = _departures(db, [seq])
    departure = left.get(seq, archivals.UNKNOWN)
    what = _explained(db, seq, keeper, departure, places.get(seq, ()), viewer, seen)
    reason = "merged" if what.is_missed else what.reason
    return Archived(one.seq, one.fact, reason, one.at, what.kept)


@record
class Lookup:
    """A query of a memory, and in how many archived facts each of its terms occurs that does."""

    view: View
    query: Query
    question: Question
    held: Mapping[str, int]


def announced(
    asked: Lookup, answer: Recalled, *, is_full: bool
) -> tuple[list[Archived], list[Archived]]:
    """Return the archived facts that one would miss in this answer, and those that have ended, best
    first: those with all the words, and beside an answer with room those that say as much of the
    query as the best sure hit does."""
    view, number = asked.view, asked.view.number
    holding = _holding(asked)
    if is_full:
        all_words = fts.holding_all(
            conditions(asked.question), origin_number=number, lifecycle="archived", limit=_READ
        )
        holding = [all_words] if asked.held else []
    rows = overview.ended_rows(
        asked.query.wanted, origin_number=number, now=view.now, limit=overview.MOST_READ
    )
    read = reads.together(
        view.db, *([] if is_full else _rarities(asked)), *holding,
        *([rows] if answer.has_lapsed else []),
    )  # fmt: skip
    weights = {} if is_full else _weights(asked, read)
    least = _least(asked, answer, weights)
    held = read[len(weights) : len(weights) + len(holding)]
    if is_full:
        sums = dict.fromkeys(held[0] if held else (), 1.0)
    else:
        sums = {seq: said for seq, said in _sums(asked, weights, held).items() if said >= least}
    best = _ended(asked, read[-1], weights, least, is_full=is_full) if answer.has_lapsed else []
    ended: list[Archived] = []
    shown = {hit.fact.id for hit in answer.hits}
    found: list[Archived] = []
    for one in _missed(asked, sums, best, ended):
        if one.kept is None or one.kept not in shown:
            (ended if one.had_lapsed else found).append(one)
            if len(found) == ANNOUNCED:
                break
    return found, ended[:ANNOUNCED]


def _least(asked: Lookup, answer: Recalled, weights: Mapping[str, float]) -> float:
    """Return how much of a query the best sure hit says."""
    said = [_said(hit.why.matched_terms, weights, asked) for hit in answer.hits if not hit.weak]
    return max(said, default=0.0) - 1e-9


def _ended(
    asked: Lookup, rows: Iterable[tuple[int, str]], weights: Mapping[str, float], least: float, *,
    is_full: bool,
) -> list[int]:  # fmt: skip
    """Return the ended active facts that match, best first, of these numbers and terms."""
    question = asked.question
    words = word_count(question.terms, question.forms)
    sums: dict[int, float] = {}
    for seq, terms in rows:
        held = [*question.weights.keys() & terms.split()]
        if held and (not is_full or matched_count(held, question.forms) >= words):
            said = _said(held, weights, asked)
            if said >= least:
                sums[seq] = said
    return sorted(sums, key=lambda seq: -sums[seq])[:ANNOUNCED]


def match_forms(
    found: Sequence[Archived] | None, text: Callable[[Fact], str] | None = None
) -> list[dict[str, Any]] | None:
    """Return these facts as JSON has them; None where nobody looked. `text` says how a fact is
    shown, if not as it is."""
    if found is None:
        return None
    return [
        {
            "id": one.fact.id,
            "content": one.fact.content if text is None else text(one.fact),
            **({"title": one.fact.title} if one.fact.title and text is None else {}),
            **_gone(one),
            **({} if one.kept is None else {"kept": one.kept}),
        }
        for one in found
    ]


def _gone(one: Archived) -> dict[str, Any]:
    if one.reason == "ended" or one.had_lapsed:
        return {"ended_at": iso(one.fact.valid_to or one.at)}
    return {"reason": one.reason, "archived_at": iso(one.at)}


def with_archived(asked: Lookup, answer: Recalled) -> tuple[Recalled, list[Archived]]:
    """Return an answer with the archived facts among its hits, in order of score, and which they
    are.

    The scores of active facts stay. Archived facts are scored by the same statistics; a word that
    no active fact holds counts like one that a single fact holds.
    """
    _, sums = _weighed(asked)
    missed = [one for one in _missed(asked, sums) if not one.had_lapsed]
    more = _hits(asked, {one.seq: one for one in missed})
    both = [*zip(answer.seqs, answer.hits, strict=True), *more.items()]
    both.sort(key=lambda pair: (-pair[1].score, -pair[1].fact.created_at, pair[1].fact.id))
    best = [pair for pair in both if pair[1].score >= asked.query.min_score][: asked.query.limit]
    taken = [one for one in missed if one.seq in {seq for seq, _ in best}]
    hits, seqs = tuple(hit for _, hit in best), tuple(seq for seq, _ in best)
    return replace(answer, hits=hits, seqs=seqs), taken


def set_aside(asked: Lookup, answer: Recalled) -> list[Archived]:
    """Return the archived facts that match and are not in an answer with archived ones: forgotten
    or replaced by somebody, or ended before. Best first; beside hits those that say as much of the
    query as the best one does."""
    weights, every_sum = _weighed(asked)
    least = _least(asked, answer, weights)
    sums = {seq: said for seq, said in every_sum.items() if said >= least}
    shown = {hit.fact.id for hit in answer.hits}
    found: list[Archived] = []
    for part in _parts(sums):
        listed = reads.alone(asked.view.db, _archived(asked, part))
        whole = passes.whole(asked.view.db, listed, viewer=asked.view.viewer)
        every = explained(asked.view.db, whole, viewer=asked.view.viewer)
        found += [one for one in every if shown.isdisjoint((one.fact.id, one.kept))]
        if len(found) >= ANNOUNCED:
            break
    return found[:ANNOUNCED]


def _missed(
    asked: Lookup, sums: Mapping[int, float], best: Sequence[int] = (),
    ended: list[Archived] | None = None,
) -> Iterator[Archived]:  # fmt: skip
    """Yield those of the facts that are archived and that nobody asked to go; and first put the
    `best` that have ended, which are read on the way, into `ended`."""
    db, viewer = asked.view.db, asked.view.viewer
    for part in _parts(sums) or [[]]:
        of_part = [_archived(asked, part), *archivals.trails(part)] if part else []
        read, *said = reads.together(db, facts.numbered(best, viewer=viewer), *of_part)
        if ended is not None:
            ended += [Archived(seq, read[seq], "ended", read[seq].valid_to or 0)
                      for seq in best if seq in read]  # fmt: skip
        best = ()
        if said:
            listed, *steps = said
            yield from _missed_of(db, listed, archivals.departed(*steps), viewer=viewer)


def _parts(sums: Mapping[int, float]) -> list[list[int]]:
    """Return facts in parts, those of the highest sums first, then the newest."""
    ordered = sorted(sums, key=lambda seq: (-sums[seq], -seq))[:_READ]
    starts = range(0, len(ordered), _READ_AT_ONCE)
    return [ordered[start : start + _READ_AT_ONCE] for start in starts]


def _archived(asked: Lookup, part: Sequence[int]) -> Read[list[int]]:
    """Read those of the facts that are archived and that a query asks for."""
    wanted = replace(asked.query.wanted, lifecycle="archived")
    return archivals.archived_ones(part, viewer=asked.view.viewer, wanted=wanted)


def _weighed(asked: Lookup) -> tuple[dict[str, float], dict[int, float]]:
    """Return how much each term of a query says, and of it each fact that holds such a term."""
    said = reads.together(asked.view.db, *_rarities(asked), *_holding(asked))
    weights = _weights(asked, said)
    return weights, _sums(asked, weights, said[len(weights) :])


def _count(asked: Lookup) -> int:
    """Return how many facts the terms of a query are rare among."""
    origin = asked.view.origin
    return origin.facts - origin.gone.facts + max(asked.held.values(), default=0)


def _rarities(asked: Lookup) -> list[Read[int]]:
    """Return what reads in how many facts each term of a query occurs."""
    return fts.rarities(
        asked.question.terms, origin_number=asked.view.number, enough=max(_count(asked), 1)
    )


def _holding(asked: Lookup) -> list[Read[list[int]]]:
    """Return what reads the facts that hold each term of archived facts."""
    return [fts.postings(term, origin_number=asked.view.number) for term in asked.held]


def _weights(asked: Lookup, holders: Sequence[int]) -> dict[str, float]:
    """Return how much each term of the query says: its idf over active and archived facts, times
    its weight; `holders` are those of each term."""
    count = _count(asked)
    return {
        term: weight * bm25.idf_of(max(count, held), held)
        for (term, weight), held in zip(asked.question.weights.items(), holders, strict=False)
    }


def _sums(
    asked: Lookup, weights: Mapping[str, float], found: Sequence[Sequence[int]]
) -> dict[int, float]:
    """Return how much of the query each fact says that holds a term of archived facts; `found` are
    those of each of these terms."""
    held: dict[int, list[str]] = {}
    for term, seqs in zip(asked.held, found, strict=True):
        for seq in seqs:
            held.setdefault(seq, []).append(term)
    return {seq: _said(terms, weights, asked) for seq, terms in held.items()}


def _said(terms: Sequence[str], weights: Mapping[str, float], asked: Lookup) -> float:
    """Return how much of the query these terms of it say; a word counts once."""
    found = {term: weights.get(term, 0.0) for term in terms}
    if asked.question.forms is None:
        return sum(found.values())
    from tideline_cli.ranking.one_word import combined  # noqa: PLC0415  some questions alone

    return combined(found, asked.question.forms)[0]


def _hits(asked: Lookup, missed: Mapping[int, Archived]) -> dict[int, Hit]:
    """Return archived facts as hits, by number."""
    origin, terms, forms = asked.view.origin, asked.question.terms, asked.question.forms
    count, tokens = origin.facts - origin.gone.facts, origin.tokens - origin.gone.tokens
    held = {**holding_now(asked.view, terms)}
    held |= {term: max(held[term], 1) for term in asked.held}
    weights = asked.question.weights
    stats = bm25.statistics(max(count, *held.values(), 1), max(tokens, 1), held, weights, forms)
    known = [term for term in terms if term in stats.idf]
    numbers = {one.fact.id: seq for seq, one in missed.items()}
    weighs_roles = origin.analyzer != "reference"
    found: dict[int, Hit] = {}
    for fact, words in facts.with_terms(asked.view.db, list(missed), viewer=asked.view.viewer):
        value, matched = bm25.score(words.split(), known, stats)
        power, factor, weight, spoken = weights_of(
            fact, asked.query, now=asked.view.now, weighs_roles=weighs_roles
        )
        why = Breakdown(value, matched, power, factor, weight, "lexical", role=spoken)
        found[numbers[fact.id]] = Hit(fact, value * weight * factor * spoken, why)
    return found
