"""A purge of another machine, done here."""

from __future__ import annotations

from tideline_cli.model.origin import EVERYONE
from tideline_cli.store import purge_rows, sync_changes, sync_registers, sync_state, undo_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.store.sync_state import SyncState


def take(db: Connection, ids: Sequence[str], *, place: int, state: SyncState) -> dict[int, str]:
    """Purge facts that a place has told of, in a bulk batch of the caller; return the ids of what
    is gone, by number.

    What derives from them goes too, here as everywhere. Of what says the same only that goes which
    this machine has stated and somebody has archived: what others have stated goes by their word,
    so that it does not matter what is heard first. The journal loses all that it knows of either.
    """
    sync_registers.purge(db, ids, place=place, state=state, is_heard=True)
    seqs = [seq for seq, _ in sync_registers.in_table(db, ids).values()]
    for one in ids:
        seqs += purge_rows.undone(db, one, viewer=EVERYONE)
    gone = purge_rows.with_citers(
        db, seqs, viewer=EVERYONE, is_spared=lambda seq: not sync_changes.is_archived_here(db, seq)
    )
    told = set(undo_rows.present_ids(db, gone).values())
    told |= set(gone.values()) - sync_changes.stated_elsewhere(db, gone.values())
    sync_registers.purge(db, sorted(told), place=0, state=state, is_heard=True)
    state.save()
    if gone:
        purge_rows.remove(db, gone)
        sync_state.lower_change(db)
    return gone
