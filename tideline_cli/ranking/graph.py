"""What a link is worth: when a recall looks along links, and what a fact scores that it finds so.
Pure."""

from __future__ import annotations

from math import sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

SEEDS = 4
"""The best hits, from which links are followed."""
FAN_OUT = 10
"""Links that are followed from one fact, the strongest first."""
HOP = 0.5
"""The share of the score of a hit that a fact one link away begins with."""

_TEMPORAL = frozenset((
    "when", "before", "after", "previously", "history", "changed", "evolved", "became", "earlier",
    "originally", "since", "ago", "anymore",
))  # fmt: skip
_RELATIONAL = frozenset((
    "related", "because", "connected", "linked", "associated", "caused", "reason", "affect",
    "depend",
))  # fmt: skip
_PHRASES = ("used to", "no longer", "due to", "led to")


def asks_for_links(text: str) -> bool:
    """Say whether a question has a word of time or of relation. Source: Tideline, graph recall."""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    spaced = f" {' '.join(words)} "
    return not (_TEMPORAL | _RELATIONAL).isdisjoint(words) or any(
        f" {phrase} " in spaced for phrase in _PHRASES
    )


def hub_damping(degree: int) -> float:
    """Return the factor of a fact that has so many neighbours: a hub is linked with anything."""
    return 1.0 / sqrt(1 + degree)


def spread(
    edges: Mapping[str, Sequence[str]], seeds: Collection[str], *, hops: int, fan_out: int
) -> dict[str, int]:
    """Return by fact how many links it is away from the seeds, breadth first: at most `hops`, and
    at most `fan_out` links from one fact. Source: Tideline, graph primitives."""
    away = dict.fromkeys(seeds, 0)
    border = list(away)
    for hop in range(1, hops + 1):
        found = [other for one in border for other in edges.get(one, ())[:fan_out]]
        border = [one for one in dict.fromkeys(found) if one not in away]
        away.update(dict.fromkeys(border, hop))
    return away
