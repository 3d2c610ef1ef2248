"""A memory as plain dictionaries: facts, their use, edges between them, and what batches did.

Nothing here asks the program: it is written from its documents alone. A fact is a dictionary with
the keys of an export (times in milliseconds, its use and edges apart) under a number that is never
given again. Dictionaries are replaced and not changed, so a batch is the difference of two states.
"""

from __future__ import annotations

from contextlib import contextmanager

FOREVER = 1 << 62
UNTRUSTED = ("tool_output", "retrieved_document", "compaction", "extraction")
REPLACING = ("contradicts", "transition", "supersedes")
FINAL = ("purge", "retention")


class Refused(Exception):
    """The command is refused with this exit code, and changes nothing."""

    def __init__(self, code, why=""):
        super().__init__(f"exit {code}: {why}")
        self.code = code


class OneOf(tuple):
    """Values of which any will do, as the documents leave it open; the program's is taken."""


class Batch:
    """What a command did: rows by number as (before, after), and the facts and edges before it."""

    def __init__(self, verb, was, at=0):
        self.verb = verb
        self.at = at
        self.was = was
        self.is_blocked = False
        self.took = None
        self.facts, self.uses, self.links = {}, {}, {}

    @property
    def has_changes(self):
        return bool(self.facts or self.uses or self.links)


class Memory:
    """The state, and the clockless rules that all verbs share."""

    def __init__(self, cosine):
        self.cosine = cosine
        self.facts, self.uses, self.links = {}, {}, {}
        self.batches = {}
        self.history = []
        self.clock = 0
        self.last_fact = self.last_link = 0

    def batches_of(self, origin):
        return self.batches.setdefault(origin, [])

    def _state(self):
        return self.facts, self.uses, self.links

    @contextmanager
    def batch(self, verb, origin, *, even_if_nothing=True):
        """All that happens inside is one batch, or nothing when the command is refused."""
        was = self._state()
        self.facts, self.uses, self.links = ({**some} for some in was)
        made = Batch(verb, was, self.clock)
        try:
            yield made
        except Refused:
            self.facts, self.uses, self.links = was
            raise
        if verb not in FINAL:
            made.facts = differing(was[0], self.facts)
            made.links = differing(was[2], self.links)
            made.uses = differing(was[1], self.uses)
        if made.has_changes or even_if_nothing:
            self.batches_of(origin).append(made)
            self.history.append(made)

    def block(self, verb, origin):
        """Note a write that was refused by policy: a number in the history, and no more."""
        batch = Batch(verb, self._state())
        batch.is_blocked = True
        self.batches_of(origin).append(batch)

    def insert(self, fact, use=None):
        self.last_fact += 1
        self.facts[self.last_fact] = fact
        if use is not None:
            self.uses[self.last_fact] = use
        return self.last_fact

    def change(self, seq, **values):
        if any(self.facts[seq][name] != value for name, value in values.items()):
            self.facts[seq] = {**self.facts[seq], **values}

    def use(self, seq):
        """Return (count, last use); a fact that was never used was last used when it was made."""
        return self.uses.get(seq) or (0, self.facts[seq]["created_at"])

    def used(self, seq, *, now):
        """Count a use; the last one never moves backwards."""
        count, last = self.use(seq)
        self.uses[seq] = (count + 1, max(last, now))

    def said(self, seq):
        """Return when somebody last said a fact: made it, said the same again, or brought it
        back."""
        return max([self.facts[seq]["created_at"], *(
            batch.at for batch in self.history
            if (batch.verb in ("remember", "edit", "extract") and seq in batch.uses)
            or (batch.verb in ("restore", "undo", "redo") and _is_moved(*batch.facts.get(seq, ())))
        )])  # fmt: skip

    def seq_of(self, fact_id, viewer=None):
        """Return the number of a fact that the viewer may see, None where there is none."""
        for seq, fact in self.facts.items():
            if fact["id"] == fact_id and viewer in (None, fact["origin"]):
                return seq
        return None

    def find(self, fact_id, viewer):
        seq = self.seq_of(fact_id, viewer)
        if seq is None:
            raise Refused(3, f"no such id: {fact_id}")
        return seq

    def named(self, ids, viewer):
        """Return the numbers of the facts named, each once, in the order of their naming."""
        return list(dict.fromkeys(self.find(fact_id, viewer) for fact_id in ids))

    def in_order(self):
        """Return the facts in order of arrival."""
        return sorted(self.facts.items())

    def active(self, origin):
        return [
            (seq, fact) for seq, fact in self.in_order()
            if fact["origin"] == origin and fact["lifecycle"] == "active"
        ]  # fmt: skip

    def edge(self, source, kind, target, *, now, reason=None, strength=None):
        """Make an edge unless it is there; say whether it is new."""
        ends = self.facts[source], self.facts[target]
        if source == target or ends[0]["origin"] != ends[1]["origin"]:
            return False
        if any(link[:3] == (source, kind, target) for link in self.links.values()):
            return False
        self.last_link += 1
        self.links[self.last_link] = (source, kind, target, reason, strength, now)
        return True

    def leaving(self, seq):
        return [link for _, link in sorted(self.links.items()) if link[0] == seq]

    def arriving(self, seq):
        return [link for _, link in sorted(self.links.items()) if link[2] == seq]

    def at(self, instant, viewer):
        """Return the ids of what held at an instant, as far as is known today."""
        return {
            fact["id"] for fact in self.facts.values()
            if fact["origin"] == viewer and fact["lifecycle"] != "pruned"
            and begin(fact) <= instant < end(fact)
        }  # fmt: skip

    def exported(self):
        """Return every fact with its use and its edges, in order of arrival."""
        rows = []
        for seq, fact in self.in_order():
            count, last = self.use(seq)
            rows.append({**fact, "access_count": count, "last_accessed_at": last})
        return rows

    def exported_links(self):
        ids = {seq: fact["id"] for seq, fact in self.facts.items()}
        return {(ids[a], kind, ids[b]): rest for a, kind, b, *rest in self.links.values()}


def _is_moved(was=None, now=None):
    return None not in (was, now) and was["lifecycle"] != now["lifecycle"]


def differing(was, now):
    """Return what differs between two states, by number, as (before, after)."""
    keys = dict.fromkeys((*was, *now))
    return {
        key: (was.get(key), now.get(key)) for key in keys
        if was.get(key) is not now.get(key) and was.get(key) != now.get(key)
    }  # fmt: skip


def begin(fact):
    """Return since when a fact holds: since it was said, unless it states a beginning."""
    return fact["created_at"] if fact["valid_from"] is None else fact["valid_from"]


def end(fact):
    return FOREVER if fact["valid_to"] is None else fact["valid_to"]


def overlap(one, other):
    """Say whether there is an instant at which both hold."""
    return max(begin(one), begin(other)) < min(end(one), end(other))


def is_of_one_time(one, other):
    """Say whether both hold for the same time: until one end, and since one beginning. Where only
    one of them states a beginning, that was when the other one was said."""
    begun = (
        fact["valid_from"] in (None, against["valid_from"])
        or (against["valid_from"] is None and fact["valid_from"] <= against["created_at"])
        for fact, against in ((one, other), (other, one))
    )
    return end(one) == end(other) and all(begun)


def holds(fact, now):
    return begin(fact) <= now < end(fact)


def is_trusted(fact):
    return fact["source"] not in UNTRUSTED


def is_typed(fact):
    """Say whether a person typed a fact, and no agent."""
    return fact["source"] == "owner_message" and fact["agent"] is None


def may_touch(source, target):
    """Say whether what `source` says may change a fact of `target`."""
    return source not in UNTRUSTED or target in UNTRUSTED


def may_end(new, known):
    """Say whether what is said may end a known fact, as far as that is work: what nobody vouches
    for ends the work of its own agent alone."""
    return is_trusted(new) or known["progress"] is None or known["agent"] == new.get("agent")


def ended(fact, *, at, now):
    """Return a fact as one that holds until `at`, never beyond its own end. One that begins later
    never held: its interval is empty. It is archived unless some of its time lies ahead."""
    close = min(end(fact), max(at, begin(fact)))
    ahead = close > now and close > begin(fact)
    return {**fact, "valid_to": close, "lifecycle": fact["lifecycle"] if ahead else "archived"}


def clamp(value):
    return min(1.0, max(0.0, value))
