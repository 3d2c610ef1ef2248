"""Facts that mean what a new one says, by the likeness of a learned embedder: they are looked for
before the new fact is stored, where a call or a setting asks for that."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UsageError
from tideline_cli.memory import lanes, likeness, semantic
from tideline_cli.model.record import record
from tideline_cli.policy.gate import may_end, may_touch
from tideline_cli.policy.sameness import apart
from tideline_cli.policy.subjects import subject_key
from tideline_cli.store import facts, vectors, visibility
from tideline_cli.store.connection import setting
from tideline_cli.store.facts import Filter
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.model.fact import Fact, NewFact

SEMANTIC_AT = 0.92
"""The least cosine of two facts that may say the same. Source: RsClaw, dedup_threshold."""
SMART_ABOVE = 0.75
"""The cosine above which a fact may be a new value of another: a squared distance below 0.50.
Source: VectorMemory, smart update."""
_MOST = 20  # candidates, the nearest first
_LOOKED_AT = 500  # the nearest of an origin, whatever they are: those are looked for among them
_BACKLOG = 512  # facts without a vector that are embedded first


@record
class Likened:
    """What a new fact is like: the ids of the facts that it may restate by its meaning, and of
    those whose value it replaces. `waiting`: facts without a vector, which were not compared."""

    meant: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    waiting: int = 0


def likened(db: Connection, new: NewFact, *, how: str, now: int) -> Likened:
    """Return what a new fact is like. A fact in a slot replaces by its slot alone, and a chunk of a
    document is like no fact. One that does not hold now replaces nothing that does.

    Raises UsageError where the embedder of the file is not learned, and UnavailableError where it
    cannot be had here.
    """
    if not likeness.is_learned(db):
        raise UsageError(
            f"--dedup {how} needs a learned embedder", hint="see `tideline embedder list`"
        )
    origin_number = visibility.number(db, new.origin)
    is_apart = new.slot is not None or new.document is not None
    if is_apart or origin_number == visibility.NOBODY:
        return Likened()
    if how == "smart" and not _holds(new, now):
        return Likened()
    waiting = _embedded(db, origin_number)
    near = _near(db, new, at=SEMANTIC_AT if how == "semantic" else SMART_ABOVE, now=now,
                 origin_number=origin_number)  # fmt: skip
    if how == "semantic":
        return Likened(meant=tuple(fact.id for fact, _ in near), waiting=waiting)
    alike = (fact for fact, cosine in near if cosine > SMART_ABOVE)
    return Likened(replaces=tuple(_replaced(new, alike)), waiting=waiting)


def _embedded(db: Connection, origin_number: int) -> int:
    """Embed the facts that have no vector, up to a limit; return how many are left."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    with writing(db):
        semantic.embed_backlog(db, origin_number=origin_number, limit=_BACKLOG)
    left = vectors.backlog(db, origin_number=origin_number, embedder=name, limit=_BACKLOG)
    return len(left)


def _near(
    db: Connection, new: NewFact, *, at: float, now: int, origin_number: int
) -> list[tuple[Fact, float]]:
    """Return the active facts that hold now, of the same scope, without a slot and no chunks, and
    their cosines, nearest first."""
    lane = lanes.coded_lane(db, setting(db, "embedder", DEFAULT_EMBEDDER))
    chunks = list(vectors.chunks(db, origin_number=origin_number, embedder=lane.name))
    rough = lane.rough(lane.packed([new.content]), chunks, at) if chunks else []
    wanted = Filter(scopes=(new.scope,), documents=())
    found: list[tuple[Fact, float]] = []
    for start in range(0, min(len(rough), _LOOKED_AT), _MOST):
        cosines = dict(rough[start : start + _MOST])
        read = facts.among(db, list(cosines), viewer=new.origin, wanted=wanted, now=now)
        found += ((read[seq], cosine) for seq, cosine in cosines.items()
                  if seq in read and read[seq].slot is None)  # fmt: skip
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def _holds(new: NewFact, now: int) -> bool:
    begun = new.valid_from is None or new.valid_from <= now
    return begun and (new.valid_to is None or new.valid_to > now)


def _may_replace(new: NewFact, fact: Fact) -> bool:
    return may_touch(new.source, fact.source) and may_end(new.source, new.agent, fact)


def _replaced(new: NewFact, near: Iterable[Fact]) -> list[str]:
    """Return the nearest fact that says another value of the same subject: of the same kind and
    segment, and of a source that the new one may replace."""
    key = subject_key(new.content)
    for fact in near:
        same = apart(new.content, fact.content, rule="strict", learned=True) is None
        fits = fact.kind == new.kind and fact.segment == new.segment and not fact.pinned
        if key and fits and not same and subject_key(fact.content) == key:
            return [fact.id] if _may_replace(new, fact) else []
    return []
