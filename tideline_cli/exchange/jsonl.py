"""JSON lines: from bytes to rows, and from facts to rows."""

from __future__ import annotations

from itertools import islice

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model import codec, instant
from tideline_cli.model.times import Times
from tideline_cli.store import facts, links, listing, statements, sync_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Everyone, Origin


LONGEST_LINE = 1 << 20
"""Bytes of a line; a reader hands over a longer one in pieces of as many."""


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


_AT_ONCE = 500
_EVERYTHING = facts.Filter(lifecycle=None)


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
    if sync_schema.exists(db):  # numbers of edges are those of one machine
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
            from tideline_cli.memory.archived import reasons  # noqa: PLC0415  many have none

            known = reasons(db, archived)
        yield from ((fact, known.get(fact.id)) for fact in chunk)
