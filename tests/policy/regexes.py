"""What can be said of a regular expression without asking it: walks over the tree of `re`.

`re` backtracks. It is linear where each start has few ways to go on, so the ways are counted; and
since a count proves nothing about the engine, strings are made that should show it at its worst.
"""

from __future__ import annotations

import re._constants as c
import re._parser as parser
import time
from itertools import islice, product
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

# Characters of all kinds that a class of the table may name; a class is what it holds of them.
SAMPLE = "".join(map(chr, range(32, 127))) + "éяا中"
_NOT_MATCHED = "\x01"
_REPEATS = (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT)


def tree(pattern: str) -> list:
    """Return the parts of a pattern, as `re` reads it."""
    return list(parser.parse(pattern))


def ways(nodes: list) -> float:
    """Return at most how many ways there are to match `nodes` from one start; what is possessive
    or atomic has one."""
    found = 1.0
    for op, value in nodes:
        if op is c.BRANCH:
            found *= _ways_of_branch(value[1])
        elif op is c.SUBPATTERN:
            found *= ways(list(value[3]))
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT):
            found *= _ways_of_repeat(*value)
    return found


def _ways_of_repeat(low: int, high: int, item: list) -> float:
    if high is c.MAXREPEAT:
        return inf
    each = ways(list(item))
    return sum(each**times for times in range(low, high + 1))


def _ways_of_branch(alternatives: list) -> float:
    """Add up the alternatives that can match at one place: those whose letters agree."""
    begun = [(_beginning(list(one)), ways(list(one))) for one in alternatives]
    return max(
        sum(n for other, n in begun if text.startswith(other) or other.startswith(text))
        for text, _ in begun
    )


def _beginning(nodes: list) -> str:
    """Return the letters that a match of `nodes` begins with, as far as they are certain."""
    text = ""
    for op, value in nodes:
        if op is not c.LITERAL:
            break
        text += chr(value)
    return text


def unbounded(nodes: list) -> bool:
    """Say whether anything in a pattern may repeat without end."""
    for op, value in nodes:
        if op in _REPEATS and (value[1] is c.MAXREPEAT or unbounded(list(value[2]))):
            return True
        if any(unbounded(list(inner)) for inner in _inner(op, value)):
            return True
    return False


def _inner(op: object, value: object) -> list:
    if op is c.BRANCH:
        return list(value[1])
    if op is c.SUBPATTERN:
        return [value[3]]
    return [value] if op is c.ATOMIC_GROUP else []


def held(op: object, value: object) -> str:
    """Return the sample characters that a node for one character holds."""
    if op is c.LITERAL:
        return chr(value)
    import re

    pattern = re.compile(_source(op, value))
    named = [chr(what) for kind, what in value if kind is c.LITERAL] if op is c.IN else []
    return "".join(char for char in dict.fromkeys((*SAMPLE, *named)) if pattern.fullmatch(char))


def _source(op: object, value: object) -> str:
    if op is c.ANY:
        return "."
    parts = value if op is c.IN else [(op, value)]
    texts = {
        c.CATEGORY_SPACE: r"\s",
        c.CATEGORY_NOT_SPACE: r"\S",
        c.CATEGORY_WORD: r"\w",
        c.CATEGORY_NOT_WORD: r"\W",
        c.CATEGORY_DIGIT: r"\d",
    }
    out = ""
    for kind, what in parts:
        if kind is c.NEGATE:
            out += "^"
        elif kind is c.LITERAL:
            out += "\\" + chr(what) if not chr(what).isalnum() else chr(what)
        elif kind is c.NOT_LITERAL:
            out += "^\\" + chr(what)
        elif kind is c.RANGE:
            out += f"{chr(what[0])}-{chr(what[1])}"
        else:
            out += texts[what]
    return f"[{out}]"


def examples(nodes: list) -> Iterator[str]:
    """Yield texts that `nodes` match, no two by the same choice of alternatives."""
    if not nodes:
        yield ""
        return
    (op, value), rest = nodes[0], nodes[1:]
    for first in islice(_of_node(op, value), 40):
        yield from (first + more for more in islice(examples(rest), 2))


def _of_node(op: object, value: object) -> Iterator[str]:
    if op is c.BRANCH:
        for one in value[1]:
            yield from islice(examples(list(one)), 2)
    elif op is c.SUBPATTERN:
        yield from examples(list(value[3]))
    elif op is c.ATOMIC_GROUP:
        yield from examples(list(value))
    elif op in _REPEATS:
        for one in islice(examples(list(value[2])), 3):
            yield from (one * times for times in {value[0], max(1, value[0])})
    elif op in (c.AT, c.ASSERT, c.ASSERT_NOT):
        yield ""
    else:
        yield held(op, value)[:1]


def _pumps(nodes: list) -> Iterator[str]:
    """Yield what a repeat of the pattern repeats, and what two of its classes share."""
    classes = {text for text in _classes(nodes) if len(text) > 1}
    shared = {"".join(x for x in a if x in b) for a, b in product(classes, repeat=2)}
    yield from sorted({text[place] for text in shared if text for place in (0, -1)})
    for op, value in nodes:
        if op in _REPEATS:
            yield from islice(examples(list(value[2])), 2)
            yield from _pumps(list(value[2]))
        for inner in _inner(op, value):
            yield from _pumps(list(inner))


def _classes(nodes: list) -> Iterator[str]:
    for op, value in nodes:
        if op in (c.IN, c.ANY, c.NOT_LITERAL):
            yield held(op, value)
        elif op in _REPEATS:
            yield from _classes(list(value[2]))
        for inner in _inner(op, value):
            yield from _classes(list(inner))


def hostile(pattern: str) -> Iterator[Callable[[int], str]]:
    """Yield makers of texts of a wanted length that may keep the pattern busy: a beginning of what
    it matches, then what it repeats; the beginning again and again; and both in turn."""
    for one in _alternatives(tree(pattern)):
        starts = {"".join(islice(examples(one[:end]), 1)) for end in range(1, len(one) + 1)}
        pumps = {pump for pump in _pumps(one) if pump}
        for start in sorted(starts):
            yield lambda size, start=start: (start or "a") * (size // (len(start) or 1) + 1)
        for start, pump in product(sorted(starts), sorted(pumps)):
            yield (
                lambda size, start=start, pump=pump: (
                    start + pump * max(0, (size - len(start)) // len(pump)) + _NOT_MATCHED
                )
            )
        for start, pump in product(sorted(starts, key=len)[:2], sorted(pumps)):
            turn = start + pump * 40
            yield lambda size, turn=turn: turn * (size // len(turn) + 1)


def _alternatives(nodes: list) -> list[list]:
    """Return the alternatives at the top of a pattern, with what `re` has taken out of them."""
    for place, (op, value) in enumerate(nodes):
        if op is c.BRANCH and place == len(nodes) - 1:
            return [nodes[:place] + list(one) for one in value[1]]
    return [nodes]


def seconds(regex: re.Pattern[str], text: str, *, tries: int = 1) -> float:
    """Return the least processor time of a search."""
    best = inf
    for _ in range(tries):
        began = time.thread_time()
        regex.search(text)
        best = min(best, time.thread_time() - began)
    return best


FIRST, DOUBLINGS = 1024, 4
_WARNING = 0.02  # a short text that takes so long is enough to know


def superlinear(regex: re.Pattern[str], make: Callable[[int], str]) -> str | None:
    """Return what is wrong with the time of a search in longer and longer texts, or None.

    Each of four doublings may double the time; together they may take twice as long as that.
    """
    for size in (12, 16, 20, 24, 28, 32, 48, 64, 128, 256, 512):
        if seconds(regex, make(size)) > _WARNING and seconds(regex, make(size), tries=3) > _WARNING:
            return f"{size} characters take more than {_WARNING} s"
    short, long = make(FIRST), make(FIRST << DOUBLINGS)
    most = 2 * (1 << DOUBLINGS)
    for tries in (1, 3, 7):
        before, after = seconds(regex, short, tries=tries), seconds(regex, long, tries=tries)
        if after <= most * max(before, 1e-5):
            return None
    return f"{len(long)} characters take {after / before:.0f} times as long as {len(short)}"
