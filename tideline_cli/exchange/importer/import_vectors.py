"""Embedding the chunks of an import: in a process beside it when there are many."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.exchange.importer.beside import started
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.store.connection import setting
from tideline_cli.vector.worker import frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.exchange.importer.beside import Beside

_CHUNKS_ALONE = 4  # a process beside pays from the next one on: it takes 80 ms to start
_WORKER = "tideline_cli.vector.worker"


class ChunkEmbedder:
    """Embeds chunks in order: `start` some, do other work, `finish` for the packed vectors of the
    oldest. Of many a process beside makes all."""

    def __init__(self, db: Connection, *, are_many: bool = False) -> None:
        self._first = 1 if are_many else _CHUNKS_ALONE
        self._embedder = embedder_of(db)
        self.name = setting(db, "embedder", DEFAULT_EMBEDDER)
        self._started = 0
        self._under_way: list[_Asked] = []
        self._beside: Beside | None = None

    def start(self, texts: list[str]) -> None:
        """Begin with the vectors of these texts."""
        self._started += 1
        if self._started == self._first and self.name == DEFAULT_EMBEDDER:
            self._beside = started(_WORKER, self.name)
        self._under_way.append(_Asked(texts, self._asked(texts)))

    def _asked(self, texts: list[str]) -> Beside | None:
        """Ask the process beside, and return it; None where it does not take the request."""
        if self._beside is None:
            return None
        request = frame(texts)
        for earlier in self._under_way:
            if self._beside is None or self._beside.has_room(request):
                break
            self._take_answer(earlier)
        return self._beside if self._beside is not None and self._beside.ask(request) else None

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
        codes = beside.answer() if beside is self._beside else b""
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

    def __init__(self, texts: list[str], beside: Beside | None) -> None:
        self.texts = texts
        self.beside = beside
        self.codes = b""
