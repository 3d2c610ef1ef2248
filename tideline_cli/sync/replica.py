"""Which replica of a memory this file is: what it knew before it first synced, put into the
registers; and words that were said while the clock of this machine was far ahead, said again as of
now. Nobody has taken those: a time that is a day ahead is not believed. Their order stays.
"""

from __future__ import annotations

import os
import platform

from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import replace
from tideline_cli.store import (
    facts,
    links,
    statements,
    sync_changes,
    sync_registers,
    sync_state,
    visibility,
)
from tideline_cli.store.connection import has_synced, writing
from tideline_cli.store.sync_registers import BORN, EdgeRow
from tideline_cli.sync import registers
from tideline_cli.sync.gather import reasons_of, stated_names
from tideline_cli.sync.registers import (
    BASE,
    BROUGHT,
    CHANGED,
    CHANGING,
    CLOCK,
    FORGOT,
    GONE,
    LAST,
    NOTHING,
    PLACE,
    SAID,
    VERSION,
    clock_ms,
    is_ahead,
    is_stamp,
    tick,
)
from tideline_cli.system.machine import machine_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_registers import FactRow
    from tideline_cli.store.sync_state import SyncState


def ensure(db: Connection, *, now: int, name: str = "") -> str | None:
    """Let the file be a replica: one that has never synced gets its tables. Return, in words, why
    it is another one than before; None where it is not."""
    with writing(db):
        is_new = not has_synced(db)
        if is_new:
            sync_state.make_tables(db)
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
        state.clock = max(state.clock, latest(db))  # a fact may be of a year to come
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
    return sync_state.server_mark(db) or _mark_of_file(db.filename)


def _mark_of_file(path: str) -> str:
    held = os.stat(path)
    return f"{machine_id()}:{held.st_dev}:{held.st_ino}"


_AT_ONCE = 400


def restamped(db: Connection, *, now: int) -> int:
    """Give words that are a day ahead of `now` times that can be; return by how many milliseconds
    the clock was ahead, 0 where it was not. All is then sent and read again in every place."""
    with writing(db):
        state = sync_state.SyncState(db)
        if not is_ahead(state.clock, now):
            return 0
        ahead = clock_ms(state.clock) - now
        ids = sync_registers.facts_since(db, 0)
        known = _clocks(db, ids)  # all of them: this is rare
        latest = max((one for one in known if not is_ahead(one, now)), default=0)
        later: dict[int, int] = {}
        for clock in sorted(one for one in known if is_ahead(one, now)):
            latest = later[clock] = tick(latest, now)
        state.clock = tick(latest, now)
        for start in range(0, len(ids), _AT_ONCE):
            rows = sync_registers.facts(db, ids[start : start + _AT_ONCE]).values()
            sync_registers.put_facts(db, [_fact(row, later, state) for row in rows])
        edges = [one for one in sync_registers.edges_since(db, 0) if one.clock in later]
        sync_registers.put_edges(db, [
            replace(one, clock=later[one.clock], version=state.next_version(), place=0)
            for one in edges
        ])  # fmt: skip
        for before, after in later.items():
            sync_registers.restamp_batches(db, before, after, version=state.next_version())
        sync_state.meet_anew(db)
        state.save()
        return ahead


def latest(db: Connection) -> int:
    """Return the latest time that a word has."""
    return max(_clocks(db, sync_registers.facts_since(db, 0)), default=0)


def _clocks(db: Connection, ids: list[str]) -> set[int]:
    """Return all times that words have."""
    known = {one.clock for one in sync_registers.edges_since(db, 0)}
    known |= {row[0] for row in sync_registers.batches_since(db, 0)}
    for start in range(0, len(ids), _AT_ONCE):
        for row in sync_registers.facts(db, ids[start : start + _AT_ONCE]).values():
            known |= {row.clock, *(use[CLOCK] for use in row.uses.values())}
            known |= {mark[0] for name, mark in row.marks.items() if is_stamp(name)}
    return known


def _fact(row: FactRow, later: dict[int, int], state: SyncState) -> FactRow:
    """Return the row of a fact with times that can be."""
    marks: dict[str, Any] = dict(row.marks)
    uses = {one: list(use) for one, use in row.uses.items()}
    born = marks.pop(BORN, row.version)
    before = state.version
    for name, mark in row.marks.items():
        if is_stamp(name) and mark[0] in later:
            marks[name] = [later[mark[0]], mark[1], state.next_version(), 0]
    for use in uses.values():
        if use[CLOCK] in later:
            use[CLOCK], use[VERSION], use[PLACE] = later[use[CLOCK]], state.next_version(), 0
    clock, place = row.clock, row.place
    if clock in later:
        clock, place, born = later[clock], 0, state.next_version()
    version = state.version if state.version != before else row.version
    if version != born:
        marks[BORN] = born
    return replace(row, clock=clock, place=place, version=version, marks=marks, uses=uses)


_GATHERED_AT_ONCE = 400
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
    for start in range(0, facts.last_number(db), _GATHERED_AT_ONCE):
        _gather_facts(db, state, range(start + 1, start + _GATHERED_AT_ONCE + 1), told, times)
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
