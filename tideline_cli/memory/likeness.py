"""Cosines of a question and facts by the learned embedder of a file, for those who rank by them."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory import coded_lane, lanes
from tideline_cli.model.record import record, replace
from tideline_cli.ranking import worth
from tideline_cli.ranking.worth import is_weak_likeness
from tideline_cli.store import vectors
from tideline_cli.store.connection import setting
from tideline_cli.vector.embedders.codes import cosine
from tideline_cli.vector.embedders.names import known_kind, split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.nearest import Chunk
    from tideline_cli.memory.query import Match
    from tideline_cli.memory.search import View

_NEAREST = 100  # facts, of which the last one says what likeness is worth nothing
_TAKEN = 50  # of them are ranked with what the words find
_LEAST_NEAR = 0.05  # a cosine below which nothing is alike


def is_learned(db: Connection) -> bool:
    """Say whether a file has a learned embedder, without loading it."""
    return " " in setting(db, "embedder", DEFAULT_EMBEDDER)


def knows(db: Connection, text: str) -> bool:
    """Say whether the learned embedder of a file may know the words of a question: one of English
    knows none of a question without Latin letters."""
    if any("a" <= char <= "z" for char in text.lower()):
        return True
    kind = known_kind(split_name(setting(db, "embedder", DEFAULT_EMBEDDER)).spec)
    return kind is None or not kind.is_english


def floor(db: Connection) -> float:
    """Return the least cosine that the learned embedder of a file takes for likeness."""
    return lanes.lane_of(db).floor


def chunks(db: Connection, *, origin_number: int) -> list[Chunk]:
    """Return the vectors of an origin by the learned embedder of a file."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    return list(vectors.chunks(db, origin_number=origin_number, embedder=name))


def of_facts(
    db: Connection, text: str, numbers: Sequence[int], *, origin_number: int,
    held: Sequence[Chunk] | None = None,
) -> dict[int, float]:  # fmt: skip
    """Return the cosines of a text and of those of some facts, by number, that are of an origin and
    have a vector; `held` are the vectors of that origin, where the caller has them.

    Empty where the embedder of the file is not learned. Raises UnavailableError where it is, and
    cannot be had here: whoever ranks then ranks by words.
    """
    if not is_learned(db) or not numbers:
        return {}
    lane = lanes.coded_lane(db, setting(db, "embedder", DEFAULT_EMBEDDER))
    packed = (
        vectors.packed_of(db, numbers, origin_number=origin_number, embedder=lane.name)
        if held is None else vectors.packed_among(held, numbers)
    )  # fmt: skip
    if not packed:
        return {}
    asked = coded_lane.code_of(db, lane, text, origin_number=origin_number)
    return {number: cosine(asked, code) for number, code in packed.items()}


def nearest(
    db: Connection, text: str, *, origin_number: int, limit: int, floor: float | None = None,
    held: Sequence[Chunk] | None = None,
) -> list[tuple[int, float]]:  # fmt: skip
    """Return (number, cosine) of the facts of an origin that are nearest to a text, nearest first:
    those of the embedder's floor or more. They may be archived, or of a scope that nobody asks for.
    `held` is as for `of_facts`.

    Empty where the embedder of the file is not learned; raises UnavailableError as `of_facts` does.
    """
    if not is_learned(db):
        return []
    lane = lanes.coded_lane(db, setting(db, "embedder", DEFAULT_EMBEDDER))
    held = chunks(db, origin_number=origin_number) if held is None else held
    if not held:
        return []
    least = lane.floor if floor is None else floor
    asked = coded_lane.code_of(db, lane, text, origin_number=origin_number)
    return lane.rough(asked, held, least, limit)


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


def near(view: View, text: str) -> Near | None:
    """Return the facts of an origin that are nearest to a question, None where none is near or the
    embedder knows nothing of its language; raises UnavailableError where the embedder of the file
    cannot be had here."""
    db, origin_number = view.db, view.number
    if not knows(db, text):
        return None
    held = chunks(db, origin_number=origin_number)
    found = nearest(
        db, text, origin_number=origin_number, limit=_NEAREST, floor=_LEAST_NEAR, held=held
    )
    if not found:
        return None
    least = found[min(_NEAREST, 1 + len(found) // 2) - 1][1]
    return Near(dict(found[:_TAKEN]), least, floor(db), held)


def joined(
    view: View, text: str, found: Near, ranked: Sequence[Match],
    beside: Mapping[int, Collection[int]], claiming: Collection[int],
) -> list[Match]:  # fmt: skip
    """Return the facts with the share of their likeness in their scores: 0.3 of the best score for
    the likest. Of those that are `claiming` who said them and where, only the text counts."""
    best = max((match.score for match in ranked), default=0.0) or 1.0
    rest = [match.seq for match in ranked if match.seq not in found.cosines]
    others = of_facts(view.db, text, rest, origin_number=view.number, held=found.held)
    cosines = {**others, **found.cosines}
    own = {
        match.seq: _own(match, cosines.get(match.seq), found.least, match.seq in claiming)
        for match in ranked
    }
    shares = {
        seq: share + worth.BESIDE * max([0.0, *(own.get(at, 0.0) for at in beside.get(seq, ()))])
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
    added = worth.LIKENESS_SHARE * share * match.why.modulator
    is_alone = not match.score
    weak = match.weak
    if is_alone or match.why.lane == "vector":
        weak = cosine is None or is_weak_likeness(cosine, floor=found.floor)
    why = replace(
        match.why, cosine=cosine, likeness=added,
        lane="vector" if is_alone else match.why.lane,
    )  # fmt: skip
    return replace(match, score=match.score + added, why=why, weak=weak)
