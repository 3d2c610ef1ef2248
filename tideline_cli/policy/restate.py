"""What a known fact becomes when somebody says it again: it takes what was stated. Pure.

A restatement never shortens the time for which a fact holds, unless it states an end.
"""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS, usual_progress
from tideline_cli.model.fields import LATER, ONE_WORD
from tideline_cli.model.record import record, replace
from tideline_cli.policy.gate import may_end, may_move
from tideline_cli.policy.periods import holds_from
from tideline_cli.policy.survivor import all_said, first_said, said_where, tier_in
from tideline_cli.policy.transitions import pinned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.model.fact import Fact, NewFact

# In the order in which they are told.
_COMPARED = (*(name for name in ONE_WORD if name != "segment"), "segment")


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
    """Return when a fact holds that is said again at `now`. Said without times, it holds now and
    has no end. A stated end counts; a stated beginning counts where it is earlier.

    None where the two times do not meet, or where one lies inside the other and no slot says that
    they are one thing.
    """
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
    return _Validity(known.valid_from, until) if new.slot is not None else None


def _labelled(known: Fact, new: Fact, said: NewFact) -> Fact:
    """Return the known fact with the labels that the new one brings."""
    after = _of_segment(known, new)
    changes: dict[str, Any] = {
        name: getattr(new, name)
        for name in LATER
        if _is_said(said, name) and _may_say(name, known, said)
    }
    if _is_said(said, "tier") and new.tier != after.tier:
        changes["tier"] = new.tier
        changes["heat"] = "core" if new.tier == "permanent" else after.heat
    if _is_said(said, "importance"):
        changes["importance"] = max(known.importance, new.importance)
    if new.confidence is not None and known.confidence is not None:
        changes["confidence"] = max(known.confidence, new.confidence)
    if said.metadata:
        changes["metadata"] = {**(known.metadata or {}), **said.metadata}
    changes |= first_said(known, new) | all_said(known, new) | said_where(known, new)
    after = replace(after, **changes)
    after = replace(after, progress=after.progress or usual_progress(after.kind))
    return pinned(after) if said.pinned else after


def _may_say(name: str, known: Fact, said: NewFact) -> bool:
    """Say whether a restatement may state a label: how far the work of another agent is, and of
    what kind, is not said by what nobody vouches for."""
    if name == "kind":
        return may_end(said.source, said.agent, known)
    return name != "progress" or may_move(said.source, said.agent, known)


def _of_segment(known: Fact, new: Fact) -> Fact:
    """Return the fact in the more specific segment of the two, with the tier and the decay that
    the segment gives; what is permanent stays so."""
    defaults = SEGMENTS[new.segment]
    if defaults.specificity <= SEGMENTS[known.segment].specificity:
        return known
    tier = tier_in(new.segment, known.tier)
    return replace(known, segment=new.segment, tier=tier, decay_rate=defaults.decay_rate)


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
