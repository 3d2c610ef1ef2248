"""What becomes of a new fact: it is inserted, or a known fact that says the same is reinforced.

Pure: the caller gathers the rivals and applies the decision. `twins` may be an iterator that reads
as it goes; `admit` stops reading at the first fact that says the same.
"""

from __future__ import annotations

from tideline_cli.model.record import Record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy import gate
from tideline_cli.policy.sameness import SAME_TERMS, apart, jaccard, may_be_one_chunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.policy.restate import Restated
    from tideline_cli.policy.sameness import Sameness


class Rival(Record):
    """An active fact of the same origin with its distinct terms."""

    fact: Fact
    terms: frozenset[str]


class Like(Record):
    """A fact that is much like the new one, and why the two do not say the same."""

    fact: Fact
    apart: str


class Insert(Record):
    """Store the fact. `alike` are candidates that say something else, `elsewhen` are facts that say
    the same of other times; both in order of arrival."""

    fact: Fact
    alike: tuple[Like, ...] = ()
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
    say the same; the last two in order of arrival. In a slot the same words are the same value,
    also where they were said without a slot. A fact that has ended, or that is to be replaced,
    does not say the same. `meant` are active facts that a learned embedder has found.
    """
    gate.check(fact.segment, fact.source, [target.source for target in targets])
    gate.check_permanence(fact.source, fact.tier, fact.pinned, fact.document)
    gate.check_work(fact.source, fact.agent, targets)
    named = {target.id for target in targets}
    rivals = twins if fact.slot is None else _slotted(slot_mates, twins)
    alike: list[Like] = []
    elsewhen: list[Fact] = []
    for rival in _candidates(fact, terms, rivals):
        if rival.id in named:
            continue
        reason = _apart(fact, rival, rule)
        if reason is not None:
            alike += [Like(rival, reason)] if fact.slot is None else []
            continue
        from tideline_cli.policy.restate import restated  # noqa: PLC0415  most facts are new

        if (known := restated(rival, fact, said)) is not None:
            return _reinforced(rival, known, now=fact.created_at)
        elsewhen.append(rival)
    for rival in meant:
        if rival.id not in named and (known := _meant(fact, rival, said)) is not None:
            return _reinforced(rival, known, now=fact.created_at)
    return Insert(fact, tuple(alike), tuple(elsewhen))


def _slotted(mates: Sequence[Rival], twins: Iterable[Rival]) -> Iterator[Rival]:
    """Yield the facts that may say the same as one in a slot: those in the slot, then those without
    a slot."""
    yield from mates
    for twin in twins:
        if twin.fact.slot is None:
            yield twin


def _apart(fact: Fact, rival: Fact, rule: Sameness) -> str | None:
    """Return why a rival does not say the same, None if it does. In a slot every difference counts,
    except the full stop of a sentence."""
    if fact.slot is None:
        return apart(fact.content, rival.content, rule=rule)
    is_held = rule == "reference" and rival.slot is not None
    is_same = is_held or _unstopped(rival.content) == _unstopped(fact.content)
    return None if is_same else "another value"


def _meant(fact: Fact, rival: Fact, said: NewFact) -> Restated | None:
    """Return what a fact becomes that a learned embedder calls the same, None where the words keep
    the two apart. Common words may differ; figures, names and negations may not."""
    is_like = fact.scope == rival.scope and fact.slot is None and rival.slot is None
    if not is_like or is_trusted(fact.source) != is_trusted(rival.source):
        return None
    if not may_be_one_chunk(fact, rival):
        return None
    if apart(fact.content, rival.content, rule="strict", learned=True) is not None:
        return None
    from tideline_cli.policy.restate import restated  # noqa: PLC0415  most facts are new

    return restated(rival, fact, said)


def _unstopped(text: str) -> str:
    return text.removesuffix(".") if " " in text else text


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
        is_like = (
            fact.scope == rival.fact.scope
            and is_trusted(fact.source) == is_trusted(rival.fact.source)
            and may_be_one_chunk(fact, rival.fact)
        )
        if is_like and not has_ended and jaccard(terms, rival.terms) >= SAME_TERMS:
            yield rival.fact


def _reinforced(known: Fact, becomes: Restated, *, now: int) -> Reinforce:
    """Return the decision to count a restatement as one more use of the known fact."""
    after = replace(
        becomes.after,
        access_count=known.access_count + 1,
        last_accessed_at=max(known.last_accessed_at, now),
    )
    return Reinforce(known, after, becomes.not_taken)
