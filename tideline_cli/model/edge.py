"""The kinds of edges between facts, and which kind leads back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Made by replacing and merging facts.
MINTED = ("supersedes", "transition", "corrects", "derived_from", "supports", "contradicts")
# What a text can say about two facts.
FACTUAL = (
    "causes", "caused_by", "part_of", "precedes", "follows", "enables", "blocks", "co_constrains",
    "located_at", "uses", "works_on", "contrasts_with", "relates_to",
)  # fmt: skip
SIMILAR = "similar"  # much alike, and yet another statement
KINDS = (*MINTED, *FACTUAL, "same_topic", "relates", SIMILAR)
INVERSE: Mapping[str, str] = {kind: kind for kind in KINDS} | {
    "causes": "caused_by",
    "caused_by": "causes",
    "precedes": "follows",
    "follows": "precedes",
}

# An active fact with such an edge to another has replaced that one.
REPLACING = ("contradicts", "transition", "supersedes")
# From a value of a slot, or the survivor of a merge, to the fact that gives way to it.
SUCCEEDS = ("contradicts", "transition")
# From a fact to the one that its writer names as replaced.
SUPERSEDES = ("supersedes", "transition")
MOST_OF_A_KIND = 12  # edges of one kind that leave one fact: passes, models and `link` add no more
