"""link: typed edges between two facts, made and removed by hand."""

from __future__ import annotations

from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory.amend import NothingToDo, check_active
from tideline_cli.model.edge import MOST_OF_A_KIND
from tideline_cli.model.record import record
from tideline_cli.model.short_text import storable
from tideline_cli.store import facts, journal, links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.links import Link


@record
class Linked:
    """How many edges were made or removed, and which there are now between the two facts.

    `batch` is None when nothing changed.
    """

    count: int
    links: tuple[Link, ...]
    batch: int | None


def link(
    db: Connection,
    source: str,
    kind: str,
    target: str,
    *,
    reason: str | None,
    strength: int | None,
    viewer: Origin,
    now: int,
) -> Linked:
    """Link two active facts of the viewer.

    An edge that is there gets a reason and a strength where it has none. Raises WriteBlockedError
    where one of them has too many edges of this kind; nothing is stored then.
    """
    if reason is not None:
        reason = storable(reason.strip(), "reason") or None

    def step(one: Fact, other: Fact) -> int:
        check_active(one, "be linked")
        check_active(other, "be linked")
        full = links.full_end(db, one.id, kind, other.id)
        if full is not None:
            raise WriteBlockedError(
                f"not linked: {full} has {MOST_OF_A_KIND} edges of the kind {kind}",
                hint=f"`tideline link {full} OTHER --kind {kind} --remove` makes room",
                code="too_many_links",
            )
        return links.relate(db, one.id, kind, other.id, reason=reason, strength=strength, now=now)

    return _relink(db, source, target, step, viewer=viewer, now=now)


def unlink(
    db: Connection, source: str, kind: str, target: str, *, viewer: Origin, now: int
) -> Linked:
    """Remove what states this of two facts of the viewer, from either end."""

    def step(one: Fact, other: Fact) -> int:
        return links.remove(db, one.id, kind, other.id)

    return _relink(db, source, target, step, viewer=viewer, now=now)


def _relink(
    db: Connection,
    source: str,
    target: str,
    step: Callable[[Fact, Fact], int],
    *,
    viewer: Origin,
    now: int,
) -> Linked:
    edges: tuple[Link, ...] = ()
    try:
        with journal.batch(db, verb="link", by=viewer, now=now) as batch:
            one = facts.find(db, source, viewer=viewer)
            other = facts.find(db, target, viewer=viewer)
            if one.id == other.id:
                raise UsageError("a fact cannot be linked to itself", hint="name two facts")
            before = tuple(links.between(db, one.id, other.id, viewer=viewer))
            count = step(one, other)
            edges = tuple(links.between(db, one.id, other.id, viewer=viewer))
            if edges == before:
                raise NothingToDo
            return Linked(count, edges, batch.ordinal)
    except NothingToDo:
        return Linked(0, edges, None)
