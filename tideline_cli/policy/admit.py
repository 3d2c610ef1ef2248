"""What becomes of a new fact among those that are there: inserted, merged into one, or replacing.

Pure: the caller gathers the rivals and applies the decision.
"""

from __future__ import annotations

from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import jaccard
from tideline_cli.policy import gate
from tideline_cli.policy.sameness import SAME_TERMS, enriched, same_figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.model.fact import Fact


@record
class Rival:
    """An active fact of the same origin with its distinct terms."""

    fact: Fact
    terms: frozenset[str]


@record
class Insert:
    """Store the fact; archive `replaced` and link to them with these kinds."""

    fact: Fact
    replaced: tuple[Fact, ...] = ()
    link_kinds: tuple[str, ...] = ()


@record
class Reinforce:
    """Store nothing new; the fact that says it already becomes `after`."""

    before: Fact
    after: Fact


def admit(
    fact: Fact,
    terms: frozenset[str],
    *,
    targets: Sequence[Fact] | None,
    slot_mates: Sequence[Rival],
    twins: Iterable[Rival],
) -> Insert | Reinforce:
    """Decide a write that has passed the scan; raise WriteBlockedError by the write-gate.

    `targets` are the active same-origin facts that the writer names as superseded (None when it
    names none), `slot_mates` those in the same slot, `twins` those that might say the same; the
    last two in order of arrival. A named target settles the matter, then a slot, then likeness.
    What has ceased to hold is not the same as what is said now.
    """
    gate.check_permanence(fact.source, fact.tier, fact.pinned)
    gate.check(fact.segment, fact.source, [target.source for target in targets or ()])
    if targets is not None:
        return Insert(fact, tuple(targets), ("supersedes", "transition"))
    if fact.slot is not None:
        same = _first_same(fact, terms, slot_mates)
        if same is not None:
            return _reinforced(same, fact)
        replaced = tuple(r.fact for r in slot_mates if gate.may_touch(fact.source, r.fact.source))
        return Insert(fact, replaced, ("contradicts", "transition"))
    twin = _first_same(fact, terms, twins)
    return Insert(fact) if twin is None else _reinforced(twin, fact)


def _first_same(fact: Fact, terms: frozenset[str], rivals: Iterable[Rival]) -> Fact | None:
    for rival in rivals:
        has_ended = rival.fact.valid_to is not None and rival.fact.valid_to <= fact.created_at
        is_same = not has_ended and jaccard(terms, rival.terms) >= SAME_TERMS
        # An untrusted statement adds nothing to a trusted one, and a trusted one does not vanish in
        # what an untrusted source said first: it would take over its wording, weight and end.
        alike = is_trusted(fact.source) == is_trusted(rival.fact.source)
        if is_same and alike and same_figures(fact.content, rival.fact.content):
            return rival.fact
    return None


def _reinforced(known: Fact, new: Fact) -> Reinforce:
    after = enriched(known, new)
    now = new.created_at
    return Reinforce(
        known,
        replace(after, access_count=known.access_count + 1, last_accessed_at=now),
    )
