"""The kinds of edges between facts, and which kind leads back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Made by replacing and merging facts.
MINTED = ("supersedes", "transition", "corrects", "derived_from", "supports", "contradicts")
# What a text can say about two facts.
FACTUAL = (
    "causes", "caused_by", "part_of", "precedes", "follows", "enables", "blocks", "co_constrains",
    "located_at", "uses", "works_on", "contrasts_with", "relates_to",
)  # fmt: skip
SIMILAR = "similar"  # much alike, and yet another statement
KINDS = (*MINTED, *FACTUAL, "same_topic", "relates", SIMILAR)
# What is said of one fact and another is said of both, whichever is named first.
SYMMETRIC = ("co_constrains", "contrasts_with", "relates_to", "same_topic", "relates", SIMILAR)
# The kind by which the same statement is made from the other end. Other kinds have none: that a hub
# uses a spoke does not say that the spoke uses the hub.
INVERSE: Mapping[str, str] = {
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
# The one of them that says that a fact says the same anew, in other words.
REWORDS = "supersedes"
# Two edges that are made together are one row of the store, under a word that nobody sees. The kind
# of a row never changes.
TWOFOLD: Mapping[str, tuple[str, ...]] = {"succeeds": SUCCEEDS, "replaces": SUPERSEDES}
MOST_OF_A_KIND = 12  # edges of one kind that leave one fact: passes, models and `link` add no more


def kinds_under(word: str) -> tuple[str, ...]:
    """Return the kinds of the edges that are stored under this word."""
    return TWOFOLD.get(word, (word,))


def words_for(*kinds: str) -> tuple[str, ...]:
    """Return the words under which edges of these kinds may be stored."""
    return (*kinds, *(word for word, both in TWOFOLD.items() if not set(both).isdisjoint(kinds)))


def sql_list(words: Iterable[str]) -> str:
    """Return words as a list of SQL."""
    return ", ".join(f"'{word}'" for word in words)
