"""The name of an origin as people are shown it: letters that pass for others say what they are."""

from __future__ import annotations

from unicodedata import category, normalize

# Signs that pass for those that part a name.
_SIGNS = frozenset("∕⁄⧸╱꞉ː։׃⁏‚․∶")
_OWN_LATIN = 0x180  # letters of Latin-1 and Latin Extended-A have marks of their own, but one:
_DOTLESS_I = "\u0131"
# Letters that are drawn as Latin ones; of a word beside no Latin letter, only these are doubtful.
_TWINS = frozenset(
    "АВЕЅІЈКМНОРСТУХаеорсухіјѕԁһӏԛԝ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχικ" "օսոհԼՕՏՍցք"
)


def origin_name(key: str) -> str:
    """Return a key with every letter that looks like another one as its code point.

    A letter of another script that looks Latin is spelled out where Latin letters stand beside
    it, or where a whole part of the name looks Latin; a word that cannot be mistaken is left.
    """
    if key.isascii():
        return key
    kind, colon, rest = key.partition(":")
    out = []
    for part in _pieces(rest):
        out.append(part if part.isascii() else _spelled(part))
    return kind + colon + "".join(out)


def _pieces(text: str) -> list[str]:
    """Return the parts of a name and the signs between them."""
    pieces = [""]
    for char in text:
        if char in "/@":
            pieces += [char, ""]
        else:
            pieces[-1] += char
    return pieces


def _spelled(part: str) -> str:
    from tideline_cli.policy.threats._patterns import LOOKALIKES  # noqa: PLC0415  names in other scripts alone

    alike = {char for chars in LOOKALIKES.values() for char in chars if ord(char) >= _OWN_LATIN}
    alike |= _SIGNS | {_DOTLESS_I}
    letters = [char for char in part if char.isalpha()]
    beside_latin = any(char.isascii() for char in letters)
    is_doubtful = beside_latin or all(char in _TWINS for char in letters)
    out = []
    for place, char in enumerate(part):
        is_sign = char in alike and not char.isalpha()
        is_form = not char.isascii() and normalize("NFKC", char).isascii()
        is_loose = category(char)[0] == "M" and (place == 0 or part[place - 1].isascii())
        doubted = is_sign or is_form or is_loose or (char in alike and is_doubtful)
        out.append(f"<U+{ord(char):04X}>" if doubted else char)
    return "".join(out)
