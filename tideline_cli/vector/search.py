"""Nearest rows among packed vectors, in small memory."""

from __future__ import annotations

from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from tideline_cli.vector.embedder import Embedder

    Chunk = tuple[NDArray[np.int64], NDArray[np.uint8]]

_ROWS_AT_ONCE = 1 << 14  # 2 MiB of 128-byte codes


def best(
    embedder: Embedder, query: NDArray[np.float64], chunks: Iterable[Chunk], *, floor: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the sequence numbers and approximate cosines of all rows that may reach `floor`.

    query: unit vector (dims,). chunks: pairs of sequence numbers (n,) and codes (n, code_size).
    Every row whose exact cosine is at least `floor` is among them, since rows count from
    `floor - embedder.tolerance` on. Most similar first, then lower sequence number; a row's
    place and value do not depend on how rows are cut into chunks.
    """
    least = floor - embedder.tolerance
    seqs = [np.empty(0, np.int64)]
    scores = [np.empty(0, np.float64)]
    for part, codes in _blocks(chunks):
        similar = embedder.similarities(query, codes, floor=least)
        near = np.flatnonzero(similar >= least)
        seqs.append(part[near])
        scores.append(similar[near].astype(np.float64))
    found, similarity = np.concatenate(seqs), np.concatenate(scores)
    order = np.lexsort((found, -similarity))
    return found[order], similarity[order]


def _blocks(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Join small chunks and cut large ones: each call of the embedder has a fixed cost."""
    waiting: list[Chunk] = []
    rows = 0
    for seqs, codes in chunks:
        if rows and rows + len(seqs) > _ROWS_AT_ONCE:
            yield _join(waiting)
            waiting, rows = [], 0
        for start in range(0, len(seqs), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            waiting.append((seqs[part], codes[part]))
            rows += len(seqs[part])
            if rows >= _ROWS_AT_ONCE:
                yield _join(waiting)
                waiting, rows = [], 0
    if rows:
        yield _join(waiting)


def _join(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    return np.concatenate([seqs for seqs, _ in chunks]), np.concatenate([c for _, c in chunks])
