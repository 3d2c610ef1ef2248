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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
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


class Statement(Record):
    """A text as it is compared: its words in order without articles, the stems of those that tell
    something, whether it is negated, what stands behind each negation, and whether it may tell of a
    move or change."""

    words: tuple[str, ...]
    telling: frozenset[str]
    is_negated: bool
    behind: tuple[frozenset[str], ...]
    is_of_change: bool


_NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor without hardly forbidden prohibited "
    "banned nicht kein keine keinen keiner keinem nie niemals ohne verboten ne n pas jamais sans "
    "aucun aucune interdit nunca jamás sin tampoco prohibido non mai senza não nunca sem niet geen "
    "nooit inte aldrig ikke не нет никогда без 不 没 沒 無 无 非 别 別 未 勿".split()
)
# With a word in -ing behind them these negate it: stopped drinking.
_ENDINGS = frozenset(
    "stop stops stopped stopping quit quits avoid avoids ceased gave given".split()
)
_ARTICLES = frozenset(
    "a an the der die das den dem des ein eine einen einem einer le la les l un une du el los las "
    "una unos unas il lo gli o os as het de een 了".split()
)
_BE = frozenset(
    "is are am was were be been being means equals prefer prefers costs became "
    "ist sind bin bist seid war waren heisst heissen heisse est sont suis sommes était appelle "
    "es son soy eres somos era está están estoy è sono é são 是 叫".split()
)
_HAVE = frozenset("has have had hat habe haben a ai ont tiene tengo tienen".split())
# Behind these a value stands that holds alone: where, when, on what.
_PLACES = frozenset(
    "in at on for from by under until via into im am um bei auf ab bis aus unter zum zur à au aux "
    "en dans chez sur dès desde hasta sobre por 在 于".split()
)
# Behind these several values may hold at once: allergic to, afraid of.
_RELATIONS = frozenset("to of about with vor über gegen von mit de con contre avec".split())
_LIGHT = frozenset(
    "do does did done will would can could should shall must may might has have had any anymore "
    "longer more still now yet ever always already just also really very again currently up too "
    "nach mehr noch immer wird werden wurde kann soll sollte muss darf plus encore toujours ya más "
    "siempre there where that s re ve ll d m t und and et y und or but so then as if when since "
    "today please 很 也 都 再".split()
) | _ARTICLES | _BE | _PLACES | _RELATIONS  # fmt: skip
_BREAKS = frozenset("but however although aber sondern doch mais pero sino 但".split())
_ME = frozenset("i we me us ich wir mir mich uns je j nous moi yo nosotros 我".split())
_MY = frozenset(
    "my our mine mein meine meinen meiner unser unsere mon ma mes notre nos mi mis nuestro nuestra "
    "your his her its their dein deine sein seine ihr ihre son sa ses tu su sus".split()
)
_PERSONS = frozenset("me you he she they it er sie il elle ils él ella".split())
_OPPOSITES = """
open closed close shut|on off|true false|yes no|public private|required mandatory optional|
before after|love like hate dislike loathe|accept reject refuse|allow deny forbid|
hourly daily weekly monthly quarterly yearly|married divorced single widowed|alive dead|up down|
left right|first last|early late|hot cold warm|fast slow|good bad|more less fewer|start stop|
begin end|buy sell|add remove delete|win lose|full empty|cheap expensive|high low|large small big|
manual automatic|light dark|success failure|succeed fail|pass fail|with without|present absent|
inside outside|old new|wet dry|loud quiet|easy difficult hard|safe dangerous|strict lenient|
keep discard|top bottom|north south|horizontal vertical|ascending descending|full-time part-time|
vor nach|offen geschlossen|öffentlich privat|ein aus|ouvert fermé|avant après|
abierto cerrado|antes después|开 关|blocking blocked unblocked|relevant needless|
"""
_PREFIXES = ("un", "in", "im", "dis", "non", "de", "ir", "il", "mis", "ab")
_PREFIX_PAIRS = (("en", "dis"), ("in", "ex"), ("in", "de"), ("up", "down"), ("on", "off"),
                 ("in", "out"), ("over", "under"), ("max", "min"), ("as", "des"))  # fmt: skip
_LEAST_ROOT = 3
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve first second third fourth "
    "fifth noon midnight zwei drei vier fünf sechs sieben acht neun zehn deux trois quatre cinq "
    "dos tres cuatro cinco 一 二 两 三 四 五 六 七 八 九 十".split()
)
# What somebody did may have been done elsewhere too; what ends in -ed is of that kind.
_DONE = frozenset(
    "went met saw ate drank ran flew wrote read got made took gave came drove spent paid sent lost "
    "found told said bought sold slept swam sang had did fuhr war ging".split()
)
MOVE = "|move"
_HOMES = (
    "live living reside residing moved moving relocated wohne wohnt wohnen lebe gezogen umgezogen "
    "habite habitons déménagé vivo vive vivimos mudé mudado 住 搬"
)
_LIVING = ("live", "living", "resid", "wohn", "lebe", "habit", "vive", "vivo", "vivi", "住")
_MOVING = ("moved", "moving", "relocat", "gezogen", "umgezogen", "zog", "déménag", "mudé", "mudad",
           "搬")  # fmt: skip
_TOWARDS = frozenset("to into nach in à a en 到 至".split())
_CHANGING = ("switch", "moved", "chang", "migrat", "replac", "swap", "upgrad", "gewechsel",
             "umgestiegen", "cambi", "换")  # fmt: skip
_TURNING = _MOVING + _CHANGING
_FROM = frozenset("from von de replaced 从".split())
_JOINED = _BREAKS | {"cannot"} | _NUMBERS
_BEHIND = 3
_MARKS = ".,;:!?…()[]{}<>«»„“”\"'`。，；：！？、"
_CLAUSE = ".,;:!?。，；：！？、"
_SPACELESS = "\u0e00"


def statement(text: str) -> Statement:
    """Return a text as it is compared."""
    words: list[str] = []
    behind: list[frozenset[str]] = []
    telling: set[str] = set()
    is_negated = False
    said = [*_words(text)]
    for place, word in enumerate(said):
        if word in _NEGATIONS or _is_ending(said, place):
            is_negated = True
            behind.append(_behind(said, place))
            words.append(word)
        elif word not in _ARTICLES and word != "|":
            words.append(word)
            if word not in _LIGHT:
                telling.add(_key(word))
    return Statement(
        tuple(words), frozenset(telling), is_negated, tuple(filter(None, behind)),
        any(word.startswith(_TURNING) for word in words),
    )  # fmt: skip


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
    moves = any(word.startswith(_LIVING + _MOVING) for word in said.words)
    return said.telling - {"i"} | ({MOVE} if moves else frozenset())


def asked_terms(terms: Iterable[str]) -> list[str]:
    """Return those of the index terms of a text that tell something."""
    return [term for term in dict.fromkeys(terms) if term not in _LIGHT and term not in _NEGATIONS]


def move_terms() -> tuple[str, ...]:
    """Return the index terms of texts that say where somebody lives or moves."""
    return tuple(dict.fromkeys(map(stem, _HOMES.split())))


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


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case; `|` stands where a clause ends."""
    for raw in text.casefold().replace("’", "'").split():
        word = raw.strip(_MARKS)
        if word.isalpha() and word.isascii() and word not in _JOINED:
            yield word
        elif _is_figure(word) or (not word.isascii() and max(word) >= _SPACELESS):
            yield from _pieces(word)
        elif "/" in word or "_" in word or "." in word:
            yield word
        else:
            for part in _parted(word):
                yield "|" if part in _BREAKS else part
        if raw[-1] in _CLAUSE:
            yield "|"


def _pieces(word: str) -> Iterator[str]:
    """Yield a figure whole, and of scripts without spaces each character."""
    if word.isascii() or max(word) < _SPACELESS:
        yield word
        return
    latin = ""
    for char in word:
        if char < _SPACELESS:
            latin += char
            continue
        if latin:
            yield latin
            latin = ""
        yield "|" if char in _CLAUSE else char
    if latin:
        yield latin


def _parted(word: str) -> list[str]:
    """Return a word in its parts: don't is do not, Anna's is Anna s."""
    if word == "cannot":
        return ["can", "not"]
    if word.endswith("n't"):
        return [word[:-3], "not"]
    return [part for part in word.replace("-", "'").split("'") if part]


def _key(word: str) -> str:
    if word in _ME:
        return "i"
    return stem(word) if word.isascii() else word


def _is_figure(word: str) -> bool:
    return word in _NUMBERS or any(map(str.isdecimal, word))


def _is_ending(said: Sequence[str], place: int) -> bool:
    follows = said[place + 1 : place + 3]
    return said[place] in _ENDINGS and any(word.endswith("ing") for word in follows)


def _behind(said: Sequence[str], place: int) -> frozenset[str]:
    """Return the next telling words of a clause."""
    found: list[str] = []
    for word in said[place + 1 :]:
        if word == "|" or len(found) == _BEHIND:
            break
        if word not in _LIGHT and word not in _NEGATIONS:
            found.append(_key(word))
    return frozenset(found)


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
        {_key(word) for word in {*a.words} - {*b.words} - _NEGATIONS} - b.telling
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
    for number, line in enumerate(_OPPOSITES.replace("\n", "").split("|")):
        for word in line.split():
            table.setdefault(_key(word), set()).add(number)
    return table


def _is_reversed(one: str, other: str) -> bool:
    """Say whether a word is the other one with a prefix that turns it round, or both have such
    prefixes: locked and unlocked, enabled and disabled."""
    short, long = sorted((one, other), key=len)
    if len(short) >= _LEAST_ROOT and long.endswith(short):
        return long[: -len(short)] in _PREFIXES
    return any(
        a.startswith(first) and b.startswith(second) and a[len(first) :] == b[len(second) :]
        and len(a) >= len(first) + _LEAST_ROOT - 1
        for first, second in _PREFIX_PAIRS for a, b in ((one, other), (other, one))
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
    if not (first and second) or not all(map(_is_figure, {*first} & {*second})):
        return False
    shared, rest = one[:start], one[len(one) - end :]
    verbs = _BE | _HAVE
    if not verbs.isdisjoint((*first, *second, *rest)):
        return False
    telling = [word for word in shared if word not in _LIGHT and word not in _MY]
    if not telling:
        return False
    if any(map(_is_figure, first)) and any(map(_is_figure, second)):
        return len(telling) > 1 or not (verbs | _PLACES).isdisjoint(shared)
    return max(len(first), len(second)) <= 4 and _takes_one(shared, telling)


def _takes_one(shared: Sequence[str], telling: Sequence[str]) -> bool:
    """Say whether one value alone holds behind these words."""
    forms = [place for place, word in enumerate(shared) if word in _BE]
    last = shared[-1]
    if forms:
        tail = shared[forms[-1] + 1 :]
        is_doing = any(word.endswith("ing") for word in tail)
        return len(tail) <= 3 and last not in _RELATIONS and not is_doing
    if last not in _PLACES or any(_is_done(word) for word in shared):
        return False
    return len(telling) <= (2 if telling[0] in _ME | _PERSONS else 4)


def _is_done(word: str) -> bool:
    return word in _DONE or (word.endswith("ed") and len(word) > 4)


def _is_changed(one: Statement, other: Statement) -> bool:
    """Say whether one statement tells of a move or change from what the other one says."""
    return any(
        _has_moved(new, old) or _has_left(new, old) for new, old in ((one, other), (other, one))
    )


def _has_moved(new: Statement, old: Statement) -> bool:
    moved = _first(new.words, _MOVING)
    if moved is None or _TOWARDS.isdisjoint(new.words):
        return False
    there = _first(old.words, (*_LIVING, *_MOVING))
    subjects = [_subject(new.words), _subject(old.words)]
    if subjects[0] != subjects[1]:
        return False
    rests = [
        {word for word in said.words if word not in _LIGHT and not word.startswith(_LIVING)
         and not word.startswith(_MOVING) and _key(word) not in subjects[0]}
        for said in (new, old)
    ]  # fmt: skip
    if not (rests[0] and rests[1]) or not rests[0].isdisjoint(rests[1]):
        return False
    is_timed = all(any(map(_is_figure, rest)) for rest in rests)
    return there is not None or (is_timed and not _BE.isdisjoint(old.words))


def _has_left(new: Statement, old: Statement) -> bool:
    """Say whether `new` says that it changed from a thing that `old` has of the same subject."""
    changed = _first(new.words, _CHANGING)
    if changed is None or not new.words or not old.words:
        return False
    sources = [n for n, word in enumerate(new.words) if word in _FROM and n >= changed]
    if not sources or _key(new.words[0]) != _key(old.words[0]):
        return False
    behind = [word for word in new.words[sources[0] + 1 :] if word not in _LIGHT]
    return bool(behind) and _key(behind[0]) in old.telling - {_key(new.words[0])}


def _first(words: Sequence[str], beginnings: tuple[str, ...]) -> int | None:
    return next((n for n, word in enumerate(words) if word.startswith(beginnings)), None)


def _subject(words: Sequence[str]) -> frozenset[str]:
    """Return what stands before the first verb that is known."""
    known = _LIVING + _MOVING
    found: list[str] = []
    for word in words:
        if word in _BE or word in _HAVE or word in _LIGHT or word.startswith(known):
            break
        found.append(_key(word))
    return frozenset(found)
