"""A text as it is stored, and its index terms: one analyser for facts and queries.

`standard` stems Latin-script words (Snowball English), keeps combining marks with their base,
and cuts scripts that write no spaces into overlapping bigrams (Han also into single characters).
`reference` is the tokenizer of the specification: no stems, no bigrams.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.lean import once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tideline_cli.model.forms.found import Forms

    # `reference`, `standard` of files that know no further forms, or WITH_FORMS, a colon, and the
    # codes of languages with commas.
    Analyzer = str

ANALYZERS = ("standard", "reference")
WITH_FORMS = "standard/2"
"""The analyser of new files: as `standard`, with further forms behind the terms."""

FURTHER = "  "
"""What parts the terms of a text from its further forms, as the file keeps them."""

STOP_WORDS = frozenset(
    "a an and are as at be by did do does for from had has have how i in is it its me my of on or "
    "that the this to was what when where which who will with you your".split()
)
_QUOTES = "\"'()[]{}<>.,;:!?"  # and other signs that stand at the ends of words
_CONTRACTIONS = frozenset(("s", "m", "re", "ve", "ll", "d"))
# Thai: the first letter of a script without spaces. Here too, since ASCII does not load `letters`.
_FIRST_SPACELESS = "\u0e00"


class IndexTerms:
    """The index terms of a text: those that it is compared by, and further forms behind them."""

    __slots__ = ("further", "said")

    def __init__(self, said: list[str], further: Sequence[str] = ()) -> None:
        self.said = said
        self.further = further

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexTerms) and self.joined() == other.joined()

    def __hash__(self) -> int:
        return hash(self.joined())

    def __len__(self) -> int:
        return len(self.said) + len(self.further)

    def __iter__(self) -> Iterator[str]:
        yield from self.said
        yield from self.further

    @classmethod
    def parted(cls, joined: str) -> IndexTerms:
        """Return the terms that `joined` was made of."""
        said, _, further = joined.partition(FURTHER)
        return cls(said.split(), further.split())

    def joined(self) -> str:
        """Return them as the file keeps them: two spaces part the further forms from the rest."""
        if not self.further:
            return " ".join(self.said)
        return " ".join(self.said) + FURTHER + " ".join(self.further)


def said_terms(joined: str) -> list[str]:
    """Return the terms that a text is compared by, of all that the file keeps of it."""
    return joined.partition(FURTHER)[0].split()


def normalise(text: str) -> str:
    """Return `text` trimmed and in NFC; raise UsageError for what cannot be stored. The first line
    of several keeps the blanks before it."""
    if "\x00" in text:
        raise UsageError("the text holds a NUL character", hint="remove it and try again")
    if text.isascii():
        return _trimmed(text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the text is not valid Unicode (lone surrogate at character {error.start})",
            hint="pass it as UTF-8",
        ) from error
    from tideline_cli.model.unicode_forms import in_form  # noqa: PLC0415  ASCII needs none of it

    return _trimmed(in_form("NFC", text))


def _trimmed(text: str) -> str:
    bare = text.strip()
    if "\n" not in bare:
        return bare
    before = text[: text.index(bare[0])]
    return before.rpartition("\n")[2] + bare


def terms(text: str, *, analyzer: Analyzer) -> list[str]:
    """Return the terms of `text` in order, repeats kept: what two texts are compared by."""
    return _reference(text) if analyzer == "reference" else _standard(text)


def asked_forms(text: str, listed: Sequence[str], *, analyzer: Analyzer) -> Forms | None:
    """Return the further forms of a question with these terms; None where it has none."""
    if not analyzer.startswith(WITH_FORMS):
        return None
    from tideline_cli.model.forms import further  # noqa: PLC0415  older files have none

    return further.question_forms(
        text, listed, terms=_standard, languages=languages_of(analyzer), is_plain=_is_plain(text)
    )


def stem(word: str) -> str:
    """Return the English stem of a word in lower case; a stop word has none but itself."""
    return _stems()[word] or word


def plain_term(word: str) -> str:
    """Return the term of a word of small ASCII letters, empty for a stop word."""
    return _stems()[word]


def index_terms(text: str, *, analyzer: Analyzer) -> IndexTerms:
    """Return what the index holds of a text."""
    listed = terms(text, analyzer=analyzer)
    if analyzer == WITH_FORMS:
        if _is_plain(text):
            return IndexTerms(listed)
    elif not analyzer.startswith(WITH_FORMS):
        return IndexTerms(listed)
    from tideline_cli.model.forms import further  # noqa: PLC0415  plain English needs none of it

    found = further.further_forms(
        text, listed, terms=_standard, languages=languages_of(analyzer), is_plain=_is_plain(text)
    )
    return IndexTerms(listed, found.further())


def _is_plain(text: str) -> bool:
    """Say whether a text has nothing but words of ASCII letters, none with further forms."""
    if not text.isascii():
        return False
    shape = text.encode().translate(_SHAPE)
    if b"0" in shape or b"aA" in shape:
        return False
    return "'" not in text or all(map(_is_contracted, text.split("'")[1:]))


def _is_contracted(tail: str) -> bool:
    """Say whether an apostrophe's end is that of `Anna's`, `don't`, `we're`, or no letter."""
    if not tail[:1].isalnum():
        return True
    size = 1 if tail[0] in "stmd" else 2 if tail[:2] in _CONTRACTIONS else 3
    return size < 3 and not tail[size : size + 1].isalnum()


def languages_of(analyzer: Analyzer) -> list[str]:
    """Return the codes of the languages whose stems an analyser adds."""
    named = analyzer.partition(":")[2]
    return named.split(",") if named else []


def content_words(text: str) -> str:
    """Return a question without its stop words; whole, where nothing else is in it."""
    words = [word for word in text.split() if word.strip(_QUOTES).lower() not in STOP_WORDS]
    return " ".join(words) if words else text


def _standard(text: str) -> list[str]:
    if text.count(".") > 1:
        text = " ".join(map(_without_dots, text.split()))
    if text.isascii():
        words = text.lower().translate(_ASCII).split()
        if "'" not in text and "-" not in text:
            return [*filter(None, map(_stems().__getitem__, words))]
        stem = _stemmer()
    else:
        from tideline_cli.model import letters  # noqa: PLC0415  ASCII needs none of it

        words = letters.words_of(text)
        stem = letters.latin_stemmer(_stemmer())
    out: list[str] = []
    for word in words:
        if word.isalnum() and word.isascii():
            if word not in STOP_WORDS:
                out.append(stem(word))
        elif "-" in word:
            _add_compound(word, out, stem)
        else:
            _add_word(word, out, stem)
    return out


def _without_dots(word: str) -> str:
    """Return the word with the dots of an abbreviation taken out: `U.S.` as US, `e.g.` as eg."""
    if word.count(".") < 2:
        return word
    head = word.lstrip("([{\"'")
    letters = head.split(".")
    count = 0
    while count < len(letters) and len(letters[count]) == 1 and letters[count].isalpha():
        count += 1
    return word if count < 2 else "".join(letters[:count]) + " " + ".".join(letters[count:])


def _add_compound(word: str, out: list[str], stem: Callable[[str], str]) -> None:
    """Index `e-mail` as email, e and mail, so that each spelling finds the others."""
    parts = [part for part in word.split("-") if part.strip("'")]
    if len(parts) > 1 and all(any(char.isalpha() for char in part) for part in parts):
        joined = "".join(_uncontracted(part) for part in parts)
        if joined.isalnum() and joined[0] < _FIRST_SPACELESS:
            out.append(stem(joined))
    for part in parts:
        _add_word(part, out, stem)


def _add_word(word: str, out: list[str], stem: Callable[[str], str]) -> None:
    for part in _uncontracted(word).split("'"):
        if not part or part in STOP_WORDS:
            continue
        if part.isascii() or max(part) < _FIRST_SPACELESS:
            out.append(stem(part))
        else:
            _add_pieces(part, out, stem)


def _uncontracted(word: str) -> str:
    head, quote, tail = word.strip("'").rpartition("'")
    return head if quote and tail in _CONTRACTIONS else head + quote + tail


def _add_pieces(word: str, out: list[str], stem: Callable[[str], str]) -> None:
    """Append the terms of a word that may hold letters of a script without spaces."""
    for piece, is_word in _cutter()(word):
        if not is_word:
            out.append(piece)
        elif piece not in STOP_WORDS:
            out.append(stem(piece))


def _reference(text: str) -> list[str]:
    from tideline_cli.model.letters import reference_table  # noqa: PLC0415  one analyser asks

    words = text.lower().translate(reference_table()).split()
    return [word for word in words if word not in STOP_WORDS]


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
# Of each byte its kind: a digit or a sign that has terms, a small or a capital letter, or itself.
_SHAPE = bytes(
    0x30 if code in b"0123456789_+#$%/" else 0x61 if 0x61 <= code <= 0x7A else
    0x41 if 0x41 <= code <= 0x5A else code for code in range(256)
)  # fmt: skip


@once
def _stems() -> _Stems:
    return _Stems()


@once
def _stemmer() -> Callable[[str], str]:
    from Stemmer import Stemmer  # noqa: PLC0415  what analyses no text does not pay for it

    stem: Callable[[str], str] = Stemmer("english").stemWord
    return stem


@once
def _cutter() -> Callable[[str], list[tuple[str, bool]]]:
    from tideline_cli.model.letters import pieces  # noqa: PLC0415  ASCII needs none of it

    return pieces
