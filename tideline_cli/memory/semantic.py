"""The vector lane: facts that the words do not find, found by the similarity of vectors."""

from __future__ import annotations

import sys

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UnavailableError
from tideline_cli.memory.nearest import DECIMALS, Candidate, Nearest, PlainLane
from tideline_cli.memory.query import Backlog, Match
from tideline_cli.model.fact import role_weight, trust
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking import decay, fuse, worth
from tideline_cli.store import facts, vectors, visibility
from tideline_cli.store.connection import setting
from tideline_cli.vector.features import FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

    from tideline_cli.memory.coded_lane import CodedLane
    from tideline_cli.memory.nearest import Chunk, Lane, Rough
    from tideline_cli.memory.query import Query
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.vector.embedder import Embedder

    Vector = NDArray[np.float64]

# Facts that one recall embeds at most; the rest waits for the next, or for dream.
BACKLOG = 256
LEARNED_BACKLOG = 32

# Up to these, plain Python has finished before numpy is loaded.
PLAIN_VECTORS = 100_000
PLAIN_TEXTS = 32
PLAIN_CHARS = 4096
PLAIN_HITS = 64

_resolved: dict[str, Embedder] = {}  # by the name that vectors carry
_missing: dict[str, UnavailableError] = {}  # those that cannot be had, asked for once


def extended(
    db: Connection, query: Query, matches: list[Match], *, viewer: Origin, now: int, limit: int,
    weighs_roles: bool = True,
) -> tuple[list[Match], Backlog | None]:  # fmt: skip
    """Return the matches with recovered ones below them, at most `limit`, and the backlog.

    A recovered hit scores half the lowest lexical score · 0.9^rank · trust · modulator · role;
    ranks run over all recovered facts in order of cosine. In semantic mode the cosine takes the
    place of the first two factors.
    """
    origin_number = visibility.number(db, viewer)
    room = limit - len(matches)
    lane, chunks, backlog = _gathered(db, origin_number, room)
    floor = lane.floor if query.min_sim is None else query.min_sim
    asked = _asked(db, lane, query.text, origin_number)
    moment = now if query.wanted.as_of is None else query.wanted.as_of

    def read(seqs: Sequence[int]) -> dict[int, Candidate]:
        found = facts.among(db, seqs, viewer=viewer, wanted=query.wanted, now=now)
        return {
            seq: _candidate(seq, fact, query, moment, weighs_roles) for seq, fact in found.items()
        }

    def exact(text: str, approximate: float) -> float:
        return lane.exact(asked, text, approximate)

    known = {match.seq for match in matches}
    rough = lane.rough(asked, chunks, floor - lane.margin)
    rough = [pair for pair in rough if pair[0] not in known]
    alone = query.mode == "semantic"
    near = Nearest(rough, read, exact, floor=floor, margin=lane.margin, weighted=alone)
    base = None if alone else fuse.base([match.score for match in matches])
    is_learned = " " in lane.name
    found = _recovered(near, base, room, lane.floor, is_learned)
    return matches + found, backlog


def embedder_of(db: Connection) -> Embedder:
    """Return the embedder of a file; raises UnavailableError where it cannot be had here."""
    return embedder_named(db, setting(db, "embedder", DEFAULT_EMBEDDER))


def embedder_named(db: Connection, name: str) -> Embedder:
    """Return an embedder by the name that its vectors carry. It is resolved once, so that it keeps
    what it has learned."""
    if name in _missing:
        raise _missing[name]
    if name not in _resolved:
        from tideline_cli.memory.choice import made  # noqa: PLC0415  loads numpy

        try:
            _resolved[name] = made(db, name)
        except UnavailableError as error:
            _missing[name] = error
            raise
    return _resolved[name]


def forget_named() -> None:
    """Look for embedders anew: one may be installed, or its folder may have changed."""
    _resolved.clear()
    _missing.clear()


def lane_of(db: Connection, *, large: bool = False) -> Lane[Any]:
    """Return the way to compare vectors of a file's embedder, the lightest that is fit for few
    texts; with `large`, for many. An embedder that must be loaded may raise UnavailableError."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    if " " in name:
        return coded_lane(db, name)
    if large or not _is_plain(db):
        return ArrayLane(embedder_of(db))
    return PlainLane()


def is_slow(db: Connection) -> bool:
    """Say whether the embedder of a file takes too long for a transaction, or for a write."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    if " " not in name:
        return False
    from tideline_cli.vector.embedders.kinds import known_kind  # noqa: PLC0415  learned embedders alone
    from tideline_cli.vector.embedders.names import split_name  # noqa: PLC0415  as above

    kind = known_kind(split_name(name).spec)
    return kind is None or kind.is_slow


def can_embed(db: Connection) -> bool:
    """Say whether the embedder of a file is here, and quick enough for an open transaction."""
    if is_slow(db):
        return False
    try:
        return bool(embedder_of(db).name)
    except UnavailableError:
        return False


def coded_lane(db: Connection, name: str) -> CodedLane:
    """Return the way to compare vectors of a learned embedder."""
    from tideline_cli.memory.coded_lane import CodedLane  # noqa: PLC0415  learned embedders alone
    from tideline_cli.vector.embedders.kinds import known_kind  # noqa: PLC0415  as above
    from tideline_cli.vector.embedders.names import split_name  # noqa: PLC0415  as above

    kind = known_kind(split_name(name).spec)
    return CodedLane(name, lambda: embedder_named(db, name), kind.floor if kind else FLOOR)


def store_backlog(db: Connection, backlog: Backlog) -> None:
    """Store the vectors of a backlog."""
    vectors.append(
        db,
        list(backlog.numbers),
        backlog.codes,
        origin_number=backlog.origin_number,
        embedder=backlog.embedder,
        ids=backlog.ids,
    )


def diversify(
    db: Connection, query: Query, matches: list[Match], *, viewer: Origin
) -> list[Match]:
    """Return the best `query.limit` of the matches by maximal marginal relevance."""
    from tideline_cli.ranking import diversity  # noqa: PLC0415  only with --mmr

    read = facts.get(db, [match.seq for match in matches], viewer=viewer)
    if not matches:
        return []
    texts = [read[match.seq].content for match in matches]
    lane = lane_of(db, large=not _are_few(texts))
    chosen = diversity.mmr_order(
        [match.score for match in matches], lane.likeness(texts), query.mmr, query.limit
    )
    return [matches[i] for i in chosen]


def embed_backlog(db: Connection, *, origin_number: int, limit: int) -> int:
    """Embed and store up to `limit` facts of an origin that have no vector; return how many."""
    lane = lane_of(db)
    waiting = vectors.backlog(db, origin_number=origin_number, embedder=lane.name, limit=limit)
    texts = [text for _, text, _ in waiting]
    if not _are_few(texts):
        lane = lane_of(db, large=True)
    if waiting:
        numbers = [seq for seq, *_ in waiting]
        vectors.append(
            db, numbers, lane.packed(texts), origin_number=origin_number, embedder=lane.name
        )
    return len(waiting)


class ArrayLane:
    """Similarity by any embedder, for any number of vectors. Loads numpy, 55 to 60 ms."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.floor = embedder.floor
        self.margin = embedder.tolerance if embedder.exact else 0.0

    def embed(self, text: str) -> Vector:
        vector: Vector = self._embedder.embed([text])[0]
        return vector

    def packed(self, texts: Sequence[str]) -> bytes:
        return self._embedder.embed_packed(texts).tobytes()

    def rough(self, asked: Vector, chunks: Sequence[Chunk], least: float) -> Rough:
        from tideline_cli.vector import search  # noqa: PLC0415  numpy, 80 ms
        from tideline_cli.vector.arrays import np  # noqa: PLC0415  as above

        size = self._embedder.code_size
        blocks = (
            (
                np.frombuffer(numbers, dtype="<u4").astype(np.int64),
                np.frombuffer(codes, dtype=np.uint8).reshape(-1, size),
            )
            for numbers, codes in chunks
        )
        floor = least + self.margin  # `best` counts from the embedder's tolerance below
        seqs, scores = search.best(self._embedder, asked, blocks, floor=floor)
        return list(zip(seqs.tolist(), scores.tolist(), strict=True))

    def exact(self, asked: Vector, text: str, approximate: float) -> float:
        return self._cosine(asked, self.embed(text)) if self._embedder.exact else approximate

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made = self._embedder.embed(texts)
        return lambda a, b: self._cosine(made[a], made[b])

    @staticmethod
    def _cosine(left: Vector, right: Vector) -> float:
        from tideline_cli.vector.embedder import cosine  # noqa: PLC0415  numpy, 80 ms

        return round(cosine(left, right), DECIMALS)


def _gathered(
    db: Connection, origin_number: int, room: int
) -> tuple[Lane[Any], list[Chunk], Backlog | None]:
    """Return the lane for an origin, all vectors of the origin, and those that are not stored yet.
    """
    lane = lane_of(db)
    chunks = list(vectors.chunks(db, origin_number=origin_number, embedder=lane.name))
    most = LEARNED_BACKLOG if " " in lane.name else BACKLOG
    waiting = vectors.backlog(db, origin_number=origin_number, embedder=lane.name, limit=most)
    texts = [text for _, text, _ in waiting]
    count = sum(len(numbers) for numbers, _ in chunks) // 4 + len(texts)
    if count > PLAIN_VECTORS or min(room, count) > PLAIN_HITS or not _are_few(texts):
        lane = lane_of(db, large=True)
    if not waiting:
        return lane, chunks, None
    numbers = tuple([seq for seq, *_ in waiting])
    ids = tuple([fact_id for *_, fact_id in waiting])
    backlog = Backlog(origin_number, lane.name, numbers, lane.packed(texts), ids)
    chunks.append((b"".join([seq.to_bytes(4, "little") for seq in numbers]), backlog.codes))
    return lane, chunks, backlog


def _asked(db: Connection, lane: Lane[Any], text: str, origin_number: int) -> Any:
    """Return the vector of a question; that of a learned embedder is kept."""
    if " " not in lane.name:
        return lane.embed(text)
    from tideline_cli.memory import questions  # noqa: PLC0415  learned embedders alone

    return questions.code_of(db, lane, text, origin_number=origin_number)  # type: ignore[arg-type]


def _is_plain(db: Connection) -> bool:
    """Say whether a few texts are compared faster in plain Python than with numpy."""
    return setting(db, "embedder", DEFAULT_EMBEDDER) == PlainLane.name and not _numpy_is_loaded()


def _numpy_is_loaded() -> bool:
    return "numpy" in sys.modules


def _are_few(texts: Sequence[str]) -> bool:
    return len(texts) <= PLAIN_TEXTS and sum(map(len, texts)) <= PLAIN_CHARS


def _candidate(
    seq: int, fact: Fact, query: Query, now: int, weighs_roles: bool
) -> Candidate:
    immune = decay.is_immune(fact.tier, fact.pinned) or not query.depth
    days = (now - fact.last_accessed_at) / DAY_MS
    power = decay.strength(fact.importance, fact.decay_rate, fact.access_count, days, immune=immune)
    weight = trust(fact.source, fact.confidence)
    spoken = role_weight(fact.role) if weighs_roles else 1.0
    return Candidate(seq, fact, power, decay.modulator(power, query.depth), weight, spoken)


def _recovered(
    near: Nearest, base: float | None, room: int, floor: float, is_learned: bool
) -> list[Match]:
    """Return the best `room` of the nearest, in order; without a base the cosine is the score.
    `floor` is that of the embedder, which may be learned."""
    found: list[Match] = []
    while len(found) < room or (base is not None and near.has(found[room - 1].score, base)):
        item = near.next()
        if item is None:
            break
        found.append(_match(*item, len(found), base, floor, is_learned))
        found.sort(key=Match.order)
    return found[:room]


def _match(
    candidate: Candidate, cosine: float, rank: int, base: float | None, floor: float,
    is_learned: bool,
) -> Match:  # fmt: skip
    fact, weight, factor = candidate.fact, candidate.trust, candidate.modulator
    damping = None if base is None else fuse.damping(rank)
    score = cosine if base is None or damping is None else base * damping
    why = Breakdown(
        None, (), candidate.strength, factor, weight, "vector", cosine, base, damping,
        role=candidate.role, similarity=cosine if is_learned else None,
    )  # fmt: skip
    weak = worth.is_weak_likeness(cosine, floor=floor)
    score = score * weight * factor * candidate.role
    return Match(candidate.seq, fact.id, fact.created_at, score, why, weak)
