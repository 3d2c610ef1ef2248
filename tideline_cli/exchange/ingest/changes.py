"""What becomes of the chunks of a document whose file has changed. Pure: no store, no clock."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    lies between two of these the old chunks are replaced by the new ones, one by one; more old
    ones than new ones are replaced by the last.
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
    return Changes(tuple(new), kept, _gone(stored, match, set(new)))


def _gone(
    stored: Sequence[Fact], match: dict[int, int], free: set[int]
) -> tuple[tuple[Fact, int | None], ...]:
    """Return the chunks that no wanted one is, and what takes the place of each."""
    found: list[tuple[Fact, int | None]] = []
    last = -1  # the place before the next successor
    by: int | None = None
    for old, fact in enumerate(stored):
        if old in match:
            last, by = match[old], None
            continue
        if last + 1 in free:
            last += 1
            by = last
        found.append((fact, by))
    return tuple(found)


def _said(chunk: Fact | NewFact) -> tuple[object, ...]:
    return chunk.content, chunk.title, chunk.scope
