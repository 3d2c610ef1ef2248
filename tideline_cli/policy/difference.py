"""What keeps two texts that are much alike from saying the same.

Vetoes: shared words in another order; a figure, name, sign, negation or quantity that one has and
the other lacks; a word without a counterpart.
"""

from __future__ import annotations

from tideline_cli.model.letters import is_spaceless
from tideline_cli.policy.statement import FUNCTION_WORDS, Word, words

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
# Words that a restatement may add or leave out; be for have is no such thing.
_FREE = _ARTICLES | _BE | _HAVE | frozenset(("that", "do", "does"))
# These too, but on one side alone: where both have one, they are two statements (in, on).
_FREE_ONCE = frozenset("on at in of and".split())
_QUANTITIES = frozenset(
    "not no none never nobody nothing nowhere neither nor without hardly barely rarely seldom "
    "except unless only all every each any some most many much few several both half always often "
    "sometimes usually more less least enough too once twice must should may might can could will "
    "would was were had nicht kein keine keinen nie ohne ne pas jamais sans non senza nunca sin "
    "nao não niet geen nooit inte ikke aldrig nigdy не нет никогда без "
    "不 没 無 无 非 未 勿 別 别".split()
)
# Where a learned embedder takes these for like, they are not.
_OPPOSITES = frozenset(
    "first last before after above below over under up down out off left right yes true false "
    "enable disable enabled disabled allow deny allowed denied accept reject accepted rejected "
    "start stop started stopped open close opened closed increase decrease add remove added "
    "removed love hate loves hates like dislike likes dislikes win lose buy sell buys sells hot "
    "cold old new good bad".split()
)
# What follows them may be a secret, in which case and marks count.
_SECRETS = (
    "password passwd passphrase passcode pwd passwort kennwort wachtwoord lösenord adgangskode "
    "contraseña senha hasło парол şifre סיסמ पासवर्ड รหัสผ่าน 密码 密碼 パスワード 비밀번호 token "
    "credential apikey api_key api-key secret: secret="
).split()
_REVERSING = ("un", "in", "im", "dis", "non", "de", "a", "ir", "il", "mis", "anti", "re")

_SHORTEST_BASE = 3
_MOST_FORMS = 24  # words of a text that may be other forms of words of the other
_LONG, _LONGER = 7, 8  # letters of words in which a slip is told from another word
_TAKEN_FOR_EACH_OTHER = frozenset("aei")
_VOWELS = frozenset("aeiouy")
_UNSTRESSED = ("nt", "nc", "ble", "bly", "rat", "tel")
_SPOKEN = frozenset("zero oh one two three four five six seven eight nine double".split())
_HISSING = ("s", "x", "z", "ch", "sh", "o")


def difference(one: str, other: str, *, learned: bool = False) -> str | None:
    """Return in a few words what keeps two texts that are much alike from saying the same, None
    when nothing does.

    The same words have to stand in the same order; articles and a few other small words may be
    missing, a word may be inflected, a long one misspelt; beside a word such as password every
    letter counts. With `learned`, for a pair that a learned
    embedder found, common words may differ too; names, figures, signs, negations, quantities and
    the order may not.
    """
    if one == other:
        return None
    if (_tells_secret(one) or _tells_secret(other)) and _spelt(one) != _spelt(other):
        return SPELLING
    mine, theirs = _settled(_once(words(one)), _once(words(other)))
    theirs = _matched(mine, theirs)
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


def _tells_secret(text: str) -> bool:
    low = text.casefold()
    return any(word in low for word in _SECRETS)


def _spelt(text: str) -> list[str]:
    """Return the words of a text letter by letter, but for the case of the first, articles and
    the full stop."""
    first, *rest = text.strip().removesuffix(".").split() or [""]
    return [word for word in (first.casefold(), *rest) if word not in _FREE]


def _settled(one: list[Word], other: list[Word]) -> tuple[list[Word], list[Word]]:
    """Return both texts with their compounds as one word where the other text has it as one, and
    as its parts elsewhere: `e-mail` meets email, `well-known` meets well known."""
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


def _matched(mine: list[Word], theirs: list[Word]) -> list[Word]:
    """Return `theirs` with the words that are other forms of a word of `mine` as that word.

    Each is compared with each, so with more than a few of them the texts are two statements.
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
    """Return the words of a text that the other has not, or not as often."""
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
    """Return what the words that one text has and the other lacks say against their sameness: the
    weightiest of their reasons."""
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
    if learned and _reverse(left, right):
        reasons.add(QUANTITY)
    if learned and _is_other_tense(left, right):
        reasons.add(WORD)
    return next((reason for reason in _WEIGHT if reason in reasons), None)


def _holds(text: Iterable[Word], keys: frozenset[str]) -> bool:
    return any(word.key in keys for word in text)


def _reason(word: Word, *, learned: bool, unnamed: bool) -> str | None:
    """Return what a word that the other text lacks says against their sameness."""
    if word.kind != "word":
        return _OF_KIND[word.kind]
    if word.key in _QUANTITIES:
        return QUANTITY
    if not learned or word.key in _OPPOSITES:
        return WORD
    return NAME if unnamed and word.key not in FUNCTION_WORDS else None


def _reverse(left: Iterable[Word], right: Iterable[Word]) -> bool:
    """Say whether a word of one side is one of the other behind a prefix that turns it round."""
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


def _once(text: Sequence[Word]) -> list[Word]:
    """Return a text with the immediate repeat of a word once: very, very good. In a script without
    blanks a repeat is another word, and a number that is spoken twice stands twice."""
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
    shared = _bases(one.key) & _bases(other.key)
    if shared:
        # Who moved is no longer moving, and who works there is not who worked there.
        return not any(key.endswith("ed") and key not in shared for key in (one.key, other.key))
    return _is_slip(one.key, other.key)


def _is_other_tense(left: Iterable[Word], right: Iterable[Word]) -> bool:
    """Say whether the words that had no counterpart are forms of one word all the same."""
    bases = [{base for word in side if word.kind == "word" and word.key not in _FREE
              for base in _bases(word.key)} for side in (left, right)]  # fmt: skip
    return not bases[0].isdisjoint(bases[1])


def _bases(word: str) -> set[str]:
    """Return the words of which `word` may be a form by the rules of English inflection, itself
    among them."""
    found = {word}
    if word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        if word.endswith("es") and word[:-2].endswith(_HISSING):
            found.add(word[:-2])
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem == word or _VOWELS.isdisjoint(stem):
            continue
        found.add(stem + "e")
        if ending == "ed" and stem.endswith("i"):
            found.add(stem[:-1] + "y")
        if len(stem) > _SHORTEST_BASE and stem[-1] == stem[-2]:
            found.add(stem[:-1])
        if not _wants_doubling(stem):
            found.add(stem)
    return {base for base in found if len(base) >= _SHORTEST_BASE}


def _wants_doubling(stem: str) -> bool:
    """Say whether a stem is one syllable with one vowel before one consonant: `hoping` is no form
    of hop, since that doubles."""
    vowels = [place for place, char in enumerate(stem) if char in _VOWELS]
    return vowels == [len(stem) - 2] and stem[-1] not in "wxy"


def _is_slip(one: str, other: str) -> bool:
    """Say whether one long word is likely the other, misspelt, and no word by itself."""
    short, long = sorted((one, other), key=len)
    if len(short) < _LONG or not (short.isascii() and short.isalpha()):
        return False
    if not _is_one_slip(short, long):
        return False
    from tideline_cli.policy.near_words import NEAR_WORDS  # noqa: PLC0415  rarely asked

    return not (one in NEAR_WORDS and other in NEAR_WORDS)


def _is_one_slip(short: str, long: str) -> bool:
    """Say whether two letters changed places, a consonant is doubled or not, or one of a, e, i
    taken for another; the ends of a word carry its meaning and stay."""
    pairs = enumerate(zip(short, long, strict=False))
    start = next((place for place, (a, b) in pairs if a != b), len(short))
    a, b = short[start:], long[start:]
    if len(short) != len(long):
        is_double = bool(b) and b[0] == long[start - 1] and b[0] not in _VOWELS
        return len(short) >= _LONGER and 2 <= start < len(short) and is_double and a == b[1:]
    if len(a) < 3 or start < 2:
        return False
    if a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]:
        return True
    is_salt = a[1:] in ("te", "tes", "se", "ses")  # nitrate and nitrite are two
    is_vowel = {a[0], b[0]} <= _TAKEN_FOR_EACH_OTHER and a[1:] == b[1:]
    is_ending = a[1:].startswith(_UNSTRESSED)  # elsewhere a vowel is a tense (sprechen, sprachen)
    return is_vowel and is_ending and start >= 3 and len(short) >= _LONGER and not is_salt
