"""Bytes of a terminal as keys: a letter is itself, any other key a name. Pure."""

from __future__ import annotations

_ESC = 0x1B
_PASTE, _PASTED = b"\x1b[200~", b"\x1b[201~"
_LET_GO = _PASTE + _PASTE  # the beginning of a paste of which the rest is not kept
_LONGEST_PASTE = 1 << 16  # bytes
_CONTROL = {
    0x01: "home", 0x02: "left", 0x03: "leave", 0x04: "delete", 0x05: "end", 0x06: "right",
    0x07: "leave", 0x08: "backspace", 0x09: "down", 0x0A: "choose", 0x0B: "cut-right",
    0x0C: "draw", 0x0D: "choose", 0x0E: "down", 0x10: "up", 0x11: "leave", 0x14: "pin",
    0x15: "cut-left", 0x17: "cut-word", 0x18: "forget", 0x19: "copy", 0x7F: "backspace",
}  # fmt: skip
_SEQUENCES = {
    "[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right",
    "OD": "left", "[H": "home", "[F": "end", "OH": "home", "OF": "end", "[1~": "home",
    "[4~": "end", "[7~": "home", "[8~": "end", "[3~": "delete", "[5~": "page-up",
    "[6~": "page-down", "[1;2A": "scroll-up", "[1;2B": "scroll-down", "[1;3A": "scroll-up",
    "[1;3B": "scroll-down", "[1;5H": "first", "[1;5F": "last", "[Z": "up", "OM": "choose",
}  # fmt: skip


def keys_of(raw: bytes, *, is_all: bool) -> tuple[list[str], bytes]:
    """Return the keys that some bytes mean, and the bytes that may be the beginning of another;
    where no more will come, `is_all`, an escape is the key of that name. A paste without its end
    stays a beginning: of one that is too long its marks alone."""
    keys: list[str] = []
    while raw:
        taken, key = _first(raw, is_all=is_all)
        if not taken:
            break
        raw = raw[taken:]
        keys += key
    if is_paste(raw) and len(raw) > _LONGEST_PASTE:
        raw = _LET_GO + raw[1 - len(_PASTED) :]
    return keys, raw


def is_paste(raw: bytes) -> bool:
    """Say whether bytes that are left are a paste, whose end comes as late as it may."""
    return raw.startswith(_PASTE)


def _first(raw: bytes, *, is_all: bool) -> tuple[int, list[str]]:
    """Return how many bytes the first key takes, none where more have to come, and the key: of
    what was pasted, its letters."""
    head = raw[0]
    if head == _ESC:
        return _escape(raw, is_all=is_all)
    if head in _CONTROL:
        return 1, [_CONTROL[head]]
    if head < 0x20:
        return 1, []
    return _letter(raw, is_all=is_all)


def _letter(raw: bytes, *, is_all: bool) -> tuple[int, list[str]]:
    size = 1 if raw[0] < 0xC0 else 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4
    if len(raw) < size and not is_all:
        return 0, []
    text = raw[:size].decode("utf-8", "ignore")
    return size, [char for char in text if char.isprintable() or char == "\u200d"]


def _escape(raw: bytes, *, is_all: bool) -> tuple[int, list[str]]:
    if is_paste(raw):
        return _pasted(raw)
    if len(raw) == 1:
        return (1, ["leave"]) if is_all else (0, [])
    if raw[1:2] not in (b"[", b"O"):
        return 2, []  # alt and a letter mean nothing here
    for size in range(3, len(raw) + 1):
        if 0x40 <= raw[size - 1] <= 0x7E:
            name = _SEQUENCES.get(raw[1:size].decode("latin-1"))
            return size, [name] if name else []
    return (len(raw), []) if is_all else (0, [])


def _pasted(raw: bytes) -> tuple[int, list[str]]:
    end = raw.find(_PASTED)
    if end < 0:
        return 0, []
    if end > _LONGEST_PASTE or raw.startswith(_LET_GO):
        return end + len(_PASTED), ["too-long"]
    text = raw[len(_PASTE) : end].decode("utf-8", "ignore")
    return end + len(_PASTED), [char for char in " ".join(text.split()) if char.isprintable()]
