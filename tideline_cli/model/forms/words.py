"""The further forms of a text, word by word.

Names of programs' things in their parts, `getUserName` and get_user_name; words with an apostrophe
inside, `O'Brien` and obrien; ids and numbers in their other spellings, joined, parted, and without
leading zeros: `F-07` is f07, `12,500` is 12500, `+1 (415) 555-2671` is 14155552671, `5GB` is 5 and
gb.
"""

from __future__ import annotations

from tideline_cli.model.forms import signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tideline_cli.model.forms.found import Forms

    Terms = Callable[[str], list[str]]

_GROUP = 3  # digits between the commas of a number
_DIAL = 7  # digits of a phone number, at least
_LONGEST_NUMBER = 40  # characters of an id
_MOST_PIECES = 6
_SUFFIXES = frozenset(("s", "st", "nd", "rd", "th"))  # of 1960s, 3rd
_HEX = frozenset("0123456789abcdef")
_HASH = 7  # hex digits: as git shortens them
_ID_SIGNS = frozenset("-/:#")
_THOUSANDS = frozenset(",.'’٬_")
_ENDS_OF_NUMBERS = "\"'()[]{}<>.,;:!?*`~|=\\“”„‘’«»…，。、；：！？（）「」"
_DIAL_SIGNS = frozenset("+()-./ ")


def add_number_forms(word: str, forms: Forms, terms: Terms) -> None:
    """Add the forms of one word of a text, in lower case and without marks."""
    core = word.strip(_ENDS_OF_NUMBERS)
    if not core or len(core) > _LONGEST_NUMBER or "//" in core:
        return
    pieces, signs = _pieces(core)
    if len(pieces) > 1:
        _add_joined(core, pieces, signs, forms, terms)
    for piece in pieces:
        if piece.isdecimal():
            if piece[0] == "0" and piece.strip("0"):
                forms.spell(piece, piece.lstrip("0"))
        elif not piece.isalpha():
            _add_parts(piece, forms, terms)


def add_runs(words: Sequence[str], forms: Forms) -> None:
    """Add the numbers that are written in groups: phone numbers, IBANs, card numbers, 12 500."""
    run: list[str] = []
    for word in words:
        groups = _groups(word)
        if groups:
            run += groups
        if not groups or word[-1] in ",;":
            _add_run(run, forms)
            run = []
    _add_run(run, forms)


def _groups(word: str) -> list[str]:
    """Return the groups of digits of a word that has nothing else, or the start of an IBAN."""
    core = word.rstrip(",;.!?")
    if core and core[-1] in "0123456789)" and _DIAL_SIGNS.issuperset(core.translate(_NO_DIGITS)):
        return _pieces(core)[0]
    if 1 < len(core) <= 4 and core.isalnum() and not core.isalpha() and core.isascii():
        return [core]
    return []


_NO_DIGITS = dict.fromkeys(range(ord("0"), ord("9") + 1))


def _add_run(run: list[str], forms: Forms) -> None:
    """Join groups of digits; also without those at the beginning, which may be the country's."""
    if len(run) < 2 or not any(piece.isdecimal() for piece in run[1:]):
        return
    if _is_thousands(run):
        forms.join(run, ("".join(run),))
        return
    wholes = ["".join(run[start:]) for start in range(len(run) - 1)]
    wholes = [whole for whole in wholes if sum(map(str.isdecimal, whole)) >= _DIAL]
    bare = [whole.lstrip("0") for whole in wholes if whole[0] == "0"]
    forms.join(run, [*wholes, *bare])


def _is_thousands(run: Sequence[str]) -> bool:
    head, *rest = run
    return head.isdecimal() and len(head) <= _GROUP and head[0] != "0" and all(
        piece.isdecimal() and len(piece) == _GROUP for piece in rest
    )


def _pieces(core: str) -> tuple[list[str], list[str]]:
    """Return the runs of letters and digits of a word, and what stands between them."""
    pieces, signs, start, inside = [], [], 0, False
    for at, char in enumerate(core):
        if char.isalnum() != inside:
            part = core[start:at]
            if inside:
                pieces.append(part)
            elif pieces:
                signs.append(part)
            start, inside = at, not inside
    if inside:
        pieces.append(core[start:])
    return pieces, signs


def _add_joined(core: str, pieces: list[str], signs: list[str], forms: Forms, terms: Terms) -> None:
    """Join the parts of an id, and the groups of a number."""
    if len(pieces) > _MOST_PIECES:
        return
    if _THOUSANDS.issuperset("".join(signs)) and _is_thousands(pieces):
        forms.join(pieces, ("".join(pieces),))
        return
    number = _leading_number(pieces, signs)
    if number > 1:
        forms.join(pieces[:number], ("".join(pieces[:number]),))
        return
    if not _ID_SIGNS.issuperset("".join(signs)) or _is_time(pieces, signs):
        return
    if all(map(str.isalpha, pieces)):
        if len(core) <= 2 * _GROUP or {"-"}.issuperset(signs):
            joined = terms("".join(pieces))
            forms.join_words([term for piece in pieces for term in terms(piece)], joined)
    else:
        wholes = ["".join(pieces)]
        ends = [at + 1 for at, sign in enumerate(signs) if sign in "/:#"]
        wholes += ["".join(pieces[:end]) for end in ends[:1] if end > 1]
        forms.join([term for piece in pieces for term in terms(piece)],
                   [term for whole in wholes for term in terms(whole)])  # fmt: skip


def _leading_number(pieces: Sequence[str], signs: Sequence[str]) -> int:
    """Return how many of the first pieces are groups of one number, as in 1,234.50."""
    count = 1
    while count < len(pieces) and signs[count - 1] == "," and _is_thousands(pieces[: count + 1]):
        count += 1
    return count


def _is_time(pieces: Sequence[str], signs: Sequence[str]) -> bool:
    return ":" in signs and all(piece[0].isdecimal() for piece in pieces)


def _add_parts(piece: str, forms: Forms, terms: Terms) -> None:
    """Part a word where letters meet digits; a hash stays as it is."""
    if len(piece) >= _HASH and _HEX.issuperset(piece):
        return
    parts = list(_parts(piece))
    if parts[-1] in _SUFFIXES and len(parts) == 2:
        for term in terms(piece):
            forms.spell(term, parts[0])
        return
    if 1 < len(parts) <= 4:
        forms.join([term for part in parts for term in terms(part)], terms(piece))


def _parts(piece: str) -> Iterator[str]:
    start = 0
    for at in range(1, len(piece)):
        if piece[at].isdecimal() != piece[at - 1].isdecimal():
            yield piece[start:at]
            start = at
    yield piece[start:]


_LONGEST = 64
_MOST_PARTS = 8
_ENDS = "\"'()[]{}<>.,;:!?*`~|=\\“”„‘’«»…"


def add_parts(word: str, forms: Forms, terms: Terms) -> None:
    """Part a word where a small letter meets a capital one, and join one that underscores part."""
    core = word.strip(_ENDS)
    if len(core) > _LONGEST:
        return
    if "_" in core:
        _add_snake(core, forms, terms)
    for piece in _words(core):
        parts = list(_humps(piece))
        if 1 < len(parts) <= _MOST_PARTS and min(map(len, parts)) > 1:
            listed = [term for part in parts for term in terms(part)]
            forms.join(listed, terms(piece))


def add_joined(word: str, forms: Forms, terms: Terms) -> None:
    """Join a word with an apostrophe inside, unless it ends a word as in `Anna's`."""
    core = word.strip(_ENDS).replace("’", "'")
    parts = terms(core)
    joined = "".join(core.split("'"))
    if len(core) <= _LONGEST and joined.isalnum() and "'" in core:
        wholes = terms(joined)
        if len(parts) > 1 and core.rpartition("'")[2] != "t":
            forms.join_words(parts, wholes)


def _add_snake(core: str, forms: Forms, terms: Terms) -> None:
    parts = [part for part in core.split("_") if part]
    if 1 < len(parts) <= _MOST_PARTS and all(map(str.isalnum, parts)):
        forms.join([term for part in parts for term in terms(part)], terms("".join(parts)))


def _words(core: str) -> Iterator[str]:
    start = 0
    for at, char in enumerate(core):
        if not char.isalnum():
            yield core[start:at]
            start = at + 1
    yield core[start:]


def _humps(piece: str) -> Iterator[str]:
    """Yield the parts of a name in camel case: getUserName, HTTPServer."""
    start = 0
    for at in range(1, len(piece)):
        before, char = piece[at - 1], piece[at]
        follows = at + 1 < len(piece) and piece[at + 1].islower()
        if char.isupper() and (before.islower() or (before.isupper() and follows)):
            yield piece[start:at]
            start = at
    yield piece[start:]


_DIGITS = frozenset("0123456789")
_APOSTROPHES = ("'", "’")


def add_forms(text: str, forms: Forms, terms: Terms) -> None:
    """Add the forms of each word of a text, and of numbers that are written as several words."""
    plain: list[str] = []
    last = count = 0
    for word in text.split():
        core = word.strip(_ENDS)
        if not (core.isalpha() and core.isascii()):
            word = _add_word(word, forms, terms)
            count += last
            last = not _DIGITS.isdisjoint(word)
        else:
            last = 0
            if not (core.islower() or core[1:].islower() or core.isupper()):
                add_parts(core, forms, terms)
            name = signs.named(word) if core != word else None
            if name is not None:
                _add_name(word, name, forms, terms)
        plain.append(word)
    if count:
        add_runs(plain, forms)
    if not text.isascii():
        from tideline_cli.model.forms import marked  # noqa: PLC0415  ASCII needs none of it

        marked.add_signs(text, forms)


def _add_word(word: str, forms: Forms, terms: Terms) -> str:
    """Add the forms of a word with something else than letters in it; return it without marks."""
    if word.isascii():
        bare = word.lower()
        _add_ascii_signs(word, forms, terms)
    else:
        from tideline_cli.model.forms import marked  # noqa: PLC0415  as above

        bare = marked.plain_of(word, forms, terms)
    if any(mark in word.strip(_ENDS) for mark in _APOSTROPHES):
        add_joined(word, forms, terms)
    add_number_forms(bare, forms, terms)
    add_parts(word, forms, terms)
    return bare


def _add_name(word: str, name: str, forms: Forms, terms: Terms) -> None:
    listed = terms(word)
    if len(listed) == 1:
        forms.spell(listed[0], name)
    else:
        forms.sign(name)


def _add_ascii_signs(word: str, forms: Forms, terms: Terms) -> None:
    name = signs.named(word)
    if name is not None:
        _add_name(word, name, forms, terms)
    for sign in ("$", "%"):
        if sign in word:
            forms.sign(signs.MONEY[sign])


def add_stems(text: str, languages: Sequence[str], forms: Forms, terms: Terms) -> None:
    """Add the stems of the words of a text in the languages that a user names."""
    from tideline_cli.model.forms import stems  # noqa: PLC0415  a setting

    for word in text.casefold().replace("-", " ").split():
        core = word.strip(_ENDS).rpartition("'")[2]
        listed = terms(core)
        if len(listed) == 1 and core.isalpha():
            for stem in stems.in_languages(core, languages):
                forms.spell(listed[0], stem)
