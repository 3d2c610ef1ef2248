"""Questions of a stop word alone, as a name or a word may be one: Will, IT, The Who.

No index has such words, so the texts are looked at, those first that write it as a name.
"""

from __future__ import annotations

from tideline_cli.memory.query import Match
from tideline_cli.memory.question import ENDS
from tideline_cli.memory.scorer import Scorer
from tideline_cli.ranking import bm25
from tideline_cli.store import fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.memory.search import Search, View

_MOST_READ = 5000  # facts of a pattern, the newest
_NAME, _FIRST, _COMMON = 1.0, 0.5, 0.1  # what an occurrence weighs: a name, perhaps one, hardly one
_STOPS = ".!?:"
# What follows a stop word that begins a sentence, where it is no name: `Will you`, `Who could`.
_FOLLOWS = frozenset(
    "a an are can could did do does had has have he her his i if is it may might must my our shall "
    "she should that the their there these they this those to was we were will would you your"
    .split()
)


def search(view: View, search: Search) -> list[Match]:
    """Return the facts that hold the words of a question side by side, those first that write them
    as a name."""
    words, query, curve = search.question.names, search.query, search.retained
    moment = view.instant(query.wanted)
    rows: dict[int, tuple[fts.RankingRow, str]] = {}
    for patterns in _patterns(words):
        for row, text in fts.rows_written(
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
