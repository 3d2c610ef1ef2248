"""Which stored fact says already what a distilled text says, so that it is not stored twice."""

from __future__ import annotations

from tideline_cli.memory.near_duplicates import likeliest, rule_of, sharing
from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import (
    SAME_SLOT_COSINE,
    SAME_SLOT_TERMS,
    SAME_TERMS,
    apart,
    jaccard,
)
from tideline_cli.policy.survivor import richness
from tideline_cli.store import facts, slots, visibility
from tideline_cli.store.connection import setting
from tideline_cli.vector import hrr_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer

_FEW = 200  # texts that plain Python embeds sooner than numpy is loaded


def near_slots(db: Connection, texts: Sequence[str], *, viewer: Origin) -> list[frozenset[int]]:
    """Return for each text the numbers of the facts in slots that say the same in other words by
    the rule `reference`: Jaccard >= 0.40 or cosine >= 0.45; none by the strict one. With many slots
    this takes a while: call it before a transaction."""
    listed = slots.held(db, viewer=viewer) if texts and rule_of(db) == "reference" else []
    if not listed:
        return [frozenset()] * len(texts)
    held = [(seq, frozenset(its.split())) for seq, its, _ in listed]
    alike = _likeness([content for _, _, content in listed])
    found: list[frozenset[int]] = []
    for text in texts:
        distinct = _distinct(db, text)
        by_terms = {seq for seq, its in held if jaccard(distinct, its) >= SAME_SLOT_TERMS}
        found.append(frozenset(by_terms | {listed[index][0] for index in alike(text)}))
    return found


def equivalent(
    db: Connection, text: str, *, scope: str | None, viewer: Origin, now: int, near: Iterable[int]
) -> Fact | None:
    """Return the richest active fact of this origin and scope that says the same, None when there
    is none.

    Candidates are those with Jaccard >= 0.85, and facts that are still in a slot and that
    `near_slots` named. What has ceased to hold is not the same as what is said now.
    """
    distinct = _distinct(db, text)
    if not distinct:
        return None
    rule = rule_of(db)
    same = _sharing(db, distinct, SAME_TERMS, viewer)
    if rule == "strict":
        same = likeliest(db, text, distinct, same, viewer=viewer)
    known = [seq for seq, _ in same]
    rivals = [*_facts(db, known, viewer), *(f for f in _facts(db, near, viewer) if f.slot)]
    standing = [
        fact
        for fact in rivals
        if fact.lifecycle == "active" and fact.scope == scope and not _has_ended(fact, now)
        and apart(text, fact.content, rule=rule) is None
    ]  # fmt: skip
    return max(standing, key=richness, default=None)


def verbatim(
    db: Connection, text: str, *, scope: str | None, viewer: Origin, now: int
) -> Fact | None:
    """Return the active fact of this origin and scope with exactly this text, None when there is
    none."""
    distinct = _distinct(db, text)
    found = _facts(db, [seq for seq, _ in _sharing(db, distinct, 1.0, viewer)], viewer)
    said = (fact for fact in found if fact.content == text and fact.scope == scope)
    return next((fact for fact in said if not _has_ended(fact, now)), None)


def _distinct(db: Connection, text: str) -> frozenset[str]:
    analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
    return frozenset(terms(text, analyzer=analyzer))


def _sharing(
    db: Connection, distinct: frozenset[str], least: float, viewer: Origin
) -> list[tuple[int, frozenset[str]]]:
    origin_number = visibility.number(db, viewer)
    if origin_number == visibility.NOBODY:
        return []
    return list(sharing(db, distinct, origin_number=origin_number, least=least))


def _likeness(listed: Sequence[str]) -> Callable[[str], Iterable[int]]:
    """Return the function of a text that gives the indices of those with a cosine >= 0.45."""
    phases: dict[int, hrr_plain.Phases] = {}

    def exactly(text: str, among: Iterable[int]) -> Iterator[int]:
        asked = hrr_plain.embed(text)
        for index in among:
            if index not in phases:
                phases[index] = hrr_plain.embed(listed[index])
            if hrr_plain.cosine(asked, phases[index]) >= SAME_SLOT_COSINE:
                yield index

    if len(listed) <= _FEW:
        return lambda text: exactly(text, range(len(listed)))
    from tideline_cli.vector.hrr import HrrEmbedder  # noqa: PLC0415  numpy, 80 ms

    embedder = HrrEmbedder()
    codes = embedder.embed_packed(listed)
    least = SAME_SLOT_COSINE - embedder.tolerance

    def likely(text: str) -> Iterator[int]:
        scores = embedder.similarities(embedder.embed([text])[0], codes, floor=least)
        return exactly(text, [int(index) for index in (scores >= least).nonzero()[0]])

    return likely


def _facts(db: Connection, seqs: Iterable[int], viewer: Origin) -> list[Fact]:
    listed = sorted(seqs)
    return [fact for fact, _ in facts.with_terms(db, listed, viewer=viewer)] if listed else []


def _has_ended(fact: Fact, now: int) -> bool:
    return fact.valid_to is not None and fact.valid_to <= now
