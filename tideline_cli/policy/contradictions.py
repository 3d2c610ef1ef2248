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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    Sign = Literal["negation", "opposite", "value"]

MIN_OVERLAP = 0.2
MIN_SCORE = 0.12
MAX_TEXT = 600  # characters of a text that is compared; a longer one says many things
_LONGEST_VALUE = 4  # words
_LONGEST_SUBJECT = 3  # telling words, the verb among them
_LEAST_ROOT = 3  # letters
_MARKS = ".,;:!?…()[]{}<>«»„“”\"'`–—。，；：！？、"
_CLAUSE = ".,;:!?。，；：！？、"
_SPACELESS = "\u0e00"

NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor without hardly forbidden prohibited "
    "banned nicht kein keine keinen keiner keinem nie niemals ohne verboten ne n pas jamais sans "
    "aucun aucune interdit nunca jamás sin tampoco prohibido non mai senza não nunca sem niet geen "
    "nooit inte aldrig ikke не нет никогда без 不 没 沒 無 无 非 别 別 未 勿".split()
)
# With a word in -ing behind them these negate it: stopped drinking.
ENDINGS = frozenset("stop stops stopped quit quits avoid avoids gave".split())
ARTICLES = frozenset(
    "a an the der die das den dem des ein eine einen einem einer le la les l un une du el los las "
    "una il lo o os het de een 了".split()
)
BE = frozenset(
    "is are am was were be been being means equals prefer prefers costs became ist sind bin war "
    "waren heisst heissen heisse est sont suis était appelle es son soy era está están estoy è "
    "sono é 是 叫".split()
)
VERBS = BE | frozenset("has have had hat habe haben ai ont tiene tengo".split())
# Behind these a value stands that holds alone: where, when, on what.
PLACES = frozenset(
    "in at on for from by under until via into im am um bei auf ab bis aus unter zum zur à au aux "
    "en dans chez sur dès desde hasta sobre por 在 于".split()
)
# Behind these several values may hold at once: allergic to, afraid of.
RELATIONS = frozenset("to of about with vor über gegen von mit de con contre avec".split())
LIGHT = frozenset(
    "do does did done will would can could should shall must may might any anymore longer more "
    "still now yet ever always already just also really very again currently up too nach mehr noch "
    "immer wird werden wurde kann soll sollte muss darf plus encore toujours ya más siempre there "
    "where that s re ve ll d m t und and et y or so then as if when since today please 很 也 都 再"
    .split()
) | ARTICLES | VERBS | PLACES | RELATIONS  # fmt: skip
NOT_TELLING = LIGHT | NEGATIONS
BREAKS = frozenset("| but however although aber sondern mais pero sino 但".split())
ME = frozenset("i we me us ich wir mir mich uns je j nous moi yo nosotros 我".split())
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
NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve first second third fourth "
    "noon midnight hourly daily weekly monthly yearly 一 二 两 三 四 五 六 七 八 九 十".split()
)
# What somebody did may have been done elsewhere too; what ends in -ed is of that kind.
DONE = frozenset(
    "met saw ate drank got made took came drove spent paid found bought sold slept went".split()
)
MOVED, LIVE, SELF = "moved", "live", "i"
LIVING = frozenset(
    "live lives living reside resides moved moving relocated wohne wohnt wohnen lebe lebt gezogen "
    "umgezogen habite habitons déménagé vivo vive vivimos 住 搬".split()
)
CHANGING = ("switch", "moved", "relocat", "gezogen", "umgezogen", "déménag", "搬", "migrat",
            "gewechsel", "umgestiegen")  # fmt: skip
TOWARDS = frozenset("to into in nach zu à 到 至".split())
REPLACED = "replaced"
FROM = frozenset(("from", "von", REPLACED))


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


class Statement(Record):
    """A text as it is compared: its words in order without articles, the stems of those that tell
    something, whether it is negated, and what its negations stand before."""

    words: tuple[str, ...]
    telling: frozenset[str]
    is_negated: bool
    denied: frozenset[str]


def statement(text: str) -> Statement:
    """Return a text as it is compared."""
    said = _as_it_is([SELF if word in ME else word for word in _words(text)])
    said = [
        "not" if word in ENDINGS and any(then.endswith("ing") for then in said[place + 1 :][:2])
        else word for place, word in enumerate(said)
    ]  # fmt: skip
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


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, characters of scripts without spaces alone; `|`
    stands where a clause ends."""
    text = text.casefold().replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    if not text.isascii():
        text = "".join([f" {char} " if char >= _SPACELESS else char for char in text])
    for raw in text.split():
        word = raw.strip(_MARKS)
        if word.isalpha() or _is_figure(word) or "/" in word or "_" in word or "." in word:
            yield word
        else:
            yield from word.replace("-", " ").replace("'", " ").split()
        if raw[-1] in _CLAUSE:
            yield "|"


def _as_it_is(said: list[str]) -> list[str]:
    """Return the words of a change as what holds since: where something is after a move, and that
    it is not what it changed from."""
    changed = next((word for word in said if word.startswith(CHANGING) or word == REPLACED), None)
    if changed is None:
        return said
    words = [word for word in said if word not in VERBS and not word.startswith(CHANGING)]
    for place, word in enumerate(words):
        if word in FROM:
            source = takewhile(lambda word: word not in TOWARDS | RELATIONS, words[place + 1 :])
            return [*words[:place], "not", *source]
        if word in TOWARDS and place and changed in LIVING:
            return [*words[:place], MOVED, *words[place + 1 :]]
    return said


def _stem_of(word: str) -> str:
    """Return what a word is compared by: its English stem, and one for to live and to move."""
    return LIVE if word in LIVING else stem(word) if word.isascii() else word


def _telling(words: Iterable[str]) -> frozenset[str]:
    return frozenset(_stem_of(word) for word in words if word not in NOT_TELLING)


def _is_figure(word: str) -> bool:
    return word in NUMBERS or any(map(str.isdecimal, word))


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
    if not all(map(_is_figure, {*first} & {*second})):
        return False
    if any(map(_is_figure, first)) and any(map(_is_figure, second)):
        # Two windows and four chairs are no two numbers of one thing.
        is_count = shared[-1] not in BE | PLACES or "there" in shared
        if is_count and not all(map(_is_figure, (*first, *second))):
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
