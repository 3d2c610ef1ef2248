"""What becomes of a new fact among those that are there: inserted, merged into one, or replacing.

Pure: the caller gathers the rivals and applies the decision.
"""

from __future__ import annotations

from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import jaccard
from tideline_cli.policy import gate
from tideline_cli.policy.sameness import SAME_TERMS, apart, enriched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tideline_cli.model.fact import Fact
    from tideline_cli.policy.sameness import Sameness


@record
class Rival:
    """An active fact of the same origin with its distinct terms."""

    fact: Fact
    terms: frozenset[str]


@record
class Like:
    """A fact that is much like the new one, and what keeps the two from saying the same."""

    fact: Fact
    apart: str


@record
class Insert:
    """Store the fact; archive `replaced` and link to them with these kinds. `alike` are candidates
    that turned out to say something else, in order of arrival."""

    fact: Fact
    replaced: tuple[Fact, ...] = ()
    link_kinds: tuple[str, ...] = ()
    alike: tuple[Like, ...] = ()


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
    rule: Sameness = "strict",
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
        same = _first_in_slot(fact, terms, slot_mates, rule)
        if same is not None:
            return _reinforced(same, fact)
        replaced = tuple(r.fact for r in slot_mates if gate.may_touch(fact.source, r.fact.source))
        return Insert(fact, replaced, ("contradicts", "transition"))
    alike: list[Like] = []
    for twin in _candidates(fact, terms, twins):
        reason = apart(fact.content, twin.content, rule=rule)
        if reason is None:
            return _reinforced(twin, fact)
        alike.append(Like(twin, reason))
    return Insert(fact, alike=tuple(alike))


def _first_in_slot(
    fact: Fact, terms: frozenset[str], mates: Sequence[Rival], rule: Sameness
) -> Fact | None:
    """Return what holds the slot and says the same: in a slot any difference replaces, but for
    the full stop of a sentence."""
    return next(
        (
            mate
            for mate in _candidates(fact, terms, mates)
            if rule == "reference" or _unstopped(mate.content) == _unstopped(fact.content)
        ),
        None,
    )


def _unstopped(text: str) -> str:
    return text.removesuffix(".") if " " in text else text


def _candidates(fact: Fact, terms: frozenset[str], rivals: Iterable[Rival]) -> Iterator[Fact]:
    """Yield the rivals that share nearly all terms and still hold.

    An untrusted statement adds nothing to a trusted one, and a trusted one does not vanish in what
    an untrusted source said first: it would take over its wording, weight and end.
    """
    for rival in rivals:
        has_ended = rival.fact.valid_to is not None and rival.fact.valid_to <= fact.created_at
        is_like = is_trusted(fact.source) == is_trusted(rival.fact.source)
        if is_like and not has_ended and jaccard(terms, rival.terms) >= SAME_TERMS:
            yield rival.fact


def _reinforced(known: Fact, new: Fact) -> Reinforce:
    after = enriched(known, new)
    last = max(known.last_accessed_at, new.created_at)
    return Reinforce(
        known,
        replace(after, access_count=known.access_count + 1, last_accessed_at=last),
    )
