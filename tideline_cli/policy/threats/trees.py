"""A regular expression as the parts that filters and words are computed from.

What a rule here cannot follow may be anything. `make generate` alone loads this.
"""

from __future__ import annotations

import re
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from typing import Any

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Group = frozenset[str]  # a match holds one of them

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
