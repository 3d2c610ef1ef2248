"""The specification of edit: other labels in place, or new words as a fact of their own.

Decided here: warmth and decay follow labels that an edit changes in place. An edit into the words
of another fact lets that one hold whenever one of the two did. A fact that moves into a slot ends
what the slot holds from now on, or since the time that the edit states; what it stood beside in its
slot before, because neither may touch the other, it stands beside still.
"""

from __future__ import annotations

from tests.model import life
from tests.model.amending import active
from tests.model.life import SAID, said_where
from tests.model.state import (
    FOREVER,
    Refused,
    begin,
    clamp,
    end,
    ended,
    is_of_one_time,
    is_trusted,
    is_typed,
    may_touch,
    overlap,
)
from tests.model.vocabulary import says_the_same, states_the_same
from tideline_cli.model.fact import SEGMENTS


def edit(memory, fact_id, changes, *, editor, new_id, viewer, now, since=None, answer=None):
    """Say a fact anew. Labels change in place. A new wording is a fact that holds for all of the
    time of the old one, which never held; with `since` the old one held until then. The words of
    another active fact reinforce that one. Return (action, id, ids superseded)."""
    seq = active(memory, fact_id, viewer)
    kept = memory.facts[seq]
    changes = {name: _listed(value) for name, value in changes.items()}
    text = changes.get("content", kept["content"])
    if since is not None:
        changes["valid_from"] = since
    try:
        if text == kept["content"]:
            if since is not None and any(kept[name] != changes[name] for name in changes):
                raise Refused(2, "since when needs a new wording")
            return _relabel(memory, seq, changes, viewer=viewer, now=now)
        with memory.batch("edit", viewer):
            new = _anew(kept, changes, text, editor)
            return _reword(memory, seq, new, changes, new_id, now=now, answer=answer or {})
    except Refused as refused:
        if refused.code == 4:
            memory.block("edit", viewer)
        raise


def _listed(value):
    return tuple(value) if isinstance(value, list) else value


def _checked(start, stop):
    if start is not None and stop is not None and stop <= start:
        raise Refused(2, "it would end before it begins")


def _anew(kept, changes, text, editor):
    """Return what an edit says: the labels carried over, in the words of whoever edits."""
    carried = {
        name: kept[name] for name in (
            "segment", "origin", "tier", "kind", "title", "tags", "importance", "confidence",
            "slot", "valid_to", "pinned", "source_turn", "derived_from", "metadata",
            "scope", *SAID, "document", "agent", "progress",
        )
    }  # fmt: skip
    own = is_trusted(kept) or not says_the_same(kept["content"], text)
    new = {**carried, **changes, "content": text, "source": editor if own else kept["source"]}
    if not own:
        new["pinned"] = False
        new["tier"] = None if kept["tier"] == "permanent" else kept["tier"]
    if "metadata" in changes:
        new["metadata"] = {**(kept["metadata"] or {}), **changes["metadata"]}
    if text != kept["content"]:
        was = life.with_day(None, kept["content"]) or {}
        if (new["metadata"] or {}).get("day") in (None, was.get("day")):
            rest = {name: one for name, one in (new["metadata"] or {}).items() if name != "day"}
            new["metadata"] = life.with_day(rest or None, text)
    _checked(changes.get("valid_from", kept["valid_from"]), new["valid_to"])
    return new


def _reword(memory, seq, new, changes, new_id, *, now, answer):
    """Store the new words in the place of the old ones, or give the place to who says so."""
    kept = memory.facts[seq]
    life.check_gate(memory, new, [seq])
    said = life.born(new, new_id, now)
    if said["segment"] == kept["segment"]:
        said["decay_rate"] = kept["decay_rate"]
    past = said["valid_to"] is not None and said["valid_to"] <= begin(kept)
    if said["valid_from"] is None or "valid_from" not in changes:
        said["valid_from"] = None if past else begin(kept)
    may = [
        other for other, fact in memory.active(kept["origin"])
        if other != seq and is_trusted(fact) == is_trusted(said)
        and (overlap if said["slot"] and said["slot"] == fact["slot"] else is_of_one_time)(
            said, fact
        )
        and states_the_same(fact, said)
        and fact["scope"] == said["scope"]
        and (None in (fact["slot"], said["slot"]) or fact["slot"] == said["slot"])
    ]  # fmt: skip
    own = memory.seq_of(answer.get("id"), kept["origin"])
    if may:
        own = own if own in may else may[0]
        before = memory.facts[own]
        stated = said if may_touch(kept["source"], before["source"]) else _stated_alone(
            before, said, changes
        )
        _join(memory, own, stated, changes, now=now)
    else:
        if memory.seq_of(new_id) is not None:
            raise Refused(2, "the id is taken")
        own, before = memory.insert(said), kept
    memory.facts[seq] = ended(kept, at=begin(said), now=now)
    for kind in ("supersedes", "transition"):
        memory.edge(own, kind, seq, now=now)
    at = changes.get("valid_from", max(now, begin(memory.facts[own])))
    gone = [seq, *_fill_slot(memory, own, before, at=at, now=now, but=seq)]
    action = "reinforced" if may else "superseded"
    return action, memory.facts[own]["id"], {memory.facts[one]["id"] for one in gone}


def _stated_alone(known, said, changes):
    """Return a fact as it would be with nothing but what an edit states: a trusted one takes
    nothing else of the words of an untrusted one."""
    stated = {name: said[name] for name in changes if name not in ("content", "metadata")}
    return {**known, **stated, "created_at": max(known["created_at"], said["created_at"])}


def _join(memory, seq, said, changes, *, now):
    """Let a fact that says the new words hold whenever one of the two did, with the labels that
    the edit states and those that it lacks itself."""
    known = memory.facts[seq]
    after = dict(known)
    if begin(said) < begin(known):
        since = begin(said)
        after["valid_from"] = None if since == known["created_at"] else since
    stop = max(end(said), end(known))
    after["valid_to"] = said["valid_to"] if "valid_to" in changes else stop
    if after["valid_to"] is not None and after["valid_to"] >= FOREVER:
        after["valid_to"] = None
    rank = {one: SEGMENTS[one].specificity for one in SEGMENTS}
    usual = SEGMENTS[said["segment"]]
    if "segment" in changes or rank[said["segment"]] > rank[known["segment"]]:
        after["segment"] = said["segment"]
        if said["segment"] != known["segment"]:
            after["decay_rate"] = usual.decay_rate
            after["tier"] = known["tier"] if known["tier"] == "permanent" else usual.tier
    if "tier" in changes or said["tier"] == "permanent" != usual.tier:
        after["tier"] = said["tier"]
    for name in ("kind", "title", "progress"):
        after[name] = said[name] if name in changes else known[name] or said[name]
    for name in ("tags", "derived_from"):
        after[name] = tuple(dict.fromkeys((*known[name], *said[name])))
    after["derived_from"] = tuple(one for one in after["derived_from"] if one != known["id"])
    more = max(known["importance"], said["importance"])
    after["importance"] = said["importance"] if "importance" in changes else more
    if "confidence" in changes:
        after["confidence"] = said["confidence"]
    after["progress"] = after["progress"] or life.usual_progress(after["kind"])
    for name in ("slot", "source_turn"):
        after[name] = known[name] or said[name]
    if "agent" in changes or (is_trusted(said) and not is_typed(known)):
        after["agent"] = known["agent"] or said["agent"]
    after |= said_where(known, said)
    parts = said["metadata"] or {}, known["metadata"] or {}, changes.get("metadata") or {}
    after["metadata"] = {k: v for part in parts for k, v in part.items()} or None
    after["pinned"] = known["pinned"] or said["pinned"]
    if after["pinned"] or after["tier"] == "permanent":
        after["heat"] = "core"
    memory.facts[seq] = after
    memory.used(seq, now=now)
    life.warmed(memory, seq, now=now)


def _fill_slot(memory, seq, before, *, at, now, but=None):
    """End what a fact replaces in its slot from `at` on; what it stood beside in the slot before,
    it stands beside now. Return their numbers."""
    fact = memory.facts[seq]
    start = max(at, begin(fact))
    stood = life.place(before) == life.place(fact) and is_trusted(before) == is_trusted(fact)
    gone = [
        mate for mate in life.slot_mates(memory, seq, by=fact["source"], at=start)
        if mate != but and not (stood and overlap(before, memory.facts[mate]))
    ]  # fmt: skip
    for mate in gone:
        memory.facts[mate] = ended(memory.facts[mate], at=start, now=now)
        for kind in ("contradicts", "transition"):
            memory.edge(seq, kind, mate, now=now)
    return gone


def _relabel(memory, seq, changes, *, viewer, now):
    """Change labels in place; a fact that moves into another slot replaces what that one holds."""
    kept = memory.facts[seq]
    gone = []
    with memory.batch("edit", viewer, even_if_nothing=False):
        after = {**kept, **changes}
        if "metadata" in changes:
            after["metadata"] = {**(kept["metadata"] or {}), **changes["metadata"]}
        after["importance"] = clamp(after["importance"])
        after["progress"] = after["progress"] or life.usual_progress(after["kind"])
        _checked(after["valid_from"], after["valid_to"])
        if after == kept:
            return "unchanged", kept["id"], set()
        life.check_gate(memory, {**after, "pinned": False, "tier": None}, [])
        if after["segment"] != kept["segment"]:
            after["decay_rate"] = SEGMENTS[after["segment"]].decay_rate
        if changes.keys() & {"importance", "kind", "tier", "segment"} and not kept["pinned"]:
            warm = life.heat_of(
                after["segment"], after["kind"], after["tier"], after["importance"]
            )
            same = all(after[k] == kept[k] for k in ("importance", "kind", "tier", "segment"))
            after["heat"] = kept["heat"] if same else warm
        memory.facts[seq] = after
        at = changes.get("valid_from", max(now, begin(after)))
        gone = _fill_slot(memory, seq, kept, at=at, now=now)
    return "changed", kept["id"], {memory.facts[mate]["id"] for mate in gone}
