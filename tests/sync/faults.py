"""Would the random machines notice? Rules changed one at a time: `python -m tests.sync.faults
[NAME …]` says after how many histories each is found."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from unittest.mock import patch

from tests.sync import driver
from tideline_cli.model.record import replace
from tideline_cli.model.saying import StatedAt
from tideline_cli.store import sync_changes, sync_registers
from tideline_cli.sync import absorb, gather, outbox, registers, rulings, show
from tideline_cli.sync.operations import EdgeOp
from tideline_cli.sync.registers import GONE, PRESENT

MOST, LENGTH = 150, 45
"""So many histories of so many steps are run before a fault counts as not found."""


def _later_by_clock(self, stamp, mark):
    return stamp[0] > mark[0]


_paint_slot = rulings._paint_slot


def _first_come(values, found):
    _paint_slot([replace(one, said=-one.said) for one in values], found)


def _tick_alone(last, at):
    return at << 16


_operations = outbox.Publication.operations


def _present_edges(self):
    operations = _operations(self)
    return (one for one in operations if not (isinstance(one, EdgeOp) and one.values is None))


def _unexplained(self, known):
    for one in _fact(self, known):
        values = getattr(one, "values", None)
        if values and GONE in values:
            values[GONE] = None
        yield one


_fact = outbox.Publication._fact
_put = registers.Registers.put


def _put_but_absence(self, name, value, mark):
    if name != PRESENT:
        _put(self, name, value, mark)


_say = gather.Gatherer._say


def _say_alone(self, known, said, name, clock):
    known.put(name, said[name], self._mark(clock))


_time = gather.Gatherer._time


def _said_for_good(self, known, at):
    was = known.uses.get(self._state.own, registers.NOTHING)[registers.SAID]
    told = at or StatedAt(0, 0, 0)
    _time(self, known, replace(told, spoken=max(gather.spoken, was)))


_edges = show.Shower._edges


def _edges_left(self, stated, came, was):
    _edges(self, stated, came, {})


def _bear_all(self, values, mark):
    self.birth = mark
    self.values |= values


FAULTS = {
    "of two stamps with one time none is later": [(absorb.Taker, "_is_later", _later_by_clock)],
    "a purge is not remembered": [
        (sync_registers, "purged", lambda *_: set()),
        (sync_registers, "purged_and_here", lambda _: []),
    ],
    "a ruling is not taken back": [(sync_registers, "ruled_by", lambda *_: set())],
    "the first value that came holds a slot": [(rulings, "_paint_slot", _first_come)],
    "a copy is looked for by its own machine alone": [(sync_registers, "like", lambda *_: set())],
    "why a fact is archived is not told": [(outbox.Publication, "_fact", _unexplained)],
    "an edge that goes is not told": [(outbox.Publication, "operations", _present_edges)],
    "what was taken back is not told": [(registers.Registers, "put", _put_but_absence)],
    "the clock does not follow others": [
        (gather, "tick", _tick_alone),
    ],
    "a word is said for good": [(gather.Gatherer, "_time", _said_for_good)],
    "edges do not wait for their ends": [(sync_registers, "edges_of", lambda *_: [])],
    "a birth takes what was said since": [(registers.Registers, "bear", _bear_all)],
    "what came before a birth stays": [(registers.Registers, "forget", lambda *_: None)],
    "values of a slot are not looked for": [(sync_registers, "slot_mates", lambda *_: set())],
    "a purge leaves rulings as they are": [(sync_registers, "all_ruled", lambda _: set())],
    "the end of a ruling does not go with the word for it": [(gather.Gatherer, "_say", _say_alone)],
    "what an import notes is not told": [(sync_changes, "noted_since", lambda *_: {})],
    "a purge takes what others have archived": [
        (sync_changes, "is_archived_here", lambda *_: True),
    ],
    "a ruling makes no edge": [(show, "EDGES", dict.fromkeys(rulings.EDGES, ()))],
    "an edge that a ruling made is left": [(show.Shower, "_edges", _edges_left)],
}  # fmt: skip


def found_after(name, *, most=MOST, first=1):
    """Return how many histories it takes to notice a fault, None where it is not noticed."""
    for seed in range(first, first + most):
        if _differs(name, seed) and driver.run(seed, LENGTH)[1] is None:  # by the fault alone
            return seed - first + 1
    return None


def _differs(name, seed):
    with ExitStack() as planted:
        for owner, attribute, instead in FAULTS[name]:
            planted.enter_context(patch.object(owner, attribute, instead))
        return driver.run(seed, LENGTH)[1] is not None


def main():
    """Hunt for each fault; exit with 1 when any is not found."""
    missed = 0
    for name in sys.argv[1:] or FAULTS:
        after = found_after(name)
        missed += after is None
        said = "not found" if after is None else f"found after {after}"
        print(f"{name:<50} {said}", flush=True)
    print(f"{len(sys.argv[1:] or FAULTS)} faults, {missed} not found in {MOST} histories")
    sys.exit(bool(missed))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tideline-sync-") as home:
        os.environ["TIDELINE_HOME"] = home
        main()
