"""The specification of remembering: when a fact is restated, what a restatement changes, and which
value a slot has at an instant.

Decided here, where the documents are silent:
- A text that names what it replaces may be linked to others that are much like it, or not.
- Of several facts that a text restates, any may be the one that is reinforced.
- A restatement that ends where the known fact begins, or before, is a fact of its own; but where
  nobody has said when the known one began, an end in the past is its end.
- A restatement in a slot ends the other values of the slot that overlap what then is known.
- A default is nothing that somebody has said: it raises no importance, and takes no permanence.
- The last use never moves backwards, whatever the clock says.
- A value that begins in the past ends what the slot held then, archived values too, but for the
  same words.
- Work is active where nobody says how far it is. What nobody vouches for does not say so of the
  work of another agent, nor ends it, and names no agent of a fact that is there.
- A value that begins later and is cut short stays active: it still has to come.
"""

from __future__ import annotations

import math
import re

from tests.model.state import (
    OneOf,
    Refused,
    begin,
    clamp,
    end,
    ended,
    is_trusted,
    is_typed,
    may_end,
    may_touch,
)
from tests.model.vocabulary import ALIKE, shared, states_the_same
from tideline_cli.model.fact import KINDS, SEGMENTS

TWO_FACTS = "two facts"
WORK = ("decision", "constraint", "task", "gotcha", "insight", "lesson")
SAID = ("session", "turn", "speaker", "role")


def heat_of(segment, kind, tier, importance):
    """Return how warm a fact is at first."""
    if tier == "permanent" or importance >= 0.9:
        return "core"
    if kind in KINDS:
        return KINDS[kind][2]
    return "core" if segment in ("identity", "correction") else "working"


def warmed(memory, seq, *, now):
    """Move the heat of a fact that was used, or that matters more or less than before."""
    memory.change(seq, heat=_heat_now(memory.facts[seq], memory.use(seq)[0], now=now))


def _heat_now(fact, uses, *, now):
    matters = fact["importance"]
    if fact["pinned"] or fact["tier"] == "permanent" or fact["heat"] == "core":
        return "core"
    if uses >= 15 or matters >= 0.9 or (uses >= 5 and matters >= 0.8):
        return "core"
    days = max(0.0, (now - fact["created_at"]) / 86_400_000)
    if days > 60 and uses < 3:
        return "peripheral"
    if fact["heat"] == "peripheral" and uses >= 3:
        half_life = 30 * math.exp(1.5 * matters)
        recent = math.exp(-math.log(2) / half_life * days**1.3)
        worth = 0.4 * recent + 0.3 * (1 - math.exp(-uses / 5)) + 0.3 * matters
        return "working" if worth >= 0.4 else "peripheral"
    return fact["heat"]


def usual_progress(kind):
    """Return how far work is of which nobody says so."""
    return "active" if kind in WORK else None


def said_where(known, said):
    """Return where and by whom a fact was said after another that says the same: what it knows of
    that stays; where it knows nothing, it takes all of it, unless a program spoke."""
    if any(known[name] is not None for name in SAID) or said["role"] in ("assistant", "tool"):
        return {name: known[name] for name in SAID}
    return {name: said[name] for name in SAID}


def born(new, fact_id, now):
    """Return the fact that is stored of what somebody says; `new` has the keys that he states."""
    segment, kind = new["segment"], new.get("kind")
    usual = SEGMENTS[segment].importance
    if kind and KINDS[kind][1] is not None:
        usual = KINDS[kind][1]
    importance = usual if new.get("importance") is None else clamp(new["importance"])
    tier = new.get("tier") or SEGMENTS[segment].tier
    pinned = bool(new.get("pinned"))
    return {
        "id": fact_id, "content": new["content"], "segment": segment, "tier": tier,
        "heat": "core" if pinned else heat_of(segment, kind, tier, importance), "kind": kind,
        "title": new.get("title"), "tags": tuple(new.get("tags", ())), "importance": importance,
        "decay_rate": SEGMENTS[segment].decay_rate, "created_at": now, "source": new["source"],
        "origin": new["origin"], "lifecycle": "active", "status": None,
        "confidence": new.get("confidence"), "slot": new.get("slot"),
        "valid_from": new.get("valid_from"), "valid_to": new.get("valid_to"), "pinned": pinned,
        "source_turn": new.get("source_turn"), "derived_from": tuple(new.get("derived_from", ())),
        "metadata": new.get("metadata"), "scope": new.get("scope"),
        "document": new.get("document"),
        **{name: new.get(name) for name in SAID}, "agent": new.get("agent"),
        "progress": new.get("progress") or usual_progress(kind), "statement": None,
    }  # fmt: skip


def remember(memory, new, *, fact_id, now, answer):
    """Store what is said, or reinforce the fact that says it already. `answer` is the program's:
    it settles what is left open. Return (action, id, ids superseded)."""
    try:
        with memory.batch("remember", new["origin"]):
            return write(memory, new, fact_id=fact_id, now=now, answer=answer)
    except Refused as refused:
        if refused.code == 4:
            memory.block("remember", new["origin"])
        raise


def with_day(metadata, text):
    """Return the metadata of a text with the one day that it names: the vocabulary has dates as ISO
    8601 writes them alone."""
    days = set(re.findall(r"\b\d{4}-\d\d-\d\d\b", text))
    if len(days) != 1 or "day" in (metadata or {}):
        return metadata
    return {**(metadata or {}), "day": days.pop()}


def write(memory, new, *, fact_id, now, answer):
    origin = new["origin"]
    new = {**new, "metadata": with_day(new.get("metadata"), new["content"])}
    for cited in new.get("derived_from", ()):
        memory.find(cited, origin)
    named = memory.named(new.get("supersedes", ()), origin)
    targets = [seq for seq in named if memory.facts[seq]["lifecycle"] == "active"]
    check_gate(memory, new, targets)
    if not all(may_end(new, memory.facts[seq]) for seq in targets):
        raise Refused(4, "replaces the work of another agent")
    known = _known(memory, new, targets, now=now, answer=answer)
    if known is None:
        fact = born(new, fact_id, now)
        if memory.seq_of(fact_id) is not None:
            raise Refused(2, "the id is taken")
        own = memory.insert(fact)
        _like(memory, own, new, targets, now=now, answer=answer)
    else:
        own = known
        _apply(memory, own, new, now=now)
        memory.used(own, now=now)
        warmed(memory, own, now=now)
    gone = _replace(memory, own, new, targets, now=now)
    action = "reinforced" if known is not None else "superseded" if gone else "created"
    return action, memory.facts[own]["id"], {memory.facts[seq]["id"] for seq in gone}


def check_gate(memory, new, targets):
    """An untrusted source neither makes a fact permanent, nor authors a protected segment, nor
    replaces what a trusted one said."""
    if is_trusted(new):
        return
    if new.get("pinned") or new.get("tier") == "permanent":
        raise Refused(4, "permanence")
    if SEGMENTS[new["segment"]].protected:
        raise Refused(4, "protected segment")
    if any(is_trusted(memory.facts[seq]) for seq in targets):
        raise Refused(4, "replaces a trusted fact")


def _known(memory, new, targets, *, now, answer):
    """Return the number of the fact that is restated, None where there is none."""
    may = [
        seq for seq, fact in memory.active(new["origin"])
        if seq not in targets and end(fact) > now and is_trusted(fact) == is_trusted(new)
        and states_the_same(fact, new)
        and fact["scope"] == new.get("scope")
        and (new.get("slot") is None or fact["slot"] in (None, new["slot"]))
        and validity(fact, new, now=now) is not TWO_FACTS
    ]  # fmt: skip
    if new.get("slot") is not None:  # a value that is there goes before a text without a slot
        may = [seq for seq in may if memory.facts[seq]["slot"] is not None] or may
    chosen = memory.seq_of(answer.get("id"), new["origin"])
    return chosen if chosen in may else may[0] if may else None


def validity(known, new, *, now):
    """Return (valid_from, valid_to) of a known fact that is restated, or TWO_FACTS.

    Without a slot, only what holds for the same time says the same: to the same end, and since the
    same beginning, or one that one of them alone states and that was when the other was said. A
    value that is said without times holds now, with no end known; a restatement widens or ends
    it, and never puts off what holds already."""
    start, stop = new.get("valid_from"), new.get("valid_to")
    kb, ke = begin(known), end(known)
    if known["slot"] is None and new.get("slot") is None:
        stated, said = known["valid_from"], known["created_at"]
        is_one = stated == start or (
            stated <= now if start is None else stated is None and start <= said
        )
        if not is_one or stop != known["valid_to"]:
            return TWO_FACTS
        return (stated if start is None or start >= kb else start), stop
    since = now if kb > now else known["valid_from"]
    if start is None and stop is None:
        return since, None
    if start is None:
        before = stop <= kb and (kb > now or known["valid_from"] is not None)
        return TWO_FACTS if before else (since, stop)
    if start > ke or (stop is not None and stop <= kb):
        return TWO_FACTS
    if start <= kb:
        return start, stop
    if stop is None:
        return known["valid_from"], None
    if stop >= ke:
        return known["valid_from"], stop
    return known["valid_from"], known["valid_to"]


def _apply(memory, seq, new, *, now):
    """Give the known fact what was said outright, and what is more than it had."""
    known, said = memory.facts[seq], born(new, "", now)
    after = dict(known)
    if may_end(new, known):
        after["valid_from"], after["valid_to"] = validity(known, new, now=now)
    if SEGMENTS[said["segment"]].specificity > SEGMENTS[known["segment"]].specificity:
        after["segment"] = said["segment"]
        if known["tier"] != "permanent":
            after["tier"] = SEGMENTS[said["segment"]].tier
        after["decay_rate"] = SEGMENTS[said["segment"]].decay_rate
    if new.get("tier"):
        after["tier"] = new["tier"]
        usual = SEGMENTS[after["segment"]].decay_rate
        after["decay_rate"] = OneOf({after["decay_rate"], usual})
    if new.get("importance") is not None:
        after["importance"] = max(known["importance"], said["importance"])
    if known["confidence"] is not None and (new.get("confidence") or 0.0) > known["confidence"]:
        after["confidence"] = new["confidence"]
    after["tags"] = tuple(dict.fromkeys((*known["tags"], *said["tags"])))
    cited = dict.fromkeys((*known["derived_from"], *said["derived_from"]))
    after["derived_from"] = tuple(one for one in cited if one != known["id"])
    after["title"] = said["title"] or known["title"]
    if may_end(new, known):
        after["kind"] = said["kind"] or known["kind"]
    if said["metadata"]:
        after["metadata"] = {**(known["metadata"] or {}), **said["metadata"]}
    after["source_turn"] = known["source_turn"] or said["source_turn"]
    after["slot"] = known["slot"] or said["slot"]
    after |= said_where(known, said)
    if is_trusted(new) and not is_typed(known):
        after["agent"] = known["agent"] or said["agent"]
    if is_trusted(new) or known["agent"] == new.get("agent"):
        after["progress"] = new.get("progress") or known["progress"]
    after["progress"] = after["progress"] or usual_progress(after["kind"])
    if said["pinned"] and not known["pinned"]:
        after |= {"pinned": True, "heat": "core"}
    elif new.get("tier") == "permanent":
        after["heat"] = OneOf({known["heat"], "core"})
    memory.change(seq, **after)


def _replace(memory, own, new, targets, *, now):
    """End what the fact `own` stands in the place of, where it begins: the facts named, and other
    values of its slot that overlap it. Return their numbers."""
    fact = memory.facts[own]
    said = now if new.get("valid_from") is None else new["valid_from"]
    at = max(begin(fact), min(said, now))
    since = begin(fact) if end(fact) <= at else at  # it may be over when it comes into a slot
    mates = slot_mates(memory, own, by=new["source"], at=since)
    if at < now:
        mates += _past_mates(memory, own, by=new["source"], at=at)
    if not all(may_end(new, memory.facts[seq]) for seq in mates):
        raise Refused(4, "replaces the work of another agent")
    gone = list(dict.fromkeys((*targets, *mates)))
    for seq in gone:
        if seq == own:
            continue
        when = at if seq in targets else since
        memory.facts[seq] = ended(memory.facts[seq], at=when, now=now)
        kinds = ("supersedes", "transition") if seq in targets else ("contradicts", "transition")
        for kind in kinds:
            memory.edge(own, kind, seq, now=now)
    assert fact["lifecycle"] == "active"
    return gone


def place(fact):
    """Return where a value belongs: each scope has slots of its own."""
    return fact["scope"], fact["slot"]


def slot_mates(memory, own, *, by, at):
    """Return the other active values of a fact's slot that hold beside it at `at` or later, and
    that the writer may replace."""
    fact = memory.facts[own]
    if fact["slot"] is None:
        return []
    return [
        seq for seq, mate in memory.active(fact["origin"])
        if seq != own and place(mate) == place(fact) and may_touch(by, mate["source"])
        and max(at, begin(fact), begin(mate)) < min(end(fact), end(mate))
    ]  # fmt: skip


def _past_mates(memory, own, *, by, at):
    """Return what held the slot of a fact for some of its past, and said something else."""
    fact = memory.facts[own]
    return [
        seq for seq, mate in memory.in_order()
        if fact["slot"] and place(mate) == place(fact) and mate["origin"] == fact["origin"]
        and mate["lifecycle"] == "archived" and mate["content"] != fact["content"]
        and mate["valid_to"] is not None and may_touch(by, mate["source"])
        and max(at, begin(mate)) < min(end(fact), end(mate))
    ]  # fmt: skip


def _like(memory, own, new, targets, *, now, answer):
    """Link a new fact to some that are much like it and say something else: those that the program
    names, if they are; five at most, and all where there are no more."""
    if new.get("slot") is not None:
        return
    like = {
        fact["id"]: seq for seq, fact in memory.active(new["origin"])
        if seq not in (own, *targets) and end(fact) > now
        and is_trusted(fact) == is_trusted(new) and fact["scope"] == new.get("scope")
        and shared(fact["content"], new["content"]) >= ALIKE
        and not states_the_same(fact, new)
    }  # fmt: skip
    told = answer.get("similar", [])
    if targets and not told:  # what it is much like was named already
        return
    if not set(told) <= like.keys() or len(told) != min(5, len(like)):
        told = list(like)[:5]
    for fact_id in told:
        memory.edge(own, "similar", like[fact_id], now=now)
