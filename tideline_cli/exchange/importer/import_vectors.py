"""Embedding the chunks of an import: in a process beside it when there are many."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from typing import BinaryIO, cast

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.store.connection import setting
from tideline_cli.vector.worker import frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

_PIPE = 1 << 18  # most chunks fit in, so that asking waits for nothing
_CHUNKS_ALONE = 4  # a process beside pays from the next one on: it takes 80 ms to start


class ChunkEmbedder:
    """Embeds chunks in order: `start` one, do other work, `finish` for its packed vectors.

    The process beside is asked only when it has answered all before, so neither side waits for the
    other for ever, however little the pipes hold.
    """

    def __init__(self, db: Connection) -> None:
        self._embedder = embedder_of(db)
        self.name = setting(db, "embedder", DEFAULT_EMBEDDER)
        self._started = 0
        self._under_way: list[_Asked] = []
        self._beside: _Beside | None = None

    def start(self, texts: list[str]) -> None:
        """Begin with the vectors of these texts."""
        self._started += 1
        if self._started == _CHUNKS_ALONE and self.name == DEFAULT_EMBEDDER:
            self._beside = _started(self.name)
        for earlier in self._under_way:
            self._take_answer(earlier)
        beside = self._beside if self._beside is not None and self._beside.ask(texts) else None
        self._under_way.append(_Asked(texts, beside))

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
        beside, asked.beside = asked.beside, None
        if beside is None:
            return
        wanted = len(asked.texts) * self._embedder.code_size
        codes = beside.answer(wanted)
        if len(codes) == wanted:
            asked.codes = codes
        else:
            self.close()

    def close(self) -> None:
        """End the process beside."""
        if self._beside is not None:
            self._beside.end()
            self._beside = None


class _Asked:
    """A chunk under way: its texts, the process that owes an answer, and the answer."""

    def __init__(self, texts: list[str], beside: _Beside | None) -> None:
        self.texts = texts
        self.beside = beside
        self.codes = b""


def _started(name: str) -> _Beside | None:
    """Return a process beside; None where the system allows no more of them."""
    try:
        return _Beside(name)
    except OSError:
        return None


class _Beside:
    """The process: what is written to it is answered in order, until it fails."""

    def __init__(self, name: str) -> None:
        # The end that nobody writes to closes with this process, whatever ends it.
        seen, self._life = os.pipe()
        command = [sys.executable, "-m", "tideline_cli.vector.worker", name, str(seen)]
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
        _widen(self._requests)

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
        os.close(self._life)
        self._process.wait()


def _widen(pipe: BinaryIO) -> None:
    """Let a pipe hold more, where the system knows how and this user may."""
    resize = getattr(fcntl, "F_SETPIPE_SZ", None)
    if resize is not None:
        with suppress(OSError):
            fcntl.fcntl(pipe, resize, _PIPE)
