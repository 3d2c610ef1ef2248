"""Which beliefs have been said or corrected often enough to stand."""

from __future__ import annotations

from tideline_cli.model.proposal import Confirm
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tideline_cli.model.fact import Fact

CONFIDENCE = 0.9
IMPORTANCE = 0.8


def plan(beliefs: Iterable[Fact], corrections: Mapping[str, int], *, count: int) -> list[Confirm]:
    """Return the beliefs to confirm: used or restated `count` - 1 times, or replaced so often.

    `beliefs` are active facts that hold a slot and are not confirmed; `corrections` counts for
    each slot the archived facts that another of the slot replaced. What nobody vouches for does
    not become immune, however often it is repeated.
    """
    found: list[Confirm] = []
    for fact in beliefs:
        if not is_trusted(fact.source):
            continue
        said, corrected = fact.access_count + 1, corrections.get(fact.slot or "", 0)
        if max(said, corrected) >= count:
            after = replace(
                fact,
                status="confirmed",
                confidence=CONFIDENCE,
                importance=max(fact.importance, IMPORTANCE),
            )
            found.append(Confirm(fact, after, said, corrected))
    return found
