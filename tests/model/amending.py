"""The specification of the verbs on single facts: forget, restore, pin, judge, link.

Decided here: what is forgotten before it begins never held, and any end up to its beginning says
so. The chain of who replaced whom is followed through what is no longer active.
"""

from __future__ import annotations

from tests.model import life
from tests.model.state import (
    REPLACING,
    OneOf,
    Refused,
    begin,
    clamp,
    end,
    ended,
    may_touch,
    overlap,
)

INVERSE = {"causes": "caused_by", "caused_by": "causes"}
BOTH_WAYS = ("relates", "relates_to", "same_topic", "similar", "co_constrains", "contrasts_with")
MOST_EDGES = 12


def active(memory, fact_id, viewer):
    seq = memory.find(fact_id, viewer)
    if memory.facts[seq]["lifecycle"] != "active":
        raise Refused(4, f"{fact_id} is not active")
    return seq


def archive(memory, seq, *, now):
    """Close a fact: it held until now, or until it ended."""
    fact = memory.facts[seq]
    after = {**ended(fact, at=now, now=now), "lifecycle": "archived"}
    if begin(fact) > now:
        after["valid_to"] = OneOf({after["valid_to"], min(now, end(fact))})
    memory.facts[seq] = after


def forget(memory, ids, *, by, viewer, now):
    with memory.batch("forget", viewer, even_if_nothing=False):
        named = memory.named(ids, viewer)
        stands = None
        if by is not None:
            stands = active(memory, by, viewer)
            if stands in named:
                raise Refused(2, "a fact cannot supersede itself")
        for seq in named:
            if memory.facts[seq]["lifecycle"] == "active":
                archive(memory, seq, now=now)
                for kind in ("contradicts", "transition") if stands is not None else ():
                    memory.edge(stands, kind, seq, now=now)


def restore(memory, ids, *, viewer, now):
    """Bring facts back, with the end that they had and that lies ahead, unless something active
    that overlaps stands in their place: whoever replaced them, down the chain, or a slot mate."""
    with memory.batch("restore", viewer, even_if_nothing=False):
        named = memory.named(ids, viewer)
        back = [seq for seq in named if memory.facts[seq]["lifecycle"] != "active"]
        for seq in back:
            fact = memory.facts[seq]
            metadata = dict(fact["metadata"] or {})
            note = dict(metadata.pop("consolidated", {}))
            note.pop("replaced_by", None)
            if note:
                metadata["consolidated"] = note
            if fact["metadata"] is not None and "consolidated" in fact["metadata"]:
                whole = {k: v for k, v in fact["metadata"].items() if k != "consolidated"}
                metadata = OneOf((metadata or None, whole or None, metadata, whole))
            else:
                metadata = fact["metadata"]
            was = _end_before(memory, seq)
            valid_to = was if was is not None and was > now else None
            memory.facts[seq] = {
                **fact, "lifecycle": "active", "valid_to": valid_to, "metadata": metadata,
            }  # fmt: skip
        for seq in back:
            if any(True for _ in standing_for(memory, seq)):
                raise Refused(4, "superseded")


def _end_before(memory, seq):
    """Return the end that a fact had when it was last active, as far as the history tells."""
    for batch in reversed(memory.history):
        before, after = batch.facts.get(seq, (None, None))
        was, is_now = (fact and fact["lifecycle"] == "active" for fact in (before, after))
        if was and not is_now:
            return before["valid_to"]
    return None


def standing_for(memory, seq):
    """Yield the active facts that stand in the place of one, all the way down the chain."""
    fact = memory.facts[seq]
    seen, waiting = {seq}, [seq]
    while waiting:
        for source, kind, gone, *_ in memory.arriving(waiting.pop()):
            other = memory.facts[source]
            may = may_touch(other["source"], memory.facts[gone]["source"])
            if kind in REPLACING and may and source not in seen:
                seen.add(source)
                if other["lifecycle"] != "active":
                    waiting.append(source)
                elif overlap(other, fact) and may_touch(other["source"], fact["source"]):
                    yield source
    for other, mate in memory.active(fact["origin"]):
        same = other != seq and fact["slot"] is not None and life.place(mate) == life.place(fact)
        if same and may_touch(mate["source"], fact["source"]) and overlap(mate, fact):
            yield other


def pin(memory, ids, *, viewer):
    with memory.batch("pin", viewer, even_if_nothing=False):
        named = memory.named(ids, viewer)
        for seq in named:
            active(memory, memory.facts[seq]["id"], viewer)
        for seq in named:
            if not memory.facts[seq]["pinned"]:
                memory.change(seq, pinned=True, heat="core")


def unpin(memory, ids, *, viewer):
    with memory.batch("unpin", viewer, even_if_nothing=False):
        for seq in memory.named(ids, viewer):
            fact = memory.facts[seq]
            if fact["pinned"]:
                heat = life.heat_of(
                    fact["segment"], fact["kind"], fact["tier"], fact["importance"]
                )
                memory.change(seq, pinned=False, heat=heat)


def feedback(memory, fact_id, *, delta, viewer, now):
    with memory.batch("feedback", viewer, even_if_nothing=False):
        seq = active(memory, fact_id, viewer)
        fact = memory.facts[seq]
        confidence = fact["confidence"]
        memory.change(
            seq, importance=round(clamp(fact["importance"] + delta), 12),
            confidence=None if confidence is None else round(clamp(confidence + delta), 12),
        )  # fmt: skip
        if delta > 0:
            memory.used(seq, now=now)
        if memory.facts[seq] != fact or delta > 0:
            life.warmed(memory, seq, now=now)


def link(memory, ends, kind, *, reason, strength, viewer, now):
    with memory.batch("link", viewer, even_if_nothing=False):
        one, other = (memory.find(fact_id, viewer) for fact_id in ends)
        if one == other:
            raise Refused(2, "a fact cannot be linked to itself")
        for fact_id in ends:
            active(memory, fact_id, viewer)
        told = _telling(one, kind, other)
        there = {edge[:3]: number for number, edge in memory.links.items() if edge[:3] in told}
        wanted = told if kind in BOTH_WAYS else [] if there else told[:1]
        lacking = [edge for edge in wanted if edge not in there]
        for a, word, _ in lacking:
            if sum(edge[1] == word for edge in memory.leaving(a)) >= MOST_EDGES:
                raise Refused(4, f"{a} has too many edges")
        for number in there.values():
            a, word, b, its, power, made = memory.links[number]
            memory.links[number] = (a, word, b, its or reason, power or strength, made)
        for a, word, b in lacking:
            memory.edge(a, word, b, now=now, reason=reason, strength=strength)


def _telling(one, kind, other):
    """Return the edges that state one thing of two facts."""
    if kind in BOTH_WAYS:
        return [(one, kind, other), (other, kind, one)]
    back = [(other, INVERSE[kind], one)] if kind in INVERSE else []
    return [(one, kind, other), *back]


def unlink(memory, ends, kind, *, viewer):
    with memory.batch("link", viewer, even_if_nothing=False):
        one, other = (memory.find(fact_id, viewer) for fact_id in ends)
        if one == other:
            raise Refused(2, "a fact cannot be linked to itself")
        both = _telling(one, kind, other)
        memory.links = {n: edge for n, edge in memory.links.items() if edge[:3] not in both}
