"""Okapi BM25 over the facts of one viewer, and bounds, so that most facts need not be read."""

from __future__ import annotations

from math import exp, log

from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tideline_cli.model.forms.found import Forms

    # A condition on the terms of a fact: a term, or ("AND" | "OR", conditions).
    Condition = str | tuple[str, tuple["Condition", ...]]

K1 = 1.2
B = 0.75
_SLACK = 1.0 - 1e-9  # bounds are compared with a margin for rounding
_MAX_LEAVES = 400
SHORT = 48
"""Terms up to which counting each query term alone is faster."""


class Statistics(Record):
    """The facts of a viewer as BM25 needs them: how many, their mean length, the idf of each term.

    `idf` holds only terms that occur, the rarest first, each times what it weighs in the question:
    `weights` has what is not 1. `forms` says which of them are one word; `in_forms` are those that
    count otherwise than alone.
    """

    facts: int
    mean_length: float
    idf: Mapping[str, float]
    weights: Mapping[str, float] = {}
    forms: Forms | None = None
    in_forms: frozenset[str] = frozenset()


def statistics(
    facts: int, tokens: int, frequencies: Mapping[str, int], weights: Mapping[str, float] = {},
    forms: Forms | None = None,
) -> Statistics:  # fmt: skip
    """Return the statistics of `facts` facts with `tokens` terms in all.

    `frequencies` maps query terms to the number of facts that hold them, `weights` to what they
    weigh, where that is not 1;
    idf = ln(1 + (N − n + 0.5) / (n + 0.5)). Source: Robertson and Zaragoza 2009, with the +1 of
    Lucene that keeps idf positive.
    """
    if forms is not None:
        frequencies = _by_word(frequencies, forms)
    rarest_first = sorted((n, term) for term, n in frequencies.items() if n > 0)
    idf = {term: idf_of(facts, n) * weights.get(term, 1.0) for n, term in rarest_first}
    mean = max(1.0, tokens / facts) if facts else 1.0
    in_forms = frozenset() if forms is None else _in_forms(forms)
    return Statistics(facts, mean, idf, weights, forms, in_forms)


def _in_forms(forms: Forms) -> frozenset[str]:
    """Return the other spellings, and the words that have parts with those parts."""
    parts = [term for one, wholes in forms.wholes for term in (*one, *wholes)]
    return frozenset(parts).union(*forms.others.values())


def _by_word(frequencies: Mapping[str, int], forms: Forms) -> dict[str, int]:
    """Return the frequencies, where each further spelling of a word of letters is as common as the
    commonest one; the word that is asked for keeps its own."""
    every = dict(frequencies)
    for term, others in forms.others.items():
        group = [one for one in (term, *others) if every.get(one) and one.isalpha()]
        most = max(map(every.__getitem__, group), default=0)
        every.update(dict.fromkeys([one for one in group if one != term], most))
    return every


def idf_of(facts: int, holders: int) -> float:
    """Return the idf of a term that so many of the facts hold."""
    return log(1.0 + (facts - holders + 0.5) / (holders + 0.5))


def score(
    terms: Sequence[str], query: Sequence[str], stats: Statistics
) -> tuple[float, tuple[str, ...]]:
    """Return the BM25 score of a fact with these terms, and which query terms it matched.

    Σ idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length / mean)), over distinct query terms.
    """
    norm = K1 * (1.0 - B + B * len(terms) / stats.mean_length)  # as norm_of has it
    held = terms if len(terms) <= SHORT else _asked(terms, query, stats)
    if stats.forms is not None and not stats.in_forms.isdisjoint(held):
        from tideline_cli.ranking.one_word import combined  # noqa: PLC0415  some questions alone

        return combined(_each(held, norm, query, stats), stats.forms)
    total = 0.0
    matched: list[str] = []
    often = held.count
    for term in query:
        f = often(term)
        if f:
            total += stats.idf[term] * f * (K1 + 1.0) / (f + norm)
            matched.append(term)
    return total, tuple(matched)


def term_scores(terms: Sequence[str], query: Sequence[str], stats: Statistics) -> dict[str, float]:
    """Return what each query term that a fact with these terms holds adds by itself."""
    return _each(_asked(terms, query, stats), norm_of(len(terms), stats), query, stats)


def norm_of(length: int, stats: Statistics) -> float:
    """Return what a fact's count of a term is divided by: k1 · (1 − b + b · length / mean)."""
    return K1 * (1.0 - B + B * length / stats.mean_length)


def _asked(terms: Sequence[str], query: Sequence[str], stats: Statistics) -> list[str]:
    """Return the terms that a question is about, in one walk over those of a fact."""
    return [*filter(stats.in_forms.union(query).__contains__, terms)]


def _each(
    held: Sequence[str], norm: float, query: Sequence[str], stats: Statistics
) -> dict[str, float]:
    return {
        term: stats.idf[term] * f * (K1 + 1.0) / (f + norm)
        for term in query
        if (f := held.count(term))
    }


def holders_of(stats: Statistics, term: str) -> float:
    """Return how many facts hold a term, but for rounding, as its idf says; 0 for none."""
    idf = stats.idf.get(term)
    if idf is None:
        return 0.0
    return (stats.facts + 1) / exp(idf / stats.weights.get(term, 1.0)) - 0.5


def label_score(length: int, stats: Statistics, idfs: Iterable[float]) -> float:
    """Return what terms in the labels of a fact add to its score, each as one occurrence.

    `length` counts the terms of its text and of its labels, so that many labels add no more than
    a long text does.
    """
    return sum(idfs) * (K1 + 1.0) / (1.0 + norm_of(length, stats))


def condition_for(bounds: Mapping[str, float], need: float) -> Condition | None:
    """Return a condition that holds for every set of terms whose bounds add up to `need`.

    `bounds` runs from the largest to the smallest. None when no set reaches `need`. Where the exact
    condition has too many parts, the one that is returned also holds for some sets below `need`.
    """
    items = tuple(bounds.items())
    rest = [0.0] * (len(items) + 1)
    for i in range(len(items) - 1, -1, -1):
        rest[i] = rest[i + 1] + items[i][1]
    leaves = 0

    def build(i: int, missing: float) -> Condition | None:
        nonlocal leaves
        if missing > rest[i] or i == len(items):
            return None
        if items[-1][1] >= missing or leaves > _MAX_LEAVES:
            leaves += len(items) - i
            return _join("OR", [term for term, _ in items[i:]])
        if rest[i + 1] < missing and _all_needed(items, i, missing, rest[i]):
            leaves += len(items) - i
            return _join("AND", [term for term, _ in items[i:]])
        term, weight = items[i]
        leaves += 1
        with_it: Condition | None = term
        if weight < missing:
            others = build(i + 1, missing - weight)
            with_it = None if others is None else _join("AND", [term, others])
        return _join("OR", [with_it, build(i + 1, missing)])

    return build(0, need * _SLACK)


def _all_needed(items: tuple[tuple[str, float], ...], i: int, missing: float, total: float) -> bool:
    return all(total - weight < missing for _, weight in items[i:])


def _join(word: str, parts: Sequence[Condition | None]) -> Condition | None:
    flat: list[Condition] = []
    for part in parts:
        if isinstance(part, tuple) and part[0] == word:
            flat.extend(part[1])
        elif part is not None:
            flat.append(part)
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else (word, tuple(flat))
