"""When two facts say the same.

Terms in common and similarity only find candidates. `apart` decides whether a candidate says the
same: it is the one rule of every verb and pass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.model.fact import Fact

    Sameness = Literal["strict", "reference"]

SAMENESS: tuple[Sameness, ...] = ("strict", "reference")
SAME_TERMS = 0.85
# Of two facts, one of them in a slot, by the rule `reference`.
SAME_SLOT_TERMS = 0.40
SAME_SLOT_COSINE = 0.45


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a∩b| / |a∪b|, and 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def apart(one: str, other: str, *, rule: Sameness, learned: bool = False) -> str | None:
    """Return what keeps a candidate from saying the same, in a few words; None when nothing does.

    By the rule `reference` every candidate says the same. `learned`: a learned embedder found it.
    """
    if rule == "reference" or one == other:
        return None
    from tideline_cli.policy.difference import difference  # noqa: PLC0415  only for candidates

    return difference(one, other, learned=learned)


def may_be_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two texts with these index terms may say the same: not where the digits differ
    of the terms that one has and the other lacks.

    Cheap: of thousands of facts that follow one pattern, few are read and compared.
    """
    return _digits(one - other) == _digits(other - one)


def _digits(terms: frozenset[str]) -> list[str]:
    return sorted(char for term in terms for char in term if char.isdigit())


def may_share_place(one: Fact, other: Fact) -> bool:
    """Say whether two facts may be the same by where they belong: two slots, or two scopes, are two
    things, and so are two documents."""
    return (
        one.scope == other.scope
        and (one.slot is None or other.slot is None or one.slot == other.slot)
        and may_be_one_chunk(one, other)
    )


def may_be_one_chunk(one: Fact, other: Fact) -> bool:
    """Say whether two facts may be the same by the documents that they are chunks of: neither is
    one, or both have the same words at the same place of the same document."""
    if one.document is None and other.document is None:
        return True
    places = ((fact.document, fact.turn, fact.content) for fact in (one, other))
    return len(set(places)) == 1
