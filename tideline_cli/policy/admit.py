"""What becomes of a new fact: it is inserted, or a known fact that says the same is reinforced.

Pure: the caller gathers the rivals and applies the decision. `twins` may be an iterator that reads
as it goes; `admit` stops reading at the first fact that says the same.
"""

from __future__ import annotations

from tideline_cli.model.record import Record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy import gate
from tideline_cli.policy.sameness import (
    MOST_SIMILAR,
    SAME_TERMS,
    jaccard,
    may_be_one_chunk,
    state_the_same,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.policy.survivor import Restated


class Rival(Record):
    """An active fact of the same origin with its distinct terms."""

    fact: Fact
    terms: frozenset[str]


class Insert(Record):
    """Store the fact. `alike` are facts much like it that say something else, the nearest first,
    `elsewhen` those that say the same of other times."""

    fact: Fact
    alike: tuple[Fact, ...] = ()
    elsewhen: tuple[Fact, ...] = ()


class Reinforce(Record):
    """Store no new fact; the one that says it already becomes `after`. `not_taken` are labels that
    were said and that it does not take over."""

    before: Fact
    after: Fact
    not_taken: tuple[str, ...] = ()


def admit(
    fact: Fact,
    terms: frozenset[str],
    *,
    said: NewFact,
    targets: Sequence[Fact] = (),
    slot_mates: Sequence[Rival] = (),
    twins: Iterable[Rival] = (),
    rule: Sameness = "strict",
    meant: Sequence[Fact] = (),
) -> Insert | Reinforce:
    """Decide a write that has passed the scan; raise WriteBlockedError by the write-gate.

    `fact` is the fact that `said` would give. `targets` are the active facts of the same origin
    that the writer wants to replace, `slot_mates` those in the same slot, `twins` those that may
    say the same, the likeliest first. In a slot the same text is the same value,
    also where they were said without a slot. A fact that has ended, or that is to be replaced,
    does not say the same. `meant` are active facts that a learned embedder has found: they are
    much like it, and by the rule `reference` say the same.
    """
    gate.check(fact.segment, fact.source, [target.source for target in targets])
    gate.check_permanence(fact.source, fact.tier, fact.pinned, fact.document)
    gate.check_work(fact.source, fact.agent, targets)
    named = {target.id for target in targets}
    rivals = twins if fact.slot is None else _slotted(slot_mates, twins)
    alike: list[Fact] = []
    elsewhen: list[Fact] = []
    for rival in _candidates(fact, terms, rivals):
        if len(alike) == MOST_SIMILAR and rule == "strict":  # the same ones came before them
            break
        if rival.id in named:
            continue
        # By the rule `reference` too, one in a slot and one without are the same by their text.
        may_differ = fact.slot is None or rival.slot is not None
        if not state_the_same(fact, rival, rule=rule if may_differ else "strict"):
            alike += [rival] if fact.slot is None else []
            continue
        if (known := _said_again(rival, fact, said)) is not None:
            return known
        elsewhen.append(rival)
    for rival in meant if fact.slot is None else ():
        if rival.id in named or not _is_like(fact, rival) or rival.slot is not None:
            continue
        if rule == "strict":
            alike += [] if rival in alike else [rival]
        elif (known := _said_again(rival, fact, said)) is not None:
            return known
    return Insert(fact, tuple(alike), tuple(elsewhen))


def _said_again(rival: Fact, fact: Fact, said: NewFact) -> Reinforce | None:
    """Return what a known fact becomes that is said again; None where it holds at other times."""
    from tideline_cli.policy.survivor import restated  # noqa: PLC0415  most facts are new

    known = restated(rival, fact, said)
    return None if known is None else _reinforced(rival, known, now=fact.created_at)


def _slotted(mates: Sequence[Rival], twins: Iterable[Rival]) -> Iterator[Rival]:
    """Yield the facts that may say the same as one in a slot: those in the slot, then those without
    a slot."""
    yield from mates
    for twin in twins:
        if twin.fact.slot is None:
            yield twin


def _candidates(fact: Fact, terms: frozenset[str], rivals: Iterable[Rival]) -> Iterator[Fact]:
    """Yield the rivals that share nearly all terms and still hold.

    Facts of two scopes never say the same, since neither is seen from the other one's. Nor does a
    chunk of a document say what a fact says, or another chunk. Nor do a
    trusted and an untrusted fact. The untrusted one adds nothing to the
    trusted one; and a trusted one that only reinforced an untrusted one would get its wording,
    weight and end.
    """
    for rival in rivals:
        has_ended = rival.fact.valid_to is not None and rival.fact.valid_to <= fact.created_at
        is_near = terms == rival.terms or jaccard(terms, rival.terms) >= SAME_TERMS
        if is_near and not has_ended and _is_like(fact, rival.fact):
            yield rival.fact


def _is_like(fact: Fact, rival: Fact) -> bool:
    return (
        fact.scope == rival.scope
        and is_trusted(fact.source) == is_trusted(rival.source)
        and may_be_one_chunk(fact, rival)
    )


def _reinforced(known: Fact, becomes: Restated, *, now: int) -> Reinforce:
    """Return the decision to count a restatement as one more use of the known fact."""
    after = replace(
        becomes.after,
        access_count=known.access_count + 1,
        last_accessed_at=max(known.last_accessed_at, now),
    )
    return Reinforce(known, after, becomes.not_taken)
