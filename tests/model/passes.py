"""The specification of the passes over many facts: dream and the decay sweep.

Decided here: of twins the survivor has the greater confidence where both state one, and its own
where one does not. What is corrected by the same words is not corrected.
"""

from __future__ import annotations

from math import exp, log

from tests.model.amending import archive
from tests.model.life import place, said_where, usual_progress
from tests.model.state import REPLACING, begin, end, is_trusted, is_typed, may_end, may_touch
from tests.model.vocabulary import states_the_same
from tideline_cli.model.fact import SEGMENTS

DAY = 86_400_000
MOST_EDGES = 12
USUAL = {
    "stages": ("confirm", "consolidate", "relate", "evict"), "confirm_count": 3, "merge_at": 0.95,
    "relate_at": 0.80, "evict_below": 0.05, "evict_after_ms": 30 * DAY, "max_loss": 0.25,
    "evict_after_owner_ms": None,
}  # fmt: skip


def strength(fact, use, now):
    """Return how present a fact is, after the forgetting curve; what never fades is at 1."""
    if fact["pinned"] or fact["tier"] == "permanent":
        return 1.0
    count, last = use
    days = max(0.0, (now - last) / DAY)
    fall = 0.8 * log(2) / (11.25 * (1.0 + fact["importance"]))
    left = fact["importance"] * exp(-fall * (1.0 + fact["decay_rate"]) * days)
    return min(1.0, max(0.0, left * (1.0 + 0.1 * log(1 + count))))


def fades_to(fact, use, limit):
    """Return when a fact that fades is as present as `limit`, None where it never is."""
    full = fact["importance"] * (1.0 + 0.1 * log(1 + use[0]))
    if full <= limit or strength(fact, use, use[1]) == 1.0:
        return None
    fall = 0.8 * log(2) / (11.25 * (1.0 + fact["importance"])) * (1.0 + fact["decay_rate"])
    return use[1] + int(log(full / limit) / fall * DAY)


def dream(memory, given, *, viewer, now, verb="dream", dry_run=False):
    """Let an origin tend itself: all is decided on what the stages before would leave. Return the
    ids that go."""
    wanted = {**USUAL, **given}
    real = memory.facts, memory.uses, memory.links
    with memory.batch(verb, viewer) as own:
        lost = _dream(memory, wanted, viewer=viewer, now=now)
    if dry_run:
        memory.facts, memory.uses, memory.links = real
        memory.batches_of(viewer).remove(own)
        memory.history.remove(own)
    return {real[0][seq]["id"] for seq in lost}


def _dream(memory, wanted, *, viewer, now):
    stages = wanted["stages"]
    active = len(memory.active(viewer))
    if "confirm" in stages:
        _confirm(memory, viewer, wanted["confirm_count"])
    pairs = _pairs(memory, viewer)
    before = memory.facts, memory.uses, memory.links
    memory.facts, memory.uses, memory.links = ({**some} for some in before)
    merged = _merge(memory, pairs, wanted, now) if "consolidate" in stages else {}
    fading = _fading(memory, viewer, wanted, now)
    lost = [*merged, *fading]
    if len(lost) > wanted["max_loss"] * active + 1e-9:
        memory.facts, memory.uses, memory.links = before
        lost, merged, fading = [], {}, {}
    if "relate" in stages and wanted["relate_at"] < 1:
        _relate(memory, pairs, wanted, merged, now)
    for seq, becomes in fading.items():
        archive(memory, seq, now=now)
        memory.facts[seq] = {**memory.facts[seq], "lifecycle": becomes}
    return lost


def _confirm(memory, viewer, least):
    """Confirm what holds a slot, is trusted, and was said or corrected often enough."""
    for seq, fact in memory.active(viewer):
        if fact["slot"] is None or fact["status"] == "confirmed" or not is_trusted(fact):
            continue
        corrected = {
            target for source, kind, target, *_ in memory.links.values()
            if kind in ("contradicts", "transition")
            and memory.facts[target]["lifecycle"] == "archived"
            and place(memory.facts[target]) == place(memory.facts[source]) == place(fact)
            and memory.facts[target]["origin"] == viewer
            and memory.facts[target]["content"] != memory.facts[source]["content"]
            and is_trusted(memory.facts[source])
        }  # fmt: skip
        if max(memory.use(seq)[0] + 1, len(corrected)) >= least:
            memory.change(
                seq, status="confirmed", confidence=0.9, importance=max(0.8, fact["importance"])
            )


def _pairs(memory, viewer):
    """Return (cosine, one, other) of the active facts, most alike first, then newest first."""
    newest = sorted(memory.active(viewer), key=lambda item: (-item[1]["created_at"], item[0]))
    ranks = {seq: at for at, (seq, _) in enumerate(newest)}
    found = []
    active = memory.active(viewer)
    for at, (later, fact) in enumerate(active):
        for earlier, other in active[:at]:
            cosine = memory.cosine(fact["content"], other["content"])
            found.append((cosine, later, earlier))
    found.sort(key=lambda pair: (-pair[0], *sorted((ranks[pair[1]], ranks[pair[2]]))))
    return found


def is_settled(fact):
    return fact["pinned"] or fact["status"] == "confirmed"


def richness(memory, seq):
    fact = memory.facts[seq]
    return (
        fact["slot"] is not None, SEGMENTS[fact["segment"]].specificity,
        fact["confidence"] or 0.0, fact["importance"], memory.use(seq)[0],
    )  # fmt: skip


def _may_merge(a, b, now):
    """Say whether two facts are twins that may become one. Twins of different validity are two
    facts."""
    if not (states_the_same(a, b) or rewords(a, b)) or (is_settled(a) and is_settled(b)):
        return False
    if a["scope"] != b["scope"] or (a["slot"] and b["slot"] and a["slot"] != b["slot"]):
        return False
    return end(a) > now and hold_alike(a, b)


def rewords(a, b):
    """Say whether a model has worded both, of one speaker, with the same words in order: case,
    articles and marks do not count."""
    distilled = all(fact["source"] in ("extraction", "dream") for fact in (a, b))
    kinds = {fact["kind"] for fact in (a, b)} - {None}
    if not distilled or a["slot"] or b["slot"] or a["speaker"] != b["speaker"] or len(kinds) > 1:
        return False
    words = ([word.strip(".,;:!?") for word in fact["content"].lower().split()] for fact in (a, b))
    one, other = ([word for word in some if word not in ("", "a", "an", "the")] for some in words)
    return one == other


def hold_alike(a, b):
    """Say whether two facts end at one time, and begin at one, or one of them states no beginning
    and was said after that of the other; and whether their work is equally far, and of one agent
    where nobody vouches for them."""
    if a["title"] != b["title"]:
        return False
    if a["progress"] != b["progress"] or not (may_end(a, b) and may_end(b, a)):
        return False
    stated = [one["valid_from"] for one in (a, b)]
    if None not in stated:
        begun = stated[0] == stated[1]
    else:
        begun = all(
            one["valid_from"] is None or one["valid_from"] <= other["created_at"]
            for one, other in ((a, b), (b, a)) if other["valid_from"] is None
        )  # fmt: skip
    return a["valid_to"] == b["valid_to"] and begun


def _merge(memory, pairs, wanted, now):
    """Merge twins, most alike first; return what went as {number: number of its keeper}. Each is a
    twin of all that its keeper was made of."""
    gone, was, parts = {}, memory.facts, {}
    memory.facts = dict(was)
    for cosine, a, b in pairs:
        if cosine < wanted["merge_at"] or a in gone or b in gone:
            continue
        ones, others = parts.get(a, [a]), parts.get(b, [b])
        if not all(_may_merge(was[x], was[y], now) for x in ones for y in others):
            continue
        keeper, loser = (a, b) if _stays(memory, a, b, now) else (b, a)
        if memory.facts[loser]["pinned"]:
            continue
        gone[loser], parts[keeper] = keeper, ones + others
        _pass_on(memory, keeper, loser, now)
    return gone


def _stays(memory, a, b, now):
    def merit(seq):
        fact = memory.facts[seq]
        return (
            is_trusted(fact), is_typed(fact), fact["pinned"], richness(memory, seq),
            fact["status"] == "confirmed", strength(fact, memory.use(seq), now),
        )  # fmt: skip

    if merit(a) == merit(b):
        return memory.facts[a]["id"] <= memory.facts[b]["id"]
    return merit(a) > merit(b)


def _pass_on(memory, keeper, loser, now):
    """Let the keeper inherit, and archive the loser in its favour."""
    mine, its = memory.facts[keeper], memory.facts[loser]
    own, theirs = memory.leaving(keeper), memory.leaving(loser)
    inherit(memory, keeper, loser)
    barred = () if may_touch(its["source"], mine["source"]) else REPLACING
    for _, kind, target, reason, power, _ in theirs:
        have = [edge[1] for edge in own]
        full = kind not in REPLACING and have.count(kind) >= MOST_EDGES
        known = any(edge[1:3] == (kind, target) for edge in own)
        if target != keeper and kind not in barred and not known and not full:
            memory.edge(keeper, kind, target, now=now, reason=reason, strength=power)
            own.append((keeper, kind, target))
    archive(memory, loser, now=now)
    for kind in ("contradicts", "transition"):
        memory.edge(keeper, kind, loser, now=now)


def inherit(memory, keeper, loser):
    """Give the survivor of two twins what it lacks and the other knows; a trusted one learns
    nothing of an untrusted one, not even how often it was used."""
    mine, its = memory.facts[keeper], memory.facts[loser]
    if not may_touch(its["source"], mine["source"]):
        return
    count, last = memory.use(keeper)
    if memory.use(loser)[0] > count:
        memory.uses[keeper] = (memory.use(loser)[0], last)
    values = {name: mine[name] or its[name]
              for name in ("slot", "source_turn", "kind", "title", "progress")}  # fmt: skip
    values |= {
        "importance": max(mine["importance"], its["importance"]),
        **said_where(mine, its),
        "agent": mine["agent"] if is_typed(mine) or not is_trusted(its) else (
            mine["agent"] or its["agent"]
        ),
        "metadata": {**(its["metadata"] or {}), **(mine["metadata"] or {})} or None,
        "progress": values["progress"] or usual_progress(values["kind"]),
    }  # fmt: skip
    for name in ("tags", "derived_from"):
        listed = dict.fromkeys((*mine[name], *its[name]))
        values[name] = tuple(one for one in listed if name == "tags" or one != mine["id"])
    defaults = SEGMENTS[its["segment"]]
    if defaults.specificity > SEGMENTS[mine["segment"]].specificity:
        tier = "permanent" if mine["tier"] == "permanent" else defaults.tier
        values |= {"segment": its["segment"], "tier": tier,
                   "decay_rate": defaults.decay_rate}  # fmt: skip
    if its["tier"] == "permanent" != defaults.tier:
        values["tier"] = "permanent"
    if values.get("tier") == "permanent" != mine["tier"]:
        values["heat"] = "core"
    stated = mine["confidence"], its["confidence"]
    if None not in stated:
        values["confidence"] = max(stated)
    since = begin(its)
    if since < begin(mine):
        values["valid_from"] = None if since == mine["created_at"] else since
    memory.change(keeper, **values)


def _fading(memory, viewer, wanted, now):
    """Return what has faded, by number, and what becomes of it; what a person typed has not."""
    found = {}
    for seq, fact in memory.active(viewer):
        is_kept = wanted["evict_after_owner_ms"] is None and fact["tier"] != "short"
        is_kept = is_kept and is_typed(fact)
        if is_settled(fact) or fact["tier"] == "permanent" or is_kept:
            continue
        power = strength(fact, memory.use(seq), now)
        is_old = now - fact["created_at"] >= wanted["evict_after_ms"]
        if "evict" in wanted["stages"] and is_old and power < wanted["evict_below"]:
            found[seq] = "archived"
        elif "gc" in wanted["stages"] and power < 0.05:
            found[seq] = "archived" if fact["tier"] == "long" else "pruned"
        elif "gc" in wanted["stages"] and power < 0.15 and fact["tier"] != "long":
            found[seq] = "archived"
    return found


def _relate(memory, pairs, wanted, merged, now):
    """Link what is much alike, both ways; settled twins are no news."""
    for cosine, a, b in pairs:
        one, other = memory.facts[a], memory.facts[b]
        twins = (
            "consolidate" in wanted["stages"] and cosine >= wanted["merge_at"]
            and is_settled(one) and is_settled(other)
            and (states_the_same(one, other) or rewords(one, other))
        )  # fmt: skip
        if cosine < wanted["relate_at"] or twins or a in merged or b in merged:
            continue
        kind = "similar" if cosine >= wanted["merge_at"] else "relates"
        for start, target in ((a, b), (b, a)):
            mine = [edge for edge in memory.leaving(start) if edge[1] in ("relates", "similar")]
            if any(edge[2] == target for edge in mine):
                continue
            active = all(memory.facts[seq]["lifecycle"] == "active" for seq in (start, target))
            if len(mine) < MOST_EDGES and active:
                memory.edge(start, kind, target, now=now)
