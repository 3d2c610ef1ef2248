"""What the methods of Memory return that no verb has as one value."""

from __future__ import annotations

from tideline_cli.memory import told_changes
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record
from tideline_cli.ranking.decay import strength_at
from tideline_cli.store import facts, links, stats
from tideline_cli.store.links import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin


@record
class Shown:
    """A fact, its strength now, the links that start at it and those that lead to it."""

    fact: Fact
    strength: float
    links: tuple[Link, ...]
    backlinks: tuple[Link, ...]


@record
class Told:
    """What a command did to one fact, or link. `act` is added, changed or removed; None for a
    command that did nothing, or was blocked. `before` and `after` are the values that it found and
    left, None where there were none or nothing is known of them."""

    batch: int | None
    at: str
    verb: str
    outcome: str
    reason: str | None
    entity: str | None
    act: str | None
    id: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@record
class Status:
    """A memory in numbers, for its origin."""

    database: str
    origin: str
    active: int
    archived: int
    pruned: int
    pinned: int
    added_last_7d: int
    by_segment: dict[str, int]
    by_source: dict[str, int]
    size_bytes: int
    ended: int = 0


def with_surroundings(db: Connection, reference: str, *, viewer: Origin, now: int) -> Shown:
    """Return a fact and what is around it."""
    fact = facts.find(db, reference, viewer=viewer)
    return Shown(
        fact,
        strength_at(fact, now=now),
        tuple(links.leaving(db, fact.id, viewer=viewer)),
        tuple(links.arriving(db, fact.id, viewer=viewer)),
    )


def changes(
    db: Connection, reference: str | None, limit: int, *, viewer: Origin
) -> tuple[Told, ...]:
    """Return what commands did, to all facts or to one."""
    if reference is None:
        told, _, _ = told_changes.of_commands(db, limit, None, None, viewer=viewer)
    else:
        told, _ = told_changes.of_fact(db, reference, limit, viewer=viewer)
    rows = [row for entry, after in told if entry.entity == "link"
            for row in (entry.before, after)]  # fmt: skip
    names = told_changes.names_of(db, rows)
    return tuple(Told(**told_changes.form_of(entry, after, names)) for entry, after in told)


def status(db: Connection | None, path: str, *, viewer: Origin, now: int) -> Status:
    """Return the numbers of a memory; noughts where nobody has written yet."""
    if db is None:
        return Status(path, viewer.key, 0, 0, 0, 0, 0, {}, {}, 0)
    found = stats.counts(
        db, viewer=viewer, since=now - 7 * DAY_MS, now=now, default_embedder=""
    )
    states = found.groups["lifecycle"]
    return Status(
        path, viewer.key, states.get("active", 0), states.get("archived", 0),
        states.get("pruned", 0), found.pinned, found.added, dict(found.groups["segment"]),
        dict(found.groups["source"]), found.size, states.get("ended", 0),
    )  # fmt: skip
