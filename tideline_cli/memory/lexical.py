"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

The full-text index tells which facts hold a term, rarest term first; a byte per fact bounds what
it can score. Facts are read and scored in the order of their bounds, until the best ones found
beat whatever is left.
"""

from __future__ import annotations

from tideline_cli.memory.question import rests_on_one_word, unknown_words, word_count
from tideline_cli.memory.scorer import Scorer
from tideline_cli.ranking import bm25
from tideline_cli.ranking.score_bounds import UNKNOWN, bound_factors
from tideline_cli.store import facts, fts, labels, lapsed, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.model.forms.found import Forms
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.held_then import Then
    from tideline_cli.store.lapsed import Lapsed

_FEW = 400  # facts that are cheaper to read than to bound
_STEP = 0.8  # the bounds of one reading go down to this share of the highest one left
_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding


def search(
    db: Connection,
    terms: Sequence[str],
    *,
    origin_number: int,
    now: int,
    limit: int,
    wanted: Filter,
    fading: bool = True, gone: Lapsed | None = None, forms: Forms | None = None,
    by_beginning: bool = False, left_out: list[Match] | None = None,
) -> list[Match]:  # fmt: skip
    """Return the best `limit` facts of an origin for these distinct terms, in order; `gone` are its
    facts that do not hold now, where the caller knows them. `forms` says which terms are one word,
    `by_beginning` whether stored words stand in for unknown ones; `left_out`, if given, takes what
    rests on one word of a question that is mostly unknown."""
    instant, then = now, None
    if wanted.as_of is not None:
        from tideline_cli.store import held_then  # noqa: PLC0415  questions about the past alone

        instant = wanted.as_of
        then = held_then.at(db, terms, origin_number=origin_number, instant=instant)
        count, tokens, held = then.facts, then.tokens, then.holders
    else:
        gone = gone or lapsed.at(db, origin_number=origin_number, now=now)
        count, tokens = fts.totals(db, origin_number=origin_number, gone=gone)
        held = fts.frequencies(db, terms, origin_number=origin_number, gone=gone)
    fuller = _fuller(db, terms, held, forms, origin_number) if by_beginning else None
    if fuller is not None:
        return search(
            db, [*terms, *fuller.added_to(forms)], origin_number=origin_number, now=now,
            limit=limit, wanted=wanted, fading=fading, gone=gone, forms=fuller, left_out=left_out,
        )  # fmt: skip
    stats = bm25.statistics(count, tokens, held, forms)
    scorer = Scorer([term for term in terms if term in stats.idf], stats, instant, limit, fading,
                    asked=word_count(terms, forms))  # fmt: skip
    if stats.idf:
        reader = _Reader(db, scorer, stats, origin_number, instant, wanted)
        _read_best(db, reader, scorer, stats, origin_number, then)
    labelled = labels.holders(db, terms, origin_number=origin_number)
    found = scorer.matches
    if labelled:
        from tideline_cli.memory import by_label  # noqa: PLC0415  few questions name a label

        found = by_label.with_labelled(
            db, scorer, labelled, stats, held, asked=terms, origin_number=origin_number,
            wanted=wanted, now=now, limit=limit,
        )  # fmt: skip
    return _without_chance(found, terms, {**held, **labelled}, forms, left_out)


def _fuller(
    db: Connection, terms: Sequence[str], held: Mapping[str, int], forms: Forms | None,
    origin_number: int,
) -> Forms | None:  # fmt: skip
    """Return the forms of a question with what stands in for unknown words, None without any."""
    unknown = [] if all(held.values()) else unknown_words(terms, held, forms)
    if not unknown:
        return None
    from tideline_cli.memory import beginning_words  # noqa: PLC0415  a word is unknown

    return beginning_words.stand_ins(db, terms, unknown, forms, origin_number=origin_number)


def _without_chance(
    matches: list[Match], terms: Sequence[str], held: Mapping[str, object], forms: Forms | None,
    left_out: list[Match] | None,
) -> list[Match]:  # fmt: skip
    """Return the matches but for those that `left_out` takes."""
    if left_out is None or not matches:
        return matches
    known = {term for term, held_by in held.items() if held_by}
    kept: list[Match] = []
    for match in matches:
        by_chance = rests_on_one_word(match.why.matched_terms, terms, known, forms)
        (left_out if by_chance else kept).append(match)
    return kept


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
