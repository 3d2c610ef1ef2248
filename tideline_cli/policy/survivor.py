"""Which of two facts that say the same stays, and what it takes from the other. Pure."""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS, role_weight
from tideline_cli.model.fields import ALL, FIRST, SAID
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.gate import may_end, may_touch
from tideline_cli.policy.periods import holds_from, united

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.model.fact import Fact, Segment, Tier


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


def may_be_one(one: Fact, other: Fact, *, now: int) -> bool:
    """Say whether two facts that say the same may become one fact: they end at the same time, and
    if one begins in the future, both begin at the same time; and their work is equally far, or one
    would reopen or finish the other. What nobody vouches for is not made another agent's work."""
    later = holds_from(one) > now or holds_from(other) > now
    if one.progress != other.progress:
        return False
    if not (may_end(one.source, one.agent, other) and may_end(other.source, other.agent, one)):
        return False
    return one.valid_to == other.valid_to and (not later or holds_from(one) == holds_from(other))


def merged(survivor: Fact, other: Fact) -> Fact:
    """Return the fact that stays of two that say the same: with what the other knows better, and
    for the time of both. A trusted fact takes nothing from an untrusted one."""
    period = united(survivor, other) if may_touch(other.source, survivor.source) else survivor
    after = enriched(survivor, other)
    return replace(after, valid_from=period.valid_from, valid_to=period.valid_to)


def enriched(survivor: Fact, other: Fact) -> Fact:
    """Return `survivor` with what `other` knows better; where it comes from stays as it is.

    A trusted fact learns nothing of an untrusted one: a slot, a segment, a confidence or a
    valid-from that nobody vouches for would move, fade or hide it.
    """
    if is_trusted(survivor.source) and not is_trusted(other.source):
        return survivor
    more_specific = SEGMENTS[other.segment].specificity > SEGMENTS[survivor.segment].specificity
    segment = other.segment if more_specific else survivor.segment
    since = min(holds_from(survivor), holds_from(other))
    return replace(
        survivor,
        segment=segment,
        tier=tier_in(segment, survivor.tier) if more_specific else survivor.tier,
        decay_rate=SEGMENTS[segment].decay_rate if more_specific else survivor.decay_rate,
        importance=max(survivor.importance, other.importance),
        confidence=_surer(survivor.confidence, other.confidence),
        access_count=max(survivor.access_count, other.access_count),
        valid_from=survivor.valid_from if since == holds_from(survivor) else since,
        **first_said(survivor, other),
        **said_where(survivor, other),
    )


def tier_in(segment: Segment, tier: Tier) -> Tier:
    """Return the tier of a fact that comes into a more specific segment: the usual one there, which
    is a default, so it takes no permanence away that somebody has given."""
    return "permanent" if tier == "permanent" else SEGMENTS[segment].tier


def first_said(known: Fact, other: Fact) -> dict[str, Any]:
    """Return the labels of which the first word counts, as a known fact has them after another
    that says the same. Whose work a fact is stands since its birth: no untrusted one names an
    agent where none is named, since that one could say then how far the work is."""
    labels = {name: getattr(known, name) or getattr(other, name) for name in FIRST}
    return labels if is_trusted(other.source) else labels | {"agent": known.agent}


def said_where(known: Fact, other: Fact) -> dict[str, Any]:
    """Return where and by whom a fact was said that a known fact takes from another that says the
    same: all of it or nothing. One that knows anything of it keeps that; and words that were
    nobody's do not become those of a role that weighs less."""
    is_known = any(getattr(known, name) is not None for name in SAID)
    if is_known or role_weight(other.role) < role_weight(known.role):
        return {}
    return {name: getattr(other, name) for name in SAID}


def all_said(known: Fact, other: Fact) -> dict[str, Any]:
    """Return the labels of which every word counts, as a known fact has them after another that
    says the same; it does not cite itself."""
    said: dict[str, Any] = {
        name: tuple(dict.fromkeys((*getattr(known, name), *getattr(other, name)))) for name in ALL
    }
    return said | {"derived_from": tuple(one for one in said["derived_from"] if one != known.id)}


def _surer(one: float | None, other: float | None) -> float | None:
    """Return the confidence of the survivor, or the higher one where both state one: an unstated
    one is full, and a stated one takes nothing off it."""
    return one if one is None or other is None else max(one, other)
