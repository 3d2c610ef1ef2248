"""Which replica of a memory this file is."""

from __future__ import annotations

import os
import platform

from tideline_cli.store import sync_schema, sync_state
from tideline_cli.store.transactions import writing
from tideline_cli.sync import restamp
from tideline_cli.sync.first_words import gather_all
from tideline_cli.system.machine import machine_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def ensure(db: Connection, *, now: int, name: str = "") -> str | None:
    """Let the file be a replica: one that has never synced gets its tables. Return, in words, why
    it is another one than before; None where it is not."""
    with writing(db):
        is_new = not sync_schema.exists(db)
        if is_new:
            sync_schema.make(db)
        state = sync_state.SyncState(db)
        mark = _mark(db)
        if state.own_id and state.mark == mark:
            if name:
                state.become(state.own_id, name, mark)
            return None
        was = state.own_id
        state.become(os.urandom(16).hex(), name or platform.node() or "unnamed", mark)
        state.save()
        if was:
            sync_state.send_anew(db)
            return "this memory file is a copy of one that syncs: it has a new id now"
        gather_all(db, state, now=now)
        state.clock = max(state.clock, restamp.latest(db))  # a fact may be of a year to come
        state.save()
        return None


def become_another(db: Connection) -> None:
    """Let the file be another replica than before: somebody else has its id too."""
    with writing(db):
        state = sync_state.SyncState(db)
        name = sync_state.name_of(db, state.own_id)
        state.become(os.urandom(16).hex(), name, _mark(db))
        state.save()
        sync_state.send_anew(db)


def _mark(db: Connection) -> str:
    """Return what tells this memory from a copy of it: the machine, and the file on it; on a
    server, the server and the schema in it."""
    return sync_schema.server_mark(db) or _mark_of_file(db.filename)


def _mark_of_file(path: str) -> str:
    held = os.stat(path)
    return f"{machine_id()}:{held.st_dev}:{held.st_ino}"
