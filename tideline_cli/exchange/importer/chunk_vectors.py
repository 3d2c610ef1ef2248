"""The vectors of an import: begun before a chunk is stored, and stored with its facts."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.exchange.importer.import_vectors import ChunkEmbedder
from tideline_cli.memory.lanes import can_embed
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.store import vectors
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    # A fact that a chunk has added: its number, the number of its origin, and the place of its
    # text in the chunk. A record takes 4 us, which for each row is 1 % of an import.
    AddedFact = tuple[int, int, int]


class ChunkVectors:
    """Makes the vectors of each chunk in the order of `begin`, by the embedder of the store; none
    where that one is slow or cannot be had: then they are made later."""

    def __init__(self, db: Connection, *, are_many: bool = False) -> None:
        self._db = db
        self._embedder = ChunkEmbedder(db, are_many=are_many) if can_embed(db) else None

    def begin(self, texts: list[str]) -> None:
        """Begin with the vectors of the texts of a chunk."""
        if self._embedder is not None:
            self._embedder.start(texts)

    def store(self, added: Sequence[AddedFact], *, chunk_size: int) -> None:
        """Store the vectors of the facts that the oldest chunk begun has added, in an open
        transaction. Where the store has another embedder by now, go on with that one: `catch_up`
        makes the vectors of this chunk."""
        if self._embedder is None:
            return
        codes = self._embedder.finish()
        if self._embedder.name != setting(self._db, "embedder", DEFAULT_EMBEDDER):
            self._change_embedder(self._embedder)
            return
        size = len(codes) // chunk_size
        if len(added) == chunk_size and len({origin for _, origin, _ in added}) == 1:
            numbers, origin = [seq for seq, _, _ in added], added[0][1]
            name = self._embedder.name
            vectors.append(self._db, numbers, codes, origin_number=origin, embedder=name)
            return
        by_origin: dict[int, tuple[list[int], list[bytes]]] = {}
        for seq, origin_number, place in added:
            numbers, parts = by_origin.setdefault(origin_number, ([], []))
            numbers.append(seq)
            parts.append(codes[place * size : (place + 1) * size])
        name = self._embedder.name
        for origin, (numbers, parts) in by_origin.items():
            joined = b"".join(parts)
            vectors.append(self._db, numbers, joined, origin_number=origin, embedder=name)

    def close(self) -> None:
        """End the process that embeds beside the import."""
        if self._embedder is not None:
            self._embedder.close()

    def _change_embedder(self, before: ChunkEmbedder) -> None:
        before.close()
        self._embedder = ChunkEmbedder(self._db) if can_embed(self._db) else None
        for texts in before.texts_under_way:
            self.begin(texts)


def catch_up(db: Connection, origin_numbers: Iterable[int]) -> None:
    """Make the vectors of all facts of some origins that have none, in an open transaction:
    vectors follow the order of facts, so these come before those of a new chunk. Where they cannot
    be made in a transaction, they are made later."""
    if not can_embed(db):
        return
    for origin_number in origin_numbers:
        while embed_backlog(db, origin_number=origin_number, limit=2 * vectors.CHUNK):
            pass
