"""What a pass proposes to change: decided before anything is written, applied afterwards."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact, Lifecycle


@record
class Confirm:
    """A belief that was said or corrected often enough becomes `after`."""

    before: Fact
    after: Fact
    said: int
    corrected: int


@record
class Merge:
    """`loser` says what `keeper` says: it is archived, and the keeper becomes `after`.

    `inherited` are the edges (kind, target id, reason, strength) that the keeper takes over.
    """

    keeper: Fact
    after: Fact
    loser: Fact
    cosine: float
    inherited: tuple[tuple[str, str, str | None, int | None], ...]


@record
class Relate:
    """An edge of this kind from one fact to another that is much like it."""

    source: Fact
    target: Fact
    cosine: float
    kind: str = "relates"


@record
class Fade:
    """A fact that is too weak leaves recall: `becomes` is its new lifecycle."""

    fact: Fact
    strength: float
    days: float
    becomes: Lifecycle


@record
class Retire:
    """A model says `loser` is needless; `survivor`, if any, replaces it and becomes `after`."""

    loser: Fact
    survivor: Fact | None
    after: Fact | None
    reason: str


Proposal = Confirm | Merge | Relate | Fade | Retire


def concerned(proposal: Proposal) -> tuple[Fact, ...]:
    """Return the facts that a proposal is about, as they were when it was made."""
    match proposal:
        case Confirm(before):
            return (before,)
        case Merge(keeper, _, loser):
            return keeper, loser
        case Relate(source, target):
            return source, target
        case Fade(fact):
            return (fact,)
        case Retire(loser, survivor):
            return (loser,) if survivor is None else (loser, survivor)
