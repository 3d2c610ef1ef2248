"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

The full-text index tells which facts hold a term, rarest term first; a byte per fact bounds what
it can score. Facts are read and scored in the order of their bounds, until the best ones found
beat whatever is left.
"""

from __future__ import annotations

from tideline_cli.memory import reading
from tideline_cli.memory.reading import Reader
from tideline_cli.memory.scorer import Scorer
from tideline_cli.ranking import bm25
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store import fts, labels, lapsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.held_then import Then
    from tideline_cli.store.lapsed import Lapsed

ENOUGH = 0.35
"""Holders of the terms of a question from which on their sums are added up as bits, as a share of
all facts."""
MUCH = 400_000
"""Their terms, about: below that the facts are bounded one by one before the rest is loaded."""

LARGE = 1 << 16
"""Facts from which on it pays to ask first whether the holders of a term are counted."""


def search(
    db: Connection,
    asked: Mapping[str, float],
    *,
    origin_number: int,
    now: int,
    limit: int,
    wanted: Filter,
    fading: float = DEPTH,
    gone: Lapsed | None = None,
    weighs_roles: bool = True,
) -> list[Match]:
    """Return the best `limit` facts of an origin for these terms and what each of them weighs, in
    order; `gone` are its facts that do not hold now, where the caller knows them."""
    return best_by_words(
        db, asked, origin_number=origin_number, now=now, limit=limit, wanted=wanted,
        fading=fading, gone=gone, weighs_roles=weighs_roles,
    ).matches  # fmt: skip


def best_by_words(
    db: Connection, asked: Mapping[str, float], *, origin_number: int, now: int, limit: int,
    wanted: Filter, fading: float = DEPTH, gone: Lapsed | None = None, weighs_roles: bool = True,
) -> Scorer:  # fmt: skip
    """Return what `search` finds, as the scorer that can score other facts alike."""
    terms, instant, then = [*asked], now, None
    if wanted.as_of is not None:
        from tideline_cli.store import held_then  # noqa: PLC0415  questions about the past alone

        instant = wanted.as_of
        then = held_then.at(db, terms, origin_number=origin_number, instant=instant)
        count, tokens, held = then.facts, then.tokens, then.holders
    else:
        gone = gone or lapsed.at(db, origin_number=origin_number, now=now)
        count, tokens = fts.totals(db, origin_number=origin_number, gone=gone)
        counted = _counted(db, terms, origin_number) if count >= LARGE else {}
        held = fts.frequencies(
            db, terms, origin_number=origin_number, gone=gone, counted=counted
        )
    stats = bm25.statistics(count, tokens, held, asked)
    scorer = Scorer([term for term in terms if term in stats.idf], stats, instant, limit, fading,
                    asked=len(terms), weighs_roles=weighs_roles)  # fmt: skip
    if stats.idf:
        reader = Reader(db, scorer, stats, origin_number, instant, wanted)
        holders = sum(held.values())
        is_much = holders * stats.mean_length >= MUCH
        if then is None and is_much and holders >= ENOUGH * count:
            from tideline_cli.memory import bulk_sums  # noqa: PLC0415  no common word in many facts

            bulk_sums.read_best(db, reader, stats, origin_number=origin_number)
        else:
            _read_best(db, reader, stats, origin_number, then)
    labelled = labels.holders(db, terms, origin_number=origin_number)
    if labelled:
        from tideline_cli.memory import by_label  # noqa: PLC0415  few questions name a label

        scorer.matches = by_label.with_labelled(
            db, scorer, labelled, stats, held, asked=terms, origin_number=origin_number,
            wanted=wanted, now=now, limit=limit,
        )  # fmt: skip
    return scorer


def _counted(db: Connection, terms: list[str], origin_number: int) -> dict[str, int]:
    """Return how many facts hold common terms, which the full-text index would count one by one."""
    from tideline_cli.store import common_postings  # noqa: PLC0415  large memories alone

    return common_postings.holder_counts(db, terms, origin_number=origin_number)


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
        if len(self._sums) <= reading.FEW:
            self._reader.read([seq for seq in self._sums if seq not in self._reader.done])
            return
        top = max(self._sums.values())
        bounds = self._bounds(left, least=reading.STEP * top)
        if bounds:
            cut = reading.STEP * max(bounds.values())
            likely = [seq for seq, bound in bounds.items() if bound >= cut]
            self._reader.read(likely[: reading.FEW])

    def read_on(self, left: float) -> None:
        """Read whatever can still be among the best."""
        self._reader.read_on(self._bounds(left))

    def _bounds(self, left: float, *, least: float = 0.0) -> dict[int, float]:
        """Return what each unread fact that can be among the best may score, of those whose terms
        add up to `least`."""
        reader = self._reader
        codes = reader.codes(max(self._sums, default=0))
        factors, done, floor = reader.factors, reader.done, reader.floor()
        least = max(least, floor / reader.highest - left)
        return {
            seq: bound
            for seq, known in self._sums.items()
            if known >= least
            and (bound := (known + left) * factors[codes[seq]]) >= floor
            and seq not in done
        }
