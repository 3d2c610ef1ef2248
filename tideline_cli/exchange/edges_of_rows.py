"""The edges that rows of an import state: kept until all rows are there, then stored."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.cells import past, text
from tideline_cli.exchange.rows import minted_id, vouched_id
from tideline_cli.model import ulid
from tideline_cli.model.edge import REPLACING
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import storable
from tideline_cli.store import facts, links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.rows import Ground
    from tideline_cli.model.fact import Fact

    Stated = tuple[Fact, dict[str, Any]]


class RowEdges:
    """The edges of one import: an edge may lead to a fact that comes later in the file."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._stated: list[Stated] = []

    def note(self, fact: Fact, edges: Iterable[dict[str, Any]]) -> None:
        """Keep the edges of a fact that was stored."""
        self._stated += ((fact, edge) for edge in edges)

    def parts(self, size: int) -> Iterator[Sequence[Stated]]:
        """Yield what was kept, so many edges at a time."""
        for start in range(0, len(self._stated), size):
            yield self._stated[start : start + size]

    def store(self, db: Connection, part: Sequence[Stated]) -> int:
        """Store some edges in an open batch; return how many are new."""
        count = 0
        for fact, edge in part:
            named = edge | {"target": self.resolved(db, edge["target"], fact)}
            link = edge_of(fact.id, named, self._ground)
            if self._ground.trusted or not _usurps(db, link):
                count += links.add(db, link)
        return count

    def resolved(self, db: Connection, stated: str, fact: Fact) -> str:
        """Return the id of the fact that `fact` names: one that this file has brought under another
        id goes before one that was there."""
        if not (self._ground.trusted and ulid.is_ulid(stated)):
            minted = minted_id(fact.origin, stated)
            stated = minted if facts.exists(db, minted, viewer=fact.origin) else stated
        if not self._ground.trusted:
            return stated
        vouched = vouched_id(fact.origin, stated)
        return vouched if facts.exists(db, vouched, viewer=fact.origin) else stated


def edge_of(source: str, edge: dict[str, Any], ground: Ground) -> links.Link:
    """Return the edge that a row states; raise UsageError naming what is wrong with it."""
    reason, strength = text(edge, "reason"), edge.get("strength")
    if strength is not None and (isinstance(strength, bool) or strength not in range(1, 6)):
        raise UsageError("a link's strength is not a whole number from 1 to 5")
    stated = past(edge, "created_at", ground.now)
    return links.Link(
        source,
        storable(edge["kind"], "a link's kind"),
        storable(edge["target"], "a link's target"),
        reason,
        strength,
        ground.now if stated is None else stated,
    )


def _usurps(db: Connection, link: links.Link) -> bool:
    """Say whether the edge would put an imported fact in the place of a trusted one."""
    if link.kind not in REPLACING:
        return False
    source = facts.source_of(db, link.target, viewer=EVERYONE)
    return source is not None and is_trusted(source)
