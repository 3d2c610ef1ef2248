"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

The full-text index tells which facts hold a term, rarest term first; a byte per fact bounds what
it can score. Facts are read and scored in the order of their bounds, until the best ones found
beat whatever is left.
"""

from __future__ import annotations

from tideline_cli.memory import scorer as scoring
from tideline_cli.memory.question import is_mostly_unknown, is_one_word, unknown_words, word_count
from tideline_cli.memory.scorer import Reader, Scorer
from tideline_cli.model.record import replace
from tideline_cli.ranking import bm25
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store import fts, label_holders, lapsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.named_dates import DatedFloor
    from tideline_cli.memory.query import Match
    from tideline_cli.memory.question import Question
    from tideline_cli.memory.retention import Retained
    from tideline_cli.store.common_postings import Counted
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.held_then import Then
    from tideline_cli.store.lapsed import Lapsed

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


def search(
    db: Connection,
    question: Question,
    *,
    origin_number: int,
    now: int,
    limit: int,
    wanted: Filter,
    fading: float = DEPTH,
    gone: Lapsed | None = None,
    retained: Retained | None = None,
) -> tuple[list[Match], list[Match]]:
    """Return the best `limit` facts of an origin for a question, in order, and apart from them
    those that rest on one word of a question that is mostly unknown. `gone` are its facts that do
    not hold now, where the caller knows them. `retained` is another curve than the half-life."""
    scorer = best_by_words(
        db, question, origin_number=origin_number, now=now, limit=limit, wanted=wanted,
        fading=fading, gone=gone, retained=retained,
    )  # fmt: skip
    if not scorer.is_mostly_unknown:
        return scorer.matches, []
    sure: list[Match] = []
    weak: list[Match] = []
    for match in scorer.matches:
        if is_one_word(match.why.matched_terms, question.forms):
            weak.append(replace(match, weak=True))
        else:
            sure.append(match)
    return sure[:limit], weak[:limit]


def weak_among(
    db: Connection, question: Question, seqs: Sequence[int], *, origin_number: int, now: int,
    wanted: Filter,
) -> set[int]:  # fmt: skip
    """Return those of the facts that `search` marks as weak, or that hold no word of the question.
    """
    scorer = best_by_words(
        db, question, origin_number=origin_number, now=now, limit=1, wanted=wanted
    )
    rows = fts.ranking_rows(db, seqs, origin_number=origin_number, now=now, wanted=wanted)
    return {
        match.seq for match in scorer.weighed(rows)
        if match.weak or not match.why.matched_terms
        or (scorer.is_mostly_unknown and is_one_word(match.why.matched_terms, question.forms))
    }  # fmt: skip


def best_by_words(
    db: Connection, question: Question, *, origin_number: int, now: int, limit: int,
    wanted: Filter, fading: float = DEPTH, gone: Lapsed | None = None,
    retained: Retained | None = None, dated: DatedFloor | None = None,
) -> Scorer:  # fmt: skip
    """Return what `search` finds, as the scorer that scores others alike. It says whether the
    question is mostly unknown, and has more matches then; `dated` leaves some out."""
    terms, forms = question.terms, question.forms
    instant = now if wanted.as_of is None else wanted.as_of
    count, tokens, held, then, counted = _known(
        db, terms, origin_number=origin_number, now=now, as_of=wanted.as_of, gone=gone
    )
    fuller = _fuller(db, question, held, origin_number) if question.by_beginning else None
    if fuller is not None:
        return best_by_words(
            db, fuller, origin_number=origin_number, now=now, limit=limit, wanted=wanted,
            fading=fading, gone=gone, retained=retained, dated=dated,
        )  # fmt: skip
    stats = bm25.statistics(count, tokens, held, question.weights, forms)
    is_unknown = question.has_forms and _is_mostly_unknown(db, question, held, origin_number)
    most = max(limit, _AMONG) if is_unknown else limit
    scorer = Scorer([term for term in terms if term in stats.idf], stats, instant, most, fading,
                    asked=word_count(terms, forms),
                    weighs_roles=not question.is_of_reference, retained=retained)  # fmt: skip
    labelled = label_holders.holders(db, terms, origin_number=origin_number)
    if dated is not None and not is_unknown:
        scorer.dated = dated.beside(labelled)
    if stats.idf:
        reader = Reader(db, scorer, stats, origin_number, instant, wanted)
        if then is None and _are_many([*held.values()], stats):
            from tideline_cli.memory import bulk_sums  # noqa: PLC0415  no common word in many facts

            bulk_sums.read_best(db, reader, stats, origin_number=origin_number, counted=counted)
        elif stats.mean_length > LONG:
            from tideline_cli.memory import long_facts  # noqa: PLC0415  most facts are short

            long_facts.read_best(db, reader, stats, origin_number=origin_number, then=then)
        else:
            _read_best(db, reader, stats, origin_number, then)
    if labelled:
        from tideline_cli.memory import by_label  # noqa: PLC0415  few questions name a label

        scorer.matches = by_label.with_labelled(
            db, scorer, labelled, stats, held, asked=terms, origin_number=origin_number,
            wanted=wanted, now=now, limit=most,
        )  # fmt: skip
    scorer.is_mostly_unknown = is_unknown and _is_mostly_unknown(
        db, question, {**held, **labelled}, origin_number
    )
    return scorer


def _known(
    db: Connection, terms: Sequence[str], *, origin_number: int, now: int, as_of: int | None,
    gone: Lapsed | None,
) -> tuple[int, int, Mapping[str, int], Then | None, Mapping[str, Counted] | None]:  # fmt: skip
    """Return how many facts hold now, or held at a past instant, with how many terms, and of each
    asked term how many hold it; and, of the past, which ones; and the common terms, if asked."""
    if as_of is not None:
        from tideline_cli.store import held_then  # noqa: PLC0415  questions about the past alone

        then = held_then.at(db, terms, origin_number=origin_number, instant=as_of)
        return then.facts, then.tokens, then.holders, then, None
    gone = gone or lapsed.at(db, origin_number=origin_number, now=now)
    count, tokens = fts.totals(db, origin_number=origin_number, gone=gone)
    counted = _counted(db, terms, origin_number) if count >= LARGE else None
    counts = {term: one[0] for term, one in (counted or {}).items()}
    held = fts.frequencies(db, terms, origin_number=origin_number, gone=gone, counted=counts)
    return count, tokens, held, None, counted


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


def _fuller(
    db: Connection, question: Question, held: Mapping[str, int], origin_number: int
) -> Question | None:
    """Return a question with what stands in for unknown words, None where nothing does."""
    terms, forms = question.terms, question.forms
    unknown = [] if all(held.values()) else unknown_words(terms, held, forms)
    if not unknown:
        return None
    from tideline_cli.memory import beginning_words  # noqa: PLC0415  a word is unknown

    found = beginning_words.stand_ins(db, terms, unknown, forms, origin_number=origin_number)
    if found is None:
        return None
    return question.with_forms(found)


def _is_mostly_unknown(
    db: Connection, question: Question, held: Mapping[str, object], origin_number: int
) -> bool:
    """Say whether the memory knows half of the words of a question or less; archived facts too are
    known."""
    if all(held.values()):
        return False
    known = {term for term, held_by in held.items() if held_by}
    if not is_mostly_unknown(question.terms, known, question.forms):
        return False
    others = fts.holder_counts(db, held.keys() - known, origin_number=origin_number)
    known.update(term for term, count in others.items() if count)
    return is_mostly_unknown(question.terms, known, question.forms)


def _read_best(
    db: Connection, reader: Reader, stats: bm25.Statistics, origin_number: int, then: Then | None
) -> None:
    """Look terms up, rarest first, and read what can be among the best."""
    sums = _Sums(reader)
    counted, left = 0.0, sum(stats.idf.values())
    sampled_at = left
    for term, idf in stats.idf.items():
        if left * reader.highest < reader.floor():
            break
        counted, left = counted + idf, left - idf
        seqs = fts.postings(db, term, origin_number=origin_number)
        sums.add(seqs if then is None else then.among(seqs), idf)
        if counted > left and left <= sampled_at / 2:
            sums.read_first(left)
            sampled_at = left
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
