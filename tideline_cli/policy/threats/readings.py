"""The readings of a text that is not plain, which the table of patterns is asked about: as it is
rendered, with look-alikes folded, decoded, and without its disguises.
"""

from __future__ import annotations

from tideline_cli.model.lean import once
from tideline_cli.policy.render import prompt_text
from tideline_cli.policy.threats._cues import CUE_WIDTH, CUES, MARKS, REVERSED_TRACES
from tideline_cli.policy.threats.decoding import without_encodings
from tideline_cli.policy.threats.plain import LOWER, ROT13, TURNED_CUES, may_be_disguised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tideline_cli.policy.threats.plain import Reading

_DEPTH = 2  # an encoding inside an encoding, no further


def disguises(text: str) -> Iterator[Reading]:
    """Yield the readings of a text that are scanned: as rendered, decoded, undisguised."""
    for layer in _layers(prompt_text(text)):
        yield from _readings(layer)


def _reading(text: str, low: str = "", starts: set[str] | None = None) -> Reading:
    """Return a text, the text in lower case, the cues in it, and how its words begin."""
    low = low or text.lower()
    starts = _starts(low) if starts is None else starts
    cues = [*CUES.keys() & starts, *(mark for mark in MARKS if mark in low)]
    return text, low, cues, frozenset(starts)


def _starts(low: str) -> set[str]:
    """Return how the words of a text begin: what is no letter and no digit parts them."""
    return {word[:CUE_WIDTH] for word in low.translate(_SEPARATORS).split()}


def _layers(text: str) -> Iterator[str]:
    """Yield the text, then what its encoded parts say."""
    yield text
    for _ in range(_DEPTH):
        inner = without_encodings(text)
        if inner == text:
            return
        text = prompt_text(inner)
        yield text


def _readings(text: str) -> Iterator[Reading]:
    """Yield the text as it stands, with look-alikes folded, and without its disguises."""
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">")
    if "~~" in text:  # struck out
        text = text.replace("~~", "")
    if "_" in text:  # emphasis, not part of a name
        text = f" {text} ".replace(" __", " ").replace(" _", " ").replace("__ ", " ")
        text = text.replace("_ ", " ").strip()
    if not text.isascii():
        from tideline_cli.model.unicode_forms import in_form  # noqa: PLC0415  ASCII needs none of it

        # One Arabic character that NFKC makes eighteen, and the one white space that it leaves.
        for odd in ("\ufdfa", "\ufdfb", "\u1680"):
            text = text.replace(odd, " ")
        text = in_form("NFKC", text)
        yield _reading(text)
        text = in_form("NFKD", text).translate(_skeletons())
    low = text.lower()
    starts = _starts(low)
    yield _reading(text, low, starts)
    if may_be_disguised(low, starts):
        # Most texts have no disguise.
        from tideline_cli.policy.threats.disguises import undisguised  # noqa: PLC0415  see above

        plain = undisguised(low)
        if plain != low:
            yield _reading(plain, plain)
    if not TURNED_CUES.isdisjoint(starts):
        yield _reading(text.translate(ROT13))
    if any(trace in low for trace in REVERSED_TRACES):
        yield _reading(low[::-1])


class _Separators(dict[int, str]):
    """A translation table filled on demand: what is no letter and no digit becomes a blank."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = value = char if char.isalnum() else " "
        return value


_SEPARATORS = _Separators()


class _Skeletons(dict[int, int | str | None]):
    """A translation table filled on demand: look-alikes become ASCII, marks and joiners nothing."""

    def __init__(self) -> None:
        from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

        from tideline_cli.policy.threats._patterns import LOOKALIKES  # noqa: PLC0415  nor of this

        self._category = category
        super().__init__((ord(char), plain) for plain, like in LOOKALIKES.items() for char in like)
        for first in (0x1F150, 0x1F170, 0x1F1E6):  # letters in black circles, squares, flags
            self.update((first + i, letter) for i, letter in enumerate(LOWER))

    def __missing__(self, code: int) -> int | str | None:
        kind = self._category(chr(code))
        value = None if kind in ("Mn", "Me", "Cf") else " " if kind == "Zs" else code
        self[code] = value
        return value


@once
def _skeletons() -> _Skeletons:
    return _Skeletons()
