"""How the heat of a fact moves with its use: core, working, peripheral."""

from __future__ import annotations

from tideline_cli.model.fact import (
    BOTH_IMPORTANCE,
    BOTH_USES,
    COOLING_MS,
    COOLING_USES,
    CORE_IMPORTANCE,
    CORE_USES,
)
from tideline_cli.model.record import record, replace
from tideline_cli.ranking import decays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact, Heat

_DAY = 86_400_000  # milliseconds
_FADED = 0.15
_WARM = 0.4


@record
class HeatRule:
    """From which on a fact is core: so many uses alone, so much importance alone, or so much of
    both together. `demotes_core` says whether a core fact may cool down again."""

    access_only: int = CORE_USES
    importance_only: float = CORE_IMPORTANCE
    both_access: int = BOTH_USES
    both_importance: float = BOTH_IMPORTANCE
    demotes_core: bool = False


USUAL = HeatRule()


def next_heat(
    heat: Heat, importance: float, access_count: int, days: float, relevance: float, *,
    pinned: bool, rule: HeatRule = USUAL,
) -> Heat:  # fmt: skip
    """Return the heat of a memory `days` after it was made, from the one that it has.

    What is pinned is core, and so is what is used or matters enough by the rule. What is hardly
    relevant, or older than 60 days with fewer than 3 uses, is peripheral; what is peripheral works
    again with 3 uses and a relevance of 0.4. `relevance` is Weibull's. Source: RsClaw,
    evaluate_tier_transition.
    """
    if pinned or _is_core(importance, access_count, rule):
        return "core"
    if heat == "core" and not rule.demotes_core:
        return "core"
    if relevance < _FADED or (days * _DAY > COOLING_MS and access_count < COOLING_USES):
        return "peripheral"
    if heat == "peripheral" and access_count >= COOLING_USES and relevance >= _WARM:
        return "working"
    return heat


def settled(fact: Fact, *, now: int, rule: HeatRule | None = None) -> Fact:
    """Return a fact with the heat of its use at an instant. What is permanent stays core."""
    if fact.tier == "permanent":
        return fact if fact.heat == "core" else replace(fact, heat="core")
    relevance = decays.relevance_at(fact, now=now).relevance
    heat = next_heat(
        fact.heat, fact.importance, fact.access_count, (now - fact.created_at) / _DAY, relevance,
        pinned=fact.pinned, rule=rule or USUAL,
    )  # fmt: skip
    return fact if heat == fact.heat else replace(fact, heat=heat)


def _is_core(importance: float, access_count: int, rule: HeatRule) -> bool:
    return (
        access_count >= rule.access_only
        or importance >= rule.importance_only
        or (access_count >= rule.both_access and importance >= rule.both_importance)
    )
