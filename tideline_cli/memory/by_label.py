"""Facts found by their labels: a title, a tag, a slot or a kind holds a word of the question that
the text does not hold. They are scored exactly, and put among the best of the lexical lane.
"""

from __future__ import annotations

from tideline_cli.memory.query import Match
from tideline_cli.ranking import bm25
from tideline_cli.ranking.one_word import combined
from tideline_cli.store import fts, labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tideline_cli.memory.scorer import Scorer
    from tideline_cli.memory.search import Known, Search, View
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow

    Labelled = Mapping[str, Mapping[int, int]]

_MOST_READ = 2000  # facts that one question reads for their labels, those of rare labels first


def with_labelled(
    view: View, search: Search, scorer: Scorer, stats: bm25.Statistics, known: Known, *, limit: int
) -> list[Match]:
    """Return the best `limit` of what the scorer has found and of the facts whose labels hold an
    asked term.

    A term in a label counts as one occurrence, with the idf of all that hold it, in text or label,
    times its weight.
    Facts that no label finds keep their scores.
    """
    wanted, labelled, held = search.wanted, known.labelled, known.held
    asked = search.question.terms

    def read(asked_of: Filter) -> list[RankingRow]:
        return fts.ranking_rows(
            view.db, seqs, origin_number=view.number, now=view.now, wanted=asked_of,
            heat=scorer.wants_heat,
        )  # fmt: skip

    seqs = _chosen(labelled)
    whole = type(wanted)(lifecycle=wanted.lifecycle, as_of=wanted.as_of)
    holding = read(whole)
    out = set(seqs).difference([row[0] for row in holding])  # read, and not held at the moment
    idf: dict[str, float] = {}
    for term, listed in labelled.items():
        older = labels.older_label_holders(view.db, term, origin_number=view.number)
        holders = held.get(term, 0) + sum(seq not in out for seq in listed) + older
        weight = stats.weights.get(term, 1.0)
        idf[term] = weight * bm25.idf_of(stats.facts, min(holders, stats.facts))
    terms_of = _by_fact(labelled, asked)
    rows = holding if wanted.is_open() else read(wanted)
    sizes = {seq: size for listed in labelled.values() for seq, size in listed.items()}
    found = {
        row[0]: _scored(row, scorer, stats, asked, {term: idf[term] for term in terms_of[row[0]]},
                        sizes[row[0]])
        for row in rows
    }  # fmt: skip
    others = [match for match in scorer.matches if match.seq not in found]
    scorer.labelled = found
    return sorted([*others, *found.values()], key=Match.order)[:limit]


def _scored(
    row: RankingRow, scorer: Scorer, stats: bm25.Statistics, asked: Sequence[str],
    idfs: Mapping[str, float], label_count: int,
) -> Match:  # fmt: skip
    """Return a fact with the score of its text and of its labels."""
    listed = row[fts.TERMS].split()
    query = [term for term in asked if term in stats.idf]
    length = len(listed) + label_count
    if stats.forms is None:
        value, matched = bm25.score(listed, query, stats)
        value += bm25.label_score(length, stats, idfs.values())
        matched = tuple([term for term in asked if term in matched or term in idfs])
    else:
        in_labels = {term: bm25.label_score(length, stats, (idf,)) for term, idf in idfs.items()}
        value, matched = combined(
            {**bm25.term_scores(listed, query, stats), **in_labels}, stats.forms
        )
    return scorer.match(row, value, matched, tuple([term for term in idfs if term in matched]))


def _chosen(labelled: Labelled) -> list[int]:
    """Return the facts to read: those of the rarest labels first, and no more than a bound."""
    chosen: dict[int, None] = {}
    for listed in sorted(labelled.values(), key=len):
        for seq in listed:
            if len(chosen) < _MOST_READ:
                chosen[seq] = None
    return list(chosen)


def _by_fact(labelled: Labelled, asked: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Return by fact which asked terms its labels hold, in the order of the question."""
    found: dict[int, tuple[str, ...]] = {}
    for term in asked:
        for seq in labelled.get(term, ()):
            found[seq] = (*found.get(seq, ()), term)
    return found
