"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

The full-text index tells which facts hold a term, rarest term first; a byte per fact bounds what
it can score. Facts are read and scored in the order of their bounds, until the best ones found
beat whatever is left.
"""

from __future__ import annotations

from tideline_cli.memory.question import is_mostly_unknown, is_one_word, unknown_words, word_count
from tideline_cli.memory.scorer import Scorer
from tideline_cli.ranking import bm25, decay
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.ranking.score_bounds import UNKNOWN, bound_factors
from tideline_cli.store import facts, fts, labels, lapsed, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.memory.question import Question
    from tideline_cli.memory.retention import Retained
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.held_then import Then
    from tideline_cli.store.lapsed import Lapsed

_FEW = 400  # facts that are cheaper to read than to bound
_MANY = 1000  # facts that are cheaper to read than to ask first whether they have faded
_AMONG = 200  # facts among which an answer is looked for where most of them may be left out
_STEP = 0.8  # the bounds of one reading go down to this share of the highest one left
_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding


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
    left_out: list[Match] | None = None,
    retained: Retained | None = None,
) -> list[Match]:
    """Return the best `limit` facts of an origin for a question, in order; `gone` are its facts
    that do not hold now, where the caller knows them. `left_out`, if given, takes what rests on one
    word of a question that is mostly unknown. `retained` is another curve than the half-life."""
    scorer = best_by_words(
        db, question, origin_number=origin_number, now=now, limit=limit, wanted=wanted,
        fading=fading, gone=gone, leaves_out=left_out is not None, retained=retained,
    )  # fmt: skip
    if left_out is None or not scorer.is_mostly_unknown:
        return scorer.matches
    kept: list[Match] = []
    for match in scorer.matches:
        by_chance = is_one_word(match.why.matched_terms, question.forms)
        (left_out if by_chance else kept).append(match)
    return kept[:limit]


def best_by_words(
    db: Connection, question: Question, *, origin_number: int, now: int, limit: int,
    wanted: Filter, fading: float = DEPTH, gone: Lapsed | None = None,
    leaves_out: bool = False, retained: Retained | None = None,
) -> Scorer:  # fmt: skip
    """Return what `search` finds, as the scorer that can score other facts alike. With `leaves_out`
    it says whether the question is mostly unknown, and has more than `limit` matches then."""
    terms, forms, instant, then = question.terms, question.forms, now, None
    if wanted.as_of is not None:
        from tideline_cli.store import held_then  # noqa: PLC0415  questions about the past alone

        instant = wanted.as_of
        then = held_then.at(db, terms, origin_number=origin_number, instant=instant)
        count, tokens, held = then.facts, then.tokens, then.holders
    else:
        gone = gone or lapsed.at(db, origin_number=origin_number, now=now)
        count, tokens = fts.totals(db, origin_number=origin_number, gone=gone)
        held = fts.frequencies(db, terms, origin_number=origin_number, gone=gone)
    fuller = _fuller(db, question, held, origin_number) if question.by_beginning else None
    if fuller is not None:
        return best_by_words(
            db, fuller, origin_number=origin_number, now=now, limit=limit, wanted=wanted,
            fading=fading, gone=gone, leaves_out=leaves_out, retained=retained,
        )  # fmt: skip
    stats = bm25.statistics(count, tokens, held, question.weights, forms)
    is_unknown = leaves_out and _is_mostly_unknown(db, question, held, origin_number)
    most = max(limit, _AMONG) if is_unknown else limit
    scorer = Scorer([term for term in terms if term in stats.idf], stats, instant, most, fading,
                    asked=word_count(terms, forms),
                    weighs_roles=not question.is_of_reference, retained=retained)  # fmt: skip
    if stats.idf:
        reader = _Reader(db, scorer, stats, origin_number, instant, wanted)
        _read_best(db, reader, scorer, stats, origin_number, then)
    labelled = labels.holders(db, terms, origin_number=origin_number)
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
    return None if found is None else question.with_forms(found)


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
    db: Connection, reader: _Reader, scorer: Scorer, stats: bm25.Statistics, origin_number: int,
    then: Then | None,
) -> None:  # fmt: skip
    """Look terms up, rarest first, and read what can be among the best."""
    counted, left = 0.0, sum(stats.idf.values())
    sampled_at = left
    for term, idf in stats.idf.items():
        floor = scorer.floor()
        if floor is not None and left * reader.highest < floor:
            break
        counted, left = counted + idf, left - idf
        seqs = fts.postings(db, term, origin_number=origin_number)
        reader.add(seqs if then is None else then.among(seqs), idf)
        if counted > left and left <= sampled_at / 2:
            reader.sample(left)
            sampled_at = left
    reader.finish(max(left, 0.0))


class _Reader:
    """The facts known to hold a term, their bounds, and which of them were read."""

    def __init__(
        self, db: Connection, scorer: Scorer, stats: bm25.Statistics, origin_number: int, now: int,
        wanted: Filter,
    ) -> None:  # fmt: skip
        self._db = db
        self._scorer = scorer
        self._origin = origin_number
        self._now = now
        self._wanted = wanted
        self._factors = [factor * _SLACK for factor in bound_factors(stats.mean_length)]
        self._codes = b""
        self._sums: dict[int, float] = {}
        self._done: set[int] = set()
        self._fading = scorer.fading if scorer.retained is None else 0.0
        self.highest = max(self._factors)

    def add(self, seqs: list[int], idf: float) -> None:
        """Count a term for the facts that hold it."""
        sums = self._sums
        if not sums:
            self._sums = dict.fromkeys(seqs, idf)
            return
        known = sums.get
        for seq in seqs:
            sums[seq] = known(seq, 0.0) + idf

    def sample(self, left: float) -> None:
        """Read the most promising facts; `left` is the idf of the terms not looked up yet."""
        if len(self._sums) <= _FEW:
            self._score([seq for seq in self._sums if seq not in self._done])
            return
        top = max(self._sums.values())
        bounds = self._bounds(left, least=_STEP * top)
        if bounds:
            cut = _STEP * max(bounds.values())
            self._score([seq for seq, bound in bounds.items() if bound >= cut][:_FEW])

    def finish(self, left: float) -> None:
        """Read whatever can still be among the best."""
        bounds = self._bounds(left)
        while bounds:
            floor = self._scorer.floor() or 0.0
            cut = max(floor, _STEP * max(bounds.values()))
            self._score([seq for seq, bound in bounds.items() if bound >= cut])
            floor = self._scorer.floor() or 0.0
            done = self._done
            bounds = {
                seq: bound for seq, bound in bounds.items() if bound >= floor and seq not in done
            }
            if self._fading and len(bounds) > _MANY:
                bounds = self._without_faded(bounds, floor)

    def _without_faded(self, bounds: dict[int, float], floor: float) -> dict[int, float]:
        """Leave out the facts that would reach the floor only if they had not faded."""
        from tideline_cli.store import unfaded  # noqa: PLC0415  many facts are almost alike

        self._fading = False  # they are looked at once
        if not unfaded.are_rare(self._db, origin_number=self._origin, now=self._now):
            return bounds
        strongest = decay.highest_strength(unfaded.DAYS, unfaded.MOST_USES)
        factor = decay.modulator(strongest, self._scorer.fading)
        doubtful = [seq for seq, bound in bounds.items() if bound * factor < floor]
        strong = unfaded.among(self._db, doubtful, origin_number=self._origin, now=self._now)
        return {seq: bound for seq, bound in bounds.items()
                if bound * factor >= floor or seq in strong}  # fmt: skip

    def _bounds(self, left: float, *, least: float = 0.0) -> dict[int, float]:
        """Return what each unread fact that can be among the best may score, of those whose terms
        add up to `least`."""
        sums, factors, done = self._sums, self._factors, self._done
        floor = self._scorer.floor() or 0.0
        self._load()
        codes = self._codes
        least = max(least, floor / self.highest - left)
        return {
            seq: bound
            for seq, known in sums.items()
            if known >= least
            and (bound := (known + left) * factors[codes[seq]]) >= floor
            and seq not in done
        }

    def _score(self, seqs: list[int]) -> None:
        for start in range(0, len(seqs), _FEW):
            part = seqs[start : start + _FEW]
            self._scorer.add(
                fts.ranking_rows(
                    self._db, part, origin_number=self._origin, now=self._now, wanted=self._wanted
                )
            )
        self._done.update(seqs)

    def _load(self) -> None:
        """Read the bytes once; facts beyond the last one get the one that bounds nothing."""
        if not self._codes:
            self._codes = score_bounds.codes(self._db)
            if facts.last_number(self._db) < len(self._codes):
                self.highest = max(map(self._factors.__getitem__, set(self._codes)))
        last = max(self._sums, default=0) + 1
        if len(self._codes) < last:
            self._codes += bytes([UNKNOWN]) * (last - len(self._codes))
