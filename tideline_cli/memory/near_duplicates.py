"""Which stored facts might say the same as a new one: candidates, found by their terms."""

from __future__ import annotations

from math import ceil, comb

from tideline_cli.model.text import said_terms, terms
from tideline_cli.policy.admit import Rival
from tideline_cli.policy.sameness import SAME_TERMS, jaccard, may_be_same
from tideline_cli.ranking.bm25 import condition_for
from tideline_cli.store import facts, fts
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.ranking.bm25 import Condition

_GROUP = 3  # digits
_MAX_LEAVES = 300
_RARE = 64
_PROBES = 8  # terms to ask for beyond those that a twin may miss
_MOST_SHOWN = 8  # facts of a pattern with other figures that are given as candidates, the newest
_ROUNDING = 1e-9
_MANY = 256  # facts that are cheaper to read than to look up in the bytes of all
_READ_SOONER = 1024  # facts that are cheaper to read than to look for among the holders of a term
_MOST_READ = 64  # candidates that are read and compared: 64 of 8,192 characters take 0.4 s


def rule_of(db: Connection) -> Sameness:
    """Return the rule of a store by which two facts say the same."""
    rule: Sameness = setting(db, "sameness", "strict")  # type: ignore[assignment]
    return rule


def twins(
    db: Connection, text: str, distinct: frozenset[str], *, viewer: Origin, origin_number: int,
    rule: Sameness,
) -> Iterator[Rival]:  # fmt: skip
    """Yield the active facts of this origin whose terms are nearly those of `text`, oldest first.

    Lazy: facts are read from the store one at a time, while the caller decides. The caller holds
    the write lock, so what is yielded is limited. By the strict rule facts with the very same text
    come first, then the most alike. The newest few of those that cannot say the same, as their
    figures differ, come last: they are there to be named.
    """
    near = list(sharing(db, distinct, origin_number=origin_number))
    if rule == "reference":
        for seq, theirs in near:
            yield from _loaded(db, [(seq, theirs)], viewer)
        return
    seen = {seq for seq, _ in near}
    spellings = respelled(
        text, distinct, analyzer=lambda: setting(db, "analyzer", "standard")
    )
    for spelled in spellings:
        # They share as much with the text once its figures are spelled as theirs are.
        like = sharing(db, spelled, origin_number=origin_number)
        near += [(seq, distinct) for seq, _ in like if seq not in seen]
    hopeful: list[tuple[int, frozenset[str]]] = []
    others: list[tuple[int, frozenset[str]]] = []
    for found in near:
        (hopeful if may_be_same(distinct, found[1]) else others).append(found)
    yield from _loaded(db, likeliest(db, text, distinct, hopeful, viewer=viewer), viewer)
    yield from _loaded(db, others[-_MOST_SHOWN:], viewer)


def respelled(
    text: str, distinct: frozenset[str], *, analyzer: Callable[[], Analyzer]
) -> Iterator[frozenset[str]]:
    """Yield the terms of a text with its large figures in groups of three digits, and with such
    groups as one figure: 1000 is 1,000."""
    figures = [term for term in distinct if term.isdecimal()]
    large = [figure for figure in figures if len(figure) > _GROUP]
    if large:
        groups = [figure[max(0, end - _GROUP) : end] for figure in large
                  for end in range(len(figure), 0, -_GROUP)]  # fmt: skip
        yield distinct.difference(large).union(groups)
    if any(len(figure) == _GROUP for figure in figures):
        joined = frozenset(_joined(terms(text, analyzer=analyzer())))
        if joined != distinct:
            yield joined


def _joined(listed: list[str]) -> Iterator[str]:
    """Yield terms, a figure of up to three digits and those of three that follow as one."""
    figure = ""
    for term in listed:
        is_figure = term.isdecimal() and len(term) <= _GROUP
        if figure and not (is_figure and len(term) == _GROUP):
            yield figure
            figure = ""
        if is_figure:
            figure += term
        else:
            yield term
    if figure:
        yield figure


def likeliest(
    db: Connection, text: str, distinct: frozenset[str], near: list[tuple[int, frozenset[str]]],
    *, viewer: Origin,
) -> list[tuple[int, frozenset[str]]]:  # fmt: skip
    """Return of many candidates those to read: the facts with the very text, then the most alike,
    each oldest first."""
    if len(near) <= 1:
        return near
    alike = {seq: jaccard(distinct, theirs) for seq, theirs in near}
    equal = [seq for seq, share in alike.items() if share == 1]
    verbatim = set(facts.worded(db, equal, text, viewer=viewer)[:_MOST_READ])
    chosen = verbatim | set(sorted(alike, key=lambda seq: (-alike[seq], seq))[:_MOST_READ])
    by_number = dict(near)
    ordered = sorted(chosen, key=lambda seq: (seq not in verbatim, seq))
    return [(seq, by_number[seq]) for seq in ordered]


def _loaded(
    db: Connection, found: list[tuple[int, frozenset[str]]], viewer: Origin
) -> Iterator[Rival]:
    for seq, theirs in found:
        for twin, _ in facts.with_terms(db, [seq], viewer=viewer):
            yield Rival(twin, theirs)


def sharing(
    db: Connection, distinct: frozenset[str], *, origin_number: int, least: float = SAME_TERMS
) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield (number, terms) of the active facts of an origin whose terms and these have a Jaccard
    index of at least `least`, oldest first.

    Such a fact holds all but a few of the terms; asking for most of the rarest ones finds every
    such fact and little else.
    """
    if not distinct:
        return
    needed = ceil(least * len(distinct))
    missable = len(distinct) - needed
    probes = _rarest(db, distinct, origin_number, missable)
    if sum(count == 0 for count, _ in probes) > missable:
        return
    share = min(_affordable(missable, needed), len(probes) - missable)
    chosen = [term for _, term in probes[: missable + share]]
    condition = condition_for(dict.fromkeys(chosen, 1.0), len(chosen) - missable)
    if condition is None:
        return
    seqs = fts.holding(db, condition, origin_number=origin_number, limit=_MANY + 1)
    if len(seqs) > _MANY:
        # Terms that only one of the two has count against a share of `least`.
        most = int(len(distinct) / least + _ROUNDING)
        seqs = _of_size(db, condition, needed, most, origin_number)
    for seq, held in list(fts.terms_of(db, seqs, origin_number=origin_number)):
        theirs = frozenset(said_terms(held))
        if jaccard(distinct, theirs) >= least:
            yield seq, theirs


def _of_size(
    db: Connection, condition: Condition, least: int, most: int, origin_number: int
) -> list[int]:
    """Return the facts, by number, that may fulfil `condition` and have so many distinct terms, as
    the bytes say that bound their scores: none of them is read. Where few facts of the store have
    that size, the long lists of common terms are not read either."""
    from tideline_cli.store.sizes import Sized  # noqa: PLC0415  many candidates

    sized = Sized(db, least, most, origin_number=origin_number)
    if sized.are_few(_READ_SOONER):
        return sized.numbers()
    return sized.among(fts.holding(db, condition, origin_number=origin_number))


def _rarest(
    db: Connection, distinct: frozenset[str], origin_number: int, missable: int
) -> list[tuple[int, str]]:
    """Return (facts that hold it, term) of some long terms, rarest first; long terms are rare.

    Counting ends when more terms are new than a twin may miss.
    """
    counted: list[tuple[int, str]] = []
    unheard = 0
    for term in _longest(distinct, missable):
        count = fts.rarity(db, term, origin_number=origin_number, enough=_RARE)
        counted.append((count, term))
        unheard += count == 0
        if unheard > missable:
            break
    return sorted(counted)


def probed(distinct: frozenset[str]) -> list[str]:
    """Return the terms whose holders `sharing` asks for: the longest ones."""
    return _longest(distinct, len(distinct) - ceil(SAME_TERMS * len(distinct)))


def _longest(distinct: frozenset[str], missable: int) -> list[str]:
    return sorted(distinct, key=lambda term: (-len(term), term))[: missable + _PROBES]


def least_shared(distinct: frozenset[str]) -> int:
    """Return how many of `probed` a fact holds at least that `sharing` yields."""
    needed = ceil(SAME_TERMS * len(distinct))
    missable = len(distinct) - needed
    return max(1, min(_affordable(missable, needed), len(probed(distinct)) - missable))


def _affordable(missable: int, needed: int) -> int:
    """Return how many terms to ask for, so that the condition stays small."""
    share = 1
    while share < needed and comb(missable + share + 1, missable) * (share + 1) <= _MAX_LEAVES:
        share += 1
    return share
