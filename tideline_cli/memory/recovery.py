"""The vector lane: facts that the words missed, found by likeness. Loads numpy."""

from __future__ import annotations

import numpy as np

from tideline_cli.memory.lexical import Match
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record, replace
from tideline_cli.ranking import decay, diversity, fuse
from tideline_cli.ranking.trust import trust
from tideline_cli.store import facts, vectors, visibility
from tideline_cli.store.connection import setting
from tideline_cli.vector import search
from tideline_cli.vector.embedder import cosine, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from apsw import Connection
    from numpy.typing import NDArray

    from tideline_cli.memory.recall import Query
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.vector.embedder import Embedder

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]
    Codes = NDArray[np.uint8]

DEFAULT_EMBEDDER = "hrr-256"
BACKLOG = 256  # facts that one recall embeds at most; the rest waits for the next, or for dream
_READ = 64  # candidates read at a time


_resolved: dict[str, Embedder] = {}


@record
class Backlog:
    """Vectors made by a recall for facts that had none, to be stored after the answer."""

    origin: int
    embedder: str
    numbers: tuple[int, ...]
    codes: bytes


def extended(
    db: Connection, query: Query, matches: list[Match], *, viewer: Origin, now: int, limit: int
) -> tuple[list[Match], Backlog | None]:
    """Return the matches with recovered ones below them, at most `limit`, and the backlog.

    A recovered hit scores half the lowest lexical score · 0.9^rank · trust · modulator; ranks
    run over all recovered facts in order of cosine. Alone (semantic mode), likeness itself takes
    the place of the first two.
    """
    embedder = embedder_of(db)
    origin = visibility.number(db, viewer)
    asked = embedder.embed([query.text])[0]
    floor = embedder.floor if query.min_sim is None else query.min_sim
    backlog = _embedded_backlog(db, embedder, origin)
    known = {match.seq for match in matches}
    rough = search.best(embedder, asked, _stored(db, embedder, origin, backlog), floor=floor)

    def read(seqs: Sequence[int]) -> dict[int, Fact]:
        return facts.among(db, seqs, viewer=viewer, wanted=query.wanted, now=now)

    near = _near(embedder, asked, floor, rough, read, known, query.limit * 4 + _READ)
    base = fuse.base([match.score for match in matches])
    found: list[Match] = []
    factors: list[float] = []
    moment = now if query.wanted.as_of is None else query.wanted.as_of
    for rank, (seq, fact, likeness) in enumerate(near):
        if not fuse.ranks_that_matter(factors, limit) and query.mode != "semantic":
            break
        match = _recovered(seq, fact, likeness, rank, base, query, moment)
        factors.append(match.score / base if base else 0.0)
        found.append(match)
    found.sort(key=Match.order)
    return (matches + found)[:limit], backlog


def embedder_of(db: Connection) -> Embedder:
    """Return the embedder of a file; one that was resolved keeps what it has learned."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    if name not in _resolved:
        _resolved[name] = resolve(name)
    return _resolved[name]


def keep(db: Connection, backlog: Backlog) -> None:
    """Store the vectors of a backlog."""
    vectors.append(
        db,
        list(backlog.numbers),
        backlog.codes,
        origin=backlog.origin,
        embedder=backlog.embedder,
    )


def diversified(
    db: Connection, query: Query, matches: list[Match], *, viewer: Origin
) -> list[Match]:
    """Return the best `query.limit` of the matches by maximal marginal relevance."""
    embedder = embedder_of(db)
    read = facts.get(db, [match.seq for match in matches], viewer=viewer)
    if not matches:
        return []
    made = embedder.embed([read[match.seq].content for match in matches])
    chosen = diversity.diversified(
        [match.score for match in matches],
        lambda a, b: cosine(made[a], made[b]),
        query.mmr,
        query.limit,
    )
    return [matches[i] for i in chosen]


def embed_backlog(db: Connection, *, origin: int, limit: int) -> int:
    """Embed and store up to `limit` facts of an origin that have no vector; return how many."""
    embedder = embedder_of(db)
    waiting = vectors.backlog(db, origin=origin, embedder=embedder.name, limit=limit)
    if waiting:
        codes = embedder.embed_packed([text for _, text in waiting]).tobytes()
        numbers = [seq for seq, _ in waiting]
        vectors.append(db, numbers, codes, origin=origin, embedder=embedder.name)
    return len(waiting)


def _embedded_backlog(db: Connection, embedder: Embedder, origin: int) -> Backlog | None:
    waiting = vectors.backlog(db, origin=origin, embedder=embedder.name, limit=BACKLOG)
    if not waiting:
        return None
    codes = embedder.embed_packed([text for _, text in waiting]).tobytes()
    return Backlog(origin, embedder.name, tuple(seq for seq, _ in waiting), codes)


def _near(
    embedder: Embedder, asked: Vector, floor: float, rough: tuple[Numbers, Vector],
    read: Callable[[Sequence[int]], dict[int, Fact]], known: set[int], enough: int,
) -> list[tuple[int, Fact, float]]:  # fmt: skip
    """Return (number, fact, cosine) of what is at least as near as the floor, nearest first.

    The cosines of packed vectors are near enough to choose by; where the embedder can make the
    vectors again they are made exact, so that neither order nor floor depends on the packing.
    """
    near: list[tuple[int, Fact, float]] = []
    pairs = [(int(seq), float(c)) for seq, c in zip(*rough, strict=True) if int(seq) not in known]
    for start in range(0, len(pairs), _READ):
        part = pairs[start : start + _READ]
        found = read([seq for seq, _ in part])
        part = [(seq, c) for seq, c in part if seq in found]
        exact = _cosines(embedder, asked, [found[seq].content for seq, _ in part], part)
        near += [
            (seq, found[seq], c) for (seq, _), c in zip(part, exact, strict=True) if c >= floor
        ]
        if len(near) >= enough:
            break
    near.sort(key=lambda item: (-item[2], -item[1].created_at, item[1].id))
    return near


def _stored(
    db: Connection, embedder: Embedder, origin: int, backlog: Backlog | None
) -> Iterator[tuple[Numbers, Codes]]:
    rows = list(vectors.chunks(db, origin=origin, embedder=embedder.name))
    if backlog is not None:
        numbers = np.array(backlog.numbers, dtype="<u4")
        rows.append((numbers.tobytes(), backlog.codes))
    for numbers_raw, codes in rows:
        yield (
            np.frombuffer(numbers_raw, dtype="<u4").astype(np.int64),
            np.frombuffer(codes, dtype=np.uint8).reshape(-1, embedder.code_size),
        )


def _cosines(
    embedder: Embedder, asked: Vector, texts: list[str], part: list[tuple[int, float]]
) -> list[float]:
    if not embedder.exact:
        return [c for _, c in part]
    return [cosine(asked, vector) for vector in embedder.embed(texts)] if texts else []


def _recovered(
    seq: int, fact: Fact, likeness: float, rank: int, base: float, query: Query, now: int
) -> Match:
    immune = decay.is_immune(fact.tier, fact.pinned) or query.decay == "none"
    days = (now - fact.last_accessed_at) / DAY_MS
    power = decay.strength(fact.importance, fact.decay_rate, fact.access_count, days, immune=immune)
    weight = trust(fact.source, fact.confidence)
    factor = decay.modulator(power)
    why = Breakdown(None, (), power, factor, weight, "vector", likeness)
    if query.mode == "semantic":
        return Match(seq, fact.id, fact.created_at, likeness * weight * factor, why)
    damping = fuse.damping(rank)
    why = replace(why, base=base, damping=damping)
    return Match(seq, fact.id, fact.created_at, base * damping * weight * factor, why)
