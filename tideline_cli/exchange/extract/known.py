"""Which stored fact says already what a distilled text says, so that it is not stored twice."""

from __future__ import annotations

from tideline_cli.memory.near_duplicates import rule_of, sharing, stating
from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import state_the_same
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


def equivalent(db: Connection, fact: Fact, *, viewer: Origin, now: int) -> Fact | None:
    """Return the richest active fact of this origin, and of the scope of a distilled one, that says
    the same; None when there is none.

    By the rule `reference` that is any with Jaccard >= 0.85. What has ceased to hold is not the
    same as what is said now.
    """
    rule, find = rule_of(db), _stating
    if rule == "reference":
        find = _sharing
    rivals = (one for one in find(db, fact.content, viewer) if state_the_same(fact, one, rule=rule))
    return max(_standing(rivals, fact.scope, now), key=richness, default=None)


def verbatim(
    db: Connection, text: str, *, scope: str | None, viewer: Origin, now: int
) -> Fact | None:
    """Return the active fact of this origin and scope with exactly this text, None when there is
    none."""
    said = (fact for fact in _stating(db, text, viewer) if fact.content == text)
    return next(iter(_standing(said, scope, now)), None)


def _standing(found: Iterable[Fact], scope: str | None, now: int) -> list[Fact]:
    """Return those of the active facts that hold in a scope, and are no chunks of a document."""
    return [
        fact for fact in found
        if fact.scope == scope and fact.document is None
        and not (fact.valid_to is not None and fact.valid_to <= now)
    ]  # fmt: skip


def _distinct(db: Connection, text: str) -> frozenset[str]:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return frozenset(terms(text, analyzer=analyzer))


def _stating(db: Connection, text: str, viewer: Origin) -> list[Fact]:
    number, distinct = visibility.number(db, viewer), _distinct(db, text)
    if number == visibility.NOBODY:
        return []
    return stating(db, text, distinct, viewer=viewer, origin_number=number)


def _sharing(db: Connection, text: str, viewer: Origin) -> list[Fact]:
    number, distinct = visibility.number(db, viewer), _distinct(db, text)
    if number == visibility.NOBODY:
        return []
    seqs = [seq for seq, _ in sharing(db, distinct, origin_number=number)]
    found = facts.with_terms(db, seqs, viewer=viewer) if seqs else ()
    return [fact for fact, _ in found if fact.lifecycle == "active"]
