"""The readings of a text that is not plain, which the table of patterns is asked about: as it is
rendered, with look-alikes folded, decoded, and without its disguises.
"""

from __future__ import annotations

from binascii import Error, a2b_base64, unhexlify

from tideline_cli.model.lean import once
from tideline_cli.model.unicode_forms import in_form
from tideline_cli.policy.render import prompt_text
from tideline_cli.policy.threats._cues import CUE_WIDTH, REVERSED_TRACES
from tideline_cli.policy.threats.plain import (
    CUES,
    HEX,
    LOWER,
    MARKS,
    ROT13,
    SHORTEST_CODE,
    TURNED_CUES,
    may_be_disguised,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tideline_cli.policy.threats.plain import Reading

_DEPTH = 2  # an encoding inside an encoding, no further

_ENTITIES = {"amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "colon": ":"}
_DIGITS = frozenset("0123456789")
_LONGEST_ENTITY = 24  # zeros before the number count for nothing
_BASE64 = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "+/-_")}
_URL_SAFE = str.maketrans("-_", "+/")


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
        from tideline_cli.policy.threats.disguises import undisguised  # noqa: PLC0415  few texts may

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


def without_encodings(text: str) -> str:
    """Return `text` with base64, hex, percent, entity and backslash encodings undone in place."""
    if len(text) >= SHORTEST_CODE and max(map(len, text.split(" "))) >= SHORTEST_CODE:
        text = " ".join(
            _uncoded(word) if len(word) >= SHORTEST_CODE else word for word in text.split(" ")
        )
    if "\\" in text:
        text = _undone(text, "\\", _backslash)
    if "%" in text:
        text = _percent(text)
    if "&" in text:
        text = _undone(text, "&", _entity)
    return text


def _uncoded(word: str) -> str:
    """Return `word` with its runs of base64 or hex replaced by the text they hold."""
    runs = word.translate(_BASE64).split()
    plains = [_plain(run) if len(run) >= SHORTEST_CODE else "" for run in runs]
    if not any(plains):
        return word
    return " ".join(plain or run for plain, run in zip(plains, runs, strict=True))


def _plain(run: str) -> str:
    """Return the text that a run of base64 or hex holds, or nothing."""
    is_hex = HEX.issuperset(run.removeprefix("0x"))
    if not (is_hex or run.isascii()) or (run.islower() and not is_hex):
        return ""  # base64 of words always mixes upper and lower case
    run = run.removeprefix("0x")
    try:
        if is_hex:
            plain = unhexlify(run).decode()
        else:
            plain = a2b_base64(run.translate(_URL_SAFE) + "=" * (-len(run) % 4)).decode()
    except (Error, UnicodeDecodeError):
        return ""
    return plain if " ".join(plain.split()).isprintable() else ""


def _percent(text: str) -> str:
    head, *parts = text.split("%")
    out = bytearray(head.encode())
    for part in parts:
        code = part[:2]
        if len(code) == 2 and HEX.issuperset(code):
            out += bytes.fromhex(code) + part[2:].encode()
        else:
            out += b"%" + part.encode()
    return out.decode(errors="replace")


def _undone(text: str, mark: str, decode: Callable[[str], str]) -> str:
    head, *parts = text.split(mark)
    return head + "".join(decode(part) or mark + part for part in parts)


def _backslash(part: str) -> str:
    """Decode what follows a backslash: xNN, uXXXX, u{X}, UXXXXXXXX; nothing if it is none."""
    width = {"x": 2, "u": 4, "U": 8}.get(part[:1], 0)
    if part[:2] == "u{":
        width = part[:9].find("}") - 2
        return _character(part[2 : 2 + width], 16, part[3 + width :]) if width > 0 else ""
    code = part[1 : 1 + width]
    return _character(code, 16, part[1 + width :]) if width and len(code) == width else ""


def _entity(part: str) -> str:
    """Decode what follows an ampersand: #NN #xNN, which need no semicolon; or a few names; nothing
    if it is none."""
    if part[:1] == "#":
        base, digits = (16, HEX) if part[1:2] in ("x", "X") else (10, _DIGITS)
        start = end = 2 if base == 16 else 1
        while end < len(part) and end < _LONGEST_ENTITY and part[end] in digits:
            end += 1
        return _character(part[start:end], base, part[end:].removeprefix(";"))
    end = part[:12].find(";")
    name, rest = part[: max(end, 0)], part[end + 1 :]
    return _ENTITIES[name] + rest if name in _ENTITIES else ""


def _character(digits: str, base: int, rest: str) -> str:
    if not digits or not HEX.issuperset(digits) or (base == 10 and not digits.isdecimal()):
        return ""
    code = int(digits, base)
    return chr(code) + rest if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
