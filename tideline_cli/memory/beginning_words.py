"""Words of a question that no fact holds: the stored words that begin like them stand in.

So a hash is found by its first characters, and a word by another ending. What is read of the
vocabulary is that of the viewer's origin, and bounded; where all words are known, nothing is.
"""

from __future__ import annotations

from tideline_cli.memory.question import least_size
from tideline_cli.model.forms.found import Forms
from tideline_cli.store import fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

_MOST = 7  # stored words that stand in for one
_READ = 64
_CUT = 2  # last letters that another ending may take the place of
_LONGER = 3  # letters of another ending


def stand_ins(
    db: Connection, terms: Sequence[str], unknown: Sequence[str], forms: Forms | None, *,
    origin_number: int,
) -> Forms | None:  # fmt: skip
    """Return the forms of a question with the stored words that stand in for its unknown ones;
    None where there are none."""
    found = Forms(terms) if forms is None else forms.copy()
    before = len(found.further())
    for term in unknown:
        for other in _alike(db, term, origin_number):
            found.spell(term, other)
    return found if len(found.further()) > before else None


def _alike(db: Connection, term: str, origin_number: int) -> list[str]:
    """Return the stored words that begin with a word; where there are none, those that have another
    ending."""
    found = _beginning(db, term, origin_number)
    for stem in _stems(term):
        if not found:
            found = [
                word for word in _beginning(db, stem, origin_number)
                if len(word) <= len(stem) + _LONGER
            ]  # fmt: skip
    return found


def _stems(term: str) -> list[str]:
    """Return a word without its last letters, in whose place others may stand."""
    if not term.isalpha():
        return []
    return [term[:-cut] for cut in range(1, _CUT + 1) if len(term) - cut >= least_size(term)]


def _beginning(db: Connection, start: str, origin_number: int) -> list[str]:
    """Return the stored words that begin so, the shortest ones first."""
    rows = fts.words_from(db, start, origin_number=origin_number, limit=_READ)
    return sorted(rows, key=len)[:_MOST]
