"""Fusion by scores with a learned embedder: what the words find, weighed with the likeness of
meanings, and what only that finds."""

from __future__ import annotations

from tideline_cli.memory import likeness
from tideline_cli.model.record import record, replace
from tideline_cli.ranking import fuse
from tideline_cli.ranking.worth import is_weak_likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.nearest import Chunk
    from tideline_cli.memory.query import Match

_NEAREST = 100  # facts, of which the last one says what likeness is worth nothing
_TAKEN = 50  # of them are ranked with what the words find
_LEAST = 0.05  # a cosine below which nothing is alike


@record
class Near:
    """The cosines of the facts nearest to a question, by number, and the cosine from which on
    likeness counts. And the vectors that they were found among."""

    cosines: Mapping[int, float]
    least: float
    floor: float
    held: Sequence[Chunk]

    def alike(self) -> set[int]:
        """Return the facts whose likeness says enough by itself."""
        return {seq for seq, cosine in self.cosines.items() if cosine >= self.floor}


def near(db: Connection, text: str, *, origin_number: int) -> Near | None:
    """Return the facts of an origin that are nearest to a question, None where none is near or the
    embedder knows nothing of its language; raises UnavailableError where the embedder of the file
    cannot be had here."""
    if not likeness.knows(db, text):
        return None
    held = likeness.chunks(db, origin_number=origin_number)
    found = likeness.nearest(
        db, text, origin_number=origin_number, limit=_NEAREST, floor=_LEAST, held=held
    )
    if not found:
        return None
    least = found[min(_NEAREST, 1 + len(found) // 2) - 1][1]
    return Near(dict(found[:_TAKEN]), least, likeness.floor(db), held)


def joined(
    db: Connection, text: str, found: Near, ranked: Sequence[Match],
    beside: Mapping[int, Collection[int]], claiming: Collection[int], *, origin_number: int,
) -> list[Match]:  # fmt: skip
    """Return the facts with the share of their likeness in their scores: 0.3 of the best score for
    the likest. Of those that are `claiming` who said them and where, only the text counts."""
    best = max((match.score for match in ranked), default=0.0) or 1.0
    rest = [match.seq for match in ranked if match.seq not in found.cosines]
    others = likeness.of_facts(db, text, rest, origin_number=origin_number, held=found.held)
    cosines = {**others, **found.cosines}
    own = {
        match.seq: _own(match, cosines.get(match.seq), found.least, match.seq in claiming)
        for match in ranked
    }
    shares = {
        seq: share + fuse.BESIDE * max([0.0, *(own.get(at, 0.0) for at in beside.get(seq, ()))])
        if seq not in claiming else share
        for seq, share in own.items()
    }
    most = max(shares.values(), default=0.0)
    return [
        _with_share(
            match, cosines.get(match.seq), shares[match.seq] / most * best if most else 0.0, found
        )
        for match in ranked
    ]


def _own(match: Match, cosine: float | None, least: float, is_claim: bool) -> float:
    """Return what the likeness of a fact is worth before all is brought to the scale of words."""
    why = match.why
    above = 0.0 if cosine is None else max(0.0, cosine - least)
    return above * why.trust * why.role * (1.0 if is_claim else why.speaker * why.time)


def _with_share(match: Match, cosine: float | None, share: float, found: Near) -> Match:
    added = fuse.LIKENESS * share * match.why.modulator
    is_alone = not match.score
    weak = match.weak
    if is_alone or match.why.lane == "vector":
        weak = cosine is None or is_weak_likeness(cosine, floor=found.floor)
    why = replace(
        match.why, cosine=cosine, likeness=added,
        lane="vector" if is_alone else match.why.lane,
    )  # fmt: skip
    return replace(match, score=match.score + added, why=why, weak=weak)
