"""Whether each row without an origin is behind the wall of the facts that it hangs on, and what
puts it there."""

from __future__ import annotations

from tideline_cli.model.finding import mendable, some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.model.finding import Finding

_OF_FACT = "(SELECT origin FROM fact WHERE seq = {})"
_OF_TWO = (
    "coalesce((SELECT a.origin FROM fact AS a JOIN fact AS b ON b.origin = a.origin"
    " WHERE a.seq = {} AND b.seq = {}), 0)"
)
# The journal keeps what is gone, of which nobody knows more than it says.
_WANTED = (
    *((table, _OF_FACT.format(f"{table}.fact"), "true")
      for table in ("usage", "given", "stated", "unpaired")),
    ("near", _OF_TWO.format("near.fact", "near.other"), "true"),
    ("link", _OF_TWO.format("link.from_fact", "link.to_fact"), "true"),
    ("change", _OF_FACT.format("change.row"),
     "entity <> 'link' AND EXISTS (SELECT 1 FROM fact WHERE seq = change.row)"),
    ("change", "(SELECT link.tenant FROM link WHERE link.number = change.row)",
     "entity = 'link' AND EXISTS (SELECT 1 FROM link WHERE link.number = change.row)"),
)  # fmt: skip
"""A table, whose its rows are, and of which rows that can be said."""


def walls(db: Connection) -> Iterator[Finding]:
    """Each row is seen by the members of the origin that it belongs to, and by no others."""
    wrong = sum(
        db.execute(f"SELECT count(*) FROM {one[0]} WHERE {_differing(*one)}").get for one in _WANTED
    )
    if wrong:
        message = f"{some(wrong, 'row')} behind the wall of another origin"
        yield mendable("walls", message, "puts each where it belongs")


def put_right(db: Connection) -> None:
    """Put each row behind the wall of its origin."""
    for table, wanted, rows in _WANTED:
        db.execute(f"UPDATE {table} SET tenant = {wanted} WHERE {_differing(table, wanted, rows)}")


def _differing(table: str, wanted: str, rows: str) -> str:
    return f"{rows} AND {wanted} IS DISTINCT FROM {table}.tenant"
