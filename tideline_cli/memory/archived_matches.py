"""Facts that match a query and hold no more, archived or ended: found by their words, never by
likeness."""

from __future__ import annotations

from math import log

from tideline_cli.memory import archived
from tideline_cli.memory.archived import Archived
from tideline_cli.memory.query import Recalled
from tideline_cli.memory.question import conditions, matched_count, word_count
from tideline_cli.model.fact import role_weight, trust
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.instant import iso
from tideline_cli.model.record import record, replace
from tideline_cli.ranking import bm25, decay
from tideline_cli.store import bulk_reads, departures, facts, fts, lapsed
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.query import Query
    from tideline_cli.memory.question import Question
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

ANNOUNCED = 8
"""So many archived facts are named beside an answer at most, and so many that have ended."""
_READ = 4000  # archived facts that are looked at, the best and newest ones
_AT_ONCE = 200


@record
class Asked:
    """A query at an instant: what it asks for, and in how many archived facts each of its terms
    occurs that does."""

    query: Query
    now: int
    question: Question
    held: Mapping[str, int]
    origin_number: int


def announced(
    db: Connection, asked: Asked, answer: Recalled, *, is_full: bool, viewer: Origin
) -> tuple[list[Archived], list[Archived]]:
    """Return the archived facts that one would miss in this answer, and those that have ended, best
    first: those with all the words, and beside an answer with room those that say as much of the
    query as the best sure hit does."""
    weights = {} if is_full else _weights(db, asked)
    least = _least(asked, answer, weights)
    if not asked.held:
        sums = dict[int, float]()
    elif is_full:
        wanted = fts.holding_all(
            db, conditions(asked.question), origin_number=asked.origin_number, lifecycle="archived",
            limit=_READ,
        )  # fmt: skip
        sums = dict.fromkeys(wanted, 1.0)
    else:
        sums = {seq: said for seq, said in _sums(db, asked, weights).items() if said >= least}
    ended = (
        _ended(db, asked, weights, least, is_full=is_full, viewer=viewer)
        if answer.has_lapsed else []
    )  # fmt: skip
    shown = {hit.fact.id for hit in answer.hits}
    found: list[Archived] = []
    for one in _missed(db, asked, sums, viewer=viewer):
        if one.kept is None or one.kept not in shown:
            (ended if one.had_lapsed else found).append(one)
            if len(found) == ANNOUNCED:
                break
    return found, ended[:ANNOUNCED]


def _least(asked: Asked, answer: Recalled, weights: Mapping[str, float]) -> float:
    """Return how much of a query the best sure hit says."""
    said = [_said(hit.why.matched_terms, weights, asked) for hit in answer.hits if not hit.weak]
    return max(said, default=0.0) - 1e-9


def _ended(
    db: Connection, asked: Asked, weights: Mapping[str, float], least: float, *, is_full: bool,
    viewer: Origin,
) -> list[Archived]:  # fmt: skip
    """Return the active facts that have ended and match, best first."""
    rows = lapsed.ended(
        db, asked.query.wanted, origin_number=asked.origin_number, now=asked.now,
        limit=lapsed.MOST_READ,
    )  # fmt: skip
    question = asked.question
    words = word_count(question.terms, question.forms)
    sums: dict[int, float] = {}
    for seq, terms in rows:
        held = [*question.weights.keys() & terms.split()]
        if held and (not is_full or matched_count(held, question.forms) >= words):
            said = _said(held, weights, asked)
            if said >= least:
                sums[seq] = said
    best = sorted(sums, key=lambda seq: -sums[seq])[:ANNOUNCED]
    whole = facts.get(db, best, viewer=viewer)
    return [
        Archived(seq, whole[seq], "ended", whole[seq].valid_to or 0) for seq in best if seq in whole
    ]


def forms(
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
            **_gone(one),
            **({} if one.kept is None else {"kept": one.kept}),
        }
        for one in found
    ]


def _gone(one: Archived) -> dict[str, Any]:
    if one.reason == "ended" or one.had_lapsed:
        return {"ended_at": iso(one.fact.valid_to or one.at)}
    return {"reason": one.reason, "archived_at": iso(one.at)}


def with_archived(
    db: Connection, asked: Asked, answer: Recalled, *, viewer: Origin
) -> tuple[Recalled, list[Archived]]:
    """Return an answer with the archived facts among its hits, in order of score, and which they
    are.

    The scores of active facts stay. Archived facts are scored by the same statistics; a word that
    no active fact holds counts like one that a single fact holds.
    """
    sums = _sums(db, asked, _weights(db, asked))
    missed = [one for one in _missed(db, asked, sums, viewer=viewer) if not one.had_lapsed]
    more = _hits(db, asked, {one.seq: one for one in missed}, viewer=viewer)
    both = [*zip(answer.seqs, answer.hits, strict=True), *more.items()]
    both.sort(key=lambda pair: (-pair[1].score, -pair[1].fact.created_at, pair[1].fact.id))
    best = [pair for pair in both if pair[1].score >= asked.query.min_score][: asked.query.limit]
    taken = [one for one in missed if one.seq in {seq for seq, _ in best}]
    hits, seqs = tuple(hit for _, hit in best), tuple(seq for seq, _ in best)
    return replace(answer, hits=hits, seqs=seqs), taken


def set_aside(
    db: Connection, asked: Asked, answer: Recalled, *, viewer: Origin
) -> list[Archived]:
    """Return the archived facts that match and are not in an answer with archived ones: forgotten
    or replaced by somebody, or ended before. Best first; beside hits those that say as much of the
    query as the best one does."""
    weights = _weights(db, asked)
    least = _least(asked, answer, weights)
    sums = {seq: said for seq, said in _sums(db, asked, weights).items() if said >= least}
    wanted = replace(asked.query.wanted, lifecycle="archived")
    ordered = sorted(sums, key=lambda seq: (-sums[seq], -seq))[:_READ]
    shown = {hit.fact.id for hit in answer.hits}
    found: list[Archived] = []
    for start in range(0, len(ordered), _AT_ONCE):
        part = departures.archived_ones(
            db, ordered[start : start + _AT_ONCE], viewer=viewer, wanted=wanted
        )
        whole = bulk_reads.whole(db, part, viewer=viewer)
        for one in archived.explained(db, whole, viewer=viewer):
            if shown.isdisjoint((one.fact.id, one.kept)):
                found.append(one)
        if len(found) >= ANNOUNCED:
            break
    return found[:ANNOUNCED]


def _missed(
    db: Connection, asked: Asked, sums: Mapping[int, float], *, viewer: Origin
) -> Iterator[Archived]:
    """Yield those of the facts that are archived and that nobody asked to go, the highest sum
    first, then the newest."""
    wanted = replace(asked.query.wanted, lifecycle="archived")
    ordered = sorted(sums, key=lambda seq: (-sums[seq], -seq))[:_READ]
    for start in range(0, len(ordered), _AT_ONCE):
        part = departures.archived_ones(
            db, ordered[start : start + _AT_ONCE], viewer=viewer, wanted=wanted
        )
        yield from archived.missed(db, part, viewer=viewer)


def _weights(db: Connection, asked: Asked) -> dict[str, float]:
    """Return how much each term of the query says: its idf over active and archived facts, times
    its weight."""
    gone = lapsed.at(db, origin_number=asked.origin_number, now=asked.now)
    active, _ = fts.totals(db, origin_number=asked.origin_number, gone=gone)
    count = active + max(asked.held.values(), default=0)
    weights: dict[str, float] = {}
    for term, weight in asked.question.weights.items():
        held = fts.rarity(db, term, origin_number=asked.origin_number, enough=max(count, 1))
        weights[term] = weight * log(1.0 + (max(count, held) - held + 0.5) / (held + 0.5))
    return weights


def _sums(db: Connection, asked: Asked, weights: Mapping[str, float]) -> dict[int, float]:
    """Return how much of the query each fact says that holds a term of archived facts."""
    held: dict[int, list[str]] = {}
    for term in asked.held:
        for seq in fts.postings(db, term, origin_number=asked.origin_number):
            held.setdefault(seq, []).append(term)
    return {seq: _said(terms, weights, asked) for seq, terms in held.items()}


def _said(terms: Sequence[str], weights: Mapping[str, float], asked: Asked) -> float:
    """Return how much of the query these terms of it say; a word counts once."""
    found = {term: weights.get(term, 0.0) for term in terms}
    if asked.question.forms is None:
        return sum(found.values())
    from tideline_cli.ranking.one_word import combined  # noqa: PLC0415  some questions alone

    return combined(found, asked.question.forms)[0]


def _hits(
    db: Connection, asked: Asked, missed: Mapping[int, Archived], *, viewer: Origin
) -> dict[int, Hit]:
    """Return archived facts as hits, by number."""
    gone = lapsed.at(db, origin_number=asked.origin_number, now=asked.now)
    count, tokens = fts.totals(db, origin_number=asked.origin_number, gone=gone)
    terms, forms = asked.question.terms, asked.question.forms
    held = fts.frequencies(db, terms, origin_number=asked.origin_number, gone=gone)
    held |= {term: max(held[term], 1) for term in asked.held}
    weights = asked.question.weights
    stats = bm25.statistics(max(count, *held.values(), 1), max(tokens, 1), held, weights, forms)
    known = [term for term in terms if term in stats.idf]
    numbers = {one.fact.id: seq for seq, one in missed.items()}
    weighs_roles = setting(db, "analyzer", "standard") != "reference"
    found: dict[int, Hit] = {}
    for fact, words in facts.with_terms(db, list(missed), viewer=viewer):
        value, matched = bm25.score(words.split(), known, stats)
        depth = asked.query.depth
        power = _strength(fact, asked) if depth else 1.0
        weight, factor = trust(fact.source, fact.confidence), decay.modulator(power, depth)
        spoken = role_weight(fact.role) if weighs_roles else 1.0
        why = Breakdown(value, matched, power, factor, weight, "lexical", role=spoken)
        hit = Hit(fact, value * weight * factor * spoken, why)
        found[numbers[fact.id]] = hit
    return found


def _strength(fact: Fact, asked: Asked) -> float:
    if asked.query.decay == "half-life":
        return decay.strength_at(fact, now=asked.now)
    from tideline_cli.ranking import decays  # noqa: PLC0415  another curve alone

    return decays.strength_by(fact, asked.query.decay, now=asked.now)
