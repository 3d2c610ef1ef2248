"""The vector lane: facts that the words do not find, found by the similarity of vectors."""

from __future__ import annotations

from itertools import islice

from tideline_cli.memory.lanes import lane_of
from tideline_cli.memory.nearest import Candidate, Held, Nearest
from tideline_cli.memory.query import Backlog, Match, weights_of
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.text import content_words
from tideline_cli.ranking import worth
from tideline_cli.store import facts, fts, reads, vector_counts, vectors
from tideline_cli.vector.features import HRR, WORD_BAGS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

    from tideline_cli.memory.nearest import Lane
    from tideline_cli.memory.query import Query
    from tideline_cli.memory.search import Search, View
    from tideline_cli.model.fact import Fact
    from tideline_cli.store.reads import Read

    Vector = NDArray[np.float64]

LEARNED_BACKLOG = 32
"""Facts that one recall embeds at most by a learned embedder."""

# Up to these, plain Python has finished before numpy is loaded. Vectors it compares as fast.
PLAIN_TEXTS = 32
PLAIN_CHARS = 4096
PLAIN_HITS = 64


def extended(
    view: View, search: Search, matches: list[Match], met: dict[int, Fact], *,
    archived: Mapping[str, int] | None = None,
) -> tuple[list[Match], Backlog | None, Mapping[str, int] | None]:  # fmt: skip
    """Return the matches with recovered ones below them, as many as are wanted, the backlog, and in
    how many archived facts each term of the question occurs, where that is known or asked on the
    way. The facts that are read are added to those that were `met`.

    A recovered hit scores half the lowest lexical score · 0.9^rank · trust · modulator · role;
    ranks run over all recovered facts in order of cosine. In semantic mode the cosine takes the
    place of the first two factors.
    """
    query = search.query
    room = search.limit - len(matches)
    others: list[Read[dict[str, int]]] = []
    if archived is None and view.origin.has_archived and query.wanted.as_of is None:
        others = [fts.archived_counts(search.question.terms, origin_number=view.number)]
    lane, held, backlog, counts = _gathered(view, room, *others)
    archived = counts[0] if counts else archived
    floor = lane.floor if query.min_sim is None else query.min_sim
    asked = _asked(view, lane, query.text)
    read = _reader(view, query, met, weighs_roles=search.weighs_roles)

    def exact(text: str, approximate: float) -> float:
        return lane.exact(asked, text, approximate)

    known = {match.seq for match in matches}
    near_ones = lane.rough(asked, held, floor - lane.margin)
    rough = (pair for pair in near_ones if pair[0] not in known)
    alone = query.mode == "semantic"
    near = Nearest(rough, read, exact, floor=floor, margin=lane.margin, weighted=alone)
    base = None if alone else worth.vector_base([match.score for match in matches])
    found = _recovered(near, base, room, lane.floor)
    return matches + found, backlog, archived


def likest(
    view: View, query: Query, texts: Sequence[str], *, limit: int, floor: float | None
) -> tuple[list[list[tuple[Candidate, float]]], Backlog | None]:
    """Return for each of some texts the facts that a query asks for and that are most like it, with
    their cosines, at most `limit`, and the backlog; `floor` None is the embedder's. What
    waits is embedded once."""
    lane, held, backlog, _ = _gathered(view, limit)
    least = lane.floor if floor is None else floor
    # Nothing is like a text without words.
    asked = [
        None if lane.name in WORD_BAGS and not words(text)
        else _asked(view, lane, text)
        for text in texts
    ]  # fmt: skip
    read = _reader(view, query, {})
    found: list[list[tuple[Candidate, float]]] = []
    for one in asked:
        rough = () if one is None else lane.rough(one, held, least - lane.margin)
        near = Nearest(
            rough, read, _exact_by(lane, one), floor=least, margin=lane.margin, weighted=False
        )
        found.append([*islice(iter(near.next, None), limit)])
    return found, backlog


def _exact_by(lane: Lane[Any], asked: Any) -> Callable[[str, float], float]:
    return lambda text, approximate: lane.exact(asked, text, approximate)


def _reader(
    view: View, query: Query, met: dict[int, Fact], *, weighs_roles: bool = True
) -> Callable[[Sequence[int]], dict[int, Candidate]]:
    """Return the function that reads some facts as a query asks, and adds them to those `met`."""
    moment = view.instant(query.wanted)

    def read(seqs: Sequence[int]) -> dict[int, Candidate]:
        found = facts.among(view.db, seqs, viewer=view.viewer, wanted=query.wanted, now=view.now)
        met.update(found)
        return {
            seq: Candidate(
                seq, fact, *weights_of(fact, query, now=moment, weighs_roles=weighs_roles)
            )
            for seq, fact in found.items()
        }

    return read


def _embedded(view: View, text: str, embedder: str) -> str:
    """Return of a question what is embedded: the words of the stop list are like others by their
    letters alone. A learned embedder, and the reference, take it whole."""
    if embedder not in WORD_BAGS or view.origin.analyzer == "reference":
        return text
    return content_words(text)


def cosines_of(view: View, text: str, seqs: Sequence[int]) -> dict[int, float]:
    """Return the cosines of a text and of those of some facts that have a vector, by number."""
    if view.is_learned:
        from tideline_cli.memory import likeness  # noqa: PLC0415  learned embedders alone

        return likeness.of_facts(view.db, text, seqs, origin_number=view.number)
    read = facts.get(view.db, seqs, viewer=view.viewer)
    lane = lane_of(view.db, large=not are_few([fact.content for fact in read.values()]))
    asked = _asked(view, lane, text)
    return {seq: lane.exact(asked, fact.content, 0.0) for seq, fact in read.items()}


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


def embed_backlog(db: Connection, *, origin_number: int, limit: int) -> int:
    """Embed and store up to `limit` facts of an origin that have no vector; return how many."""
    name = lane_of(db).name
    waiting = vectors.backlog(db, origin_number=origin_number, embedder=name, limit=limit)
    return embed_waiting(db, waiting, origin_number=origin_number)


def embed_waiting(
    db: Connection, waiting: Sequence[tuple[int, str, str]], *, origin_number: int
) -> int:
    """Embed and store facts that wait for that, as `vectors.backlog` returns them; return how many.
    """
    texts = [text for _, text, _ in waiting]
    lane = lane_of(db, large=not are_few(texts))
    if waiting:
        numbers = [seq for seq, *_ in waiting]
        vectors.append(
            db, numbers, lane.packed(texts), origin_number=origin_number, embedder=lane.name
        )
    return len(waiting)


def _gathered(
    view: View, room: int, *others: Read[Any]
) -> tuple[Lane[Any], Held, Backlog | None, list[Any]]:
    """Return the lane for an origin, all vectors of the origin, and those of them that are not
    stored yet; and what the other reads say."""
    db, number, name = view.db, view.number, view.embedder
    lane = lane_of(db, name=name)
    held = Held(db, origin_number=number, embedder=lane.name)
    most = LEARNED_BACKLOG if view.is_learned else vectors.BACKLOG
    first = vectors.waiting(origin_number=number, embedder=lane.name, limit=most)
    if reads.has_trips(db) and name == HRR and room <= PLAIN_HITS:
        halves = vectors.all_halves(origin_number=number, embedder=lane.name)
        waiting, held.known, *said = reads.together(db, first, halves, *others)
    else:
        waiting, *said = reads.together(db, first, *others)
    texts = [text for _, text, _ in waiting]
    if room > PLAIN_HITS or not are_few(texts):
        count = len(texts) + vector_counts.made_count(db, origin_number=number, embedder=lane.name)
        if count > PLAIN_HITS or not are_few(texts):
            lane = lane_of(db, large=True, name=name)
    if not waiting:
        return lane, held, None, said
    numbers = tuple([seq for seq, *_ in waiting])
    ids = tuple([fact_id for *_, fact_id in waiting])
    backlog = Backlog(number, lane.name, numbers, lane.packed(texts), ids)
    held.last = b"".join([seq.to_bytes(4, "little") for seq in numbers]), backlog.codes
    return lane, held, backlog, said


def _asked(view: View, lane: Lane[Any], text: str) -> Any:
    """Return the vector of a question; that of a learned embedder is kept."""
    if " " not in lane.name:
        return lane.embed(_embedded(view, text, lane.name))
    from tideline_cli.memory import coded_lane  # noqa: PLC0415  learned embedders alone

    return coded_lane.code_of(view.db, lane, text, origin_number=view.number)  # type: ignore[arg-type]


def are_few(texts: Sequence[str]) -> bool:
    """Say whether texts are compared before numpy would be loaded."""
    return len(texts) <= PLAIN_TEXTS and sum(map(len, texts)) <= PLAIN_CHARS


def _recovered(near: Nearest, base: float | None, room: int, floor: float) -> list[Match]:
    """Return the best `room` of the nearest, in order; `floor` is that of the embedder."""
    found: list[Match] = []
    while len(found) < room or (base is not None and near.has(found[room - 1].score, base)):
        item = near.next()
        if item is None:
            break
        found.append(_match(*item, len(found), base, floor))
        found.sort(key=Match.order)
    return found[:room]


def _match(
    candidate: Candidate, cosine: float, rank: int, base: float | None, floor: float
) -> Match:
    fact, weight, factor = candidate.fact, candidate.trust, candidate.modulator
    damping = None if base is None else worth.vector_damping(rank)
    score = cosine if base is None or damping is None else base * damping
    why = Breakdown(
        None, (), candidate.strength, factor, weight, "vector", cosine, base, damping,
        role=candidate.role,
    )  # fmt: skip
    weak = worth.is_weak_likeness(cosine, floor=floor)
    score = score * weight * factor * candidate.role
    return Match(candidate.seq, fact.id, fact.created_at, score, why, weak)
