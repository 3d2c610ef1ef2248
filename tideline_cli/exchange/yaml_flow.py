"""Values of YAML on one line: words, quoted texts, and lists and mappings in brackets. Pure.

It raises ValueError for what it does not read: nothing is guessed.
"""

from __future__ import annotations

from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NONE = ("", "~", "null", "Null", "NULL")
_TRUTH = {"true": True, "True": True, "TRUE": True,
          "false": False, "False": False, "FALSE": False}  # fmt: skip
_STRANGE = {"&": "an anchor", "*": "an alias", "!": "a tag", "|": "a text among words",
            ">": "a text among words"}  # fmt: skip
_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f",
            "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85",
            "_": "\xa0", "L": "\u2028", "P": "\u2029"}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}


def flow(text: str, *, typed: bool) -> Any:
    """Return the value that stands on one line."""
    value, rest = _flow(text.strip(), typed=typed, inside=False)
    if rest.strip() and not rest.lstrip().startswith("#"):
        raise ValueError(f"{rest.strip()!r:.40} stands behind the value")
    return value


def _flow(text: str, *, typed: bool, inside: bool) -> tuple[Any, str]:
    """Return the value at the beginning of a text, and what stands behind it."""
    text = text.lstrip()
    if text[:1] == "[":
        return _flow_list(text[1:], typed=typed)
    if text[:1] == "{":
        return _flow_mapping(text[1:], typed=typed)
    if text[:1] in ('"', "'"):
        return quotation(text)
    if text[:1] in _STRANGE:
        raise ValueError(f"{_STRANGE[text[:1]]} is not read")
    stop = _end_of_words(text, inside=inside)
    return _word(text[:stop].strip(), typed=typed), text[stop:]


def _end_of_words(text: str, *, inside: bool) -> int:
    """Return where plain words end: at a comment, and in brackets at a sign that parts them."""
    for place, char in enumerate(text):
        if char == "#" and (not place or text[place - 1] == " "):
            return place
        if inside and char in ",[]{}":
            return place
        if inside and char == ":" and text[place + 1 : place + 2] in ("", " ", ",", "]", "}"):
            return place
    return len(text)


def _flow_list(text: str, *, typed: bool) -> tuple[list[Any], str]:
    found: list[Any] = []
    while True:
        text = text.lstrip()
        if text[:1] == "]":
            return found, text[1:]
        value, text = _flow(text, typed=typed, inside=True)
        found.append(value)
        text = _next(text, "]")


def _flow_mapping(text: str, *, typed: bool) -> tuple[dict[str, Any], str]:
    found: dict[str, Any] = {}
    while True:
        text = text.lstrip()
        if text[:1] == "}":
            return found, text[1:]
        name, text = _flow(text, typed=False, inside=True)
        text = text.lstrip()
        value = None
        if text[:1] == ":":
            value, text = _flow(text[1:], typed=typed, inside=True)
        found[str(name)] = value
        text = _next(text, "}")


def _next(text: str, end: str) -> str:
    """Return what follows a part in brackets: behind the comma, or from the end on."""
    text = text.lstrip()
    if text[:1] == ",":
        return text[1:]
    if text[:1] != end:
        raise ValueError(f"{end!r} is missing")
    return text


def quotation(text: str) -> tuple[str, str]:
    """Return the text in quotes that begins here, and what stands behind it. Raises ValueError
    where the quotes do not end."""
    sign = text[0]
    parts: list[str] = []
    place = 1
    while place < len(text):
        char = text[place]
        if char == sign == "'" and text[place + 1 : place + 2] == "'":
            parts.append("'")
            place += 2
        elif char == sign:
            return _whole("".join(parts)), text[place + 1 :]
        elif char == "\\" and sign == '"':
            part, place = _escaped(text, place + 1)
            parts.append(part)
        else:
            parts.append(char)
            place += 1
    raise ValueError("a quote does not end")


def _escaped(text: str, place: int) -> tuple[str, int]:
    """Return the character that an escape stands for, and where it ends."""
    char = text[place : place + 1]
    if char in _HEX:
        stop = place + 1 + _HEX[char]
        digits = text[place + 1 : stop]
        if len(digits) == _HEX[char] and all(one in "0123456789abcdefABCDEF" for one in digits):
            return chr(min(int(digits, 16), 0x10FFFF)), stop
    elif char in _ESCAPES:
        return _ESCAPES[char], place + 1
    raise ValueError(f"'\\{char}' is no escape")


def _whole(text: str) -> str:
    """Return a text in which the halves of a character, escaped one by one, are one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _word(text: str, *, typed: bool) -> Any:
    """Return what plain words state."""
    if text in _NONE:
        return None
    if not typed:
        return text
    if text in _TRUTH:
        return _TRUTH[text]
    try:
        value = codec.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) else text
