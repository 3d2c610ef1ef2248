"""How words begin that stand in every match of a regular expression.

`make generate` alone loads this.
"""

from __future__ import annotations

from itertools import product

from tideline_cli.policy.threats.trees import NOTHING, Char, Edge, Either, Repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.policy.threats.trees import Group, Node

    Cost = Callable[[Group], float]

CUE_WIDTH = 5  # letters of a word that count
MOST = 64  # members of a group


def word_groups(nodes: Sequence[Node], cost: Cost) -> list[Group]:
    """Return groups of how words begin, cut to CUE_WIDTH: of each group, a match holds one among
    its words. A word is a run of letters and digits."""
    found = _word_groups(nodes, (), cost, certain=False)
    return [one for one in dict.fromkeys(found) if not any(other < one for other in found)]


def _word_groups(
    nodes: Sequence[Node], after: Sequence[Node], cost: Cost, *, certain: bool
) -> list[Group]:
    """Return the groups of words that begin in `nodes`, which `after` goes on from."""
    found: list[Group] = []
    for place, node in enumerate(nodes):
        rest = (*nodes[place + 1 :], *after)
        group = _heads((node, *rest)) if certain else None
        if group is not None:
            found.append(group)
        if isinstance(node, Either):
            each = [_word_groups(way, rest, cost, certain=certain) for way in node.ways]
            found += [_union(each, cost)] if all(each) else []
        certain = _is_start((node,), certain)
    return found


def _union(each: list[list[Group]], cost: Cost) -> Group:
    """Return the union of one group of each way, at a low cost."""
    whole: Group = NOTHING
    for groups in each:
        wider = [frozenset((*whole, *group)) for group in groups]
        whole = min(wider, key=lambda one: (cost(one), sorted(one)))
    return whole


class _UncertainError(Exception):
    """A word may begin in too many ways."""


def _is_start(nodes: Sequence[Node], certain: bool) -> bool:
    """Say whether a letter that follows `nodes` begins a word, if one before them would."""
    for node in nodes:
        if isinstance(node, Edge):
            certain = True
        elif isinstance(node, Char):
            certain = node.letters == NOTHING
        elif isinstance(node, Either):
            certain = all(_is_start(way, certain) for way in node.ways)
        else:
            certain = _is_start(node.body, certain) and (certain or node.low > 0)
    return certain


def _heads(nodes: Sequence[Node]) -> Group | None:
    """Return how the first word in `nodes` may begin; None where it may begin with anything."""
    try:
        done, begun = _read({""}, nodes)
    except _UncertainError:
        return None
    return None if begun or len(done) > MOST else frozenset(done)


def _read(begun: set[str], nodes: Sequence[Node]) -> tuple[set[str], set[str]]:
    """Read on from words that have begun: return those that are whole, or long enough, and those
    that go on behind `nodes`."""
    done: set[str] = set()
    for node in nodes:
        if not begun:
            break
        more, begun = _read_one(begun, node)
        done |= more
    return done, begun


def _read_one(begun: set[str], node: Node) -> tuple[set[str], set[str]]:
    if isinstance(node, Char):
        return _read_char(begun, node)
    if isinstance(node, Edge):
        whole = {word for word in begun if word} if node.ends else set()
        return whole, begun - whole
    if isinstance(node, Repeat):
        return _read_repeat(begun, node)
    read = [_read(begun, way) for way in node.ways]
    return set().union(*(one for one, _ in read)), set().union(*(one for _, one in read))


def _read_char(begun: set[str], node: Char) -> tuple[set[str], set[str]]:
    if node.letters is None:
        raise _UncertainError
    done = {word for word in begun if word and node.others}
    after = {"" for word in begun if not word and node.others}
    for word, letter in product(begun, node.letters):
        (done if len(word) + 1 == CUE_WIDTH else after).add(word + letter)
    return done, after


def _read_repeat(begun: set[str], node: Repeat) -> tuple[set[str], set[str]]:
    done: set[str] = set()
    out: set[str] = set() if node.low else set(begun)
    for times in range(1, node.high + 1):
        more, begun = _read(begun, node.body)
        done |= more
        if times >= node.low and begun <= out:
            break
        if times >= node.low:
            out |= begun
        if len(done) + len(out) > MOST:
            raise _UncertainError
    return done, out
