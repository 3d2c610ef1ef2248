"""The words of a question for an embedder that adds words up: a rare word counts more.

The mean of all words is mostly that of the common ones. So each word of a question counts by its
idf among the facts of the origin; the vectors of the facts stay as they are. After Arora, Liang and
Ma (2017), who weigh words by how rare they are.
"""

from __future__ import annotations

from tideline_cli.model.text import terms
from tideline_cli.ranking.bm25 import idf_of
from tideline_cli.store import fts
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    # Each word in order, with its level.
    AskedWords = tuple[tuple[str, int], ...]

_LEVELS = 16
"""The highest level: weights are counted in such parts of the highest one, so that a few facts more
do not make another vector of the same question."""
_MOST_WORDS = 64  # of longer texts all words count alike: they are no question, but a paste


def asked_words(db: Connection, text: str, *, origin_number: int) -> AskedWords:
    """Return the words of a question of an origin, each with its level; none where all count alike.
    """
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
