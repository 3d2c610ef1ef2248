"""From text to index terms: one analyser for documents and queries.

`standard` stems Latin-script words (Snowball English), keeps combining marks with their base,
and cuts scripts that write no spaces into overlapping bigrams (Han also into single characters).
`reference` is the tokenizer of the specification: no stems, no bigrams.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    Analyzer = Literal["standard", "reference"]

MAX_SHORT = 1024
ANALYZERS: tuple[Analyzer, ...] = ("standard", "reference")

STOP_WORDS = frozenset(
    "a an and are as at be by did do does for from had has have how i in is it its me my of on or "
    "that the this to was what when where which who will with you your".split()
)
_CONTRACTIONS = frozenset(("s", "m", "re", "ve", "ll", "d"))
_FIRST_SPACELESS = "\u0e00"  # every script without spaces that we cut lies at or above Thai
_LATIN_END = 0x250
_LATIN_EXTRA = (0x1E00, 0x1F00)
_HAN = ((0x3400, 0x9FFF), (0x3005, 0x3007), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_SPACELESS = (
    *_HAN,
    (0x0E00, 0x0E7F),  # Thai
    (0x3040, 0x30FF),  # Kana
    (0x31F0, 0x31FF),
    (0xFF66, 0xFF9F),
    (0xAC00, 0xD7FF),  # Hangul
    (0x1100, 0x11FF),
    (0x3130, 0x318F),
    (0xA960, 0xA97F),
)
_JOINERS = frozenset((0x200C, 0x200D, 0x00AD))
_APOSTROPHES = frozenset((0x2019, 0x02BC, 0xFF07))
_MANY_MARKS = 64  # in a text; so few are in order soon
_MADE_OF_MARKS = frozenset("\u0f73\u0f75\u0f81")  # and none themselves
_MADE_OF_MARKS_IN_K = _MADE_OF_MARKS | frozenset("\uff9e\uff9f")
_HYPHENS = frozenset((0x2010, 0x2011))


def normalise(text: str) -> str:
    """Return `text` trimmed and in NFC; raise UsageError for what cannot be stored."""
    if "\x00" in text:
        raise UsageError("the text holds a NUL character", hint="remove it and try again")
    if text.isascii():
        return text.strip()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the text is not valid Unicode (lone surrogate at character {error.start})",
            hint="pass it as UTF-8",
        ) from error
    return in_form("NFC", text).strip()


def in_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a form of Unicode, in time proportional to its length.

    The library sorts the marks on one letter by insertion: 80,000 of them in bad order take 5 s.
    So long runs of marks are sorted before, which says the same.
    """
    from unicodedata import combining, normalize  # noqa: PLC0415  ASCII texts need none of it

    apart: Literal["NFD", "NFKD"] = "NFD" if form == "NFC" else "NFKD"
    made = _MADE_OF_MARKS if form == "NFC" else _MADE_OF_MARKS_IN_K
    if sum(map(bool, map(combining, text))) < _MANY_MARKS and made.isdisjoint(text):
        return normalize(form, text)
    out: list[str] = []
    run: list[str] = []
    for char in text:
        if combining(char) or char in made:
            run.extend(normalize(apart, char))
            continue
        if run:
            out.extend(sorted(run, key=combining))
            run = []
        out.append(char)
    out.extend(sorted(run, key=combining))
    return normalize(form, "".join(out))


def storable(value: str, name: str) -> str:
    """Return a short text (a title, a tag, a reference) that can be stored as it is.

    Raises UsageError for one that is too long, holds a NUL, or is not valid Unicode.
    """
    if len(value) > MAX_SHORT:
        raise UsageError(f"{name} has more than {MAX_SHORT:,} characters")
    if "\x00" in value:
        raise UsageError(f"{name} holds a NUL character")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{name} is not valid Unicode", hint="pass it as UTF-8") from error
    return value


def terms(text: str, *, analyzer: Analyzer) -> list[str]:
    """Return the index terms of `text` in order, repeats kept."""
    return _standard(text) if analyzer == "standard" else _reference(text)


def is_spaceless(char: str) -> bool:
    """Say whether a character is of a script that writes no blanks between words."""
    return char >= _FIRST_SPACELESS and _within(ord(char), _SPACELESS)


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a∩b| / |a∪b|, and 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def _standard(text: str) -> list[str]:
    if text.count(".") > 1:
        text = " ".join(_closed(word) if word.count(".") > 1 else word for word in text.split())
    if text.isascii():
        words = text.lower().translate(_ASCII).split()
        if "'" not in text and "-" not in text:
            return [*filter(None, map(_stems().__getitem__, words))]
    else:
        words = in_form("NFC", text.casefold()).translate(_unicode_table()).split()
    stem = _stemmer()
    out: list[str] = []
    for word in words:
        if word.isalnum() and word.isascii():
            if word not in STOP_WORDS:
                out.append(stem(word))
        elif "-" in word:
            _compound(word, out, stem)
        else:
            _word(word, out, stem)
    return out


def _closed(word: str) -> str:
    """Return the word with the dots of an abbreviation taken out: `U.S.` as US, `e.g.` as eg."""
    head = word.lstrip("([{\"'")
    letters = head.split(".")
    count = 0
    while count < len(letters) and len(letters[count]) == 1 and letters[count].isalpha():
        count += 1
    return word if count < 2 else "".join(letters[:count]) + " " + ".".join(letters[count:])


def _compound(word: str, out: list[str], stem: Callable[[str], str]) -> None:
    """Index `e-mail` as email, e and mail, so that each spelling finds the others."""
    parts = [part for part in word.split("-") if part.strip("'")]
    if len(parts) > 1 and all(any(char.isalpha() for char in part) for part in parts):
        joined = "".join(_uncontracted(part) for part in parts)
        if joined.isalnum() and joined[0] < _FIRST_SPACELESS:
            out.append(_stemmed(joined, stem))
    for part in parts:
        _word(part, out, stem)


def _word(word: str, out: list[str], stem: Callable[[str], str]) -> None:
    for part in _uncontracted(word).split("'"):
        if not part or part in STOP_WORDS:
            continue
        if part.isascii() or max(part) < _FIRST_SPACELESS:
            out.append(_stemmed(part, stem))
        else:
            _mixed(part, out, stem)


def _uncontracted(word: str) -> str:
    head, quote, tail = word.strip("'").rpartition("'")
    return head if quote and tail in _CONTRACTIONS else head + quote + tail


def _stemmed(word: str, stem: Callable[[str], str]) -> str:
    return stem(word) if word.isascii() or all(map(_is_latin, map(ord, word))) else word


def _mixed(word: str, out: list[str], stem: Callable[[str], str]) -> None:
    """Split a word into runs with and without spaces between words, and index each its way."""
    run: list[str] = []  # characters with their marks
    spaceless = False
    for unit in _units(word):
        here = _within(ord(unit[0]), _SPACELESS)
        if run and here != spaceless:
            _run(run, spaceless, out, stem)
            run = []
        spaceless = here
        run.append(unit)
    _run(run, spaceless, out, stem)


def _run(run: list[str], spaceless: bool, out: list[str], stem: Callable[[str], str]) -> None:
    if not spaceless:
        whole = "".join(run)
        if whole not in STOP_WORDS:
            out.append(_stemmed(whole, stem))
        return
    for i, unit in enumerate(run):
        if len(run) == 1 or _within(ord(unit[0]), _HAN):
            out.append(unit)
        if i + 1 < len(run):
            out.append(unit + run[i + 1])


def _units(word: str) -> list[str]:
    from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

    units: list[str] = []
    for char in word:
        if units and category(char)[0] == "M":
            units[-1] += char
        else:
            units.append(char)
    return units


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _is_latin(code: int) -> bool:
    return code < _LATIN_END or _LATIN_EXTRA[0] <= code < _LATIN_EXTRA[1]


def _reference(text: str) -> list[str]:
    words = text.lower().translate(_reference_table()).split()
    return [word for word in words if word not in STOP_WORDS]


class _Letters(dict[int, int | str | None]):
    """A translation table filled on demand: letters and digits stay, the rest parts words."""

    def __init__(self, *, marks: bool) -> None:
        from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

        self._category = category
        self._kept = "LNM" if marks else "LN"
        super().__init__()
        if marks:
            self.update({ord("'"): "'", ord("-"): "-"})
            self.update(dict.fromkeys(_APOSTROPHES, "'"))
            self.update(dict.fromkeys(_HYPHENS, "-"))
            self.update(dict.fromkeys(_JOINERS))

    def __missing__(self, code: int) -> int | str | None:
        value: int | str = code if self._category(chr(code))[0] in self._kept else " "
        self[code] = value
        return value


class _Stems(dict[str, str]):
    """Stems of plain words, filled on demand; empty for a stop word."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(STOP_WORDS, ""))
        self._stem = _stemmer()

    def __missing__(self, word: str) -> str:
        if len(self) > _MOST_STEMS:
            self.clear()
            self.update(dict.fromkeys(STOP_WORDS, ""))
        self[word] = term = self._stem(word)
        return term


# Names every ASCII letter: one that is not there costs an exception.
_ASCII = {
    code: chr(code) if chr(code).isalnum() or chr(code) in "'-" else " " for code in range(128)
}
_MOST_STEMS = 200_000
_tables: dict[str, _Letters] = {}
_known_stems: list[_Stems] = []
_stem: list[Callable[[str], str]] = []


def _unicode_table() -> _Letters:
    if "standard" not in _tables:
        _tables["standard"] = _Letters(marks=True)
    return _tables["standard"]


def _reference_table() -> _Letters:
    if "reference" not in _tables:
        _tables["reference"] = _Letters(marks=False)
    return _tables["reference"]


def _stems() -> _Stems:
    if not _known_stems:
        _known_stems.append(_Stems())
    return _known_stems[0]


def _stemmer() -> Callable[[str], str]:
    if not _stem:
        from Stemmer import Stemmer  # noqa: PLC0415  only what analyses text pays for it

        _stem.append(Stemmer("english").stemWord)
    return _stem[0]
