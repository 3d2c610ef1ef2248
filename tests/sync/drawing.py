"""What happens next on some machines: a verb on one of them, or a sync of one of them."""

from __future__ import annotations

from tests.model import drawing
from tests.model.vocabulary import PLAIN
from tests.support import named_id
from tideline_cli.store import sync_registers
from tideline_cli.store.connection import has_synced

SKEWS = (0, 0, 1, -4_000, 4_000, 180_000, -180_000, 7_200_000, -3_600_000, 80_000_000)
LEAPS = (0, 1, 1000, 60_000, 3_600_000, 3_600_000, drawing.DAY, 3 * drawing.DAY, 40 * drawing.DAY,
         -1, -1_800_000)  # fmt: skip
REASONS = ("faded", "merged", "superseded", "forgotten", None)
HOWS = ("all", "all", "all", "first", "any")
QUIET = 0.35
"""How much of the time a step is a sync."""


class Drawer(drawing.Drawer):
    """Draws steps of several machines, by what each of them shows."""

    settled = (None, None)  # the machine on which a ruling was confirmed last, and by whom

    def plan(self):
        """Return how many machines there are, the clock of each, and the wires that each reaches.
        """
        some = self.random.sample(PLAIN, 3)
        self.few = (*some, *(f"{text}." for text in some))
        count = self.random.choice((2, 3, 3, 3, 4, 5))
        skews = [self.random.choice(SKEWS) for _ in range(count)]
        if self.random.random() < 0.7:
            return {"skews": skews, "reached": [[0]] * count}
        bridge = self.random.randrange(count)  # one machine is in both places
        reached = [[self.random.randrange(2)] for _ in range(count)]
        reached[bridge] = [0, 1]
        return {"skews": skews, "reached": reached}

    def network_step(self, network, plan, batches, joined):
        """Return the next step. `batches` are (origin, number) by the number of their step, of each
        machine."""
        on = self.random.randrange(len(plan["skews"]))
        self.count += 1
        if self.random.random() < 0.6:
            self.now = max(0, self.now + self.random.choice(LEAPS))
        if self.random.random() < (QUIET if on in joined else 0.12):
            joined.add(on)
            name = "snapshot" if self.random.random() < 0.1 else "sync"
            return {"step": self.count, "do": name, "on": on, "at": self.now,
                    "wire": self.random.choice(plan["reached"][on]),
                    "how": self.random.choice(HOWS),
                    "pick": self.random.randrange(10**6)}  # fmt: skip
        self.count -= 1
        if self.random.random() < 0.05:
            self.count += 1
            return {"step": self.count, "do": "redo", "on": on, "at": self.now,
                    "by": self.random.choice(drawing.ORIGINS)}  # fmt: skip
        gone = self._standing(network.machines[on])
        if gone and self.random.random() < 0.08:
            self.count += 1
            return {"step": self.count, "do": "purge", "on": on, "at": self.now, "by": "owner",
                    "ids": [gone]}  # fmt: skip
        settling = self._settling(network.machines[on], on)
        if settling:
            self.count += 1
            return {"step": self.count, "on": on, "at": self.now, **settling}
        if self.random.random() < 0.03:
            known = self._known_better(network.machines[on].seen())
            if known:
                self.count += 1
                return {"step": self.count, "do": "import", "on": on, "at": self.now, **known}
        was, leaps = self.now, drawing.LEAPS
        drawing.LEAPS = (0,)
        try:
            made = self.step(network.machines[on].seen(), batches[on])
        finally:
            drawing.LEAPS = leaps
        if not was <= self.now <= was + 500 * drawing.DAY:
            self.now = made["at"] = was
        return {**made, "on": on}

    def _known_better(self, seen):
        """Return an import of facts as they are, which tells more of them: when their state was
        stated, or why they are archived."""
        facts = [row for row in seen.exported() if row["lifecycle"] != "pruned"]
        if not facts:
            return None
        by = self.random.choice(facts)["origin"]
        rows = []
        for row in (row for row in facts if row["origin"] == by and self.random.random() < 0.4):
            since = row["created_at"]
            told = [name for name in ("changed_at", "said_at") if self.random.random() < 0.6]
            more = {name: self.random.randint(since, max(since, self.now)) for name in told}
            if row["lifecycle"] == "archived":
                more["archived_reason"] = self.random.choice(REASONS)
            rows.append({**row, **more, "links": []})
        return {"by": by, "rows": rows, "trusted": True, "merge": True} if rows else None

    def _settling(self, machine, on):
        """Return a forget of a fact that a sync has archived, or an undo of that; else nothing."""
        if self.settled[0] == on and self.random.random() < 0.4:
            by, self.settled = self.settled[1], (None, None)
            return {"do": "undo", "by": by, "batch": None, "dry": False}
        gave_way = [one for one, _ in self._ruled(machine)]
        if not gave_way or self.random.random() > 0.12:
            return None
        named = self.random.choice(gave_way)
        [(by,)] = machine.db.execute(
            "SELECT key FROM fact JOIN origin ON number = origin WHERE id = ?", (named,)
        )
        self.settled = on, by
        return {"do": "forget", "by": by, "ids": [named], "for": None}

    def _ruled(self, machine):
        """Return the facts that are archived by nobody's word, each with the one because of which.
        """
        if not has_synced(machine.db):
            return []
        return [pair for why in ("slot", "same")
                for pair in sync_registers.ruled(machine.db, why, origin_number=None)]  # fmt: skip

    def _standing(self, machine):
        """Return a fact because of which another one is archived by nobody's word, if any is."""
        some = sorted({by for _, by in self._ruled(machine)})
        return self.random.choice(some) if some else None

    def text(self):
        """Return a text that machines have in common, or any."""
        return self.random.choice(self.few) if self.random.random() < 0.5 else super().text()

    def _remember(self):
        made = super()._remember()
        if self.random.random() < 0.3:  # plain words, as two people may say them
            made["new"] = {name: made["new"][name] for name in ("content", "segment", "source")}
            made["new"] |= self.maybe(0.5, lambda: {"slot": "town"}) or {}
        return made

    def new_id(self):
        self.made += 1
        return named_id(f"F{self.random.randrange(10**4):04d}{self.made:04d}")
