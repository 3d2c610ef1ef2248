"""Embedding the chunks of an import: in a process beside it when there are many."""

from __future__ import annotations

import subprocess
import sys
from typing import BinaryIO, cast

from tideline_cli.memory.recovery import DEFAULT_EMBEDDER, embedder_of
from tideline_cli.store.connection import setting
from tideline_cli.vector.worker import frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

_PIPE = 1 << 18  # a chunk fits in, so that asking waits for nothing, where the system allows it
_CHUNKS_ALONE = 4  # a process beside pays from the next one on: it takes 80 ms to start


class ChunkEmbedder:
    """Embeds chunks in order: `start` one, do other work, `finish` for its packed vectors.

    At most two may be under way: the answer to one fits into a pipe, so neither side waits for
    the other for ever.
    """

    def __init__(self, db: Connection) -> None:
        self._embedder = embedder_of(db)
        self.name = setting(db, "embedder", DEFAULT_EMBEDDER)
        self._started = 0
        self._under_way: list[tuple[list[str], _Beside | None]] = []
        self._beside: _Beside | None = None

    def start(self, texts: list[str]) -> None:
        """Begin with the vectors of these texts."""
        self._started += 1
        if self._started == _CHUNKS_ALONE and self.name == DEFAULT_EMBEDDER:
            self._beside = _Beside(self.name)
        asked = self._beside if self._beside is not None and self._beside.ask(texts) else None
        self._under_way.append((texts, asked))

    def finish(self) -> bytes:
        """Return the packed vectors of the oldest chunk under way, one after the other."""
        texts, asked = self._under_way.pop(0)
        wanted = len(texts) * self._embedder.code_size
        if asked is not None:
            codes = asked.answer(wanted)
            if len(codes) == wanted:
                return codes
            self.close()
        return self._embedder.embed_packed(texts).tobytes()

    def close(self) -> None:
        """End the process beside."""
        if self._beside is not None:
            self._beside.end()
            self._beside = None


class _Beside:
    """The process: what is written to it is answered in order, until it fails."""

    def __init__(self, name: str) -> None:
        command = [sys.executable, "-m", "tideline_cli.vector.worker", name]
        self._process = subprocess.Popen(  # noqa: S603  our own module, no shell
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pipesize=_PIPE
        )
        self._requests = cast(BinaryIO, self._process.stdin)
        self._answers = cast(BinaryIO, self._process.stdout)

    def ask(self, texts: list[str]) -> bool:
        try:
            self._requests.write(frame(texts))
            self._requests.flush()
        except OSError:
            return False
        return True

    def answer(self, size: int) -> bytes:
        try:
            return b"" if self._answers.closed else self._answers.read(size)
        except OSError:
            return b""

    def end(self) -> None:
        self._process.kill()
        for pipe in (self._requests, self._answers):
            try:
                pipe.close()
            except OSError:
                continue
        self._process.wait()
