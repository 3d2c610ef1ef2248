"""JSON lines: from bytes to rows, and from facts to rows."""

from __future__ import annotations

from itertools import chain, islice

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.memory.archived import reasons
from tideline_cli.model import codec, instant
from tideline_cli.model.saying import Times
from tideline_cli.store import facts, links, listing, statements
from tideline_cli.store.connection import has_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Everyone, Origin

    Row = dict[str, Any] | TidelineError

LONGEST_LINE = 1 << 20
"""Bytes of a line; a reader hands over a longer one in pieces of as many."""
_AT_ONCE = 500
_EVERYTHING = facts.Filter(lifecycle=None)
_LARGEST = 256 << 20  # bytes of a file that has to be read as one value


def parsed(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield (line number, row or what is wrong with it) for each line that is not blank."""
    pieces = iter(lines)
    for number, line in enumerate(pieces, 1):
        if not line.strip():
            continue
        if _goes_on(line, pieces):
            yield number, UsageError(f"longer than {LONGEST_LINE >> 20} MiB")
            continue
        try:
            row = codec.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError:
            yield number, UsageError("not UTF-8")
            continue
        except ValueError as error:
            yield number, UsageError(f"not JSON: {error}")
            continue
        yield number, row if isinstance(row, dict) else UsageError("not an object")


def _goes_on(line: bytes, pieces: Iterator[bytes]) -> bool:
    """Say whether a line is the first piece of a longer one, whose other pieces are then passed."""
    if len(line) < LONGEST_LINE or line.endswith(b"\n"):
        return False
    piece = first = next(pieces, b"")
    while piece and not piece.endswith(b"\n"):
        piece = next(pieces, b"")
    return bool(first)


def forms(
    db: Connection, *, viewer: Origin | Everyone, wanted: facts.Filter = _EVERYTHING
) -> Iterator[dict[str, Any]]:
    """Yield the facts that `viewer` may see and `wanted` asks for, in order of arrival, as
    importable objects."""
    edges: dict[str, list[dict[str, Any]]] = {}
    for link in links.each(db, viewer=viewer):
        edges.setdefault(link.source, []).append(
            {
                "kind": link.kind,
                "target": link.target,
                "reason": link.reason,
                "strength": link.strength,
                "created_at": instant.iso(link.created_at),
            }
        )
    if has_synced(db):  # numbers of edges are those of one machine
        for made in edges.values():
            made.sort(key=lambda edge: (edge["kind"], edge["target"]))
    stated = statements.times(db, viewer=viewer)
    for fact, reason in _explained(
        db, listing.each(db, viewer=viewer, wanted=wanted, oldest_first=True)
    ):
        at = stated.get(fact.id, Times(0, 0))
        yield codec.fact_form(fact) | {
            "changed_at": instant.iso(max(at.changed_at, fact.created_at)),
            "said_at": instant.iso(max(at.said_at, fact.created_at)),
            "archived_reason": reason,
            "links": edges.get(fact.id, []),
        }


def _explained(db: Connection, found: Iterable[Fact]) -> Iterator[tuple[Fact, str | None]]:
    """Yield facts, each with the reason why it is archived, if it is."""
    rest = iter(found)
    while chunk := list(islice(rest, _AT_ONCE)):
        archived = [fact for fact in chunk if fact.lifecycle == "archived"]
        known: dict[str, str] = {}
        if archived:
            known = reasons(db, archived)
        yield from ((fact, known.get(fact.id)) for fact in chunk)


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
        yield from parsed(whole)


def _lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of JSON lines; a first and only object may hold a list of them."""
    numbered = parsed(lines)
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
