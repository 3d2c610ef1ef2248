"""Terms of signs that are no letters: emoji, currencies, and the signs in the names of languages of
programs."""

from __future__ import annotations

from unicodedata import category

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MONEY = {
    "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "￥": "yen", "₹": "rupe", "₽": "rubl",
    "₩": "won", "₺": "lira", "₴": "hryvnia", "₿": "bitcoin", "%": "percent",
}  # fmt: skip
_FRAMES = range(0x2500, 0x25A0)  # lines and blocks of drawings
_SKINS = range(0x1F3FB, 0x1F400)
_FLAGS = range(0x1F1E6, 0x1F200)
_SIGNS = frozenset(("So", "Sm", "Sc"))


def of(text: str) -> Iterator[str]:
    """Yield the terms of the signs of a text that is not ASCII, in order; a flag is one sign."""
    flag = ""
    for char in text:
        if char < "\xa2" or char.isalnum():
            continue
        if char in MONEY:
            yield MONEY[char]
        code = ord(char)
        if code in _FLAGS:
            flag += char
            if len(flag) == 2:
                yield flag
                flag = ""
        elif code not in _FRAMES and code not in _SKINS and category(char) in _SIGNS:
            yield char


def named(word: str) -> str | None:
    """Return the term of a name with a sign: C++, C#; None for any other word."""
    core = word.strip("\"'()[]{}<>,;:!?").rstrip(".")
    head = core.rstrip("+#")
    signs = core[len(head) :]
    if signs == "++" and 0 < len(head) <= 4 and head.isalpha():
        return head.lower() + "plusplus"
    if signs == "#" and len(head) == 1 and head.isalpha():
        return head.lower() + "sharp"
    return None
