"""The texts and labels of an origin's facts, one by one: for a search that no index has."""

from __future__ import annotations

from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.store.facts import Filter

    # number, id, text with title and kind, tags as JSON, when it was made, whether it is active:
    # work by its progress
    Wording = tuple[int, str, str, str | None, int, int]


def each(
    db: Connection, *, origin_number: int, wanted: Filter, now: int
) -> Iterable[Wording]:
    """Yield the wordings of the facts that hold now, and that `wanted` asks for."""
    narrowed, values = narrowing(wanted, valid_at=now)
    rows: Iterable[Wording] = db.execute(
        "SELECT seq, id, concat_ws(char(10), content, title, kind), tags, created_at,"
        " lifecycle = 'active' AND ifnull(progress, 'active') = 'active'"
        f" FROM fact WHERE origin = ?{narrowed}",
        (origin_number, *values),
    )
    return rows
