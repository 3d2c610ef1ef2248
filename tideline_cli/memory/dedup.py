"""Facts that mean what a new one says, by the likeness of a learned embedder: they are looked for
before the new fact is stored, where a call or a setting asks for that."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UsageError
from tideline_cli.memory import lanes, likeness, semantic
from tideline_cli.model.record import record
from tideline_cli.policy.gate import may_end, may_touch
from tideline_cli.policy.sameness import says_same
from tideline_cli.store import facts, vectors, visibility
from tideline_cli.store.connection import setting, writing
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.memory.nearest import Rough
    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.origin import Origin

SEMANTIC_AT = 0.92
"""The least cosine of two facts that may say the same. Source: RsClaw, dedup_threshold."""
SMART_ABOVE = 0.75
"""The cosine above which a fact may be a new value of another: a squared distance below 0.50.
Source: VectorMemory, smart update."""
_MOST = 20  # candidates, the nearest first
_LOOKED_AT = 500  # the nearest of an origin, whatever they are: those are looked for among them
_BACKLOG = 512  # facts without a vector that are embedded first

_VERBS = frozenset(("is", "are", "was", "were"))
_IDLE = frozenset((
    "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "user", "users", "user's",
    "of", "in", "on", "at", "for", "to", "and", "or", "that", "this",
))  # fmt: skip


@record
class Likened:
    """What a new fact is like: the ids of the facts that it may restate by its meaning, and of
    those whose value it replaces. `waiting`: facts without a vector, which were not compared."""

    meant: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    waiting: int = 0


def likened_all(
    db: Connection, news: Sequence[NewFact], *, viewer: Origin, how: str, now: int
) -> list[Likened]:
    """Return for each of some new facts of an origin what it is like, among the facts that are
    stored: their texts are embedded at once, and the vectors are read once.

    A fact in a slot replaces by its slot alone, and a chunk of a document is like no fact. One that
    does not hold now replaces nothing that does. Raises UsageError where the embedder of the file
    is not learned, and UnavailableError where it cannot be had here.
    """
    if not likeness.is_learned(db):
        raise UsageError(
            f"--dedup {how} needs a learned embedder", hint="see `tideline embedder list`"
        )
    origin_number = visibility.number(db, viewer)
    asked = [place for place, new in enumerate(news) if _is_compared(new, how, now)]
    found = [Likened()] * len(news)
    if not asked or origin_number == visibility.NOBODY:
        return found
    waiting = _embedded(db, origin_number)
    least = SEMANTIC_AT if how == "semantic" else SMART_ABOVE
    rough = _rough(db, [news[place].content for place in asked], least, origin_number)
    for place, near in zip(asked, rough, strict=True):
        new = news[place]
        read = _near(db, new, near, now=now)
        if how == "semantic":
            found[place] = Likened(meant=tuple(fact.id for fact, _ in read), waiting=waiting)
        else:
            alike = (fact for fact, cosine in read if cosine > SMART_ABOVE)
            found[place] = Likened(replaces=tuple(_replaced(new, alike)), waiting=waiting)
    return found


def _is_compared(new: NewFact, how: str, now: int) -> bool:
    if new.slot is not None or new.document is not None:
        return False
    begun = new.valid_from is None or new.valid_from <= now
    holds = begun and (new.valid_to is None or new.valid_to > now)
    return holds or how == "semantic"


def _embedded(db: Connection, origin_number: int) -> int:
    """Embed the facts that have no vector, up to a limit; return how many are left."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    with writing(db):
        semantic.embed_backlog(db, origin_number=origin_number, limit=_BACKLOG)
    left = vectors.backlog(db, origin_number=origin_number, embedder=name, limit=_BACKLOG)
    return len(left)


def _rough(db: Connection, texts: Sequence[str], at: float, origin_number: int) -> Iterator[Rough]:
    """Yield for each text the numbers of the facts of an origin that are so near to it, and their
    cosines, nearest first."""
    lane = lanes.coded_lane(db, setting(db, "embedder", DEFAULT_EMBEDDER))
    chunks = list(vectors.chunks(db, origin_number=origin_number, embedder=lane.name))
    if not chunks:
        yield from ([] for _ in texts)
        return
    made, size = lane.packed(texts), lane.code_size
    numbers, held = (b"".join(parts) for parts in zip(*chunks, strict=True))
    for start in range(0, len(made), size):
        yield lane.rough(made[start : start + size], [(numbers, held)], at)


def _near(db: Connection, new: NewFact, rough: Rough, *, now: int) -> list[tuple[Fact, float]]:
    """Return the active facts that hold now, of the same scope, without a slot and no chunks, and
    their cosines, nearest first."""
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


def _may_replace(new: NewFact, fact: Fact) -> bool:
    return may_touch(new.source, fact.source) and may_end(new.source, new.agent, fact)


def _replaced(new: NewFact, near: Iterable[Fact]) -> list[str]:
    """Return the nearest fact that says another value of the same subject: of the same kind and
    segment, and of a source that the new one may replace."""
    key = subject_key(new.content)
    for fact in near:
        same = says_same(new.content, fact.content, rule="strict")
        fits = fact.kind == new.kind and fact.segment == new.segment and not fact.pinned
        if key and fits and not same and subject_key(fact.content) == key:
            return [fact.id] if _may_replace(new, fact) else []
    return []


def subject_key(text: str) -> frozenset[str]:
    """Return the telling words before the first form of `be`; empty where there are none."""
    words = [_bare(word) for word in text.lower().split()]
    for place, word in enumerate(words):
        if word in _VERBS:
            return frozenset(word for word in words[:place] if word and word not in _IDLE)
    return frozenset()


def _bare(word: str) -> str:
    """Return a word without marks around it and without a possessive ending."""
    while word and not word[0].isalnum():
        word = word[1:]
    while word and not word[-1].isalnum():
        word = word[:-1]
    return word if word in _IDLE else word.removesuffix("'s").removesuffix("’s")
