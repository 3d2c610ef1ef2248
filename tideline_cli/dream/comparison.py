"""The pairs of an origin's facts that are alike: those stored, and those of newer facts."""

from __future__ import annotations

from tideline_cli.memory.lanes import embedder_of
from tideline_cli.model.record import record
from tideline_cli.store import passes, vectors
from tideline_cli.store.connection import snapshot, writing
from tideline_cli.vector.arrays import np
from tideline_cli.vector.embedder import cosines
from tideline_cli.vector.search import Limits, near_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from apsw import Connection
    from numpy.typing import NDArray

    from tideline_cli.model.origin import Origin
    from tideline_cli.vector.embedder import Embedder

    Pair = tuple[int, int, float]  # number of the later fact, of the earlier one, cosine

FLOOR = 0.80
# For each fact so many partners among the earlier facts are stored: twins (0.95 or more), and
# others that are alike. A fact has 12 edges of a kind at most. If it has more twins, the next dream
# finds them, after the first ones are merged.
LIMITS = Limits(0.95, 32, 16)

_ROWS_A_TRANSACTION = 1000
_VECTORS_A_TRANSACTION = 512


@record
class Compared:
    """What one comparison has found, to be stored when the pass writes."""

    pairs: list[Pair]
    fresh: list[Pair]
    done: list[int]
    crowded: list[int]
    backlog: tuple[list[int], bytes, list[str]]
    progress: passes.Reach
    anew: bool
    change: int
    seen: frozenset[int]


@record
class _Gathered:
    """What is read at one instant, before anything is compared. `numbers` are those of the active
    facts; it is empty when there is nothing to compare."""

    numbers: list[int]
    known: passes.Reach | None
    late: list[int]
    chunks: list[tuple[bytes, bytes]]
    backlog: list[tuple[int, str, str]]
    change: int


def compare(
    db: Connection, *, origin_number: int, viewer: Origin, floor: float,
    progress: Callable[[int, int], None] | None = None,
) -> Compared | None:  # fmt: skip
    """Return all pairs of active facts with a cosine of `floor` or more; None when the origin has
    never had two facts. Nothing is written; `store_pairs` stores what was found.

    Pairs of facts that were compared before come from the store. `progress` is told how many
    facts are compared, of how many.
    """
    embedder = embedder_of(db)
    least = min(floor, FLOOR)
    with snapshot(db):
        gathered = _read(db, origin_number, embedder, least)
        known = (
            passes.pairs(db, origin_number=origin_number, floor=floor)
            if gathered.known
            else []
        )
    if gathered.known is None and len(gathered.numbers) < 2:
        return None
    until = gathered.known.seq if gathered.known else 0
    late = set(gathered.late)
    fresh = [seq for seq in gathered.numbers if seq > until or seq in late]
    backlog: tuple[list[int], bytes, list[str]] = ([], b"", [])
    found: list[Pair] = []
    crowded: list[int] = []
    if len(gathered.numbers) > 1 and fresh:
        backlog, codes = _codes(db, gathered, embedder, viewer)
        found, crowded = _found(
            db, embedder, gathered.numbers, fresh, codes, least, viewer, progress
        )
    again = {(later, earlier) for later, earlier, _ in found}
    pairs = [pair for pair in known if (pair[0], pair[1]) not in again]
    pairs += [pair for pair in found if pair[2] >= floor]
    made = passes.Reach(embedder.name, gathered.known.floor if gathered.known else least,
                         max([until, *gathered.numbers[-1:]]))  # fmt: skip
    return Compared(
        pairs, found, gathered.late, crowded, backlog, made, gathered.known is None,
        gathered.change, frozenset(gathered.numbers),
    )  # fmt: skip


def store_pairs(db: Connection, compared: Compared, *, origin_number: int) -> None:
    """Store what a comparison found, in short transactions; the progress comes last."""
    if not compared.seen:
        return
    seqs, codes, ids = compared.backlog
    size = len(codes) // len(seqs) if seqs else 0
    name = compared.progress.embedder
    for start in range(0, len(seqs), _VECTORS_A_TRANSACTION):
        part = seqs[start : start + _VECTORS_A_TRANSACTION]
        some = codes[start * size : (start + len(part)) * size]
        with writing(db):
            its = ids[start : start + len(part)]
            vectors.append(db, part, some, origin_number=origin_number, embedder=name, ids=its)
    if compared.anew:
        with writing(db):
            passes.forget_pairs(db, origin_number=origin_number)
    for start in range(0, len(compared.fresh), _ROWS_A_TRANSACTION):
        with writing(db):
            passes.put_pairs(db, compared.fresh[start : start + _ROWS_A_TRANSACTION])
    with writing(db):
        until = compared.progress.seq
        back = passes.revived(db, since=compared.change, origin_number=origin_number, until=until)
        passes.remove_unpaired(db, compared.done)
        passes.add_unpaired(db, (seq for seq in back if seq not in compared.seen))
        passes.add_unpaired(db, compared.crowded)
        passes.put_reached(db, compared.progress, origin_number=origin_number)


def _read(db: Connection, origin_number: int, embedder: Embedder, least: float) -> _Gathered:
    known = passes.reached(db, origin_number=origin_number)
    if known is not None and (known.embedder != embedder.name or known.floor > least):
        known = None
    late = passes.unpaired(db, origin_number=origin_number) if known else []
    until = known.seq if known else 0
    numbers: list[int] = []
    chunks: list[tuple[bytes, bytes]] = []
    backlog: list[tuple[int, str, str]] = []
    if late or passes.newest_compared(db, origin_number=origin_number) > until:
        numbers = passes.compared(db, origin_number=origin_number)
        chunks = list(vectors.chunks(db, origin_number=origin_number, embedder=embedder.name))
        backlog = vectors.backlog(db, origin_number=origin_number, embedder=embedder.name, limit=-1)
    return _Gathered(numbers, known, late, chunks, backlog, passes.last_change(db))


def _codes(
    db: Connection, gathered: _Gathered, embedder: Embedder, viewer: Origin
) -> tuple[tuple[list[int], bytes, list[str]], NDArray[np.uint8]]:
    """Return the vectors made for facts that had none, and the vectors of the active facts, as an
    array of (facts, bytes of a vector)."""
    seqs = [seq for seq, *_ in gathered.backlog]
    made = embedder.embed_packed([text for _, text, _ in gathered.backlog])
    stored = np.concatenate(
        [*(np.frombuffer(some, "<u4") for some, _ in gathered.chunks), np.array(seqs, "<u4")]
    )
    rows = np.concatenate(
        [*(np.frombuffer(some, np.uint8).reshape(-1, embedder.code_size)
           for _, some in gathered.chunks), made]
    )  # fmt: skip
    order = np.argsort(stored, kind="stable")
    place = np.searchsorted(stored[order], gathered.numbers).clip(max=len(order) - 1)
    codes = rows[order[place]]
    lost = np.flatnonzero(stored[order[place]] != np.array(gathered.numbers))
    if len(lost):
        texts = passes.contents(db, [gathered.numbers[i] for i in lost], viewer=viewer)
        anew = [texts.get(gathered.numbers[i], "") for i in lost]
        codes[lost] = embedder.embed_packed(anew)
    return (seqs, made.tobytes(), [fact_id for *_, fact_id in gathered.backlog]), codes


def _found(
    db: Connection,
    embedder: Embedder,
    numbers: Sequence[int],
    fresh: Sequence[int],
    codes: NDArray[np.uint8],
    floor: float,
    viewer: Origin,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[Pair], list[int]]:
    """Return pairs with a fresh fact, with exact cosines, and facts with too many twins."""

    def done(count: int) -> None:
        if progress is not None:
            progress(count, len(fresh))

    mask = np.isin(np.array(numbers), np.array(fresh))
    rows = near_rows(embedder, codes, mask, floor=floor, limits=LIMITS, progress=done)
    pairs = [
        (numbers[a], numbers[b], float(cosine))
        for a, b, cosine in zip(
            rows.later.tolist(), rows.earlier.tolist(), rows.cosines.tolist(), strict=True
        )
    ]
    if embedder.exact:
        pairs = list(_exact(db, embedder, pairs, viewer))
    crowded = [numbers[row] for row in rows.crowded.tolist()]
    return [pair for pair in pairs if pair[2] >= floor], crowded


def _exact(
    db: Connection, embedder: Embedder, pairs: Sequence[Pair], viewer: Origin
) -> Iterator[Pair]:
    """Yield the pairs with the cosines of their texts."""
    seqs = sorted({seq for pair in pairs for seq in pair[:2]})
    texts = passes.contents(db, seqs, viewer=viewer)
    both = [pair for pair in pairs if pair[0] in texts and pair[1] in texts]
    values = cosines(embedder, [(texts[a], texts[b]) for a, b, _ in both])
    for (a, b, _), cosine in zip(both, values, strict=True):
        yield a, b, cosine
