"""What the embedders are made of: the words of a text, the features of a word, and the phases of a
feature. `hrr`, `hrr_plain` and `hashing` share it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HRR = "hrr-256"
WORD_BAGS = (HRR, "hash-256")
"""The embedders that see the words of a text and not its sentences: a stop word of a question is
like a word that shares its letters. A learned embedder takes the question whole."""
FLOOR = 0.3  # the least cosine that counts as similar
PHASES = 128  # of a vector of hrr-256
EMPTY = "w:__hrr_empty__"  # the one feature of a text without words
_ROUNDS = tuple(b":%d" % number for number in range(PHASES // 16))

# Position = ASCII code: letters in lower case, digits, and a space for everything else.
_ASCII = "".join(chr(code).lower() if chr(code).isalnum() else " " for code in range(128))


def words(text: str) -> list[str]:
    """Return the lower-case runs of letters (category L*) and numbers (N*), in order.

    No stop word is removed, and no stem is taken. A combining mark or a lone surrogate splits a
    word, as it does in the reference.
    """
    if text.isascii():
        return text.translate(_ASCII).split()
    from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

    lower = text.lower()
    table = {ord(char): " " for char in set(lower) if category(char)[0] not in "LN"}
    return lower.translate(table).split()


def features(word: str) -> list[str]:
    """Return `w:word`, then `g:` and each window of three UTF-16 code units of `^word$`.

    A window may cut a character beyond U+FFFF; the half stays in the feature as a lone surrogate.
    """
    padded = f"^{word}$"
    if word.isascii() or max(word) <= "\uffff":
        return [f"w:{word}", *["g:" + padded[start : start + 3] for start in range(len(word))]]
    units = padded.encode("utf-16-le")
    windows = [units[start : start + 6] for start in range(0, len(units) - 4, 2)]
    return [
        f"w:{word}",
        *["g:" + window.decode("utf-16-le", "surrogatepass") for window in windows],
    ]


def atom(name: str, sha256: Callable[[bytes], Any]) -> bytes:
    """Return a feature's 128 uint16 phases, little-endian: SHA-256 of `feature:round`."""
    try:
        data = name.encode()
    except UnicodeEncodeError:  # each lone surrogate becomes U+FFFD, as in Node
        data = name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    return b"".join([sha256(data + number).digest() for number in _ROUNDS])
