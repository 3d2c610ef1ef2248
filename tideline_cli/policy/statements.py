"""Texts as they are compared for contradictions: their words, and a screen for pairs of them. Pure.

Most facts that share a word cannot contradict each other. `may_contradict` says so by the first
letters of their words, before anything is stemmed and the rules of `contradictions` are loaded.
"""

from __future__ import annotations

from itertools import takewhile

from tideline_cli.model.text import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # The words of a text with articles and the ends of clauses, whether it is negated, its first
    # two words, and of its words that tell something the first letters.
    Gist = tuple[list[str], bool, tuple[str, ...], frozenset[str]]

MAX_TEXT = 600  # characters of a text that is compared; a longer one says many things
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
NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve first second third fourth "
    "noon midnight hourly daily weekly monthly yearly 一 二 两 三 四 五 六 七 八 九 十".split()
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


def gist(text: str) -> Gist:
    """Return what of a text says whether it may contradict another one."""
    said = said_in(text)
    words = [word for word in said if word not in ARTICLES and word not in BREAKS]
    is_negated = not NEGATIONS.isdisjoint(said)
    return said, is_negated, tuple(words[:2]), frozenset([
        LIVE[:2] if word in LIVING else word[:2].replace("y", "i")  # dying has the stem die
        for word in words if word not in NOT_TELLING
    ])  # fmt: skip


def may_contradict(one: Gist, other: Gist) -> bool:
    """Say whether a sign may tell that two texts contradict each other: most pairs show none.

    Two negations agree. All signs want a telling word in common; but for another value behind the
    same beginning, one text tells next to nothing that the other does not. Words of one stem have
    the same first letters.
    """
    (said, is_negated, first, roots), (held, is_other, begin, others) = one, other
    if (is_negated and is_other) or roots.isdisjoint(others):
        return False
    fewer = min(len(roots - others), len(others - roots))
    if is_negated or is_other:
        return not fewer
    has_moved = MOVED in said or MOVED in held
    return fewer <= 1 or (first[:1] == begin[:1] if has_moved else first == begin)


def tells_of_living(one: Gist) -> bool:
    """Say whether a text tells who lives where."""
    return any(word in LIVING or (word[:3] == LIVE[:3] and stem(word) == LIVE) for word in one[0])


def said_in(text: str) -> list[str]:
    """Return the words of a text as it is compared: what speaks for the writer is one word, what a
    change says is what holds since, and what ends something denies it."""
    said = [*words_in(text)]
    if not ME.isdisjoint(said):
        said = [SELF if word in ME else word for word in said]
    low = text.casefold()
    if REPLACED in low or any(map(low.__contains__, CHANGING)):  # most texts tell of no change
        said = _as_it_is(said)
    if ENDINGS.isdisjoint(said):
        return said
    return [
        "not" if word in ENDINGS and any(then.endswith("ing") for then in said[place + 1 :][:2])
        else word for place, word in enumerate(said)
    ]  # fmt: skip


def words_in(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, characters of scripts without spaces alone; `|`
    stands where a clause ends."""
    text = text.casefold().replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    if not text.isascii():
        text = "".join([f" {char} " if char >= _SPACELESS else char for char in text])
    for raw in text.split():
        word = raw.strip(_MARKS)
        if word.isalpha() or is_figure(word) or "/" in word or "_" in word or "." in word:
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


def is_figure(word: str) -> bool:
    """Say whether a word is a number, or holds one."""
    return word in NUMBERS or any(map(str.isdecimal, word))
