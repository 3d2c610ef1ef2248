"""What every match of a regular expression holds, computed from the tree that `re` makes of it.

A text that lacks one of these things need not be asked. Each rule errs on the side of saying less.
`make generate` alone loads this.
"""

from __future__ import annotations

from itertools import product
from math import inf

from tideline_cli.model.record import record
from tideline_cli.policy.threats.trees import Char, Edge, Either, Repeat, tree
from tideline_cli.policy.threats.word_starts import CUE_WIDTH, MOST, word_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.policy.threats.trees import Group, Node
    from tideline_cli.policy.threats.word_starts import Cost

_MOST_WAYS = 12  # of an alternation that is taken apart
_DEAR = 10  # what cues may cost before that is tried


@record
class PatternFilter:
    """What the matches of an expression hold, or of a part of them: one member of each group.

    `cues` is a group too: its members begin words, or where there are no such, stand anywhere.
    """

    cues: Group
    begin_words: bool
    words: tuple[Group, ...]
    literals: tuple[Group, ...]


def filters(pattern: str, cost: Cost) -> list[PatternFilter]:
    """Return filters of which each match of a pattern passes one."""
    return [_filter(way, cost) for way in _parted(tree(pattern), cost)]


def literal_groups(nodes: Sequence[Node]) -> list[Group]:
    """Return groups of texts: of each group, a match holds one."""
    found: list[Group] = []
    run: Group = frozenset(("",))
    for node in nodes:
        exact = _exact(node)
        if exact is not None and len(run) * len(exact) <= MOST:
            run = _joined(run, exact)
            continue
        found.append(run)
        run = exact if exact is not None else frozenset(("",))
        found += _inner(node) if exact is None else []
    return list(dict.fromkeys(_least(group) for group in [*found, run] if "" not in group))


def _parted(nodes: tuple[Node, ...], cost: Cost) -> list[tuple[Node, ...]]:
    """Return the ways of one alternation apart, where that makes rarer cues."""
    best, least = [nodes], _cost_of([nodes], cost) / 2
    if least < _DEAR or least == inf:
        return best
    for place, node in enumerate(nodes):
        if isinstance(node, Either) and len(node.ways) <= _MOST_WAYS:
            apart = [nodes[:place] + way + nodes[place + 1 :] for way in node.ways]
            price = _cost_of(apart, cost)
            if price < least:
                best, least = apart, price
    return best


def _cost_of(ways: list[tuple[Node, ...]], cost: Cost) -> float:
    cues: set[str] = set()
    for way in ways:
        groups = word_groups(way, cost)
        if not groups:
            return inf
        best: Group = min(groups, key=lambda group: (cost(group), sorted(group)))
        cues.update(best)
    return cost(frozenset(cues))


def _filter(nodes: tuple[Node, ...], cost: Cost) -> PatternFilter:
    groups = word_groups(nodes, cost)
    literals = tuple(filter(_is_telling, literal_groups(nodes)))
    if groups:
        first, *rest = sorted(groups, key=lambda group: (cost(group), sorted(group)))
        return PatternFilter(first, True, tuple(rest), tuple(filter(_says_more, literals)))
    if not literals:
        raise ValueError("nothing is certain to stand in each match")
    cues = max(literals, key=lambda group: min(map(len, group)))
    others = tuple(group for group in literals if group != cues)
    begun = _beginning(cues)
    if len(begun) > 1:
        return PatternFilter(frozenset((begun,)), False, (), literals)
    return PatternFilter(cues, False, (), others)


def _beginning(group: Group) -> str:
    """Return what all members begin with."""
    first, last = min(group), max(group)
    same = [a == b for a, b in zip(first, last, strict=False)]
    return first[: same.index(False)] if False in same else first[: len(same)]


def _says_more(group: Group) -> bool:
    """Say whether a group says more than how words begin."""
    return all(len(text) > CUE_WIDTH or not text.isalnum() for text in group)


def _is_telling(group: Group) -> bool:
    """Say whether a group is more than a blank, and what may stand in its place."""
    return " " not in group


def _exact(node: Node) -> Group | None:
    """Return all that a node may be, None where that is too much."""
    if isinstance(node, Char):
        return node.exact
    if isinstance(node, Edge):
        return frozenset(("",))
    if isinstance(node, Either):
        each = [_exactly(way) for way in node.ways]
        known = [one for one in each if one is not None]
        out = frozenset().union(*known)
        return out if len(known) == len(each) and len(out) <= MOST else None
    body = _exactly(node.body) if node.high <= CUE_WIDTH else None
    if body is None:
        return None
    out = run = frozenset(("",))
    for times in range(1, node.high + 1):
        run = _joined(run, body)
        if len(run) > MOST:
            return None
        out = out | run if times > node.low else run
    return out if len(out) <= MOST else None


def _exactly(nodes: Sequence[Node]) -> Group | None:
    out: Group = frozenset(("",))
    for node in nodes:
        exact = _exact(node)
        if exact is None or len(out) * len(exact) > MOST:
            return None
        out = _joined(out, exact)
    return out


def _joined(heads: Group, tails: Group) -> Group:
    return frozenset(head + tail for head, tail in product(heads, tails))


def _inner(node: Node) -> list[Group]:
    """Return the groups of a part that has no list of all that it may be."""
    if isinstance(node, Repeat):
        return literal_groups(node.body) if node.low else []
    if not isinstance(node, Either):
        return []
    each = [literal_groups(way) for way in node.ways]
    if not all(each):
        return []
    longest = [max(groups, key=lambda group: min(map(len, group))) for groups in each]
    return [frozenset().union(*longest)]


def _least(group: Group) -> Group:
    """Return the members that hold no other one, since whoever holds them holds the other; or how
    all of them begin, where that is much."""
    begun = _beginning(group)
    if len(begun) > CUE_WIDTH:
        return frozenset((begun,))
    return frozenset(
        one for one in group if not any(other in one for other in group if other != one)
    )
