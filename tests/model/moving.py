"""The specification of import: rows as they are, under their own ids.

Decided here: a row whose id is there is there already. Of two values of a slot the one that was
said later stands. What a row cites and is not there is left out until it comes.

What --merge makes of rows that restate others, each at its own time, is not foretold: it is held to
laws, and taken over. It removes nothing; revives nothing but what a pass has archived and a row of
the same id says is active; changes nothing that no row concerns, but to what a row of the same id
states; keeps what was forgotten as it is, leaves one value a slot, and narrows nothing that has no
end, but to what a row of the same id states (what a pass has merged into a fact holds by itself).
"""

from __future__ import annotations

from tests.model import life
from tests.model.state import begin, clamp, end, ended, is_trusted, may_touch, overlap
from tests.model.vocabulary import says_the_same
from tideline_cli.model.fact import KINDS, SEGMENTS


def row_of(memory, viewer):
    """Return the rows of an export of what a viewer sees: the owner sees all."""
    edges = {}
    for (source, kind, target), rest in memory.exported_links().items():
        edges.setdefault(source, []).append([kind, target, *rest])
    return [
        {**fact, "links": edges.get(fact["id"], [])} for fact in memory.exported()
        if viewer in ("owner", fact["origin"])
    ]  # fmt: skip


def taken(row, *, trusted, viewer, now, minted):
    """Return the fact that a row states, and its use. What nobody vouches for states no merit of
    its own: it was never used, is not pinned, weighs no more than its kind and fades as fast."""
    kind = row.get("kind")
    segment = row.get("segment") or (KINDS[kind][0] if kind else "knowledge")
    source = row.get("source") or ("owner_message" if viewer == "owner" else "channel_message")
    if not trusted:
        source = "retrieved_document"
        segment = "knowledge" if SEGMENTS[segment].protected else segment
    usual = SEGMENTS[segment]
    tier = (row.get("tier") if trusted else None) or usual.tier
    created = now if row.get("created_at") is None else min(row["created_at"], now)
    fact = life.born(
        {**row, "segment": segment, "source": source, "tier": tier,
         "origin": row.get("origin") or viewer}, row["id"], created,
    )  # fmt: skip
    stated = row.get("importance")
    fact["importance"] = usual.importance if stated is None else clamp(stated)
    fact["lifecycle"] = row.get("lifecycle") or "active"
    use = None
    if trusted:
        heat = life.heat_of(segment, kind, tier, fact["importance"])
        rate = row.get("decay_rate")
        heat = "core" if row.get("pinned") else heat
        fact |= {"heat": row.get("heat") or heat, "status": row.get("status"),
                 "decay_rate": usual.decay_rate if rate is None else rate}  # fmt: skip
        last = row.get("last_accessed_at")
        last = created if last is None else min(last, now)
        if row.get("access_count") or last != created:
            use = (row.get("access_count") or 0, last)
    else:
        fact |= {"pinned": False, "importance": min(fact["importance"], usual.importance),
                 "id": minted(fact["origin"], row["id"]),
                 "metadata": {**(row.get("metadata") or {}), "original_id": row["id"]}}  # fmt: skip
        fact["heat"] = life.heat_of(segment, None, tier, fact["importance"])
        if fact["confidence"] is not None and fact["confidence"] >= 1:
            fact["confidence"] = None
    return fact, use


def take(memory, rows, *, trusted, viewer, now, minted):
    """Import rows as they are; return how many were new. What they say of others comes last, that
    of rows that are there too."""
    if not rows:
        return 0
    new, said = [], []
    with memory.batch("import", viewer):
        for row in rows:
            fact, use = taken(row, trusted=trusted, viewer=viewer, now=now, minted=minted)
            seq = memory.seq_of(fact["id"])
            if seq is None:
                here = tuple(one for one in fact["derived_from"]
                             if memory.seq_of(one, fact["origin"]) is not None)  # fmt: skip
                seq = memory.insert({**fact, "derived_from": here}, use)
                new.append(seq)
            elif memory.facts[seq]["origin"] != fact["origin"]:
                continue
            if trusted or not is_trusted(memory.facts[seq]):
                said.append((seq, fact["derived_from"], row.get("links", ())))
        _settle(memory, new, now=now)
        for seq, cited, edges in said:
            _relate(memory, seq, cited, edges, now=now)
    return len(new)


def _relate(memory, seq, cited, edges, *, now):
    """Give a fact the sources and edges of its row that are there now."""
    fact = memory.facts[seq]
    here = tuple(one for one in cited if one != fact["id"]
                 and memory.seq_of(one, fact["origin"]) is not None)  # fmt: skip
    if len(fact["derived_from"]) < len(cited) and {*fact["derived_from"]} < {*here}:
        memory.change(seq, derived_from=here)
    for kind, target, reason, strength, made in edges:
        other = memory.seq_of(target, fact["origin"])
        if other is not None:
            memory.edge(seq, kind, other, now=min(made, now), reason=reason, strength=strength)


def _settle(memory, new, *, now):
    """Let no slot have two values at an instant, of which one is new: what was said later ends the
    other where it begins, or where it was said again if the other was said in between, if it may
    touch it. What other values have replaced counts too: an older row may belong between two of
    them."""
    come = {}
    for seq in new:
        fact = memory.facts[seq]
        if fact["lifecycle"] == "active" and fact["slot"]:
            come.setdefault((fact["origin"], life.place(fact)), []).append(seq)
    for (origin, where), those in come.items():
        active = [seq for seq, fact in memory.active(origin) if life.place(fact) == where]
        since = min(begin(memory.facts[seq]) for seq in those)
        values = [*_replaced(memory, active, since), *active]
        values.sort(key=memory.said)
        ended_by = {}
        for place, later in enumerate(values):
            for earlier in values[:place]:
                one, other = memory.facts[later], memory.facts[earlier]
                may = overlap(one, other) and may_touch(one["source"], other["source"])
                if {earlier, later} & {*those} and may:
                    is_between = one["created_at"] < memory.said(earlier)
                    again = min(memory.said(later), now) if is_between else 0
                    at = max(begin(one), again)
                    memory.facts[earlier] = ended(other, at=at, now=now)
                    ended_by[earlier] = later
        for earlier, later in ended_by.items():
            for kind in ("contradicts", "transition"):
                memory.edge(later, kind, earlier, now=memory.facts[later]["created_at"])


def _replaced(memory, values, since):
    """Return what values of a slot have replaced in it, one after the other, and what held after
    an instant."""
    found, waiting = [], list(values)
    while waiting:
        seq = waiting.pop()
        for _, kind, target, *_ in memory.leaving(seq):
            fact = memory.facts[target]
            late = fact["valid_to"] is not None and fact["valid_to"] > since
            late = late and fact["lifecycle"] == "archived"
            same = life.place(fact) == life.place(memory.facts[seq])
            if kind == "contradicts" and target not in found and late and same:
                found.append(target)
                waiting.append(target)
    return found


def merged(memory, rows, *, viewer, answer):
    """Take over what the program made of rows by --merge, if it keeps the laws of merging."""
    before = {fact["id"]: fact for fact in memory.exported()}
    after = {row["id"]: row for row in answer["rows"]}
    stated = [{**row, "origin": row.get("origin") or viewer} for row in rows]
    live = [row for row in stated if row.get("lifecycle") in (None, "active")]
    told = [(row["origin"], row["content"], row.get("slot"), row.get("scope")) for row in live]
    for fact in before.values():  # to restate a value of a slot concerns what else is in the slot
        if fact["slot"] and any(_concerns(row, fact) for row in live):
            told.append((fact["origin"], fact["content"], fact["slot"], fact["scope"]))
    names = ("origin", "content", "slot", "scope")
    live = [dict(zip(names, one, strict=True)) for one in told]
    for fact_id, fact in before.items():
        row = after.get(fact_id)
        if row is None:
            raise Broken(f"merging removes {fact_id}")
        if row["lifecycle"] == "active" != fact["lifecycle"]:
            own = any(one["id"] == fact_id for one in stated)
            if not (own and _is_archived_unasked(memory, fact_id)):
                raise Broken(f"merging revives {fact_id}")
        if any(_concerns(one, fact) for one in live):
            continue
        if row["lifecycle"] != "active" and any(_is_copy(one, fact) for one in stated):
            continue
        if not _is_as_stated(row, fact, stated):
            raise Broken(f"merging changes {fact_id}, which no row concerns")
    for row in stated:
        stored = after.get(row["id"])
        gone = row.get("lifecycle") in ("archived", "pruned") and row["id"] not in before
        if gone and (stored is None or stored["lifecycle"] != row["lifecycle"]):
            raise Broken(f"merging does not keep {row['id']} {row['lifecycle']}")
    _one_value_a_slot(before, after)
    _never_narrowed(before, after, stated, [
        row for row in stated if row.get("valid_to") is not None or row.get("slot")
        or row.get("lifecycle") in ("archived", "pruned")
    ])  # fmt: skip
    with memory.batch("import", viewer):
        _adopt(memory, answer["rows"], answer["edges"])
    if answer["blocked"]:
        memory.block("import", viewer)


class Broken(Exception):
    """A law of merging is broken."""


def _concerns(row, fact):
    """Say whether a row may change a fact: one of the same words or the same slot."""
    if row["origin"] != fact["origin"] or row.get("scope") != fact["scope"]:
        return False
    same = says_the_same(row["content"], fact["content"])
    return same or (row.get("slot") is not None and row["slot"] == fact["slot"])


def _is_copy(row, fact):
    """Say whether a row says that a fact of the same words was forgotten: copies go with it."""
    same = says_the_same(row["content"], fact["content"]) and row["origin"] == fact["origin"]
    return same and row.get("lifecycle") in ("archived", "pruned")


def _is_archived_unasked(memory, fact_id):
    """Say whether a pass or a file has archived a fact, which is nobody's word."""
    seq = memory.seq_of(fact_id)
    for batch in reversed(memory.history):
        was, now = batch.facts.get(seq, (None, None))
        if now is not None and (was is None or was["lifecycle"] != now["lifecycle"]):
            return batch.verb in ("dream", "gc", "consolidate", "import")
    return False


def _is_as_stated(after, before, rows):
    """Say whether a fact is as it was, or as a row of its own id states it: a merge brings a fact
    that a pass has archived elsewhere to that state, and its use to the higher one."""
    own = [row for row in rows if (row["id"], row["origin"]) == (after["id"], after["origin"])]
    return all(
        after[name] == value or any(after[name] == row.get(name) for row in own)
        for name, value in before.items() if name != "derived_from"
    )  # fmt: skip


def _one_value_a_slot(before, after):
    """Of two values of a slot that hold at one instant none has changed, or neither may touch the
    other."""
    held = [row for row in after.values() if row["lifecycle"] == "active" and row["slot"]]
    for place, later in enumerate(held):
        for earlier in held[:place]:
            if (later["origin"], later["slot"], later["scope"]) != (
                earlier["origin"], earlier["slot"], earlier["scope"]
            ):  # fmt: skip
                continue
            known = all(
                row["id"] in before and _times(before[row["id"]]) == _times(row)
                for row in (later, earlier)
            )
            if overlap(later, earlier) and not known and is_trusted(later) == is_trusted(earlier):
                raise Broken(f"{earlier['id']} and {later['id']} hold one slot at one time")


def _times(fact):
    return begin(fact), fact["valid_to"], fact["lifecycle"], fact["slot"]


def _never_narrowed(before, after, rows, ending):
    """What is said without a slot and without an end holds as long as it did."""
    for fact_id, fact in before.items():
        row = after[fact_id]
        if fact["slot"] or any(one["id"] == fact_id or _concerns(one, fact) for one in ending):
            continue
        own = any(one["id"] == fact_id for one in rows) and _is_as_stated(row, fact, rows)
        if not own and (begin(row) > begin(fact) or end(row) < end(fact)):
            raise Broken(f"merging narrows {fact_id}")


def _adopt(memory, rows, edges):
    seqs = {fact["id"]: seq for seq, fact in memory.facts.items()}
    for row in rows:
        use = row["access_count"], row["last_accessed_at"]
        fact = {name: value for name, value in row.items()
                if name not in ("access_count", "last_accessed_at")}  # fmt: skip
        if row["id"] not in seqs:
            seqs[row["id"]] = memory.insert(fact)
        memory.change(seqs[row["id"]], **fact)
        if memory.use(seqs[row["id"]]) != use:
            memory.uses[seqs[row["id"]]] = use
    for (source, kind, target), (reason, strength, made) in edges.items():
        memory.edge(
            seqs[source], kind, seqs[target], now=made, reason=reason, strength=strength
        )
