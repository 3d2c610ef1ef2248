"""Which rulings somebody has confirmed here since the last sync, and which are open again: told by
the edges that show them."""

from __future__ import annotations

from tideline_cli.model.record import record, replace
from tideline_cli.model.saying import SHOWN
from tideline_cli.policy.periods import statement_of
from tideline_cli.store import images, sync_changes, sync_registers
from tideline_cli.store.statements import said_of_row
from tideline_cli.sync.rulings import EDGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.sync.told import SaidHere

    Key = tuple[str, str, str]  # start, kind and end of an edge

_VERBS = ("forget", "undo", "redo")
"""By these, the edge of a ruling goes with the ruling, and comes back with it. To unlink it says
nothing of the fact at its end."""


@record
class Settling:
    """Facts by id, each with the time of the word: those that are `settled`, by somebody's word
    archived, and those that are `open` again, archived by a sync alone. `shown` are the edges that
    have come and that nobody has stated."""

    settled: dict[str, int]
    open: dict[str, int]
    shown: frozenset[Key]


def settling(db: Connection, told: SaidHere) -> Settling:
    """Return what was confirmed, and what is open again: there an edge is back that a sync had made
    and that nobody ever stated. Of a ruling that was confirmed and opened between two syncs,
    nothing is said."""
    edges = _edges(db, told)
    targets = {key[2] for key in edges}
    rows = sync_registers.facts(db, targets)
    stored = sync_registers.in_table(db, targets | {key[0] for key in edges})
    settled: dict[str, int] = {}
    opened: dict[str, int] = {}
    shown: set[Key] = set()
    for key, (number, act, clock) in edges.items():
        source, kind, target = key
        row = rows.get(target)
        if row is None or not {source, target} <= stored.keys():
            continue
        if stored[target][1].lifecycle != "archived":
            continue
        is_ruled = row.by == source and (
            row.ruled == "forgotten" or kind in EDGES[row.ruled or "kept"]
        )
        if act == "-" and is_ruled:
            settled[target] = clock
        elif act == "+" and sync_registers.edge(db, *key) is None:
            if is_ruled:
                shown.add(key)
            elif row.by is None and sync_changes.is_of_a_sync(db, number):
                opened[target] = clock
                shown.add(key)
    return Settling(settled, opened, frozenset(shown))


def _edges(db: Connection, told: SaidHere) -> dict[Key, tuple[int, str, int]]:
    """Return the edges that came or went by a person's word on a fact: number, act and time."""
    found: dict[tuple[int, str, int], tuple[int, str, int]] = {}
    for number, (act, verb) in told.moved.items():
        if verb in _VERBS:
            image, clock = told.edges[number]
            for edge in sync_changes.edges_told(db, [(number, image)]):
                found[edge] = number, act, clock
    by_seq = sync_changes.ids_of(db, {end for a, _, b in found for end in (a, b)})
    named = {
        (by_seq[a], kind, by_seq[b]): what for (a, kind, b), what in found.items()
        if a in by_seq and b in by_seq
    }  # fmt: skip
    return {
        key: what for key, what in named.items()
        if (what[1] == "+") == (sync_changes.edge_now(db, *key) is not None)
    }  # fmt: skip


def said_before(db: Connection, fact_id: str) -> dict[str, Any]:
    """Return what was said of a fact before a sync archived it, as far as it is known."""
    was = images.last_active(db, fact_id)
    return {**dict.fromkeys(SHOWN), "lifecycle": "active"} if was is None else said_of_row(was)


def archived_by_word(fact: Fact) -> Fact:
    """Return a fact that a sync has archived as one that somebody has archived: in a slot it ends
    where it gave way."""
    if fact.slot is None or fact.valid_to is None:
        return fact
    return replace(fact, statement=statement_of(fact) | {"until": fact.valid_to})
