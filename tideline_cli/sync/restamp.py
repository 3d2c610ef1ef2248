"""Words that were said while the clock of this machine was far ahead: said again, as of now.

Nobody has taken them: a time that is a day ahead is not believed. Their order stays.
"""

from __future__ import annotations

from tideline_cli.model.record import replace
from tideline_cli.store import sync_registers, sync_state
from tideline_cli.store.sync_registers import BORN
from tideline_cli.store.transactions import writing
from tideline_cli.sync.clock import clock_ms, is_ahead, tick
from tideline_cli.sync.registers import CLOCK, PLACE, VERSION, is_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_registers import FactRow
    from tideline_cli.store.sync_state import SyncState

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
