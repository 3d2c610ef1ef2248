"""What becomes of the chunks of a document whose file has changed. Pure: no store, no clock."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.model.fact import Fact, NewFact


@record
class Changes:
    """The chunks that a document shall have, in order: `new` ones by their places, and `kept` ones
    with what they are said as now. `gone` are those that it has no more, each with the place of the
    new chunk that stands where it stood, None where none does."""

    new: tuple[int, ...]
    kept: tuple[tuple[Fact, NewFact], ...]
    gone: tuple[tuple[Fact, int | None], ...]


def changes_between(stored: Sequence[Fact], wanted: Sequence[NewFact]) -> Changes:
    """Return how the stored chunks of a document become the wanted ones: both are in order.

    A chunk with the same words under the same headings is the same, wherever it stands. Of what
    lies between two of these the old chunks are replaced by the new ones, those under the same
    headings first; more old ones than new ones are replaced by the last.
    """
    held: dict[tuple[object, ...], list[int]] = {}
    for place, fact in enumerate(stored):
        held.setdefault(_said(fact), []).append(place)
    match: dict[int, int] = {}  # place in `wanted` by that in `stored`
    new: list[int] = []
    for place, said in enumerate(wanted):
        same = held.get(_said(said))
        if same:
            match[same.pop(0)] = place
        else:
            new.append(place)
    kept = tuple((stored[old], wanted[place]) for old, place in sorted(match.items()))
    return Changes(tuple(new), kept, tuple(_gone(stored, wanted, match, new)))


def _gone(
    stored: Sequence[Fact], wanted: Sequence[NewFact], match: dict[int, int], new: Sequence[int]
) -> Iterator[tuple[Fact, int | None]]:
    """Yield the chunks that no wanted one is, each with the place of what replaces it."""
    free = list(new)
    gap: list[Fact] = []
    for old in range(len(stored) + 1):
        if old < len(stored) and old not in match:
            gap.append(stored[old])
            continue
        end = match.get(old, len(wanted))
        between = [place for place in free if place < end]
        free = free[len(between) :]
        yield from _replaced(gap, between, wanted)
        gap = []


def _replaced(
    gap: Sequence[Fact], places: Sequence[int], wanted: Sequence[NewFact]
) -> list[tuple[Fact, int | None]]:
    """Return old chunks of a gap with the new ones that replace them: those under the same headings
    first, then one after the other."""
    left = list(places)
    by: dict[str, int] = {}
    for fact in gap:
        same = next((place for place in left if wanted[place].title == fact.title), None)
        if same is not None:
            by[fact.id] = same
            left.remove(same)
    last = places[-1] if places else None
    return [(fact, by[fact.id] if fact.id in by else left.pop(0) if left else last) for fact in gap]


def _said(chunk: Fact | NewFact) -> tuple[object, ...]:
    return chunk.content, chunk.title, chunk.scope
