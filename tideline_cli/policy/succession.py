"""Which values of one slot stand when several claim the same time: the one said later. Pure."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.policy.amend import begin, ended
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from tideline_cli.model.fact import Fact


@record
class Ended:
    """A value of a slot that another one ends: as it was, as it is then, and by which."""

    before: Fact
    after: Fact
    by: Fact


def settled(values: Sequence[Fact], new: Container[str], *, now: int) -> list[Ended]:
    """Return what becomes of the values of one slot, the active ones and those that others have
    replaced, of which those with an id in `new` have just come: where two hold at once, the one
    said later ends the other where it begins, unless it may not touch it.

    So the outcome depends on what was said when, and not on what was read first; of two that were
    said at the same instant, the order of `values` decides.
    """
    now_so = {value.id: value for value in values}
    done: dict[str, Ended] = {}
    ordered = sorted(values, key=lambda value: value.created_at)
    for place, later in enumerate(ordered):
        for known in ordered[:place]:
            if known.id not in new and later.id not in new:
                continue
            earlier = now_so[known.id]
            by = now_so[later.id]
            if overlap(earlier, by) and may_touch(by.source, earlier.source):
                after = ended(earlier, at=begin(by), now=now)
                now_so[known.id] = after
                done[known.id] = Ended(known, after, later)
    return list(done.values())
