"""Processes that work beside an import, and the vectors of its chunks, which one of them makes.

What a process is asked is answered in order, until it fails; then the import does the work itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from typing import BinaryIO, cast

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory.lanes import can_embed, embedder_of
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.store import vectors
from tideline_cli.store.connection import setting
from tideline_cli.system import machine, pipes
from tideline_cli.vector.worker import LENGTH, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    # A fact that a chunk has added: its number, the number of its origin, and the place of its
    # text in the chunk. A record takes 4 us, which for each row is 1 % of an import.
    AddedFact = tuple[int, int, int]

_PIPE = 1 << 20  # some requests and answers fit in, so that neither side waits for the other
_PAGE = 4096  # of which a pipe gives each request some for itself
_LEAST_PROCESSORS = 2
_CHUNKS_ALONE = 4  # a process beside pays from the next one on: it takes 80 ms to start
_WORKER = "tideline_cli.vector.worker"


class Worker:
    """The process that runs a module, with words for it and the number of a handle: the pipe of
    that handle ends when this process is gone.

    Requests are answered in their order. As long as there is room for a request, asking waits for
    nothing; so neither side waits for the other for ever, however little the pipes hold.
    """

    def __init__(self, module: str, *words: str) -> None:
        # The end that nobody writes to closes with this process, whatever ends it.
        seen, self._life = os.pipe()
        # Without -P Python would take modules from the folder that the user is in.
        command = [sys.executable, "-P", "-m", module, *words, str(seen)]
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own module, no shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(seen,),
                stderr=subprocess.DEVNULL,  # what it cannot do is done here
            )  # fmt: skip
        except OSError:
            os.close(self._life)
            raise
        finally:
            os.close(seen)
        self._requests = cast(BinaryIO, self._process.stdin)
        self._answers = cast(BinaryIO, self._process.stdout)
        pipes.widen(self._requests, _PIPE)
        pipes.widen(self._answers, _PIPE)
        self._unanswered: deque[int] = deque()

    def has_room(self, request: bytes) -> bool:
        """Say whether a request can be sent before all others are answered."""
        sizes = (*self._unanswered, len(request))
        taken = sum([(size // _PAGE + 2) * _PAGE for size in sizes])
        return len(sizes) == 1 or taken <= pipes.room_of(self._requests)

    def ask(self, request: bytes) -> bool:
        """Send a request for which there is room; return False where nobody takes it."""
        try:
            self._requests.write(request)
            self._requests.flush()
        except OSError:
            return False
        self._unanswered.append(len(request))
        return True

    def answer(self) -> bytes:
        """Return the answer to the oldest request; nothing when the process is gone."""
        self._unanswered.popleft()
        try:
            head = b"" if self._answers.closed else self._answers.read(LENGTH)
            size = int.from_bytes(head, "little")
            raw = self._answers.read(size) if len(head) == LENGTH else b""
        except OSError:
            return b""
        return raw if len(raw) == size else b""

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        for pipe in (self._requests, self._answers):
            try:
                pipe.close()
            except OSError:
                continue
        os.close(self._life)
        self._process.wait()


def started(module: str, *words: str) -> Worker | None:
    """Return a process beside; None where it would have no processor of its own, where the system
    allows no more of them, or where a process hands no pipe of its own on (Windows)."""
    if not pipes.CAN_BE_HANDED_ON or machine.processors() < _LEAST_PROCESSORS:
        return None
    try:
        return Worker(module, *words)
    except OSError:
        return None


class ChunkEmbedder:
    """Embeds chunks in order: `start` some, do other work, `finish` for the packed vectors of the
    oldest. Of many a process beside makes all."""

    def __init__(self, db: Connection, *, are_many: bool = False) -> None:
        self._first = 1 if are_many else _CHUNKS_ALONE
        self._embedder = embedder_of(db)
        self.name = setting(db, "embedder", DEFAULT_EMBEDDER)
        self._started = 0
        self._under_way: list[_Asked] = []
        self._worker: Worker | None = None

    def start(self, texts: list[str]) -> None:
        """Begin with the vectors of these texts."""
        self._started += 1
        if self._started == self._first and self.name == DEFAULT_EMBEDDER:
            self._worker = started(_WORKER, self.name)
        self._under_way.append(_Asked(texts, self._asked(texts)))

    def _asked(self, texts: list[str]) -> Worker | None:
        """Ask the process beside, and return it; None where it does not take the request."""
        if self._worker is None:
            return None
        request = frame(texts)
        for earlier in self._under_way:
            if self._worker is None or self._worker.has_room(request):
                break
            self._take_answer(earlier)
        return self._worker if self._worker is not None and self._worker.ask(request) else None

    @property
    def texts_under_way(self) -> list[list[str]]:
        """The texts of each chunk that is started and not finished, oldest first."""
        return [asked.texts for asked in self._under_way]

    def finish(self) -> bytes:
        """Return the packed vectors of the oldest chunk under way, one after the other."""
        asked = self._under_way.pop(0)
        self._take_answer(asked)
        return asked.codes or self._embedder.embed_packed(asked.texts).tobytes()

    def _take_answer(self, asked: _Asked) -> None:
        """Read what the process beside answers, if it was asked and has not been heard."""
        worker, asked.worker = asked.worker, None
        if worker is None:
            return
        wanted = len(asked.texts) * self._embedder.code_size
        codes = worker.answer() if worker is self._worker else b""
        if len(codes) == wanted:
            asked.codes = codes
        else:
            self.close()

    def close(self) -> None:
        """End the process beside."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _Asked:
    """A chunk under way: its texts, the process that owes an answer, and the answer."""

    def __init__(self, texts: list[str], worker: Worker | None) -> None:
        self.texts = texts
        self.worker = worker
        self.codes = b""


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
