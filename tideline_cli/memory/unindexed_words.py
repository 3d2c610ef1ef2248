"""Words of a question that the index does not have: stop words, looked for in the texts as a name;
and those that no fact holds, for which the stored words that begin like them stand in.

So a hash is found by its first characters, and a word by another ending. What is read of the
vocabulary is that of the viewer's origin, and bounded; where all words are known, nothing is.
"""

from __future__ import annotations

from tideline_cli.memory.query import ENDS, Match, least_size
from tideline_cli.memory.scorer import Scorer
from tideline_cli.model.forms.found import Forms
from tideline_cli.ranking import bm25
from tideline_cli.store import fts, listing, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.memory.search import Search, View
    from tideline_cli.store.reads import Read

_MOST = 7  # stored words that stand in for one
_READ = 64
_CUT = 2  # last letters that another ending may take the place of
_LONGER = 3  # letters of another ending


def stand_ins(
    db: Connection, terms: Sequence[str], unknown: Sequence[str], forms: Forms | None, *,
    origin_number: int,
) -> Forms | None:  # fmt: skip
    """Return the forms of a question with stored words for its unknown ones; None without such."""
    found = Forms(terms) if forms is None else forms.copy()
    before = len(found.further())
    starting = _starting(db, unknown, origin_number)
    for term in unknown:
        for other in _alike(term, starting):
            found.spell(term, other)
    return found if len(found.further()) > before else None


def _starting(
    db: Connection, words: Sequence[str], origin_number: int
) -> Callable[[str], list[str]]:
    """Return what says which stored words begin as one of the words does, or a stem of it: those of
    all are read at once where a read takes a round trip."""

    def read(start: str) -> Read[list[str]]:
        return fts.words_from(start, origin_number=origin_number, limit=_READ)

    if not reads.has_trips(db):
        return lambda start: reads.alone(db, read(start))
    starts = [start for word in words for start in (word, *_stems(word))]
    known = dict(zip(starts, reads.together(db, *map(read, starts)), strict=True))
    return known.__getitem__


def _alike(term: str, starting: Callable[[str], list[str]]) -> list[str]:
    """Return the stored words that begin with a word; where there are none, those that have another
    ending; the shortest ones first."""
    found = sorted(starting(term), key=len)[:_MOST]
    for stem in _stems(term):
        if not found:
            found = [
                word for word in sorted(starting(stem), key=len)[:_MOST]
                if len(word) <= len(stem) + _LONGER
            ]  # fmt: skip
    return found


def _stems(term: str) -> list[str]:
    """Return a word without its last letters, in whose place others may stand."""
    if not term.isalpha():
        return []
    return [term[:-cut] for cut in range(1, _CUT + 1) if len(term) - cut >= least_size(term)]


_MOST_READ = 5000  # facts of a pattern, the newest
_NAME, _FIRST, _COMMON = 1.0, 0.5, 0.1  # what an occurrence weighs: a name, perhaps one, hardly one
_STOPS = ".!?:"
# What follows a stop word that begins a sentence, where it is no name: `Will you`, `Who could`.
_FOLLOWS = frozenset(
    "a an are can could did do does had has have he her his i if is it may might must my our shall "
    "she should that the their there these they this those to was we were will would you your"
    .split()
)


def as_names(view: View, search: Search) -> list[Match]:
    """Return the facts with a question's words side by side, first those with a name."""
    words, query, curve = search.question.names, search.query, search.retained
    moment = view.instant(query.wanted)
    rows: dict[int, tuple[fts.RankingRow, str]] = {}
    for patterns in _patterns(words):
        for row, text in listing.rows_written(
            view.db, patterns, origin_number=view.number, now=moment, wanted=query.wanted,
            limit=_MOST_READ, heat=curve is not None and curve.by_heat,
        ):  # fmt: skip
            rows[row[0]] = row, text
        if len(rows) >= query.reach:
            break
    term = " ".join(words).lower()
    scored = [(row, weight) for row, text in rows.values() if (weight := _weight(text, words))]
    stats = bm25.Statistics(len(scored), 1.0, {term: 1.0})
    scorer = Scorer([term], stats, moment, query.limit, query.depth, asked=1, retained=curve)
    found = [
        scorer.match(row, weight * (bm25.K1 + 1.0) / (weight + bm25.K1), (term,))
        for row, weight in scored
    ]
    return sorted(found, key=Match.order)[: query.limit]


def _patterns(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the patterns to ask for, one set after the other: as a name, then as any word."""
    head = words[0]
    if len(words) > 1:
        rest = " ".join(words[1:])
        yield (f"*[{head[0].upper()}{head[0].lower()}]{head[1:].lower()} {rest}*",)
        return
    yield f"*{head.capitalize()}*", f"*{head.upper()}*"
    yield ("*" + "".join(f"[{char.upper()}{char.lower()}]" for char in head) + "*",)


def _weight(text: str, words: Sequence[str]) -> float:
    """Return how much a text has of the words side by side."""
    given = text.split()
    cores = [word.strip(ENDS) for word in given]
    lower = [core.lower() for core in cores]
    wanted = [word.lower() for word in words]
    total, size = 0.0, len(words)
    for at in range(len(lower) - size + 1):
        if lower[at : at + size] == wanted:
            last = cores[at + size - 1]
            is_first = at == 0 or given[at - 1][-1] in _STOPS
            follows = lower[at + size] if at + size < len(lower) else ""
            total += _weight_of(last, follows, is_first=is_first and size == 1)
    return total


def _weight_of(word: str, follows: str, *, is_first: bool) -> float:
    if word == word.upper() and len(word) > 1:
        return _NAME
    if not word[:1].isupper() or word == "I":
        return _COMMON
    if not is_first:
        return _NAME
    return _COMMON if follows in _FOLLOWS and follows != word.lower() else _FIRST
