"""Similarity by a learned embedder: codes compared, and the model loaded only for new texts."""

from __future__ import annotations

import sys

from tideline_cli.errors import UnavailableError
from tideline_cli.model.text import terms
from tideline_cli.ranking.bm25 import idf_of
from tideline_cli.store import fts, vectors
from tideline_cli.store.connection import setting
from tideline_cli.vector.embedders import codes
from tideline_cli.vector.embedders.names import split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.nearest import Chunk, Rough
    from tideline_cli.vector.embedder import Embedder
    from tideline_cli.vector.embedders.static import StaticTable

    # Each word in order, with its level.
    AskedWords = tuple[tuple[str, int], ...]

# Up to these, plain Python has finished before numpy is loaded: values of all codes, and texts.
_PLAIN_VALUES = 4_000_000
_PLAIN_ALL = 2000  # codes of which all are wanted
_PLAIN_TEXTS = 64

_ASKED = ("openai", "openai-256", "command")  # what another program or an endpoint embeds by
_tables: dict[str, StaticTable] = {}

_LEVELS = 16
"""The highest level: weights are counted in such parts of the highest one, so that a few facts more
do not make another vector of the same question."""
_MOST_WORDS = 64  # of longer texts all words count alike: they are no question, but a paste

_MOST_KNOWN = 256
_known: dict[tuple[str, int, str, bytes], bytes] = {}  # by file, origin, embedder and question
_unstored: dict[tuple[str, int, str, bytes], bytes] = {}


class CodedLane:
    """Similarity by the learned embedder of a file, which `whole` makes; that loads numpy."""

    margin = 0.0

    def __init__(self, name: str, whole: Callable[[], Embedder], floor: float) -> None:
        self.name = name
        self.floor = floor
        self._whole = whole
        self._parts = split_name(name)
        self.code_size = self._parts.dims + codes.TAIL

    def embed(self, text: str, words: AskedWords = ()) -> bytes:
        """Return the code of a question; `words` are its words with what each counts, where they
        do not count alike."""
        if words:
            return table_of(self.name).asked_code(text, words)
        if self.adds_words:
            return self.packed([text])
        embedder: Any = self._whole()
        return bytes(embedder.embed_query(text).tobytes())

    def packed(self, texts: Sequence[str]) -> bytes:
        if not texts:
            return b""
        if self.adds_words and len(texts) <= _PLAIN_TEXTS and not _numpy_is_loaded():
            return table_of(self.name).codes(texts)
        return self._whole().embed_packed(texts).tobytes()

    def rough(
        self, asked: bytes, chunks: Iterable[Chunk], least: float, most: int | None = None
    ) -> Rough:
        size, chunks = len(asked), [*chunks]
        numbers = b"".join([part for part, _ in chunks])
        held = b"".join([part for _, part in chunks if len(part) % size == 0])
        count = len(numbers) // 4
        if len(held) != count * size:
            return []  # of another width, as only damage makes it: `doctor --deep` mends it
        plain = count * size <= _PLAIN_VALUES and (least > 0 or count <= _PLAIN_ALL)
        near = codes.near if plain and not _numpy_is_loaded() else _near
        found = [
            (int.from_bytes(numbers[4 * row : 4 * row + 4], "little"), score)
            for row, score in near(asked, held, least=least, most=most)
        ]
        found.sort(key=lambda item: (-item[1], item[0]))
        return found[:most]

    def exact(self, asked: bytes, text: str, approximate: float) -> float:  # noqa: ARG002
        return approximate

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made, size = self.packed(texts), self.code_size
        parts = [made[start : start + size] for start in range(0, len(made), size)]
        return lambda a, b: codes.cosine(parts[a], parts[b])

    @property
    def spec(self) -> str:
        """Return the name by which the embedder was chosen."""
        return self._parts.spec

    @property
    def is_asked(self) -> bool:
        """Say whether another program or an endpoint makes the vectors."""
        return self.spec in _ASKED

    @property
    def adds_words(self) -> bool:
        """Say whether the vector of a text is the sum of those of its words."""
        return self._parts.spec.partition(":")[0] == "static"


def table_of(name: str) -> StaticTable:
    """Return the word vectors of a name; raises UnavailableError for another revision."""
    if name not in _tables:
        from tideline_cli.vector.embedders.static import StaticTable  # noqa: PLC0415  static alone

        table = StaticTable(split_name(name).spec)
        check_revision(table.name, name)
        _tables[name] = table
    return _tables[name]


def check_revision(found: str, wanted: str) -> None:
    """Raise UnavailableError where an embedder is not the revision that made a file's vectors."""
    if found != wanted:
        spec = split_name(wanted).spec
        raise UnavailableError(
            f"{spec} here is another revision than the one that made the vectors of this file",
            hint=f"`tideline embedder use {spec}` and `tideline reembed` make them anew",
        )


def _near(
    asked: bytes, held: bytes, *, least: float, most: int | None = None
) -> list[tuple[int, float]]:
    from tideline_cli.vector.arrays import np  # noqa: PLC0415  numpy, 80 ms
    from tideline_cli.vector.embedders.coded import code_cosines  # noqa: PLC0415  as above

    rows = np.frombuffer(held, np.uint8).reshape(-1, len(asked))
    scores = code_cosines(np.frombuffer(asked, np.uint8), rows)
    if most is not None and most < len(scores):
        least = max(least, float(np.partition(scores, -most)[-most]))
    near = np.flatnonzero(scores >= least)
    return list(zip(near.tolist(), scores[near].tolist(), strict=True))


def _numpy_is_loaded() -> bool:
    return "numpy" in sys.modules


def asked_words(db: Connection, text: str, *, origin_number: int) -> AskedWords:
    """Return the words of a question of an origin with their levels; none where all count alike."""
    words = text.split()
    if not 1 < len(words) <= _MOST_WORDS:
        return ()
    analyzer = setting(db, "analyzer", "standard")
    listed = [terms(word, analyzer=analyzer) for word in words]
    held = fts.holder_counts(
        db, {term for each in listed for term in each}, origin_number=origin_number
    )
    facts = fts.active_count(db, origin_number=origin_number)
    idfs = [
        max([idf_of(max(facts, held[term]), held[term]) for term in each], default=0.0)
        for each in listed
    ]
    top = max(idfs)
    if not top:
        return ()
    return tuple([
        (word, round(_LEVELS * idf / top)) for word, idf in zip(words, idfs, strict=True)
    ])  # fmt: skip


def key_of(text: str, words: AskedWords) -> str:
    """Return what stands for a question with these words."""
    return "\n".join([text, *(str(level) for _, level in words)]) if words else text


def code_of(db: Connection, lane: CodedLane, text: str, *, origin_number: int) -> bytes:
    """Return the code of a question of an origin: as it was kept, or made now."""
    words: AskedWords = ()
    key_text = text
    if lane.adds_words:

        words = asked_words(db, text, origin_number=origin_number)
        key_text = key_of(text, words)
    key_text = _instruction(db, lane) + key_text
    digest = vectors.digest_of(key_text)
    key = (db.filename, origin_number, lane.name, digest)
    code = _known.get(key) or vectors.question_code(
        db, digest, origin_number=origin_number, embedder=lane.name
    )
    if code is None or len(code) != lane.code_size:
        code = lane.embed(text, words)
        if len(_unstored) >= _MOST_KNOWN:
            _unstored.clear()
        _unstored[key] = code
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[key] = code
    return code


def _instruction(db: Connection, lane: CodedLane) -> str:
    """Return what stands before a question that another program embeds, as the settings say now."""
    settings_of = getattr(db, "asked_settings", None)
    if settings_of is None or not lane.is_asked:
        return ""
    try:
        return str(settings_of(lane.spec).instruction)
    except UnavailableError:
        return ""  # it cannot be asked: what was kept answers


def has_new() -> bool:
    """Say whether questions were embedded that the file does not have."""
    return bool(_unstored)


def store_new(db: Connection) -> None:
    """Keep the codes of the questions that were embedded, in an open transaction."""
    for (file, origin_number, name, digest), code in _unstored.items():
        if file == db.filename:
            vectors.put_question_code(db, digest, code, origin_number=origin_number, embedder=name)
    _unstored.clear()
