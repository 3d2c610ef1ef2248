"""Rows of a JSON file, whichever shape it has: one object a line, a list, an object with one."""

from __future__ import annotations

from itertools import chain

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Row = dict[str, Any] | TidelineError

_LARGEST = 256 << 20  # bytes of a file that has to be read as one value


def rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield (line or place, row or what is wrong with it). A file that is one value over several
    lines is read as a whole; its rows are numbered by their place."""
    waiting = iter(lines)
    head: list[bytes] = []
    for line in waiting:
        head.append(line)
        if line.strip():
            break
    first = head[-1].removeprefix(b"\xef\xbb\xbf").strip() if head else b""
    whole = chain(head, waiting)
    if first[:1] == b"[" or (first[:1] == b"{" and not _is_value(first)):
        yield from _of_value(_parsed(whole))
    elif first[:1] == b"{":
        yield from _lines(whole)
    else:
        yield from jsonl.parsed(whole)


def _lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of JSON lines; a first and only object may hold a list of them."""
    numbered = jsonl.parsed(lines)
    first = next(numbered)
    second = next(numbered, None)
    held = None if second is not None or isinstance(first[1], TidelineError) else _list_in(first[1])
    if held is not None:
        yield from _of_value(held)
        return
    yield first
    if second is not None:
        yield second
        yield from numbered


def _is_value(text: bytes) -> bool:
    try:
        codec.loads(text.decode())
    except ValueError:
        return False
    return True


def _parsed(lines: Iterable[bytes]) -> Any:
    parts: list[bytes] = []
    size = 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size > _LARGEST:
            raise UsageError(
                f"a list of more than {_LARGEST >> 20} MiB",
                hint="make JSON lines of it: `jq -c .[]`",
            )
    try:
        return codec.loads(b"".join(parts).decode("utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="JSON lines, a list, or --format") from error


def _of_value(value: Any) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a list, or of the one list that an object holds; a text is a row too."""
    if isinstance(value, dict):
        held = _list_in(value)
        value = [value] if held is None else held
    for place, row in enumerate(value, 1):
        if isinstance(row, str):
            yield place, {"content": row}
        else:
            yield place, row if isinstance(row, dict) else UsageError("not an object")


def _list_in(row: dict[str, Any]) -> list[Any] | None:
    """Return the one list of objects or texts that an object holds, unless it is a row itself."""
    if any(isinstance(row.get(name), str) for name in ("content", "text", "memory", "body")):
        return None
    lists = [
        value for value in row.values()
        if isinstance(value, list) and value and all(isinstance(it, dict | str) for it in value)
    ]  # fmt: skip
    return lists[0] if len(lists) == 1 else None
