"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

The full-text index tells which facts hold a term, rarest term first; a byte per fact bounds what
it can score. Facts are read and scored in the order of their bounds, until the best ones found
beat whatever is left.
"""

from __future__ import annotations

from tideline_cli.memory import scorer as scoring
from tideline_cli.memory.query import is_mostly_unknown, is_one_word, unknown_words, word_count
from tideline_cli.memory.scorer import Reader, Scorer
from tideline_cli.memory.search import Known
from tideline_cli.model.record import replace
from tideline_cli.ranking import bm25
from tideline_cli.store import fts, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.named_dates import DatedFloor
    from tideline_cli.memory.query import Match, Question
    from tideline_cli.memory.search import Search, View
    from tideline_cli.store.common_postings import Counted

ENOUGH = 0.15
"""Holders of the terms of a question from which on their sums are added up as bits, as a share of
all facts."""
MUCH = 200_000
"""Their terms, about: below that the facts are bounded one by one before the rest is loaded."""

LONG = 48
"""The mean number of terms above which reading a fact costs more than bounding many."""

FEW_HOLDERS = 1000
"""Holders below which no term is kept as common. Of long facts it is then not known how often they
repeat a word."""

MANY = 32
"""Terms of a question from which on the holders of all are looked up before they are counted."""

LARGE = 1 << 16
"""Facts from which on it pays to ask first whether the holders of a term are counted."""

_AMONG = 200  # facts among which an answer is looked for where most of them may be weak


def by_terms(view: View, search: Search) -> tuple[list[Match], list[Match]]:
    """Return the best facts for a question in order, and apart from them those that rest on one
    word of a question that is mostly unknown."""
    scorer = best_by_words(view, search)
    if not scorer.is_mostly_unknown:
        return scorer.matches, []
    sure: list[Match] = []
    weak: list[Match] = []
    for match in scorer.matches:
        if is_one_word(match.why.matched_terms, search.question.forms):
            weak.append(replace(match, weak=True))
        else:
            sure.append(match)
    return sure[: search.limit], weak[: search.limit]


def weak_among(view: View, search: Search, seqs: Sequence[int]) -> set[int]:
    """Return the facts that `by_terms` marks as weak, or that hold no word of a question."""
    if not seqs or not search.question.weights:
        return set()
    forms = search.question.forms
    query = replace(search.query, decay="half-life")
    scorer = best_by_words(view, replace(search, query=query, limit=1, retained=None))
    rows = fts.ranking_rows(
        view.db, seqs, origin_number=view.number, now=view.now, wanted=search.wanted
    )
    return {
        match.seq for match in scorer.weighed(rows)
        if match.weak or not match.why.matched_terms
        or (scorer.is_mostly_unknown and is_one_word(match.why.matched_terms, forms))
    }  # fmt: skip


def best_by_words(view: View, search: Search, dated: DatedFloor | None = None) -> Scorer:
    """Return what `by_terms` finds, as the scorer that scores others alike. It says whether the
    question is mostly unknown, and has more matches then; `dated` leaves some out."""
    question = search.question
    terms, forms = question.terms, question.forms
    known = search.known or known_of(view, search)
    fuller = _fuller(view, question, known.held) if question.by_beginning else None
    if fuller is not None:
        return best_by_words(view, replace(search, question=fuller, known=None), dated)
    stats = bm25.statistics(known.facts, known.tokens, known.held, question.weights, forms)
    is_unknown = question.has_forms and _is_mostly_unknown(view, question, known, known.held)
    most = max(search.limit, _AMONG) if is_unknown else search.limit
    scorer = Scorer(
        [term for term in terms if term in stats.idf], stats, view.instant(search.wanted), most,
        search.query.depth, asked=word_count(terms, forms), weighs_roles=search.weighs_roles,
        retained=search.retained,
    )  # fmt: skip
    if dated is not None and not is_unknown:
        scorer.dated = dated.beside(known.labelled)
    if stats.idf:
        _read_best(view, search, scorer, stats, known)
    if known.labelled:
        from tideline_cli.memory import by_label  # noqa: PLC0415  few questions name a label

        scorer.matches = by_label.with_labelled(view, search, scorer, stats, known, limit=most)
    scorer.is_mostly_unknown = is_unknown and _is_mostly_unknown(
        view, question, known, {**known.held, **known.labelled}
    )
    return scorer


def known_of(view: View, search: Search) -> Known:
    """Return what is known of the terms of a question, by one read of all that says it."""
    origin, terms = view.origin, search.question.terms
    number, wanted = origin.number, search.wanted
    if wanted.as_of is not None:
        from tideline_cli.store import as_of  # noqa: PLC0415  questions about the past alone

        then = as_of.at(view.db, terms, origin_number=number, instant=wanted.as_of)
        labelled = _labelled(view, terms)
        return Known(then.facts, then.tokens, then.holders, None, labelled, then)
    facts, tokens = origin.facts - origin.gone.facts, origin.tokens - origin.gone.tokens
    counted = _counted(view.db, terms, number) if facts >= LARGE else None
    rest = [term for term in terms if term not in (counted or ())]
    counts, gone, *labels = reads.together(
        view.db, fts.counts(rest, origin_number=number),
        fts.gone(counted or (), origin_number=number),
        *(fts.label_holders(term, origin_number=number)
          for term in terms if origin.has_labels),
    )  # fmt: skip
    counts |= {term: (one[0], *gone[term]) for term, one in (counted or {}).items()}
    labelled = {term: sizes for term, sizes in zip(terms, labels, strict=False) if sizes}
    return Known(
        facts, tokens, {term: _now(view, term, *counts[term]) for term in terms},
        {term: counts[term][0] for term in terms}, labelled, counted=counted,
        archived={term: counts[term][1] for term in terms},
    )  # fmt: skip


def holding_now(view: View, terms: Sequence[str]) -> dict[str, int]:
    """Return for each term how many facts hold it that are active and valid."""
    counts = reads.alone(view.db, fts.counts(terms, origin_number=view.number))
    return {term: _now(view, term, *counts[term]) for term in terms}


def _now(view: View, term: str, holders: int, archived: int, counted: int) -> int:
    """Return how many of the holders of a term are active and valid."""
    lapsed = view.origin.gone
    left = holders - archived - (counted if lapsed.is_counted else 0) if holders else 0
    return left - lapsed.change_of(term)


def _labelled(view: View, terms: Sequence[str]) -> dict[str, dict[int, int]]:
    """Return the facts whose labels hold a term, by term."""
    if not view.origin.has_labels:
        return {}
    found = reads.together(
        view.db, *(fts.label_holders(term, origin_number=view.number) for term in terms)
    )
    return {term: sizes for term, sizes in zip(terms, found, strict=True) if sizes}


def _read_best(
    view: View, search: Search, scorer: Scorer, stats: bm25.Statistics, known: Known
) -> None:
    """Have the facts scored that can be among the best: all that hold a term where these are few,
    else by the way that costs least."""
    is_long = stats.mean_length > LONG
    if known.holders is not None:
        holders = sum(known.holders[term] for term in stats.idf)
        if holders <= (scoring.FEW_LONG if is_long else scoring.FEW):
            read = fts.rows_holding(
                stats.idf, origin_number=view.number, now=view.instant(search.wanted),
                wanted=search.wanted, heat=scorer.wants_heat,
            )  # fmt: skip
            scorer.add(reads.alone(view.db, read))
            return
    reader = Reader(view, scorer, stats, search.wanted)
    is_many = known.then is None and _are_many([*known.held.values()], stats)
    if not (is_many or is_long):
        _read_rarest_first(view, reader, stats, known)
        return
    from tideline_cli.memory import large  # noqa: PLC0415  large memories alone

    if is_many:
        large.read_best(view, reader, stats, counted=known.counted)
    else:
        large.read_best_of_long(view, reader, stats, then=known.then)


def _are_many(held: Sequence[int], stats: bm25.Statistics) -> bool:
    """Say whether the terms of a question have so many holders that sums are added up as bits."""
    if stats.mean_length > LONG and max(held) < FEW_HOLDERS:
        return False
    holders = sum(held)
    return holders * stats.mean_length >= MUCH and holders >= ENOUGH * stats.facts


def _counted(db: Connection, terms: Sequence[str], origin_number: int) -> dict[str, Counted]:
    """Return how many facts hold common terms, which the full-text index would count one by one;
    where a question has many terms, all of them will be looked up, and are so once."""
    from tideline_cli.store import common_postings  # noqa: PLC0415  large memories alone

    return common_postings.counted(
        db, terms, origin_number=origin_number, all_of_them=len(terms) > MANY
    )


def _fuller(view: View, question: Question, held: Mapping[str, int]) -> Question | None:
    """Return a question with what stands in for unknown words, None where nothing does."""
    terms, forms = question.terms, question.forms
    unknown = [] if all(held.values()) else unknown_words(terms, held, forms)
    if not unknown:
        return None
    from tideline_cli.memory import unindexed_words  # noqa: PLC0415  a word is unknown

    found = unindexed_words.stand_ins(view.db, terms, unknown, forms, origin_number=view.number)
    return None if found is None else question.with_forms(found)


def _is_mostly_unknown(
    view: View, question: Question, known: Known, held: Mapping[str, object]
) -> bool:
    """Say whether a memory, with archived facts, knows at most half of the words asked for."""
    if all(held.values()):
        return False
    there = {term for term, held_by in held.items() if held_by}
    if not is_mostly_unknown(question.terms, there, question.forms):
        return False
    others = known.holders or fts.holder_counts(
        view.db, held.keys() - there, origin_number=view.number
    )
    there.update(term for term in held.keys() - there if others[term])
    return is_mostly_unknown(question.terms, there, question.forms)


def _read_rarest_first(view: View, reader: Reader, stats: bm25.Statistics, known: Known) -> None:
    """Look terms up, rarest first, and read what can be among the best."""
    sums = _Sums(reader)
    counted, left = 0.0, sum(stats.idf.values())
    sampled_at = left
    then = known.then
    for (_, idf), seqs in zip(
        stats.idf.items(),
        reads.one_by_one(
            view.db, *(fts.postings(term, origin_number=view.number) for term in stats.idf)
        ),
        strict=True,
    ):
        counted, left = counted + idf, left - idf
        sums.add(seqs if then is None else then.among(seqs), idf)
        if counted > left and left <= sampled_at / 2:
            sums.read_first(left)
            sampled_at = left
        if left * reader.highest < reader.floor():
            break
    sums.read_on(max(left, 0.0))


class _Sums:
    """The facts known to hold a term, and the sums of their idf."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._sums: dict[int, float] = {}

    def add(self, seqs: list[int], idf: float) -> None:
        """Count a term for the facts that hold it."""
        sums = self._sums
        if not sums:
            self._sums = dict.fromkeys(seqs, idf)
            return
        known = sums.get
        for seq in seqs:
            sums[seq] = known(seq, 0.0) + idf

    def read_first(self, left: float) -> None:
        """Read the most promising facts; `left` is the idf of the terms not looked up yet."""
        if len(self._sums) <= scoring.FEW:
            self._reader.read([seq for seq in self._sums if seq not in self._reader.done])
            return
        top = max(self._sums.values())
        bounds = self._reader.bounds(self._sums, left, least=scoring.STEP * top)
        if bounds:
            cut = scoring.STEP * max(bounds.values())
            likely = [seq for seq, bound in bounds.items() if bound >= cut]
            self._reader.read(likely[: scoring.FEW])

    def read_on(self, left: float) -> None:
        """Read whatever can still be among the best."""
        self._reader.read_on(self._reader.bounds(self._sums, left))
