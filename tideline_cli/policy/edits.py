"""What an edit makes of a fact: other labels in place, a new wording, or another fact that says it
already. Pure."""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS, birth, initial_heat, usual_progress
from tideline_cli.model.fields import LABELS, LATER
from tideline_cli.model.record import replace
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import holds_from, overlap, united
from tideline_cli.policy.sameness import may_share_place, state_the_same
from tideline_cli.policy.survivor import all_said, first_said, said_where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact, NewFact

_STATED = frozenset(LABELS) - {"metadata"}  # which is merged by key
_WARMTH = ("segment", "kind", "tier", "importance")


def relabelled(fact: Fact, new: NewFact) -> Fact:
    """Return a fact with the labels of `new`: its words, its id and its time stay."""
    labels: dict[str, Any] = {name: getattr(new, name) for name in LABELS}
    after = replace(
        fact,
        **labels
        | {
            "tier": new.tier or fact.tier,
            "importance": fact.importance if new.importance is None else new.importance,
            "pinned": fact.pinned,
            "progress": new.progress or usual_progress(new.kind),
        },
    )
    if after.segment != fact.segment:
        after = replace(after, decay_rate=SEGMENTS[after.segment].decay_rate)
    if fact.pinned or all(getattr(after, name) == getattr(fact, name) for name in _WARMTH):
        return after
    heat = initial_heat(after.segment, after.kind, after.tier, after.importance)
    return replace(after, heat=heat)


def reworded(fact: Fact, new: NewFact, *, fact_id: str, now: int, since: int | None) -> Fact:
    """Return the fact that says `new` in the place of `fact`: from `since` on, or else for all the
    time for which that one held."""
    said = birth(new, fact_id=fact_id, now=now)
    if said.segment == fact.segment:
        said = replace(said, decay_rate=fact.decay_rate)
    if since is not None:
        return replace(said, valid_from=since)
    if said.valid_to is not None and said.valid_to <= holds_from(fact):
        return said
    return replace(said, valid_from=holds_from(fact))


def is_known(said: Fact, known: Fact) -> bool:
    """Say whether a fact says what an edit is about to say, for a time in common."""
    return (
        may_share_place(said, known)
        and overlap(said, known)
        and state_the_same(said, known, rule="strict")
    )


def joined(known: Fact, said: Fact, given: Mapping[str, Any], *, edited: Fact) -> Fact:
    """Return `known`, whose words an edit has given to the fact `edited`: with the labels that the
    edit states (`given`), and with what it lacks and the other has. It counts as a use.

    It holds whenever one of the two does, unless the edit states an end. A trusted fact takes
    from an untrusted one nothing but what the edit states.
    """
    last = max(known.last_accessed_at, said.created_at)
    if not may_touch(edited.source, known.source):
        said = _stated_alone(known, said, given)
    after = united(known, said)
    rank = SEGMENTS[said.segment].specificity
    if "segment" in given or rank > SEGMENTS[known.segment].specificity:
        rate = SEGMENTS[said.segment].decay_rate
        rate = known.decay_rate if said.segment == known.segment else rate
        after = replace(after, segment=said.segment, tier=said.tier, decay_rate=rate)
    if "tier" in given:
        after = replace(after, tier=said.tier)
    elif "permanent" in (known.tier, said.tier):
        after = replace(after, tier="permanent")
    if "importance" not in given:
        said = replace(said, importance=max(said.importance, known.importance))
    pinned = known.pinned or said.pinned
    after = replace(
        after,
        importance=said.importance,
        confidence=said.confidence if "confidence" in given else known.confidence,
        valid_to=said.valid_to if "valid_to" in given else after.valid_to,
        pinned=pinned,
        heat="core" if pinned or after.tier == "permanent" else known.heat,
        metadata=_merged(known, said, given),
        **first_said(known, said),
        **all_said(known, said),
        **said_where(known, said),
        **_later(known, said, given),
    )
    if "agent" in given and known.agent is None:
        after = replace(after, agent=said.agent)
    after = replace(after, progress=after.progress or usual_progress(after.kind))
    return replace(after, access_count=known.access_count + 1, last_accessed_at=last)


def _later(known: Fact, said: Fact, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels of which the later word counts, where the edit states one."""
    return {
        name: getattr(said, name)
        if name in given
        else getattr(known, name) or getattr(said, name)
        for name in LATER
    }


def _stated_alone(known: Fact, said: Fact, given: Mapping[str, Any]) -> Fact:
    stated = {name: getattr(said, name) for name in given if name in _STATED}
    return replace(known, **stated)


def _merged(known: Fact, said: Fact, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    parts = (said.metadata or {}, known.metadata or {}, given.get("metadata") or {})
    return {name: value for part in parts for name, value in part.items()} or None
