"""When two statements may contradict each other. Pure.

They do when they speak of the same and one of them is negated, or one has the opposite word, or
another figure or value stands behind the same subject and verb. Two negations agree.
"""

from __future__ import annotations

from itertools import takewhile

from tideline_cli.model.lean import once
from tideline_cli.model.record import Record
from tideline_cli.model.scope import are_seen_together
from tideline_cli.model.text import stem
from tideline_cli.policy.sameness import jaccard
from tideline_cli.policy.statements import (
    ARTICLES,
    BE,
    BREAKS,
    LIGHT,
    LIVE,
    LIVING,
    MOVED,
    NEGATIONS,
    NOT_TELLING,
    PLACES,
    RELATIONS,
    VERBS,
    is_figure,
    said_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal, Protocol

    Sign = Literal["negation", "opposite", "value"]

    class Stating(Protocol):
        """A fact, or what is read of it for a comparison."""

        @property
        def id(self) -> str: ...
        @property
        def content(self) -> str: ...
        @property
        def created_at(self) -> int: ...
        @property
        def scope(self) -> str | None: ...
        @property
        def speaker(self) -> str | None: ...
        @property
        def title(self) -> str | None: ...

MIN_OVERLAP = 0.2
MIN_SCORE = 0.12
_LONGEST_VALUE = 4  # words
_LONGEST_SUBJECT = 3  # telling words, the verb among them
_LEAST_ROOT = 3  # letters
OPPOSITES = """
open:closed close shut|on:off|true:false|yes:no|public:private|required mandatory:optional|
before:after|love like:hate dislike|accept:reject refuse|allow:deny forbid|
married:divorced single|alive:dead|early:late|hot warm:cold|fast:slow|good:bad|start:stop|
begin:end|buy:sell|add:remove delete|win:lose|full:empty|cheap:expensive|high:low|
manual:automatic|light:dark|succeed pass:fail|with:without
"""
# What is left of both words without these is the same: locked, unlocked; enabled, disabled.
PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "de", "en", "ex", "up", "down", "on",
            "off", "out", "over", "under", "max", "min")  # fmt: skip
# What somebody did may have been done elsewhere too; what ends in -ed is of that kind.
DONE = frozenset(
    "met saw ate drank got made took came drove spent paid found bought sold slept went".split()
)


class ComparedFact(Record):
    """The side of a pair of facts that may contradict each other."""

    id: str
    content: str
    created_at: int
    scope: str | None = None
    speaker: str | None = None
    title: str | None = None


def compared_fact(fact: Stating) -> ComparedFact:
    """Return what of a fact is compared with another."""
    return ComparedFact(
        fact.id, fact.content, fact.created_at, fact.scope, fact.speaker, fact.title
    )


class Contradiction(Record):
    """Two facts that may contradict each other; `a` is the newer, then of larger id. `sign` is None
    where the rule of the reference has found them, or two machines have stated them."""

    a: ComparedFact
    b: ComparedFact
    overlap: float
    divergence: float
    score: float
    sign: Sign | None = None


class Statement(Record):
    """A text as it is compared: its words in order without articles, the stems of those that tell
    something, whether it is negated, and what its negations stand before."""

    words: tuple[str, ...]
    telling: frozenset[str]
    is_negated: bool
    denied: frozenset[str]


def statement(text: str) -> Statement:
    """Return a text as it is compared."""
    said = said_in(text)
    negations = [place for place, word in enumerate(said) if word in NEGATIONS]
    denied = _telling(
        word for place in negations
        for word in takewhile(lambda word: word not in BREAKS, said[place + 1 :])
    )  # fmt: skip
    words = tuple(word for word in said if word not in ARTICLES and word not in BREAKS)
    return Statement(words, _telling(words), bool(negations), denied)


def sign(one: Statement, other: Statement) -> Sign | None:
    """Return what tells that two statements may contradict each other, None where nothing does."""
    if one.is_negated and other.is_negated:
        return None
    left, right = one.telling - other.telling, other.telling - one.telling
    if one.is_negated or other.is_negated:
        is_denied = _is_denied(one, other, left, right)
        return "negation" if is_denied and not _opposite(one, other) else None
    # Beside the opposites one statement at most tells what the other does not.
    if min(len(left), len(right)) <= 1 and not one.telling.isdisjoint(other.telling):
        apart = _opposite(one, other)
        if apart and not (left - apart and right - apart):
            return "opposite"
    is_other = _is_other_value(_in_place(one, other), _in_place(other, one))
    return "value" if is_other else None


def judged(
    one: ComparedFact, said: Statement, other: ComparedFact, held: Statement
) -> Contradiction | None:
    """Return two facts that a sign tells of: it makes half of the score, and the share of the
    telling words in common the other half."""
    by = sign(said, held)
    share = jaccard(said.telling, held.telling) if by else 0.0
    return _pair(one, other, share, 1.0 - share, (1.0 + share) / 2, by) if by else None


def are_contradictory(one: Stating, other: Stating) -> bool:
    """Say whether a sign tells that two facts may contradict each other."""
    sides = compared_fact(one), compared_fact(other)
    return judged(sides[0], statement(one.content), sides[1], statement(other.content)) is not None


def compared(
    one: ComparedFact, other: ComparedFact, terms: tuple[frozenset[str], frozenset[str]],
    cosine: float | None,
) -> Contradiction | None:  # fmt: skip
    """Return how far two facts of one segment contradict each other by the rule of the reference:
    overlap · divergence, the overlap of their terms and 1 − the cosine of their vectors, or 1 − the
    overlap where there are none. None when they are about different things."""
    overlap = jaccard(*terms)
    if overlap < MIN_OVERLAP:
        return None
    divergence = 1.0 - (overlap if cosine is None else max(0.0, cosine))
    return _pair(one, other, overlap, divergence, overlap * divergence)


def _pair(
    one: ComparedFact, other: ComparedFact, overlap: float, divergence: float, score: float,
    by: Sign | None = None,
) -> Contradiction | None:  # fmt: skip
    """Return two facts of one speaker, where they are seen together from some scope."""
    if one.speaker != other.speaker or not are_seen_together(one.scope, other.scope):
        return None
    a, b = sorted((one, other), key=lambda fact: (fact.created_at, fact.id), reverse=True)
    return Contradiction(a, b, overlap, divergence, score, by)


def order(pair: Contradiction) -> tuple[float, int, int]:
    """Return the key by which the strongest comes first, then the newest."""
    return -pair.score, -pair.a.created_at, -pair.b.created_at


def _stem_of(word: str) -> str:
    """Return what a word is compared by: its English stem, and one for to live and to move."""
    return LIVE if word in LIVING else stem(word) if word.isascii() else word


def _telling(words: Iterable[str]) -> frozenset[str]:
    return frozenset(_stem_of(word) for word in words if word not in NOT_TELLING)


def _is_denied(
    one: Statement, other: Statement, left: frozenset[str], right: frozenset[str]
) -> bool:
    """Say whether the negation of one statement denies the other: all that one tells is in the
    other, and what is negated is in both."""
    shared = one.telling & other.telling
    is_within = not (left and right) and len(left | right) <= max(3, len(shared))
    denied = one.denied | other.denied
    is_told = len(shared) >= max(1, min(2, len(one.telling | other.telling)))
    return is_within and is_told and (not denied or not denied.isdisjoint(shared))


def _opposite(one: Statement, other: Statement) -> frozenset[str]:
    """Return two words that exclude each other, one of each statement; empty where none do."""
    mine = {*map(_stem_of, {*one.words} - {*other.words})} - other.telling
    theirs = {*map(_stem_of, {*other.words} - {*one.words})} - one.telling
    for word in mine:
        for another in theirs:
            pair = frozenset((word, another))
            if pair in _opposites() or not _roots(word).isdisjoint(_roots(another)):
                return pair
    return frozenset()


@once
def _opposites() -> set[frozenset[str]]:
    sides = [line.split(":") for line in OPPOSITES.replace("\n", "").split("|")]
    return {
        frozenset((stem(word), stem(another)))
        for one, other in sides for word in one.split() for another in other.split()
    }  # fmt: skip


def _roots(word: str) -> set[str]:
    """Return a word, and what is left of it without each prefix that turns a word round."""
    rests = {word[len(prefix) :] for prefix in PREFIXES if word.startswith(prefix)}
    return {word, *(rest for rest in rests if len(rest) >= _LEAST_ROOT)}


def _in_place(said: Statement, other: Statement) -> tuple[str, ...]:
    """Return the words of a statement, of a move as the other one says where something is."""
    if MOVED in said.words:
        place = said.words.index(MOVED)
        for verb, word in zip(other.words, other.words[1:], strict=False):
            if (verb in BE or verb in LIVING) and word in PLACES:
                return (*said.words[:place], verb, word, *said.words[place + 1 :])
    return said.words


def _is_other_value(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether two statements differ in one stretch alone, behind a subject and what says that
    one value holds: a form of to be, a preposition of place or time, or a verb with a figure."""
    most = min(len(one), len(other))
    start = next((n for n in range(most) if one[n] != other[n]), most)
    end = next((n for n in range(most - start) if one[-1 - n] != other[-1 - n]), most - start)
    first, second = one[start : len(one) - end], other[start : len(other) - end]
    shared, rest = one[:start], one[len(one) - end :]
    telling = [word for word in shared if word not in LIGHT]
    if not (first and second and telling) or not VERBS.isdisjoint((*first, *second, *rest)):
        return False
    if not all(map(is_figure, {*first} & {*second})):
        return False
    if any(map(is_figure, first)) and any(map(is_figure, second)):
        # Two windows and four chairs are no two numbers of one thing.
        is_count = shared[-1] not in BE | PLACES or "there" in shared
        if is_count and not all(map(is_figure, (*first, *second))):
            return False
        return len(telling) > 1 or not (VERBS | PLACES).isdisjoint(shared)
    if PLACES.isdisjoint(first) != PLACES.isdisjoint(second):
        return False
    # Before another word it says which one is spoken of: the old shop, the new shop.
    is_last = not rest or rest[0] in LIGHT
    values = ([*takewhile(lambda word: word not in LIGHT, side)] for side in (first, second))
    are_short = all(0 < len(value) <= _LONGEST_VALUE for value in values)
    return is_last and are_short and _takes_one(shared, telling)


def _takes_one(shared: Sequence[str], telling: Sequence[str]) -> bool:
    """Say whether one value alone holds behind these words."""
    last = shared[-1]
    if not BE.isdisjoint(shared):
        tail = [*takewhile(lambda word: word not in BE, reversed(shared))]
        is_doing = any(word.endswith("ing") for word in tail)
        return len(tail) <= 3 and last not in RELATIONS and not is_doing
    is_past = any(word in DONE or word.endswith("ed") for word in shared if word != MOVED)
    return (last in PLACES or last == MOVED) and not is_past and len(telling) <= _LONGEST_SUBJECT
