"""What the encoded parts of a text say: base64, hex, percent, entity and backslash encodings."""

from __future__ import annotations

from tideline_cli.policy.threats.plain import HEX, SHORTEST_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ENTITIES = {"amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "colon": ":"}
_DIGITS = frozenset("0123456789")
_LONGEST_ENTITY = 24  # zeros before the number count for nothing
_BASE64 = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "+/-_")}
_URL_SAFE = str.maketrans("-_", "+/")


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
    from binascii import Error, a2b_base64, unhexlify  # noqa: PLC0415  only for coded-looking runs

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
