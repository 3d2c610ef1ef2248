"""What happens next in a random history: one step, drawn from what the memory holds.

Slots have histories of their own: see `tests.model.slots`.
"""

from __future__ import annotations

from tests.model import moving
from tests.model.passes import fades_to
from tests.model.vocabulary import QUERIES, TEXTS
from tests.support import DAY, NOW, named_id
from tideline_cli.model.fact import ROLES

WEIGHTS = {
    "remember": 30, "edit": 8, "forget": 6, "restore": 7, "pin": 2, "unpin": 1, "feedback": 4,
    "link": 3, "unlink": 1, "recall": 5, "dream": 6, "gc": 3, "consolidate": 4, "import": 6,
    "undo": 10, "purge": 1, "retention": 1, "keep": 2,
}  # fmt: skip
ORIGINS = ("owner", "owner", "owner", "channel:wa/c1/s1")
LEAPS = (0, 1, 1000, 3_600_000, DAY, 3 * DAY, 3 * DAY, 40 * DAY, 400 * DAY, -1, -2 * DAY)
SEGMENTS = ("knowledge", "knowledge", "preference", "project", "context", "identity")
SOURCES = ("owner_message",) * 6 + ("user_instruction", "extraction", "tool_output")
UNLINKED = ("supports", "causes", "caused_by", "contradicts", "relates")
LATEST = NOW + 20_000 * DAY
TAGS = ("home", "work", "trip")


class Drawer:
    """Draws steps; remembers the clock, the ids given, and exports that were kept."""

    def __init__(self, random, now):
        self.random = random
        self.now = now
        self.made = self.count = 0
        self.kept = []

    def step(self, memory, batches):
        """Return the next step; `batches` are (origin, number) by the number of their step."""
        self.batches = batches
        self.count += 1
        names, weights = zip(*WEIGHTS.items(), strict=True)
        if self.random.random() < 0.6:
            leap = self.random.choice(LEAPS)
            self.now = max(0, self.now + leap)
        while True:
            self.memory, self.by = memory, self.random.choice(ORIGINS)
            name = self.random.choices(names, weights)[0]
            made = getattr(self, f"_{name}")()
            if made is not None:
                verb = {"gc": "dream", "keep": "recall"}.get(name, name)
                return {"step": self.count, "do": verb, "by": self.by, "at": self.now, **made}

    def maybe(self, share, value):
        return value() if self.random.random() < share else None

    def new_id(self):
        self.made += 1
        return named_id(f"F{self.made:04d}")

    def some(self, most=1, *, lifecycle="active", least=1):
        """Return ids of the actor's facts; now and then one that he does not have."""
        ids = [
            fact["id"] for _, fact in self.memory.in_order()
            if fact["origin"] == self.by and lifecycle in (None, fact["lifecycle"])
        ]  # fmt: skip
        if self.random.random() < 0.02:
            every = [fact["id"] for fact in self.memory.facts.values()]
            ids = [*every, named_id("F9999")]
        if len(ids) < least:
            return []
        count = self.random.randint(least, max(least, min(most, len(ids))))
        newest = ids[-12:] if self.random.random() < 0.7 and len(ids) >= 12 else ids
        return self.random.sample(newest, min(count, len(newest)))

    def instant(self):
        """Return a time near now, or near where some fact begins or ends."""
        if self.memory.facts and self.random.random() < 0.4:
            fact = self.random.choice(list(self.memory.facts.values()))
            known = [fact["created_at"], fact["valid_from"], fact["valid_to"]]
            near = self.random.choice([at for at in known if at is not None])
            return near + self.random.choice((-1, 0, 0, 1))
        return self.now + self.random.choice((-400, -40, -10, -2, 0, 2, 10, 40, 400)) * DAY

    def validity(self, share):
        start = self.maybe(share, self.instant)
        stop = self.maybe(share, self.instant)
        if start is not None and stop is not None and stop <= start:
            start, stop = (stop, start) if stop < start else (start, None)
        return {name: value for name, value in (("valid_from", start), ("valid_to", stop))
                if value is not None}  # fmt: skip

    def text(self):
        """Return a text; mostly one that somebody has said already."""
        said = [fact["content"] for fact in self.memory.facts.values()]
        if said and self.random.random() < 0.4:
            known = self.random.choice(said)
            return known.removesuffix(".") + self.random.choice(("", "", "."))
        return self.random.choice(TEXTS)

    def labels(self, share):
        choice = self.random.choice
        drawn = {
            "tags": self.maybe(share, lambda: [choice(TAGS)]),
            "title": self.maybe(share, lambda: choice(("One", "Two"))),
            "kind": self.maybe(share, lambda: choice(("fact", "note", "lesson", "task"))),
            "metadata": self.maybe(share, lambda: {choice("ab"): choice("xy")}),
            "importance": self.maybe(share, lambda: choice((0.1, 0.3, 0.5, 0.95))),
            "confidence": self.maybe(share, lambda: choice((0.2, 0.6, 1.0))),
            "scope": self.maybe(share, lambda: choice(("x", "x/y"))),
            "session": self.maybe(share, lambda: choice(("s1", "s2"))),
            "turn": self.maybe(share, lambda: choice((0, 1, 2))),
            "speaker": self.maybe(share / 2, lambda: choice(("Ann", "Bo"))),
            "role": self.maybe(share, lambda: choice(ROLES)),
            "agent": self.maybe(share, lambda: choice(("coder", "tester"))),
            "progress": self.maybe(share, lambda: choice(("active", "blocked", "done"))),
            "tier": self.maybe(share / 2, lambda: choice(("short", "long", "permanent"))),
        }
        return {name: value for name, value in drawn.items() if value is not None}

    def _remember(self):
        source = self.random.choice(SOURCES)
        new = {
            "content": self.text(), "segment": self.random.choice(SEGMENTS), "source": source,
            **self.labels(0.12), **self.validity(0.2),
        }  # fmt: skip
        if self.random.random() < 0.05:
            new["pinned"] = True
        if self.random.random() < 0.1:
            new["source_turn"] = self.random.choice(("t1", "t2"))
        if self.random.random() < 0.1:
            new["supersedes"] = self.some(2, lifecycle=self.random.choice(("active", None)))
        if self.random.random() < 0.05:
            new["derived_from"] = self.some(2, lifecycle=None)
        return {"id": self.new_id(), "new": new}

    def _edit(self):
        named = self.some()
        if not named:
            return None
        changes = {**self.labels(0.15), **self.validity(0.1)}
        changes.pop("tier", None)
        since = None
        if not changes or self.random.random() < 0.6:
            changes["content"] = self.text()
            if "valid_from" not in changes:
                since = self.maybe(0.3, self.instant)
        if self.memory.seq_of(named[0]) is None:
            since = None
        editor = "owner_message" if self.by == "owner" else "channel_message"
        return {"of": named[0], "id": self.new_id(), "changes": changes, "since": since,
                "editor": editor}  # fmt: skip

    def _ids(self, most, **wanted):
        named = self.some(most, **wanted)
        return {"ids": named} if named else None

    def _forget(self):
        by = self.some() if self.random.random() < 0.3 else []
        made = self._ids(2)
        return made and {**made, "for": by[0] if by else None}

    def _restore(self):
        return self._ids(2, lifecycle=self.random.choice(("archived", "archived", "pruned", None)))

    def _pin(self):
        return self._ids(2)

    def _unpin(self):
        return self._ids(2)

    def _purge(self):
        return self._ids(1, lifecycle=None)

    def _retention(self):
        return {"days": self.random.choice((300, 1000)), "all_origins": self.random.random() < 0.3,
                "confirmed": self.random.random() < 0.5}  # fmt: skip

    def _feedback(self):
        named = self.some()
        return {"id": named[0], "delta": self.random.choice((0.05, -0.1))} if named else None

    def _link(self):
        ends = self.some(2, least=2)
        kind = self.random.choice(("supports", "causes", "contradicts"))
        return {"ends": ends, "kind": kind, "reason": self.maybe(0.5, lambda: "so"),
                "strength": self.maybe(0.3, lambda: 3)} if len(ends) == 2 else None  # fmt: skip

    def _unlink(self):
        edges = [edge for edge in self.memory.exported_links() if edge[1] in UNLINKED]
        if not edges:
            return None
        source, kind, target = self.random.choice(edges)
        self.by = self.memory.facts[self.memory.seq_of(source)]["origin"]
        return {"ends": [source, target], "kind": kind}

    def _recall(self):
        return {"query": self.random.choice(QUERIES), "as_of": self.maybe(0.4, self.instant)}

    def _near_fading(self):
        """Move the clock to where the strength of some fact is about that at which it goes."""
        known = self.memory.active(self.by)
        if not known or self.random.random() < 0.5:
            return
        seq, fact = self.random.choice(known)
        limit = self.random.choice((0.05, 0.05, 0.15)) * self.random.uniform(0.8, 1.25)
        at = fades_to(fact, self.memory.use(seq), limit)
        if at is not None and at < LATEST:
            self.now = at

    def _keeping(self, wanted):
        """Let what a person typed fade like the rest in some passes."""
        return {**wanted, "evict_after_owner_ms": self.random.choice((None, 0))}

    def _dream(self):
        self._near_fading()
        wanted = self._keeping({"max_loss": self.random.choice((0.25, 1.0, 1.0))})
        if self.random.random() < 0.3:
            wanted["stages"] = self.random.sample(("confirm", "consolidate", "relate", "evict"), 2)
        if self.random.random() < 0.3:
            wanted["confirm_count"] = 2
        return {"with": wanted, "verb": "dream", "dry": self.random.random() < 0.1}

    def _gc(self):
        self._near_fading()
        wanted = self._keeping({"max_loss": self.random.choice((0.3, 1.0))})
        return {"with": {**wanted, "stages": ["gc"]},
                "verb": "gc", "dry": self.random.random() < 0.1}  # fmt: skip

    def _consolidate(self):
        named = self.some(4)
        wishes = [(one, (self.some() or [None])[0] if self.random.random() < 0.6 else None)
                  for one in named]  # fmt: skip
        return {"wishes": wishes, "max_loss": self.random.choice((0.3, 1.0))} if wishes else None

    def _undo(self):
        made = [place for place, (by, _) in self.batches.items() if by == self.by]
        if made and self.random.random() < 0.8:
            made = made[-12:]
        place = self.random.choice(made) if made else None
        return {"batch": self.random.choice((None, place)), "dry": self.random.random() < 0.1}

    def _keep(self):
        """Export, for an import later on; nothing happens to the memory."""
        self.kept.append((self.by, moving.row_of(self.memory, self.by)))
        return self._recall()

    def _import(self):
        trusted = self.random.random() < 0.8
        merge = self.random.random() < 0.3
        kept = [rows for by, rows in self.kept if by == self.by]
        if trusted and kept and self.random.random() < 0.5:
            rows = self.random.choice(kept)
            rows = [row for row in rows if self.random.random() < 0.8]
        elif not merge and self.random.random() < 0.3:  # facts that the journal keeps together
            rows = [
                {"id": self.new_id(), "content": self.text(), "links": [],
                 "segment": self.random.choice(SEGMENTS)}
                for _ in range(self.random.randint(3, 5))
            ]  # fmt: skip
        else:
            rows = [self._row(trusted) for _ in range(self.random.randint(1, 3))]
        return {"rows": rows, "trusted": trusted, "merge": merge} if rows else None

    def _row(self, trusted):
        row = {"id": self.new_id(), "content": self.text(), "links": [],
               "segment": self.random.choice(SEGMENTS), **self.validity(0.15),
               **self.labels(0.1)}  # fmt: skip
        if not trusted:
            return row
        more = {
            "created_at": self.maybe(0.5, self.instant),
            "lifecycle": self.maybe(0.25, lambda: self.random.choice(("archived", "pruned"))),
            "access_count": self.maybe(0.2, lambda: self.random.randint(0, 4)),
            "last_accessed_at": self.maybe(0.2, self.instant),
            "pinned": self.maybe(0.05, lambda: True),
            "decay_rate": self.maybe(0.1, lambda: 0.5),
            "source": self.maybe(0.2, lambda: "extraction"),
        }
        row |= {name: value for name, value in more.items() if value is not None}
        if self.random.random() < 0.4:
            ends = self.some(lifecycle=None) or [row["id"]]
            row["links"] = [["supports", ends[0], None, 3, self.now - DAY]]
        return row
