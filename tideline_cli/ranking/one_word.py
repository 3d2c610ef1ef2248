"""What a word adds to a score that is looked up by several terms: it counts once.

The terms are other spellings of one word, or its parts and the whole. What they add together is
never more than the sum of all, so bounds of sums hold.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.forms.found import Forms

    # What terms add together, and which of them.
    Side = tuple[float, tuple[str, ...]]

OTHER = 0.8
"""What another spelling adds, of what it would add as the word that is asked for."""
SHARE = 0.25
"""Of what the other forms of a word would add, beside the best one: a fact that has the word as it
is asked for stays above one that has another form. And of what a small part of a word would add
that the question has as a whole: the 1 of EL1."""


def combined(values: dict[str, float], forms: Forms) -> tuple[float, tuple[str, ...]]:
    """Return what terms add together, and those that count; `values` is what each adds alone."""
    sides: dict[str, Side] = {term: (value, (term,)) for term, value in values.items()}
    for term, others in forms.others.items():
        held = [_less(sides.pop(other)) for other in others if other in sides]
        if held:
            sides[term] = _best([*held, sides[term]] if term in sides else held)
    for parts, wholes in forms.wholes:
        there = [one for one in parts if one in sides]
        held = [sides.pop(one) for one in there]
        ways = [sides.pop(one) for one in wholes if one in sides]
        if held:
            said = _together(held)
            is_small = parts in forms.cut and 2 * _letters(there) < _letters(parts)
            ways.append((SHARE * said[0], said[1]) if is_small else said)
        if ways:
            sides[parts[0]] = _best(ways)
    return _together(list(sides.values()))


def _letters(parts: Sequence[str]) -> int:
    return sum(map(len, parts))


def _less(side: Side) -> Side:
    return OTHER * side[0], side[1]


def _best(ways: Sequence[Side]) -> Side:
    """Return the best of several ways, with a share of the others."""
    value, terms = max(ways, key=lambda way: way[0])
    rest = sum(way[0] for way in ways) - value
    return value + SHARE * rest, terms


def _together(held: Sequence[Side]) -> Side:
    return sum(value for value, _ in held), tuple([term for _, terms in held for term in terms])
