"""When two statements may contradict each other. Pure.

They do when they speak of the same and one of them is negated, or one has the opposite word, or
another figure or value stands behind the same subject and verb. Two negations agree.
"""

from __future__ import annotations

from tideline_cli.model.lean import once
from tideline_cli.model.record import Record
from tideline_cli.model.scope import are_seen_together
from tideline_cli.model.text import stem
from tideline_cli.policy.sameness import jaccard
from tideline_cli.policy.sign_words import (
    BE,
    CHANGING,
    DONE,
    FROM,
    HAVE,
    HOMES,
    LIGHT,
    LIVING,
    ME,
    MOVE,
    MOVING,
    MY,
    NEGATIONS,
    OPPOSITES,
    PERSONS,
    PLACES,
    PREFIX_PAIRS,
    PREFIXES,
    RELATIONS,
    TOWARDS,
)
from tideline_cli.policy.statements import Statement, is_figure, stem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Literal

    Sign = Literal["negation", "opposite", "value"]

MIN_OVERLAP = 0.2
MIN_SCORE = 0.12
MAX_TEXT = 600  # characters of a text that is compared; a longer one says many things


class ComparedFact(Record):
    """What of a fact is compared with another."""

    id: str
    content: str
    created_at: int
    scope: str | None = None
    speaker: str | None = None


class Contradiction(Record):
    """Two facts that may contradict each other; `a` is the newer, then of larger id. `sign` is None
    where the rule of the reference has found them, or two machines have stated them."""

    a: ComparedFact
    b: ComparedFact
    overlap: float
    divergence: float
    score: float
    sign: Sign | None = None


_LEAST_ROOT = 3


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
    is_changed = (one.is_of_change or other.is_of_change) and _is_changed(one, other)
    return "value" if is_changed or _is_other_value(one.words, other.words) else None


def keys(said: Statement) -> frozenset[str]:
    """Return what statements must share, one of these at least, to be compared."""
    moves = any(word.startswith(LIVING + MOVING) for word in said.words)
    return said.telling - {"i"} | ({MOVE} if moves else frozenset())


def asked_terms(terms: Iterable[str]) -> list[str]:
    """Return those of the index terms of a text that tell something."""
    return [term for term in dict.fromkeys(terms) if term not in LIGHT and term not in NEGATIONS]


def move_terms() -> tuple[str, ...]:
    """Return the index terms of texts that say where somebody lives or moves."""
    return tuple(dict.fromkeys(map(stem, HOMES.split())))


def may_meet(one: ComparedFact, other: ComparedFact) -> bool:
    """Say whether two facts are of one speaker, and seen together from some scope."""
    is_seen = one.scope == other.scope or are_seen_together(one.scope, other.scope)
    return is_seen and one.speaker == other.speaker


def found(one: ComparedFact, other: ComparedFact, by: Sign, share: float) -> Contradiction:
    """Return a pair that a sign tells of: that makes half of its score, and `share`, that of the
    telling words in common, the other half."""
    a, b = sorted((one, other), key=lambda fact: (fact.created_at, fact.id), reverse=True)
    return Contradiction(a, b, share, 1.0 - share, (1.0 + share) / 2, by)


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
    a, b = sorted((one, other), key=lambda fact: (fact.created_at, fact.id), reverse=True)
    return Contradiction(a, b, overlap, divergence, overlap * divergence)


def order(pair: Contradiction) -> tuple[float, int, int]:
    """Return the key by which the strongest comes first, then the newest."""
    return -pair.score, -pair.a.created_at, -pair.b.created_at


def _is_denied(
    one: Statement, other: Statement, left: Collection[str], right: Collection[str]
) -> bool:
    """Say whether the negation of one statement denies the other: all that one tells is in the
    other, and what is negated is in both."""
    shared = one.telling & other.telling
    if (left and right) or len(shared) < min(2, len(one.telling | other.telling)) or not shared:
        return False
    if len(left) + len(right) > max(3, len(shared)):
        return False
    behind = (one if one.is_negated else other).behind
    return not behind or any(words & shared for words in behind)


def _opposite(one: Statement, other: Statement) -> frozenset[str]:
    """Return two words that exclude each other, one of each statement; empty where none do."""
    mine, theirs = (
        {stem_of(word) for word in {*a.words} - {*b.words} - NEGATIONS} - b.telling
        for a, b in ((one, other), (other, one))
    )
    table = _opposites()
    for word in mine:
        groups = table.get(word)
        for another in theirs:
            if groups and not groups.isdisjoint(table.get(another, ())):
                if not {word, another} <= _FOND:
                    return frozenset((word, another))
            elif _is_reversed(word, another):
                return frozenset((word, another))
    return frozenset()


_FOND = frozenset(("love", "like"))


@once
def _opposites() -> dict[str, set[int]]:
    table: dict[str, set[int]] = {}
    for number, line in enumerate(OPPOSITES.replace("\n", "").split("|")):
        for word in line.split():
            table.setdefault(stem_of(word), set()).add(number)
    return table


def _is_reversed(one: str, other: str) -> bool:
    """Say whether a word is the other one with a prefix that turns it round, or both have such
    prefixes: locked and unlocked, enabled and disabled."""
    short, long = sorted((one, other), key=len)
    if len(short) >= _LEAST_ROOT and long.endswith(short):
        return long[: -len(short)] in PREFIXES
    return any(
        a.startswith(first) and b.startswith(second) and a[len(first) :] == b[len(second) :]
        and len(a) >= len(first) + _LEAST_ROOT - 1
        for first, second in PREFIX_PAIRS for a, b in ((one, other), (other, one))
    )  # fmt: skip


def _is_other_value(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether two statements differ in one stretch alone, behind a subject and what says that
    one value holds: a form of to be, a preposition of place or time, or a verb with a figure."""
    most = min(len(one), len(other))
    start = next((n for n in range(most) if one[n] != other[n]), most)
    if not start:
        return False
    end = next((n for n in range(most - start) if one[-1 - n] != other[-1 - n]), most - start)
    first, second = one[start : len(one) - end], other[start : len(other) - end]
    if not (first and second) or not all(map(is_figure, {*first} & {*second})):
        return False
    shared, rest = one[:start], one[len(one) - end :]
    verbs = BE | HAVE
    if not verbs.isdisjoint((*first, *second, *rest)):
        return False
    telling = [word for word in shared if word not in LIGHT and word not in MY]
    if not telling:
        return False
    if any(map(is_figure, first)) and any(map(is_figure, second)):
        return len(telling) > 1 or not (verbs | PLACES).isdisjoint(shared)
    # Before another word it says which one is spoken of: the old shop, the new shop.
    is_last = not rest or rest[0] in LIGHT
    return is_last and max(len(first), len(second)) <= 4 and _takes_one(shared, telling)


def _takes_one(shared: Sequence[str], telling: Sequence[str]) -> bool:
    """Say whether one value alone holds behind these words."""
    forms = [place for place, word in enumerate(shared) if word in BE]
    last = shared[-1]
    if forms:
        tail = shared[forms[-1] + 1 :]
        is_doing = any(word.endswith("ing") for word in tail)
        return len(tail) <= 3 and last not in RELATIONS and not is_doing
    if last not in PLACES or any(_is_done(word) for word in shared):
        return False
    return len(telling) <= (2 if telling[0] in ME | PERSONS else 4)


def _is_done(word: str) -> bool:
    return word in DONE or (word.endswith("ed") and len(word) > 4)


def _is_changed(one: Statement, other: Statement) -> bool:
    """Say whether one statement tells of a move or change from what the other one says."""
    return any(
        _has_moved(new, old) or _has_left(new, old) for new, old in ((one, other), (other, one))
    )


def _has_moved(new: Statement, old: Statement) -> bool:
    moved = _first(new.words, MOVING)
    if moved is None or TOWARDS.isdisjoint(new.words):
        return False
    there = _first(old.words, (*LIVING, *MOVING))
    subjects = [_subject(new.words), _subject(old.words)]
    if subjects[0] != subjects[1]:
        return False
    rests = [
        {word for word in said.words if word not in LIGHT and not word.startswith(LIVING)
         and not word.startswith(MOVING) and stem_of(word) not in subjects[0]}
        for said in (new, old)
    ]  # fmt: skip
    if not (rests[0] and rests[1]) or not rests[0].isdisjoint(rests[1]):
        return False
    is_timed = all(any(map(is_figure, rest)) for rest in rests)
    is_placed = is_timed or not PLACES.isdisjoint(old.words)
    return there is not None or (is_placed and not BE.isdisjoint(old.words))


def _has_left(new: Statement, old: Statement) -> bool:
    """Say whether `new` says that it changed from a thing that `old` has of the same subject."""
    changed = _first(new.words, CHANGING)
    if changed is None or not new.words or not old.words:
        return False
    sources = [n for n, word in enumerate(new.words) if word in FROM and n >= changed]
    if not sources or stem_of(new.words[0]) != stem_of(old.words[0]):
        return False
    behind = [word for word in new.words[sources[0] + 1 :] if word not in LIGHT]
    return bool(behind) and stem_of(behind[0]) in old.telling - {stem_of(new.words[0])}


def _first(words: Sequence[str], beginnings: tuple[str, ...]) -> int | None:
    return next((n for n, word in enumerate(words) if word.startswith(beginnings)), None)


def _subject(words: Sequence[str]) -> frozenset[str]:
    """Return what stands before the first verb that is known."""
    known = LIVING + MOVING
    found: list[str] = []
    for word in words:
        if word in BE or word in HAVE or word in LIGHT or word.startswith(known):
            break
        found.append(stem_of(word))
    return frozenset(found)
