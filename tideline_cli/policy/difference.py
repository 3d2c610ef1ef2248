"""What keeps two texts that are much alike from saying the same.

Vetoes: shared words in another order; a figure, name, sign, negation or quantity that one has and
the other lacks; a word without a counterpart.
"""

from __future__ import annotations

from tideline_cli.model.letters import is_spaceless
from tideline_cli.policy.stated_words import stated_words
from tideline_cli.policy.word_forms import base_forms, is_misspelling
from tideline_cli.policy.word_keys import CALENDAR, FUNCTION_WORDS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ORDER = "the words stand in another order"
FIGURE, NAME, SYMBOL = "a figure differs", "a name differs", "a sign differs"
QUANTITY, WORD = "a negation or quantity differs", "a word differs"
SPELLING = "a letter differs beside a secret"
_WEIGHT = (FIGURE, NAME, SYMBOL, QUANTITY, WORD)
_OF_KIND = {"figure": FIGURE, "name": NAME, "symbol": SYMBOL}

_ARTICLES = frozenset("a an the".split())
_BE, _HAVE = frozenset(("is", "are", "am")), frozenset(("has", "have"))
# Words that a restatement may add or leave out. To say be for have is another statement.
_FREE = _ARTICLES | _BE | _HAVE | frozenset(("that", "do", "does"))
# These too, but on one side alone: where both texts have one, they are two statements (in, on).
_FREE_ONCE = frozenset("on at in of and".split())
_QUANTITIES = frozenset(
    "not no none never nobody nothing nowhere neither nor without hardly barely rarely seldom "
    "except unless only all every each any some most many much few several both half always often "
    "sometimes usually more less least enough too once twice must should may might can could will "
    "would was were had nicht kein keine keinen nie ohne ne pas jamais sans non senza nunca sin "
    "nao não niet geen nooit inte ikke aldrig nigdy не нет никогда без "
    "不 没 無 无 非 未 勿 別 别".split()
)
# Words that name one of several: a day, a month, a part of the day, how often, a color, a relative.
# To a learned embedder they are nearly the same; `may` is a verb more often than a month.
_EXCLUSIVE = (CALENDAR - {"may"}) | frozenset(
    "morning mornings noon afternoon afternoons evening evenings night nights midnight hourly "
    "daily weekly fortnightly monthly quarterly yearly annually red green blue yellow black white "
    "grey gray orange purple pink brown brother sister mother father son daughter husband "
    "wife".split()
)
# A learned embedder may find these alike; they are not.
_OPPOSITES = frozenset(
    "first last before after above below over under up down out off left right yes true false "
    "enable disable enabled disabled allow deny allowed denied accept reject accepted rejected "
    "start stop started stopped open close opened closed increase decrease add remove added "
    "removed love hate loves hates like dislike likes dislikes win lose buy sell buys sells hot "
    "cold old new good bad".split()
)
# A text says another thing without them.
_HEDGES = frozenset(
    "almost nearly about maybe perhaps probably possibly supposedly allegedly formerly previously "
    "once soon later earlier yet still already again instead another other different partly "
    "mostly rather if when while until before after against".split()
)
# A secret may follow them. In a secret, case and marks count.
_SECRETS = (
    "password passwd passphrase passcode pwd passwort kennwort wachtwoord lösenord adgangskode "
    "contraseña senha hasło парол şifre סיסמ पासवर्ड รหัสผ่าน 密码 密碼 パスワード 비밀번호 token "
    "credential apikey api_key api-key secret: secret="
).split()
_REVERSING = ("un", "in", "im", "dis", "non", "de", "a", "ir", "il", "mis", "anti", "re")

_MOST_FORMS = 24  # words of a text that may be other forms of words of the other
_SPOKEN = frozenset("zero oh one two three four five six seven eight nine double".split())


def difference(one: str, other: str, *, learned: bool = False) -> str | None:
    """Return in a few words what keeps two texts that are much alike from saying the same, None
    when nothing does.

    The same words must stand in the same order. Articles and a few other small words may be
    missing, a word may be inflected, a long one misspelt. Beside a word such as password every
    letter counts. With `learned`, for a pair that a learned embedder found, common words may
    differ too, but not names, figures, signs, negations, quantities and the order.
    """
    if one == other:
        return None
    if (_tells_secret(one) or _tells_secret(other)) and _spelt(one) != _spelt(other):
        return SPELLING
    mine, theirs = _with_compounds_aligned(_words(one), _words(other))
    theirs = _with_forms_of(mine, theirs)
    a, b = [word.key for word in mine], [word.key for word in theirs]
    if a == b:
        return None
    left, right = _unmatched(mine, b), _unmatched(theirs, a)
    if not left and not right:
        return ORDER
    reason = _veto(left, right, learned=learned, unnamed=_is_unnamed(one, other))
    if reason is not None:
        return reason
    loose = _ARTICLES | {word.key for word in (*left, *right)}
    kept = [[key for key in keys if key not in loose] for keys in (a, b)]
    return None if kept[0] == kept[1] else ORDER


def is_restated(one: str, other: str) -> bool:
    """Say whether two texts that are much alike do not contradict each other: they say the same, or
    one says it with a word more. All figures, names, signs, negations and quantities are in both,
    and what is one text's alone has no counterpart in the other.

    The words may be turned round (Lena eats no dairy, no dairy for Lena), but not exchanged: Anna
    owes Ben is not Ben owes Anna.
    """
    if difference(one, other) is None:
        return True
    mine, theirs = _with_compounds_aligned(_words(one), _words(other))
    theirs = _with_forms_of(mine, theirs)
    left = _unmatched(mine, [word.key for word in theirs])
    right = _unmatched(theirs, [word.key for word in mine])
    if any(map(_is_weighty, (*left, *right))) or _says(left) + _says(right) > 1:
        return False
    loose = FUNCTION_WORDS - _QUANTITIES | {word.key for word in (*left, *right)}
    shared = [[word for word in text if word.key not in loose] for text in (mine, theirs)]
    return _is_turned(*shared)


def _is_weighty(word: Word) -> bool:
    """Say whether a text states another thing where this word is missing."""
    return word.kind != "word" or any(
        word.key in words for words in (_QUANTITIES, _OPPOSITES, _HEDGES)
    )


def _says(text: Iterable[Word]) -> int:
    """Count the words that say something by themselves."""
    return sum(word.key not in FUNCTION_WORDS for word in text)


def _is_turned(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Say whether words stand in the same order, or in that order with another beginning. Names
    never change places, and a negation or quantity stays before its word."""
    a, b = [word.key for word in one], [word.key for word in other]
    if a == b:
        return True
    if len(a) != len(b) or not any(a[n:] + a[:n] == b for n in range(1, len(a))):
        return False
    names = [[word.key for word in text if word.kind == "name"] for text in (one, other)]
    bound = [
        {pair for pair in zip(keys, [*keys[1:], ""], strict=True) if pair[0] in _QUANTITIES}
        for keys in (a, b)
    ]
    return names[0] == names[1] and bound[0] == bound[1]


def _words(text: str) -> list[Word]:
    return _without_repeats(stated_words(text))


def _tells_secret(text: str) -> bool:
    low = text.casefold()
    return any(word in low for word in _SECRETS)


def _spelt(text: str) -> list[str]:
    """Return the words of a text as they are spelt, without articles and the full stop, and with
    the first word in lower case."""
    first, *rest = text.strip().removesuffix(".").split() or [""]
    return [word for word in (first.casefold(), *rest) if word not in _FREE]


def _with_compounds_aligned(one: list[Word], other: list[Word]) -> tuple[list[Word], list[Word]]:
    """Return both texts with each compound as one word where the other text has that word, and as
    its parts elsewhere: `e-mail` meets email, `well-known` meets well known."""
    return _opened(one, {w.key for w in other if not w.parts}), _opened(
        other, {w.key for w in one if not w.parts}
    )


def _opened(text: list[Word], closed: set[str]) -> list[Word]:
    found: list[Word] = []
    for word in text:
        if word.parts and word.key not in closed:
            found += (Word(part, word.kind) for part in word.parts)
        else:
            found.append(word)
    return found


def _with_forms_of(mine: list[Word], theirs: list[Word]) -> list[Word]:
    """Return `theirs`, where each word that is another form of a word of `mine` is that word.

    Each word is compared with each; where too many are left, nothing is compared.
    """
    waiting = _unmatched(mine, [word.key for word in theirs])
    others = _unmatched(theirs, [word.key for word in mine])
    if max(len(waiting), len(others)) > _MOST_FORMS:
        return theirs
    spare = {id(word) for word in others}
    found: list[Word] = []
    for word in theirs:
        known = waiting if id(word) in spare else ()
        twin = next((one for one in known if _are_forms(one, word)), None)
        if twin is not None:
            waiting.remove(twin)
        found.append(word if twin is None else twin)
    return found


def _unmatched(text: Iterable[Word], keys: Iterable[str]) -> list[Word]:
    """Return the words of a text that the other text does not have, or not as often."""
    counts: dict[str, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    left: list[Word] = []
    for word in text:
        counts[word.key] = counts.get(word.key, 0) - 1
        if counts[word.key] < 0:
            left.append(word)
    return left


def _veto(
    left: Sequence[Word], right: Sequence[Word], *, learned: bool, unnamed: bool
) -> str | None:
    """Return the strongest reason against sameness that the words give which only one text has."""
    both = all(any(word.key in _FREE_ONCE for word in side) for side in (left, right))
    free = _FREE if both else _FREE | _FREE_ONCE
    reasons = {
        _reason(word, learned=learned, unnamed=unnamed)
        for word in (*left, *right)
        if word.key not in free or word.kind != "word"
    }
    for one, another in ((left, right), (right, left)):
        if _holds(one, _HAVE) and _holds(another, _BE):
            reasons.add(WORD)
    if learned and _is_reversed(left, right):
        reasons.add(QUANTITY)
    if learned and _is_other_tense(left, right):
        reasons.add(WORD)
    return next((reason for reason in _WEIGHT if reason in reasons), None)


def _holds(text: Iterable[Word], keys: frozenset[str]) -> bool:
    return any(word.key in keys for word in text)


def _reason(word: Word, *, learned: bool, unnamed: bool) -> str | None:
    """Return the reason against sameness that a word gives which the other text does not have."""
    if word.kind != "word":
        return _OF_KIND[word.kind]
    if word.key in _QUANTITIES or (learned and word.key in _EXCLUSIVE):
        return QUANTITY
    if not learned or word.key in _OPPOSITES:
        return WORD
    return NAME if unnamed and word.key not in FUNCTION_WORDS else None


def _is_reversed(left: Iterable[Word], right: Iterable[Word]) -> bool:
    """Say whether a word of one side is a word of the other side with a prefix that negates it."""
    keys = ({word.key for word in left}, {word.key for word in right})
    return any(
        prefix + word in theirs
        for prefix in _REVERSING
        for mine, theirs in (keys, keys[::-1])
        for word in mine
    )


def _is_unnamed(one: str, other: str) -> bool:
    """Say whether a text is written without capitals, so that any of its words may be a name."""
    return one == one.lower() or other == other.lower()


def _without_repeats(text: Sequence[Word]) -> list[Word]:
    """Return a text where a word that is repeated at once stands once: very, very good. In a script
    without spaces a repeat is another word, and a spoken number that is repeated stays."""
    return [
        word
        for place, word in enumerate(text)
        if word.kind != "word" or not place or word.key != text[place - 1].key
        or word.key in _SPOKEN or is_spaceless(word.key[0])
    ]  # fmt: skip


def _are_forms(one: Word, other: Word) -> bool:
    """Say whether two words are forms of one: inflected, or a long one misspelt. Names and small
    words have no other form."""
    for word in (one, other):
        if word.kind != "word" or word.key in _QUANTITIES or word.key in FUNCTION_WORDS:
            return False
    shared = base_forms(one.key) & base_forms(other.key)
    if shared:
        # Who moved is no longer moving, and who works there is not who worked there.
        return not any(key.endswith("ed") and key not in shared for key in (one.key, other.key))
    return is_misspelling(one.key, other.key)


def _is_other_tense(left: Iterable[Word], right: Iterable[Word]) -> bool:
    """Say whether words without a counterpart are forms of one word after all."""
    bases = [{base for word in side if word.kind == "word" and word.key not in _FREE
              for base in base_forms(word.key)} for side in (left, right)]  # fmt: skip
    return not bases[0].isdisjoint(bases[1])
