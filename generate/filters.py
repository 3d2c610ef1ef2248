"""What every match of a regular expression holds, computed from the tree that `re` makes of it.

A text that lacks one of these things need not be asked. Each rule errs on the side of saying less.
`make generate` alone loads this.
"""

from __future__ import annotations

import re
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from itertools import product
from math import inf
from typing import Any

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Group = frozenset[str]  # a match holds one of them
    Cost = Callable[[Group], float]

NOTHING: Group = frozenset()
# No reading of a text has other white space: rendering and NFKC have made it blanks.
_BLANK: Group = frozenset(" ")
_LONGEST_RANGE = 64
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


@record
class Char:
    """One character: the letters and digits that it may be, in lower case (None: too many), whether
    it may be anything else, and all that it may be, where that is little."""

    letters: Group | None
    others: bool
    exact: Group | None


@record
class Edge:
    """A place between characters where a word begins or ends, or the text does."""

    ends: bool  # a word that stands before it is over


@record
class Repeat:
    """A part that stands `low` to `high` times."""

    low: int
    high: int
    body: tuple[Node, ...]


@record
class Either:
    """One of several parts."""

    ways: tuple[tuple[Node, ...], ...]


Node = Char | Edge | Repeat | Either


def tree(pattern: str) -> tuple[Node, ...]:
    """Return the parts of a pattern."""
    return _nodes(parser.parse(pattern), ignoring_case=False)


def spelled_words(nodes: Sequence[Node]) -> set[str]:
    """Return the words that a pattern spells out, whichever way it is matched."""
    found: set[str] = set()
    found |= _spelled(nodes, {""}, found)
    return {word.strip("'") for word in found} - {""}


def _nodes(tree: Iterable[tuple[Any, Any]], *, ignoring_case: bool) -> tuple[Node, ...]:
    """Return a tree of `re` in our terms. What only looks around is left out: it takes nothing
    from what a match holds."""
    out: list[Node] = []
    for kind, value in tree:
        if kind is op.SUBPATTERN:
            _, more, less, inner = value
            ignoring = (ignoring_case or bool(more & re.IGNORECASE)) and not less & re.IGNORECASE
            out += _nodes(inner, ignoring_case=ignoring)
        elif kind is op.ATOMIC_GROUP:
            out += _nodes(value, ignoring_case=ignoring_case)
        elif kind is op.BRANCH:
            out.append(Either(tuple(_nodes(one, ignoring_case=ignoring_case) for one in value[1])))
        elif kind in _REPEATS:
            low, high, inner = value
            most = int(high) if high is not op.MAXREPEAT else 1 << 30
            out.append(Repeat(int(low), most, _nodes(inner, ignoring_case=ignoring_case)))
        elif kind is op.AT:
            if value is not op.AT_NON_BOUNDARY:
                out.append(Edge(value not in (op.AT_BEGINNING, op.AT_BEGINNING_STRING)))
        elif kind not in (op.ASSERT, op.ASSERT_NOT):
            out.append(_char(kind, value, ignoring_case=ignoring_case))
    return tuple(out)


def _char(kind: Any, value: Any, *, ignoring_case: bool) -> Char:
    if kind is op.LITERAL:
        chars = [chr(value)]
    elif kind is op.IN:
        listed = _listed(value)
        if listed is None:
            return _class(value)
        chars = listed
    elif kind in (op.ANY, op.NOT_LITERAL):
        return Char(None, True, None)
    else:
        raise ValueError(f"a pattern may not use {kind}")
    lowered = {char: _lowered(char, ignoring_case=ignoring_case) for char in chars}
    if None in lowered.values():
        return Char(None, True, None)
    exact = frozenset(low for low in lowered.values() if low is not None)
    letters = frozenset(filter(str.isalnum, exact))
    return Char(letters, letters != exact, exact)


def _lowered(char: str, *, ignoring_case: bool) -> str | None:
    """Return how a character stands in a text in lower case, None where that is not certain."""
    # Case is ignored beyond ASCII too: `i` stands for a dotless ı, which is no i in lower case. A
    # long s and the sign of Kelvin are s and k in every reading: NFKC has made them so.
    if ignoring_case and (char in "iI" or not char.isascii()):
        return None
    low = char.lower()
    return low if len(low) == 1 else None


def _listed(items: list[tuple[Any, Any]]) -> list[str] | None:
    """Return the characters that a class lists, None where it says more than a list."""
    out: list[str] = []
    for kind, value in items:
        if kind is op.LITERAL:
            out.append(chr(value))
        elif kind is op.CATEGORY and value is op.CATEGORY_SPACE:
            out += _BLANK
        elif kind is op.RANGE and value[1] - value[0] < _LONGEST_RANGE:
            out += map(chr, range(value[0], value[1] + 1))
        else:
            return None
    return out


def _class(items: list[tuple[Any, Any]]) -> Char:
    """Return a class by what it says of letters: none of them, or any."""
    separates = (op.CATEGORY_SPACE, op.CATEGORY_NOT_WORD)
    if items[0][0] is op.NEGATE:
        wordless = (op.CATEGORY, op.CATEGORY_WORD) in items
    else:
        wordless = all(
            (kind is op.CATEGORY and value in separates)
            or (kind is op.LITERAL and not chr(value).isalnum())
            for kind, value in items
        )
    return Char(NOTHING if wordless else None, True, None)


def _spelled(nodes: Sequence[Node], begun: set[str], found: set[str]) -> set[str]:
    """Put the words that end inside `nodes` into `found`; return those that are still open."""
    for node in nodes:
        if isinstance(node, Char) and node.exact and all(map(_is_of_word, node.exact)):
            begun = {word + char for word in begun for char in node.exact}
        elif isinstance(node, Either):
            begun = set().union(*(_spelled(way, begun, found) for way in node.ways))
        elif isinstance(node, Repeat):
            read = _spelled(node.body, begun, found)
            begun = read if node.low else begun | read
        else:
            found |= begun
            begun = {""}
    return begun


def _is_of_word(char: str) -> bool:
    return char.isalpha() or char == "'"


_MOST_WAYS = 12  # of an alternation that is taken apart
_DEAR = 10  # what cues may cost before that is tried

CUE_WIDTH = 5  # letters of a word that count
MOST = 64  # members of a group


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
    # A group that a blank may stand for tells nothing.
    literals = tuple(group for group in literal_groups(nodes) if " " not in group)
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
