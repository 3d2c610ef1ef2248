"""The codes of questions: kept for the process and, once the answer is out, in the file."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.store import query_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory.asked_words import AskedWords
    from tideline_cli.memory.coded_lane import CodedLane

_MOST = 256
_known: dict[tuple[str, int, str, bytes], bytes] = {}  # by file, origin, embedder and question
_unstored: dict[tuple[str, int, str, bytes], bytes] = {}


def code_of(db: Connection, lane: CodedLane, text: str, *, origin_number: int) -> bytes:
    """Return the code of a question of an origin: as it was kept, or made now."""
    words: AskedWords = ()
    key_text = text
    if lane.adds_words:
        from tideline_cli.memory import asked_words  # noqa: PLC0415  tables of words alone

        words = asked_words.asked_words(db, text, origin_number=origin_number)
        key_text = asked_words.key_of(text, words)
    key_text = _instruction(db, lane) + key_text
    digest = query_vectors.digest_of(key_text)
    key = (db.filename, origin_number, lane.name, digest)
    code = _known.get(key) or query_vectors.find(
        db, digest, origin_number=origin_number, embedder=lane.name
    )
    if code is None or len(code) != lane.code_size:
        code = lane.embed(text, words)
        if len(_unstored) >= _MOST:
            _unstored.clear()
        _unstored[key] = code
    if len(_known) >= _MOST:
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
            query_vectors.put(db, digest, code, origin_number=origin_number, embedder=name)
    _unstored.clear()
