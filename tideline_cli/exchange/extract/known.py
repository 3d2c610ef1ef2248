"""Which stored fact says already what a distilled text says, so that it is not stored twice."""

from __future__ import annotations

from tideline_cli.memory.near_duplicates import likeliest, rule_of, sharing
from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import SAME_TERMS, apart
from tideline_cli.policy.survivor import richness
from tideline_cli.store import facts, visibility
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer


def equivalent(
    db: Connection, text: str, *, scope: str | None, viewer: Origin, now: int
) -> Fact | None:
    """Return the richest active fact of this origin and scope that says the same, None when there
    is none.

    Candidates are those with Jaccard >= 0.85, in a slot or not. What has ceased to hold is not the
    same as what is said now.
    """
    distinct = _distinct(db, text)
    if not distinct:
        return None
    rule = rule_of(db)
    same = _sharing(db, distinct, SAME_TERMS, viewer)
    if rule == "strict":
        same = likeliest(db, text, distinct, same, viewer=viewer)
    rivals = _facts(db, [seq for seq, _ in same], viewer)
    standing = [
        fact
        for fact in rivals
        if fact.lifecycle == "active" and fact.scope == scope and fact.document is None
        and not _has_ended(fact, now) and apart(text, fact.content, rule=rule) is None
    ]  # fmt: skip
    return max(standing, key=richness, default=None)


def verbatim(
    db: Connection, text: str, *, scope: str | None, viewer: Origin, now: int
) -> Fact | None:
    """Return the active fact of this origin and scope with exactly this text, None when there is
    none."""
    distinct = _distinct(db, text)
    found = _facts(db, [seq for seq, _ in _sharing(db, distinct, 1.0, viewer)], viewer)
    said = (
        fact for fact in found
        if fact.content == text and fact.scope == scope and fact.document is None
    )  # fmt: skip
    return next((fact for fact in said if not _has_ended(fact, now)), None)


def _distinct(db: Connection, text: str) -> frozenset[str]:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return frozenset(terms(text, analyzer=analyzer))


def _sharing(
    db: Connection, distinct: frozenset[str], least: float, viewer: Origin
) -> list[tuple[int, frozenset[str]]]:
    origin_number = visibility.number(db, viewer)
    if origin_number == visibility.NOBODY:
        return []
    return list(sharing(db, distinct, origin_number=origin_number, least=least))


def _facts(db: Connection, seqs: Iterable[int], viewer: Origin) -> list[Fact]:
    listed = sorted(seqs)
    return [fact for fact, _ in facts.with_terms(db, listed, viewer=viewer)] if listed else []


def _has_ended(fact: Fact, now: int) -> bool:
    return fact.valid_to is not None and fact.valid_to <= now
