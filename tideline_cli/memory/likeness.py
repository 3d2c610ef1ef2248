"""Cosines of a question and facts by the learned embedder of a file, for those who rank by them."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory import lanes, questions
from tideline_cli.store import vectors
from tideline_cli.store.connection import setting
from tideline_cli.vector.embedders.codes import cosine
from tideline_cli.vector.embedders.names import split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.nearest import Chunk


def is_learned(db: Connection) -> bool:
    """Say whether a file has a learned embedder, without loading it."""
    return " " in setting(db, "embedder", DEFAULT_EMBEDDER)


def knows(db: Connection, text: str) -> bool:
    """Say whether the learned embedder of a file may know the words of a question: one of English
    knows none of a question without Latin letters."""
    if any("a" <= char <= "z" for char in text.lower()):
        return True
    from tideline_cli.vector.embedders.kinds import known_kind  # noqa: PLC0415  few questions

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
    asked = questions.code_of(db, lane, text, origin_number=origin_number)
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
    asked = questions.code_of(db, lane, text, origin_number=origin_number)
    return lane.rough(asked, held, least, limit)
