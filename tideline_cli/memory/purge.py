"""purge and retention: facts removed for good, with all that derives from them."""

from __future__ import annotations

from functools import partial

from tideline_cli.errors import NotFoundError
from tideline_cli.memory.succession import repaint
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import record
from tideline_cli.store import (
    facts,
    journal,
    labels,
    listing,
    purging,
    sync_registers,
    sync_state,
)
from tideline_cli.store.connection import has_synced
from tideline_cli.store.purging import finish_purge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin


@record
class Purged:
    """The ids of the facts that are gone, in order of arrival. `earlier` are archived facts that
    these had replaced and that are still there; `again` are values of slots that hold again, as if
    these had never been said. `batch` is 0 when there was nothing to do.
    `pending`: another process or a full disk keeps traces in the files, until a later command
    removes them."""

    ids: tuple[str, ...]
    batch: int
    pending: bool
    earlier: tuple[str, ...] = ()
    again: tuple[str, ...] = ()


@record
class Retention:
    """Which facts expire: those older than `days`; confirmed and pinned facts only when asked for,
    facts of all origins when the owner asks for that."""

    days: int
    include_confirmed: bool = False
    all_origins: bool = False


def doomed(db: Connection, references: Sequence[str], *, viewer: Origin) -> dict[int, str]:
    """Return the ids, by number, of the facts named and of all that derives from them.

    A fact that an undo removed is found in the journal. The owner's purge follows derived facts
    into every origin; the purge of another origin stays inside it. Raises NotFoundError when a
    reference names no fact.
    """
    named = [seq for reference in references for seq in _find(db, reference, viewer)]
    return purging.with_citers(db, named, viewer=_reach(viewer))


def expired(db: Connection, rule: Retention, *, viewer: Origin, now: int) -> dict[int, str]:
    """Return the ids, by number, of the facts that expire by the rule."""
    return purging.made_before(
        db,
        now - rule.days * DAY_MS,
        viewer=_reach(viewer) if rule.all_origins else viewer,
        confirmed=rule.include_confirmed,
    )


def purge(db: Connection, references: Sequence[str], *, viewer: Origin, now: int) -> Purged:
    """Remove the facts named and all that derives from them, for good; all or none."""
    with journal.batch(db, verb="purge", by=viewer, now=now, bulk=True) as batch:
        gone = doomed(db, references, viewer=viewer)
        again = _uncovered(db, gone, viewer=viewer, now=now)
        earlier = tuple(purging.earlier(db, gone, viewer=viewer))
        _remove(db, batch, gone)
    return Purged(tuple(gone.values()), batch.ordinal, not finish_purge(db), earlier, again)


def retain(db: Connection, rule: Retention, *, viewer: Origin, now: int) -> Purged:
    """Remove, for good, the facts that expire by the rule."""
    if not expired(db, rule, viewer=viewer, now=now):
        return Purged((), 0, False)
    with journal.batch(db, verb="retention", by=viewer, now=now, bulk=True) as batch:
        gone = expired(db, rule, viewer=viewer, now=now)
        again = _uncovered(db, gone, viewer=viewer, now=now)
        _remove(db, batch, gone)
    return Purged(tuple(gone.values()), batch.ordinal, not finish_purge(db), again=again)


def _find(db: Connection, reference: str, viewer: Origin) -> list[int]:
    """Return the number of a fact; for an id that an undo removed, all numbers that had it."""
    try:
        return [facts.number_of(db, reference, viewer=viewer)]
    except NotFoundError:
        undone = purging.undone(db, reference, viewer=viewer)
        if not undone:
            raise
        return undone


def _uncovered(
    db: Connection, gone: Mapping[int, str], *, viewer: Origin, now: int
) -> tuple[str, ...]:
    """Paint the slots of facts that go as if these had never been said; return the values of the
    viewer that hold again."""
    again, leaving = list[str](), {*gone.values()}
    for one in listing.slots_among(db, gone, viewer=EVERYONE):
        assert one.slot is not None  # noqa: S101  for the type checker
        place = partial(labels.active_values, db, one.slot, scope=one.scope, viewer=one.origin)
        held = {value.id for value, _ in place()}
        repaint(db, one, now=now, by=None, but=leaving)
        if viewer in (one.origin, OWNER):
            again += [value.id for value, _ in place() if value.id not in held]
    return tuple(again)


def _remove(db: Connection, batch: journal.batch, gone: dict[int, str]) -> None:
    purging.remove(db, gone)
    if has_synced(db):
        sync_registers.note_purged(db, list(gone.values()))
        sync_state.lower_change(db)
    batch.explain("1 fact" if len(gone) == 1 else f"{len(gone):,} facts")


def _reach(viewer: Origin) -> Origin | Everyone:
    return EVERYONE if viewer.is_owner else viewer
