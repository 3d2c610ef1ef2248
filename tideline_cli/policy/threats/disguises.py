"""What a text says whose letters are spread, cut, or replaced by digits and signs.

The words of the patterns are looked for in the text with its signs undone or left out. A wrong
guess does no harm: a reading is only searched for patterns.
"""

from __future__ import annotations

from tideline_cli.policy.threats._words import COMMON, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FEWEST = 4  # single letters in a row before they are a spread-out word
LONGEST = 20  # letters of a word; a longer one may be several
_MOSTLY = 0.6  # of the words end in punctuation: then it says nothing

# Letters, digits and signs that stand for one another.
_ALIKE = {
    "1": "il!|", "3": "e€", "4": "a@", "0": "o", "5": "s$", "7": "t+", "9": "g6", "8": "b",
    "2": "z", "c": "(", "h": "#",
}  # fmt: skip
_KEY = str.maketrans({char: key for key, chars in _ALIKE.items() for char in chars})
_AS_LETTERS = str.maketrans("0134579682@$!|+€(#", "oieastggbzasiltech")
_ENDS = ".,;:!?"
_RUBBLE = _ENDS + "|/-~…"
_ALONE = {"1": "i", "4": "a", "@": "a", "!": "i", "|": "i"}
_QUOTES = "\"'`()[]{}<>*_"

_BLANKS = frozenset("-_'")  # patterns read them as blanks

_words: dict[str, str] = {}  # by key
_lengths: dict[str, tuple[int, ...]] = {}  # of the keys that begin with two characters


def undisguised(low: str) -> str:
    """Return a text in lower case with its disguised words undone, or the text itself."""
    if not _words:
        listed = COMMON + WORDS  # the words of the table win
        _words.update(zip(listed.translate(_KEY).split(), listed.split(), strict=True))
    tokens = _without_rubble(low.split())
    out: list[str] = []
    run: list[str] = []
    for token in (*filter(None, tokens), ""):
        if not run and 1 < len(token) < LONGEST and token.isalpha():
            out.append(token)
            continue
        bare = token
        if len(token) > 1 and not token.isalpha() and token.translate(_KEY) not in _words:
            bare = token.strip(_QUOTES + _ENDS + "-~|/·•")
        if len(bare) == 1 and (bare.isalnum() or bare in "@$€"):
            run.append(bare)
            if token[-1] in ".!?;" and len(token) > 1:
                run.append(token[-1])
            continue
        if run and token and not bare.isalnum() and len(token) == 1:
            run.append(token)
            continue
        out.extend(_spread(run))
        run = []
        out.append(token if token.isalpha() and len(token) < LONGEST else _word(token))
    text = " ".join(filter(None, out))
    if text == low:
        return low
    return " ".join(_number(token) for token in text.split(" "))


def _number(token: str) -> str:
    """Return the word that digits or signs spell beside other disguised words."""
    if len(token) == 1:
        return _ALONE.get(token, token)
    digits = token.rstrip(_ENDS)
    word = _words.get(digits.translate(_KEY)) if digits.isdigit() else None
    return token if word is None else word + token[len(digits) :]


def _without_rubble(tokens: list[str]) -> list[str]:
    """Leave out a sign that stands between most words, and the punctuation that ends most."""
    signs = [token for token in tokens if len(token) == 1 and not token.isalnum()]
    if len(signs) * 3 >= len(tokens) > FEWEST:
        most = max(set(signs), key=signs.count)
        tokens = [token for token in tokens if token != most]
    ended = sum(token[-1] in _RUBBLE for token in tokens)
    if len(tokens) > FEWEST and ended >= _MOSTLY * len(tokens):
        tokens = [token.rstrip(_RUBBLE) + (":" if ":" in token[-2:] else "") for token in tokens]
    return tokens


def _spread(run: list[str]) -> Iterator[str]:
    """Yield the words that single letters spell; where there are few, the letters themselves."""
    if sum(map(str.isalnum, run)) < FEWEST:
        yield from run
        return
    letters = ""
    for char in run:
        if char in ".!?;:" and len(letters) > 1:
            yield segmented(letters) + char
            letters = ""
        elif char == "'" or char not in '.,;:?-_*/~"·•':
            letters += char
    yield segmented(letters)


def _word(token: str) -> str:
    """Return what a word with signs in it says."""
    for text in (token, token.rstrip(_ENDS)):
        known = None if text.isdigit() or text.isalpha() else _words.get(text.translate(_KEY))
        if known is not None:
            return known + token[len(text) :]
    head = token.lstrip(_QUOTES)
    core = head.rstrip(_ENDS + _QUOTES)
    if core.isdigit() or (core.isalpha() and len(core) < LONGEST):
        return token
    said, after = _parted(core), head[len(core) :]
    if said != core:  # of the signs around a word that signs cut, one may mean something
        dot = "." if "." in after and "." not in core else ""
        after = next((char for char in after if char in ":!?;,"), dot)
    return token[: len(token) - len(head)] + said + after


def _parted(core: str) -> str:
    """Return what a word says that signs may cut: at every letter, or anywhere."""
    known = _words.get(core.translate(_KEY))
    if known is not None:
        return known
    parts = _split(core, lambda char: char.isalnum() or char in "'@$€")
    joined = "".join(parts)
    if len(joined) < 2 or len(parts) == 1:
        return _letters(joined, core)
    known = _words.get(joined.translate(_KEY))
    if known is not None:
        return known
    if len(parts) >= FEWEST and sum(len(part) == 1 for part in parts) > len(parts) / 2:
        runs = [(run.rstrip(_ENDS), run) for run in _at_wide_gaps(core)]
        return " ".join(segmented(bare) + run[len(bare) :] for bare, run in runs)
    if any(map(str.isdigit, parts)):
        return core
    if max(map(len, parts)) <= 3 and len(parts) > 2:
        return segmented(joined)
    if set(core) <= _BLANKS.union(joined):
        return core
    telling = (len(part) > 3 and part.translate(_KEY) in _words for part in parts)
    if len(parts) < 3 and not any(telling):
        return core
    return " ".join(_words.get(part.translate(_KEY)) or part for part in parts)


def _letters(joined: str, core: str) -> str:
    """Return a word without signs inside: digits among letters are letters, and a long word may be
    several."""
    if joined.isalpha():
        return segmented(joined) if len(joined) >= LONGEST and joined.isascii() else core
    mixed = any(char.isalpha() for char in core) and len(core) < LONGEST
    return core.translate(_AS_LETTERS) if mixed else core


def _at_wide_gaps(core: str) -> list[str]:
    """Return the letters between gaps of more than one sign."""
    out = [""]
    gap = 0
    for char in core:
        if char.isalnum() or char in "'@$€":
            if gap > 1:
                out.append("")
            out[-1] += char
            gap = 0
        else:
            gap += 1
            if char in ":!?;":  # these mean something, whatever else stands between letters
                out[-1] += char
                gap = 2
    return out


def _split(text: str, keeps: Callable[[str], bool]) -> list[str]:
    return "".join(char if keeps(char) else " " for char in text).split()


def segmented(letters: str) -> str:
    """Return a run of letters with blanks between the words of the table that are in it. The
    cheapest cut is taken: a long word costs little, a letter that is in none costs much."""
    key = letters.translate(_KEY)
    if key in _words:
        return _words[key]
    if not _lengths:
        found: dict[str, set[int]] = {}
        for word in _words:
            found.setdefault(word[:2], set()).add(len(word))
        _lengths.update({start: tuple(sorted(sizes)) for start, sizes in found.items()})
    size = len(key)
    costs = [0.0, *[9.0 * size] * size]
    cuts = [0] * (size + 1)  # where the word that ends here begins; -1: no word
    for at in range(size):
        cost = costs[at]
        is_open = at > 0 and cuts[at] < 0
        alone = cost + (3 if is_open else 4)
        if alone < costs[at + 1]:
            costs[at + 1], cuts[at + 1] = alone, -1
        if letters[at] == "a" and not is_open and cost + 3.5 < costs[at + 1]:
            costs[at + 1], cuts[at + 1] = cost + 3.5, at
        for length in _lengths.get(key[at : at + 2], ()):
            if at + length <= size and key[at : at + length] in _words:
                whole = cost + (2 if length > 3 else 5 if length == 3 else 6.5)
                if whole < costs[at + length]:
                    costs[at + length], cuts[at + length] = whole, at
    return _joined(letters, key, cuts)


def _joined(letters: str, key: str, cuts: list[int]) -> str:
    out: list[str] = []
    at = end = len(letters)
    while at > 0:
        begin = cuts[at]
        if begin < 0:
            at -= 1
            continue
        if at < end:
            out.append(letters[at:end])
        out.append(_words.get(key[begin:at], letters[begin:at]))
        at = end = begin
    if end > 0:
        out.append(letters[:end])
    return " ".join(reversed(out))
