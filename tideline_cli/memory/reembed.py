"""The choice of an embedder, and making its vectors: whole, in short steps, while others recall.

The setting `embedder` names the vectors that recall compares. `embedder_next` names those that are
being made: recall goes on with the others until the last of them is there.
"""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory.lanes import embedder_named
from tideline_cli.model.origin import EVERYONE, Origin
from tideline_cli.model.record import record
from tideline_cli.store import vector_counts, vectors, visibility
from tideline_cli.store.connection import drop_setting, put_setting, setting, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.model.origin import Everyone

NEXT = "embedder_next"
AT_ONCE = 256


@record
class VectorChoice:
    """Which vectors a file has: those compared `now`, those that come `next` ('' for none), and how
    many facts have none of the latter, or else of the former."""

    now: str
    next: str
    missing: int

    @property
    def wanted(self) -> str:
        return self.next or self.now


def choice_of(db: Connection, *, viewer: Origin | Everyone) -> VectorChoice:
    """Return which vectors a file has and is to have; what is missing is that of the viewer."""
    now, coming = setting(db, "embedder", DEFAULT_EMBEDDER), setting(db, NEXT, "")
    counts = _missing(db, coming or now, viewer=viewer)
    return VectorChoice(now, coming, sum(count for _, count in counts))


def choose(db: Connection, name: str) -> VectorChoice:
    """Let the vectors of a name be those of the file: at once where every fact has one."""
    with writing(db):
        if name == setting(db, "embedder", DEFAULT_EMBEDDER):
            drop_setting(db, NEXT)
            vectors.keep_only(db, name)
        else:
            put_setting(db, NEXT, name)
    take_next(db)
    return choice_of(db, viewer=EVERYONE)


def make(
    db: Connection, *, limit: int | None, progress: Callable[[int], None] | None,
    viewer: Origin | Everyone,
) -> int:  # fmt: skip
    """Make the vectors that facts of the viewer lack, `limit` at most, in short steps; return how
    many. Where all are there, they become those of the file. What a step has stored stays.

    `progress` is told how many are made. Raises UnavailableError where they cannot be made here.
    """
    name = choice_of(db, viewer=viewer).wanted
    done = 0
    for origin_number, _ in _missing(db, name, viewer=viewer):
        while limit is None or done < limit:
            room = AT_ONCE if limit is None else min(AT_ONCE, limit - done)
            made = _step(db, name, origin_number=origin_number, limit=room)
            if not made:
                break
            done += made
            if progress is not None:
                progress(done)
    take_next(db)
    return done


def take_next(db: Connection) -> bool:
    """Let the vectors to come be those of the file where every fact has one; the others go."""
    with writing(db):
        coming = setting(db, NEXT, "")
        if not coming or vector_counts.missing_counts(db, embedder=coming):
            return False
        put_setting(db, "embedder", coming)
        drop_setting(db, NEXT)
        vectors.keep_only(db, coming)
    return True


def _missing(db: Connection, name: str, *, viewer: Origin | Everyone) -> list[tuple[int, int]]:
    """Return (origin's number, facts without a vector) of those origins that the viewer sees."""
    counts = vector_counts.missing_counts(db, embedder=name)
    if isinstance(viewer, Origin):
        own = visibility.number(db, viewer)
        counts = [one for one in counts if one[0] == own]
    return counts


def _step(db: Connection, name: str, *, origin_number: int, limit: int) -> int:
    """Make the vectors of some facts of an origin, outside of any transaction, and store them."""
    waiting = vectors.backlog(db, origin_number=origin_number, embedder=name, limit=limit)
    if not waiting:
        return 0
    codes = embedder_named(db, name).embed_packed([text for _, text, _ in waiting]).tobytes()
    numbers, ids = [seq for seq, *_ in waiting], [fact_id for *_, fact_id in waiting]
    with writing(db):
        vectors.append(db, numbers, codes, origin_number=origin_number, embedder=name, ids=ids)
    return len(waiting)
