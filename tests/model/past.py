"""The specification of undo, purge and retention.

A batch is taken back row by row: what it left must be what is there now, or what it found is there
already. What would be lost by that is in the way. Decided here: what an undo wakes must not overlap
what came into its slot since, nor what replaced it since, down the chain.
"""

from __future__ import annotations

from tests.model.amending import standing_for
from tests.model.state import FINAL, Memory, Refused

DAY = 86_400_000
_PLACE = ("lifecycle", "slot", "scope", "valid_from", "valid_to")


def undo(memory, ordinal, *, viewer, now, dry_run=False):
    """Take a batch back and return its number; without a number the one that stands since last, is
    no undo and has left anything to take back."""
    batches = memory.batches_of(viewer)
    if ordinal is not None:
        return _take_back(memory, batches, ordinal, viewer, dry_run=dry_run)
    numbers = range(1, len(batches) + 1)
    for number in sorted(numbers, key=lambda one: -_since(batches, one)):
        batch = batches[number - 1]
        counts = batch.verb in FINAL or batch.has_changes
        is_step = not (batch.is_blocked or batch.took or batch.verb == "recall")
        if not is_step or not counts or _is_taken_back(batches, number):
            continue
        try:
            return _take_back(memory, batches, number, viewer, dry_run=dry_run)
        except NothingLeft:
            continue
    raise Refused(3, "nothing to undo")


class NothingLeft(Refused):
    """A batch has left nothing to take back."""


def _take_back(memory, batches, number, viewer, *, dry_run):
    if not 0 < number <= len(batches):
        raise Refused(3, "no such batch")
    batch = batches[number - 1]
    if batch.is_blocked or batch.verb in FINAL or not batch.has_changes:
        raise Refused(4, "blocked, final, or nothing is left of it")
    if _is_taken_back(batches, number):
        raise Refused(4, "taken back already")
    with memory.batch("undo", viewer) as own:
        own.took = number
        _reverse(memory, batch)
        if (memory.facts, memory.uses, memory.links) == own.was:
            raise NothingLeft(4, "nothing to take back")
        if dry_run:
            raise Dry(number)
    return number


class Dry(Refused):
    """A dry run got to its end: all is as before."""

    def __init__(self, number):
        super().__init__(0)
        self.number = number


def _is_taken_back(batches, number):
    """Say whether an undo that stands took a batch back."""
    return any(
        batch.took == number and not _is_taken_back(batches, later)
        for later, batch in enumerate(batches[number:], number + 1)
    )


def _since(batches, number):
    """Return the number of the batch since which a batch stands: its own, or that of the newest
    which took back an undo of it and stands."""
    undos = {at for at, batch in enumerate(batches, 1) if batch.took == number}
    return max([number, *(
        _since(batches, at) for at, batch in enumerate(batches, 1)
        if batch.took in undos and not _is_taken_back(batches, at)
    )])  # fmt: skip


def _reverse(memory, batch):
    facts = _moved(batch.facts, memory.facts)
    links = _moved(batch.links, memory.links)
    _put_back(memory.facts, facts)
    _put_back(memory.links, links)
    _check_edges(memory)
    ids = [fact["id"] for fact in memory.facts.values()]
    if len(set(ids)) < len(ids):
        raise Refused(4, "the id is taken")
    for seq, (before, now) in facts.items():
        moved = before and (now is None or any(before[name] != now[name] for name in _PLACE))
        if moved and before["lifecycle"] == "active" and _is_replaced(memory, batch, seq, facts):
            raise Refused(4, "something else stands in its place")
    gone = {seq for seq, (before, _) in facts.items() if before is None}
    memory.uses = {seq: use for seq, use in memory.uses.items() if seq not in gone}
    for seq, change in batch.uses.items():
        if seq in memory.facts:
            _take_off(memory, seq, *change)


def _moved(changes, rows):
    """Return (before, now) of the rows that an undo moves; refuse where a later change is lost."""
    moved = {}
    for key, (before, after) in changes.items():
        now = rows.get(key)
        if before in (now, after):  # an open choice may have come out as what was there
            continue
        if _but_heat(now) != _but_heat(after):
            raise Refused(4, "changed since")
        if before and now and isinstance(before, dict) and before["heat"] == after["heat"]:
            before = {**before, "heat": now["heat"]}  # it has moved by use since
            if before == now:
                continue
        moved[key] = before, now
    return moved


def _but_heat(row):
    return {**row, "heat": None} if isinstance(row, dict) else row


def _put_back(rows, moved):
    for key, (before, _) in moved.items():
        if before is None:
            del rows[key]
        else:
            rows[key] = before


def _check_edges(memory):
    """No edge is left without an end, and none is there twice."""
    edges = [edge[:3] for edge in memory.links.values()]
    if len(set(edges)) < len(edges):
        raise Refused(4, "the edge is there")
    if any(a not in memory.facts or b not in memory.facts for a, _, b in edges):
        raise Refused(4, "an edge would lack an end")


def _is_replaced(memory, batch, seq, moved):
    """Say whether a fact that holds again, or at other times, would stand beside what filled its
    slot, or replaced it, since the batch; what stood beside it before may do so again, and what
    comes back with it."""
    then = Memory(memory.cosine)
    then.facts, then.uses, then.links = batch.was
    return bool({*standing_for(memory, seq)} - {*standing_for(then, seq)} - {*moved})


def _take_off(memory, seq, before, after):
    """Take off the uses that a batch added; what was counted since stays."""
    added = (after or (0, 0))[0] - (before or (0, 0))[0]
    now = memory.uses.get(seq)
    if now is None:
        if after is None and before is not None:
            memory.uses[seq] = before
        return
    count, last = now[0] - added, now[1]
    if before is None and count <= 0:
        del memory.uses[seq]
        return
    if before is not None and after is None:
        last = max(last, before[1])
    elif before is not None and last == after[1]:
        last = before[1]
    memory.uses[seq] = (max(0, count), last)


def _remembered(memory, viewer):
    """Return the facts that only the history still knows, as (number, fact) of every state that it
    keeps: an undo has taken them out. The owner's eyes see those of every origin."""
    return [
        (seq, before)
        for batch in memory.history
        for seq, (before, after) in batch.facts.items()
        if before and not after and seq not in memory.facts and viewer in (None, before["origin"])
    ]


def _reach(viewer):
    return None if viewer == "owner" else viewer


def purge(memory, ids, *, viewer):
    """Remove facts for good, with all that derives from them, copies out of sight, and what the
    history alone knows of the same text or id."""
    with memory.batch("purge", viewer):
        waiting = []
        for fact_id in ids:
            seq = memory.seq_of(fact_id, viewer)
            undone = [n for n, fact in _remembered(memory, viewer) if fact["id"] == fact_id]
            if seq is None and not undone:
                raise Refused(3, f"no such id: {fact_id}")
            waiting += undone if seq is None else [seq]
        lost = _with_citers(memory, waiting, _reach(viewer))
        _remove(memory, lost)


def _with_citers(memory, waiting, viewer):
    undone = _remembered(memory, viewer)
    texts = dict(undone) | memory.facts
    found = set()
    while waiting:
        seq = waiting.pop()
        if seq in found:
            continue
        found.add(seq)
        fact = texts[seq]
        for other, one in (*memory.facts.items(), *undone):
            seen = viewer in (None, one["origin"])
            same = (one["origin"], one["content"]) == (fact["origin"], fact["content"])
            hidden = other not in memory.facts or one["lifecycle"] != "active"
            if (seen and fact["id"] in one["derived_from"]) or (same and hidden):
                waiting.append(other)
            if other not in memory.facts and one["id"] == fact["id"]:
                waiting.append(other)
    return found


def retention(memory, days, *, confirmed, all_origins, viewer, now):
    """Remove, for good, what was made more than so many days ago; what is pinned or confirmed only
    when that is asked for."""
    reach = _reach(viewer) if all_origins else viewer
    lost = {
        seq for seq, fact in (*memory.facts.items(), *_remembered(memory, reach))
        if fact["created_at"] < now - days * DAY and reach in (None, fact["origin"])
        and (confirmed or not (fact["pinned"] or fact["status"] == "confirmed"))
    }  # fmt: skip
    if lost:
        with memory.batch("retention", viewer):
            _remove(memory, lost)


def _remove(memory, lost):
    """Remove facts, their edges and uses, and all that the history tells of them."""
    def kept(links):
        return {n: edge for n, edge in links.items() if lost.isdisjoint((edge[0], edge[2]))}

    memory.facts = {seq: fact for seq, fact in memory.facts.items() if seq not in lost}
    memory.uses = {seq: use for seq, use in memory.uses.items() if seq not in lost}
    memory.links = kept(memory.links)
    for batch in memory.history:
        batch.facts = {seq: change for seq, change in batch.facts.items() if seq not in lost}
        batch.uses = {seq: change for seq, change in batch.uses.items() if seq not in lost}
        batch.links = {
            number: (before, after) for number, (before, after) in batch.links.items()
            if lost.isdisjoint(((before or after)[0], (before or after)[2]))
        }  # fmt: skip
