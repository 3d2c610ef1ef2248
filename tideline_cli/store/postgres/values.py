"""Values between Python and PostgreSQL's binary form."""

from __future__ import annotations

from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tideline_cli.store.postgres.libpq import Parameter

    Value = int | float | str | bytes | None

BOOL, BYTEA, INT8, INT2, INT4, TEXT = 16, 17, 20, 21, 23, 25
FLOAT4, FLOAT8, NUMERIC, JSONB = 700, 701, 1700, 3802
INT8_LIST, TEXT_LIST, FLOAT8_LIST = 1016, 1009, 1022
# "char", name, json, unknown, bpchar, varchar, void
_LIKE_TEXT = (18, 19, 114, 705, 1042, 1043, 2278)
_LONG, _INT, _SHORT, _DOUBLE, _SINGLE = map(Struct, ("!q", "!i", "!h", "!d", "!f"))
_NO_TEXT = "\uffff"  # stands for no character
_HEAD, _BOUNDS = Struct("!iiI"), Struct("!ii")


def sent_form(value: object) -> tuple[int, Parameter]:
    """Return the type of a value and its binary form; NULL has no type of its own.

    Raises UsageError for a text with a NUL character.
    """
    if value is None:
        return 0, None
    if isinstance(value, str):
        return TEXT, _sent_text(value)
    if isinstance(value, bool | int):
        return INT8, _LONG.pack(value)
    if isinstance(value, float):
        return FLOAT8, _DOUBLE.pack(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return BYTEA, bytes(value)
    if isinstance(value, list):
        return _sent_list(value)
    raise TypeError(f"no form in the database for a {type(value).__name__}")


def _sent_text(value: str) -> bytes:
    """Return a text as a server takes it. None that is stored has a lone surrogate or NUL, so what
    is looked for with one becomes a character that no text has, and is found nowhere."""
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        raw = "".join([_NO_TEXT if "\ud800" <= one < "\ue000" else one for one in value]).encode()
    return raw.replace(b"\x00", _NO_TEXT.encode()) if b"\x00" in raw else raw


def _sent_list(values: Sequence[object]) -> tuple[int, Parameter]:
    """Return a list of whole numbers, of numbers, or of texts as an array; NULL may stand between.
    A list of nothing else has no type of its own."""
    kinds = {type(value) for value in values}
    has_null = type(None) in kinds
    if len(kinds) == has_null:
        return 0, f"{{{','.join(['NULL'] * len(values))}}}".encode()
    item, whole, sent = _ITEMS[str if str in kinds else float if float in kinds else int]
    parts = [_HEAD.pack(1, has_null, item) + _BOUNDS.pack(len(values), 1)]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            cell = sent(value)
            parts += (_INT.pack(len(cell)), cell)
    return whole, b"".join(parts)


_NULL = _INT.pack(-1)
_ITEMS: dict[type, tuple[int, int, Callable[[Any], bytes]]] = {
    str: (TEXT, TEXT_LIST, _sent_text), float: (FLOAT8, FLOAT8_LIST, _DOUBLE.pack),
    int: (INT8, INT8_LIST, _LONG.pack),
}  # fmt: skip
"""By the type of the items: their type, that of the array, and their form."""


def _whole(cell: bytes) -> int:
    return int.from_bytes(cell, "big", signed=True)


def _text(cell: bytes) -> str:
    return cell.decode("utf-8", "surrogatepass")


def _number(cell: bytes) -> int | float:
    """Read a numeric, as sums of whole numbers are: base 10,000, most significant digit first."""
    count, weight, sign, _ = (_SHORT.unpack_from(cell, place)[0] for place in (0, 2, 4, 6))
    digits = [_SHORT.unpack_from(cell, 8 + 2 * place)[0] for place in range(count)]
    whole = 0
    for place in range(weight + 1):
        whole = whole * 10_000 + (digits[place] if place < count else 0)
    part = sum(digits[place] / 10_000.0 ** (place - weight)
               for place in range(max(weight + 1, 0), count))  # fmt: skip
    value = whole + part if part else whole
    return -value if sign else value


_READERS: dict[int, Callable[[bytes], Value]] = {
    BOOL: lambda cell: int(cell != b"\x00"), BYTEA: bytes,
    INT8: _whole, INT2: _whole, INT4: _whole,
    FLOAT8: lambda cell: float(_DOUBLE.unpack(cell)[0]),
    FLOAT4: lambda cell: float(_SINGLE.unpack(cell)[0]),
    NUMERIC: _number, JSONB: lambda cell: _text(cell[1:]),
    TEXT: _text, **dict.fromkeys(_LIKE_TEXT, _text),
}  # fmt: skip


def read_rows(
    rows: list[tuple[Parameter, ...]], types: Sequence[int]
) -> list[tuple[Value, ...]]:
    """Return rows as Python has them: a truth is 0 or 1, as in a file.

    Raises TypeError for a type that no statement of the store asks for: its bytes may look like a
    text.
    """
    unknown = [kind for kind in types if kind not in _READERS]
    if unknown:
        raise TypeError(f"no reader for the server's types {unknown}")
    readers = [_READERS[kind] for kind in types]
    return [
        tuple([None if cell is None else read(cell)
               for read, cell in zip(readers, row, strict=True)])
        for row in rows
    ]  # fmt: skip
