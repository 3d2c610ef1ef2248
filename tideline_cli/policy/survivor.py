"""Which of two facts that say the same stays, and what it takes from the other; and what a known
fact becomes when somebody says it again: it takes what was stated. Pure."""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS, birth, initial_heat, role_weight, usual_progress
from tideline_cli.model.fields import ALL, FIRST, LABELS, LATER, ONE_WORD, SAID
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted, is_typed
from tideline_cli.policy.gate import may_end, may_move, may_touch
from tideline_cli.policy.periods import holds_from, of_one_period, overlap, statement_of, united
from tideline_cli.policy.sameness import may_share_place, state_the_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.policy.sameness import Sameness

# In the order in which they are told.
_COMPARED = (*(name for name in ONE_WORD if name != "segment"), "segment")

_STATED = frozenset(LABELS) - {"metadata"}  # which is merged by key
_WARMTH = ("segment", "kind", "tier", "importance")


def richness(fact: Fact) -> tuple[tuple[bool, int], float, float, int, int]:
    """Return the key by which the richer of two facts is the greater: slot and segment, confidence,
    importance, uses, age."""
    return (
        (fact.slot is not None, SEGMENTS[fact.segment].specificity),
        fact.confidence or 0.0,
        fact.importance,
        fact.access_count,
        fact.created_at,
    )


def may_be_one(one: Fact, other: Fact, *, rule: Sameness) -> bool:
    """Say whether two facts that say the same may become one fact: they hold for the same time, by
    the rule `reference` at one time, and their work is equally far, or one would reopen or finish
    the other. A title is told with its text, so of two titles they stay two. What nobody vouches
    for is not made another agent's work."""
    may = may_end(one.source, one.agent, other) and may_end(other.source, other.agent, one)
    meets = overlap if rule == "reference" else of_one_period
    is_told_alike = rule == "reference" or one.title == other.title
    return may and is_told_alike and one.progress == other.progress and meets(one, other)


def merged(survivor: Fact, other: Fact) -> Fact:
    """Return the fact that stays of two that say the same: with what the other knows, for the time
    of both, and used as often as either; one that is or becomes a value of a slot holds as was
    said there. A trusted fact takes nothing from an untrusted one."""
    if not may_touch(other.source, survivor.source):
        return survivor
    after = enriched(survivor, other, {})
    after = replace(after, access_count=max(survivor.access_count, other.access_count))
    if after.slot is None:
        return united(after, other)
    if survivor.slot is not None:
        return after
    known, born = statement_of(other), other.created_at
    said = {"from": known.get("from", born), "at": known.get("at", born)}
    return replace(
        after, valid_from=holds_from(other), valid_to=other.valid_to, statement=known | said
    )


def enriched(known: Fact, other: Fact, given: Mapping[str, Any]) -> Fact:
    """Return `known` with what `other`, which says the same, knows: each label that it lacks, all
    tags and sources, the more specific segment, the higher importance and confidence, and the
    labels that are `given` now. When and by whom it was said stays as it is."""
    segment, rank = known.segment, SEGMENTS[other.segment].specificity
    if "segment" in given or rank > SEGMENTS[segment].specificity:
        segment = other.segment
    decay = known.decay_rate if segment == known.segment else SEGMENTS[segment].decay_rate
    # A tier that is the usual one of a segment is a default: it takes no permanence away, and adds
    # none.
    is_meant = "tier" in given or other.tier == "permanent" != SEGMENTS[other.segment].tier
    tier = known.tier
    if is_meant or (segment != known.segment and tier != "permanent"):
        tier = other.tier if is_meant else SEGMENTS[segment].tier
    # An unstated confidence is a full one, and a stated one takes nothing off it.
    sure, stated = known.confidence, other.confidence
    pinned = known.pinned or other.pinned
    parts = (other.metadata or {}, known.metadata or {}, given.get("metadata") or {})
    after = replace(
        known,
        segment=segment,
        tier=tier,
        decay_rate=decay,
        heat="core" if pinned or tier == "permanent" != known.tier else known.heat,
        importance=max(known.importance, other.importance),
        confidence=sure if sure is None or stated is None else max(sure, stated),
        pinned=pinned,
        metadata={name: value for part in parts for name, value in part.items()} or None,
        **{name: _later(name, known, other, given) for name in LATER},
        **_first_said(known, other),
        **_all_said(known, other),
        **_said_where(known, other),
    )
    return replace(after, progress=after.progress or usual_progress(after.kind))


def _later(name: str, known: Fact, other: Fact, given: Mapping[str, Any]) -> Any:
    """Return a label of which the later word counts, where one is given."""
    mine, theirs = getattr(known, name), getattr(other, name)
    return theirs if name in given else mine or theirs


def _first_said(known: Fact, other: Fact) -> dict[str, Any]:
    """Return the labels of which the first word counts. Whose work a fact is stands since its
    birth: what a person typed stays a person's, and no untrusted one names an agent where none is
    named, since that one could say then how far the work is."""
    labels = {name: getattr(known, name) or getattr(other, name) for name in FIRST}
    may_name = is_trusted(other.source) and not is_typed(known.source, known.agent)
    return labels if may_name else labels | {"agent": known.agent}


def _said_where(known: Fact, other: Fact) -> dict[str, Any]:
    """Return where and by whom a fact was said that a known fact takes from another that says the
    same: all of it or nothing. One that knows anything of it keeps that; and words that were
    nobody's do not become those of a role that weighs less."""
    is_known = any(getattr(known, name) is not None for name in SAID)
    if is_known or role_weight(other.role) < role_weight(known.role):
        return {}
    return {name: getattr(other, name) for name in SAID}


def _all_said(known: Fact, other: Fact) -> dict[str, Any]:
    """Return the labels of which every word counts; a fact does not cite itself."""
    said: dict[str, Any] = {
        name: tuple(dict.fromkeys((*getattr(known, name), *getattr(other, name)))) for name in ALL
    }
    return said | {"derived_from": tuple(one for one in said["derived_from"] if one != known.id)}


@record
class Restated:
    """The known fact as it is now, and the labels that were said and that it did not take."""

    after: Fact
    not_taken: tuple[str, ...]


@record
class _Validity:
    """From when to when a fact holds, as it is stored."""

    valid_from: int | None
    valid_to: int | None


def restated(known: Fact, new: Fact, said: NewFact) -> Restated | None:
    """Return what `known` becomes by a restatement; None where the two hold at other times, and so
    are two facts with the same words.

    `new` is the fact that the restatement alone would give, `said` is what its writer stated.
    """
    validity = _validity(known, new, now=new.created_at)
    if validity is None:
        return None
    if not may_end(said.source, said.agent, known):
        validity = _Validity(known.valid_from, known.valid_to)
    after = replace(
        _labelled(known, new, said), valid_from=validity.valid_from, valid_to=validity.valid_to
    )
    return Restated(after, _not_taken(said, new, after))


def holding_on(known: Fact, *, now: int) -> Fact:
    """Return a fact that is said again at `now` without times: it holds then, and has no end."""
    since = now if holds_from(known) > now else known.valid_from
    return replace(known, valid_from=since, valid_to=None)


def _validity(known: Fact, new: Fact, *, now: int) -> _Validity | None:
    """Return when a fact holds that is said again at `now`, None where that is another time.

    A value of a slot that is said without times holds now and has no end; a stated end counts, and
    a stated beginning where it is earlier. It is another value where the two times do not meet.
    """
    if known.slot is None and new.slot is None:
        return _one_period(known, new) if of_one_period(known, new) else None
    since, until = holds_from(known), known.valid_to
    start, end = new.valid_from, new.valid_to
    from_now = now if since > now else known.valid_from
    if start is None:
        if end is not None and end <= since and (since > now or known.valid_from is not None):
            return None
        return _Validity(from_now, end)
    if (until is not None and start > until) or (end is not None and end <= since):
        return None
    if start <= since:
        return _Validity(start, end)
    if end is None or (until is not None and end >= until):
        return _Validity(known.valid_from, end)
    return _Validity(known.valid_from, until)


def _one_period(known: Fact, new: Fact) -> _Validity:
    is_earlier = holds_from(new) < holds_from(known)
    return _Validity(new.valid_from if is_earlier else known.valid_from, known.valid_to)


def _labelled(known: Fact, new: Fact, said: NewFact) -> Fact:
    """Return the known fact with the labels that the new one brings: those that its writer stated,
    and may state. A segment that is less specific is not taken."""
    given = {name: getattr(said, name) for name in (*LATER, "tier", "metadata")
             if _is_said(said, name) and _may_say(name, known, said)}  # fmt: skip
    untold = [name for name in (*LATER, "importance", "tier")
              if not _is_said(said, name) or not _may_say(name, known, said)]  # fmt: skip
    return enriched(known, replace(new, **{name: getattr(known, name) for name in untold}), given)


def _may_say(name: str, known: Fact, said: NewFact) -> bool:
    """Say whether a restatement may state a label: how far the work of another agent is, and of
    what kind, is not said by what nobody vouches for."""
    if name == "kind":
        return may_end(said.source, said.agent, known)
    return name != "progress" or may_move(said.source, said.agent, known)


def _not_taken(said: NewFact, new: Fact, after: Fact) -> tuple[str, ...]:
    """Return the labels that were said and that differ from those of the fact."""
    return tuple(
        name
        for name in _COMPARED
        if _is_said(said, name)
        and _weighed(name, getattr(new, name)) != _weighed(name, getattr(after, name))
    )


def _is_said(said: NewFact, name: str) -> bool:
    return getattr(said, name) not in (None, "") and name not in said.assumed


def _weighed(name: str, value: object) -> object:
    """Return a value as it counts: an unstated confidence is a full one."""
    return 1.0 if name == "confidence" and value is None else value


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
    """Say whether a fact says what an edit is about to say, for the same time; of values of one
    slot, for a time in common."""
    holds_too = overlap if said.slot is not None and known.slot == said.slot else of_one_period
    return (
        may_share_place(said, known)
        and holds_too(said, known)
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
        said = replace(known, **{name: getattr(said, name) for name in given if name in _STATED})
    stated = {name: getattr(said, name) for name in ("importance", "confidence", "valid_to")
              if name in given}  # fmt: skip
    if "agent" in given and known.agent is None:
        stated["agent"] = said.agent
    after = replace(united(enriched(known, said, given), said), **stated)
    return replace(after, access_count=known.access_count + 1, last_accessed_at=last)
