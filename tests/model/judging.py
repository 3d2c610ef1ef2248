"""The specification of consolidate: which of a model's wishes to archive facts are granted.

Decided here: what a model names in the place of another must hold for all of the time that the
other has left.
"""

from __future__ import annotations

from tests.model.amending import archive
from tests.model.passes import hold_alike, inherit, is_settled, richness
from tests.model.state import begin, end, is_trusted, may_touch
from tests.model.vocabulary import states_the_same


def consolidate(memory, wishes, *, max_loss, viewer, now):
    """Archive what a model calls needless and may go. `wishes` are (id, id of what makes it
    needless or None), in its order."""
    listed = sorted(memory.active(viewer), key=lambda item: (-item[1]["created_at"],
                                                             item[1]["id"]))  # fmt: skip
    if not listed:
        return set()
    with memory.batch("consolidate", viewer):
        hearing = _Hearing(memory, listed, wishes, now)
        before = dict(memory.facts), dict(memory.uses)
        if hearing.wanted and len(hearing.wanted) < len(listed):
            hearing.hear()
            if len(hearing.granted) <= max_loss * len(listed) + 1e-9:
                hearing.carry_out()
                return {memory.facts[seq]["id"] for seq in hearing.granted}
            memory.facts, memory.uses = before
        return set()


class _Hearing:
    """One wish after the other; what was granted before counts."""

    def __init__(self, memory, listed, wishes, now):
        self.memory, self.now = memory, now
        self.known = [seq for seq, _ in listed]
        by_id = {fact["id"]: seq for seq, fact in listed}
        self.wanted = {by_id[one]: by_id.get(by, by) for one, by in wishes if one in by_id}
        self.mixed = not all(is_trusted(fact) for _, fact in listed)
        self.kept = set()
        self.granted = {}

    def _stays(self, seq):
        return (seq not in self.wanted or seq in self.kept) and seq not in self.granted

    def _stated(self, seq):
        """Return what is said to make a fact needless; of a chain the one that stays."""
        seen, by = {seq}, self.wanted[seq]
        while by in self.known and by not in seen:
            if self._stays(by):
                return by
            seen.add(by)
            by = self.wanted.get(by)
        return None

    def hear(self):
        for seq, by in self.wanted.items():
            if seq in self.granted:
                continue
            stated = self._stated(seq)
            if by is not None and stated is None and by in self.wanted:
                self.kept.add(seq)
                continue
            self._judge(seq, stated)

    def _judge(self, seq, stated):
        facts = self.memory.facts
        rich = {one: (*richness(self.memory, one), facts[one]["created_at"]) for one in self.known}
        twins = [
            one for one in self.known
            if self._stays(one) and not (facts[one]["slot"] and facts[seq]["slot"]
                                         and facts[one]["slot"] != facts[seq]["slot"])
            and facts[one]["scope"] == facts[seq]["scope"]
            and states_the_same(facts[one], facts[seq])
            and hold_alike(facts[one], facts[seq])
        ]  # fmt: skip
        twin = max(twins, key=rich.get, default=None)
        loser, survivor = seq, twin if stated is None else stated
        if twin is not None and stated in (None, twin):
            may = may_touch(facts[seq]["source"], facts[twin]["source"])
            if may and not is_settled(facts[twin]) and rich[seq] > rich[twin]:
                loser, survivor = twin, seq
        if not self._is_denied(loser, survivor):
            inherits = twin is not None and {loser, survivor} == {seq, twin}
            self.granted[loser] = survivor, inherits
            if inherits:
                inherit(self.memory, survivor, loser)

    def _is_denied(self, loser, survivor):
        facts = self.memory.facts
        if is_settled(facts[loser]):
            return True
        if survivor is None:
            return self.mixed and is_trusted(facts[loser])
        if not self._covers(facts[survivor], facts[loser]):
            return True
        return not may_touch(facts[survivor]["source"], facts[loser]["source"])

    def _covers(self, one, other):
        """Say whether a fact holds for all of the time that another has left."""
        if end(other) <= self.now:
            return True
        return begin(one) <= max(self.now, begin(other)) and end(one) >= end(other)

    def carry_out(self):
        memory = self.memory
        for loser, (survivor, _) in self.granted.items():
            note = {"reason": "why"}
            if survivor is not None:
                note = {"replaced_by": memory.facts[survivor]["id"]}
                for kind in ("contradicts", "transition"):
                    memory.edge(survivor, kind, loser, now=self.now, reason="why")
            memory.facts[loser] = {
                **memory.facts[loser],
                "metadata": {**(memory.facts[loser]["metadata"] or {}), "consolidated": note},
            }
            archive(memory, loser, now=self.now)
