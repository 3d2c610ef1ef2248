"""Which words are forms of one word: inflected by the rules of English, or misspelt. Pure."""

from __future__ import annotations

_SHORTEST_BASE = 3
_LONG, _LONGER = 7, 8  # letters a word must have before a misspelling can be told from another word
_TAKEN_FOR_EACH_OTHER = frozenset("aei")
_VOWELS = frozenset("aeiouy")
_UNSTRESSED = ("nt", "nc", "ble", "bly", "rat", "tel")
_HISSING = ("s", "x", "z", "ch", "sh", "o")


def base_forms(word: str) -> set[str]:
    """Return the words that `word` may be a form of by the rules of English inflection, with `word`
    itself."""
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


def is_misspelling(one: str, other: str) -> bool:
    """Say whether one long word is likely the other, misspelt, and not a word of its own."""
    short, long = sorted((one, other), key=len)
    if len(short) < _LONG or not (short.isascii() and short.isalpha()):
        return False
    if not _is_one_slip(short, long):
        return False
    from tideline_cli.policy.near_words import NEAR_WORDS  # noqa: PLC0415  rarely asked

    return not (one in NEAR_WORDS and other in NEAR_WORDS)


def _is_one_slip(short: str, long: str) -> bool:
    """Say whether two letters changed places, a consonant is doubled or not, or one of a, e, i
    stands for another. The ends of a word carry its meaning and must be equal."""
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
