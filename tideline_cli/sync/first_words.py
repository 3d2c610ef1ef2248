"""What a memory knows that has never synced, put into the registers."""

from __future__ import annotations

from tideline_cli.model.origin import EVERYONE
from tideline_cli.store import facts, links, statements, sync_changes, sync_registers, visibility
from tideline_cli.store.sync_registers import EdgeRow
from tideline_cli.sync import registers
from tideline_cli.sync.clock import tick
from tideline_cli.sync.fields import CHANGING
from tideline_cli.sync.gather import reasons_of
from tideline_cli.sync.registers import (
    BASE,
    BROUGHT,
    CHANGED,
    CLOCK,
    FORGOT,
    GONE,
    LAST,
    NOTHING,
    SAID,
    VERSION,
)
from tideline_cli.sync.told import stated_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_state import SyncState

_AT_ONCE = 400
_STATE = ("lifecycle", GONE, "valid_to", "valid_from")


def gather_all(db: Connection, state: SyncState, *, now: int) -> None:
    """Put all that a memory holds which has never synced into registers, in a transaction of the
    caller: what the journal knows of when each was said, else the time at which it was made."""
    told: dict[int, dict[str, int]] = {}
    said = statements.said_since(db, 0)
    for change in sync_changes.since(db, 0):
        if change.entity == "fact" and change.act == "~":
            at = change.batch[3]
            clock = tick(0, now if at is None else at)
            names = stated_names(
                CHANGING if change.names is None else change.names, said.get(change.number)
            )
            fields = told.setdefault(change.row, {})
            fields |= dict.fromkeys((name for name in names if name in CHANGING), clock)
            state.clock = max(state.clock, clock)
    times = statements.stated(db, viewer=EVERYONE)
    for start in range(0, facts.last_number(db), _AT_ONCE):
        _gather_facts(db, state, range(start + 1, start + _AT_ONCE + 1), told, times)
    _gather_edges(db, state)
    state.change = sync_changes.last_number(db)
    state.clock = max(state.clock, tick(0, now))
    state.used_at = now
    state.freed = sync_changes.undecided(db)
    state.save()


def _gather_facts(
    db: Connection, state: SyncState, seqs: Iterable[int], told: dict[int, dict[str, int]],
    times: dict[str, Any],
) -> None:  # fmt: skip
    numbers: dict[str, int] = {}
    rows = []
    held = facts.get(db, seqs, viewer=EVERYONE)
    why = reasons_of(db, held.values())
    for seq, fact in held.items():
        one = registers.Registers(fact.id, seq, fact)
        one.values[GONE] = why.get(fact.id) if one.values["lifecycle"] == "archived" else None
        key = fact.origin.key
        if key not in numbers:
            numbers[key] = visibility.number(db, fact.origin)
        one.origin = numbers[key]
        at = times.get(fact.id)
        one.birth = (tick(0, fact.created_at), state.own, state.next_version(), 0)
        state.clock = max(state.clock, one.birth[0])
        said = told.get(seq, {})
        if "lifecycle" in said:
            said[GONE] = said["lifecycle"]
        for name, clock in said.items():
            if clock > one.birth[0]:  # else it is a part of the birth
                one.put(name, one.values[name], (clock, state.own, state.next_version(), 0))
        if at or fact.access_count or fact.last_accessed_at != fact.created_at:
            use = list(NOTHING)
            use[BASE], use[LAST] = fact.access_count, fact.last_accessed_at
            use[CLOCK], use[VERSION] = tick(0, fact.last_accessed_at), state.next_version()
            one.uses[state.own] = use
        if at is not None:
            use[CHANGED], use[BROUGHT] = at.changed_at, at.brought
            use[SAID] = max(at.spoken, at.brought)
            if not one.marks:  # an import has brought it in a state of that time
                clock = tick(0, at.changed_at)
                state.clock = max(state.clock, clock)
                for name in _STATE if clock > one.birth[0] else ():
                    one.put(name, one.values[name], (clock, state.own, state.next_version(), 0))
        if one.gone() == "forgotten":
            mark = one.mark(GONE) or one.birth
            one.put(FORGOT, True, (*mark[:2], state.next_version(), 0))
        rows.append(one.stored(fact))
    sync_registers.put_facts(db, rows)


def _gather_edges(db: Connection, state: SyncState) -> None:
    rows: list[EdgeRow] = []
    for link in links.each(db, viewer=EVERYONE):
        clock = tick(0, link.created_at)
        state.clock = max(state.clock, clock)
        rows.append(
            EdgeRow(
                link.source, link.kind, link.target, clock, state.own,
                state.next_version(), 0, True, link.reason, link.strength, link.created_at,
            )
        )  # fmt: skip
    sync_registers.put_edges(db, rows)
