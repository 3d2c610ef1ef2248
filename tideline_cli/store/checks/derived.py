"""Whether vectors, bounds and known pairs fit the facts, and making them again."""

from __future__ import annotations

from array import array
from sys import byteorder

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.model.finding import mendable, some
from tideline_cli.store import facts, score_bounds, similar_pairs, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.finding import Finding

_EMBEDDED = """
SELECT embedder, origin FROM vector_progress UNION SELECT embedder, origin FROM vector_chunk
"""

_CODE_TAIL = 2  # bytes of a learned embedder's code beside its values


def sets(db: Connection) -> list[tuple[str, int]]:
    """Return (embedder, origin's number) of every set of vectors."""
    rows: list[Any] = db.execute(_EMBEDDED).fetchall()
    return rows


def vector_sets(db: Connection) -> Iterator[Finding]:
    """Each fact up to the progress of its origin has one vector, and no other number has one."""
    missing = extra = 0
    is_torn = False
    for embedder, origin in sets(db):
        reached = vectors.embedded_up_to(db, origin_number=origin, embedder=embedder)
        rows: Any = db.execute(
            "SELECT seq FROM fact WHERE origin = ? AND seq <= ? ORDER BY seq", (origin, reached)
        ).fetchall()
        wanted = [seq for (seq,) in rows]
        held, is_whole = _held(db, origin, embedder)
        is_torn |= not is_whole
        if held != wanted:
            missing += len(set(wanted) - set(held))
            extra += len(set(held) - set(wanted)) + len(held) - len(set(held))
            is_torn |= set(held) == set(wanted) and len(held) == len(wanted)
    what = "makes the vectors of that origin anew"
    if missing:
        message = f"{some(missing, 'fact')} without a vector, which likeness cannot find"
        yield mendable("vectors", message, what)
    if extra:
        yield mendable("vectors", f"{some(extra, 'vector')} of no fact", what)
    if is_torn:
        yield mendable("vectors", "vectors and the facts they are of are out of step", what)


def _held(db: Connection, origin_number: int, embedder: str) -> tuple[list[int], bool]:
    """Return the numbers that have vectors, in their order, and whether each has one of the same
    size."""
    numbers = array("I")
    sizes: set[float] = set()
    rows: Any = db.execute(
        "SELECT facts, length(codes), length(lows) FROM vector_chunk"
        " WHERE origin = ? AND embedder = ? ORDER BY number",
        (origin_number, embedder),
    )
    for packed, codes, lows in rows:
        numbers.frombytes(packed[: len(packed) // 4 * 4])
        is_kept = lows == (codes if embedder == DEFAULT_EMBEDDER else 0)
        sizes.add((codes + lows) / (len(packed) / 4) if packed and is_kept else -1.0)
    if byteorder == "big":
        numbers.byteswap()
    held = numbers.tolist()
    return held, len(sizes) < 2 and all(size >= 1 and size == int(size) for size in sizes)


def outlooks(db: Connection) -> Iterator[Finding]:
    """What was foreseen to fade is listed under the origin of the fact."""
    wrong = db.execute(
        "SELECT count(*) FROM fade JOIN fact ON fact.seq = fade.fact"
        " WHERE fade.origin <> fact.origin"
    ).get
    if wrong:
        message = f"{some(wrong, 'fact')} listed as fading under another origin"
        yield mendable("outlooks", message, "forgets the lists until the next dream")


def questions(db: Connection) -> Iterator[Finding]:
    """Every question that is kept has a code of the size of its embedder, and an origin."""
    rows: Any = db.execute(
        "SELECT embedder, length(code), origin IN (SELECT number FROM origin) FROM query_vector"
    )
    wrong = 0
    for embedder, size, has_origin in rows:
        dims = embedder.rpartition(" ")[2]
        wrong += not (has_origin and dims.isdigit() and size == int(dims) + _CODE_TAIL)
    if wrong:
        message = f"{some(wrong, 'question')} kept with a code that cannot be"
        yield mendable("questions", message, "forgets the questions; they are embedded again")


def forget_questions(db: Connection) -> None:
    """Forget all questions."""
    db.execute("DELETE FROM query_vector")


def forget_vectors(db: Connection, origin_number: int, embedder: str) -> None:
    """Remove a set of vectors, so that it is made again."""
    for table in ("vector_chunk", "vector_progress"):
        db.execute(
            f"DELETE FROM {table} WHERE origin = ? AND embedder = ?", (origin_number, embedder)
        )


def bounds(db: Connection) -> Iterator[Finding]:
    """There is one byte that bounds the score for each number, without a hole. Bytes that were made
    with other tables are not used, and the next writer makes them anew."""
    if score_bounds.are_ours(db) and not score_bounds.are_whole(db, facts.last_given(db)):
        yield mendable("bounds", "the bounds of scores do not fit the facts", "makes them anew")


def pair_rows(db: Connection) -> Iterator[Finding]:
    """The facts of a similar pair have one origin, and the later one stands first."""
    bad = db.execute(
        """
        SELECT count(*) FROM near JOIN fact AS a ON a.seq = fact JOIN fact AS b ON b.seq = other
        WHERE a.origin <> b.origin OR fact <= other OR NOT cosine BETWEEN -1.001 AND 1.001
        """
    ).get
    last = facts.last_given(db)
    late = db.execute("SELECT count(*) FROM near_progress WHERE seq > ?", (last,)).get
    if bad or late:
        message = f"{some(bad + late, 'pair')} of facts that are alike cannot be"
        yield mendable("pairs", message, "forgets them; the next dream compares anew")


def forget_pairs(db: Connection) -> None:
    """Forget all pairs, so that every origin is compared again."""
    origins: list[Any] = db.execute("SELECT number FROM origin").fetchall()
    for (origin,) in origins:
        similar_pairs.forget(db, origin_number=origin)
    for table in ("near", "unpaired", "near_progress"):
        db.execute(f"DELETE FROM {table}")
