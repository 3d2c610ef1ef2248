"""Words of a question that no fact holds: the stored words that begin like them stand in.

So a hash is found by its first characters, and a word by another ending. What is read of the
vocabulary is that of the viewer's origin, and bounded; where all words are known, nothing is.
"""

from __future__ import annotations

from tideline_cli.model.forms.found import Forms
from tideline_cli.model.letters import is_spaceless
from tideline_cli.store import fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from apsw import Connection

_LEAST = 5  # letters of a word; of one that is not ASCII one less
_MOST = 7  # stored words that stand in for one
_READ = 64
_CUT = 2  # last letters that another ending may take the place of
_LONGER = 3  # letters of another ending


def stand_ins(
    db: Connection, terms: Sequence[str], held: Mapping[str, int], forms: Forms | None, *,
    origin_number: int,
) -> Forms | None:  # fmt: skip
    """Return the forms of a question with the stored words that stand in for its unknown words;
    None where there are none."""
    found = Forms(terms) if forms is None else forms.copy()
    before = len(found.further())
    for term in list(_unknown(terms, held, forms)):
        for other in _alike(db, term, origin_number):
            found.spell(term, other)
    return found if len(found.further()) > before else None


def _unknown(
    terms: Sequence[str], held: Mapping[str, int], forms: Forms | None
) -> Iterator[str]:
    """Yield the terms that are long enough, and that no fact holds in any form."""
    known = {term for term in terms if held.get(term, 0) > 0}
    skipped: set[str] = set()
    if forms is not None:
        for term, others in forms.others.items():
            skipped.update(others)
            if not known.isdisjoint(others):
                known.add(term)
        for parts, wholes in forms.wholes:
            skipped.update(parts if len(parts) > 1 else ())
            if not known.isdisjoint(wholes) or known.issuperset(parts):
                skipped.update(wholes)
    for term in terms:
        is_known = term in known or term in skipped
        if not is_known and len(term) >= _least(term) and not is_spaceless(term[0]):
            yield term


def _least(term: str) -> int:
    return _LEAST if term.isascii() else _LEAST - 1


def _alike(db: Connection, term: str, origin_number: int) -> list[str]:
    """Return the stored words that begin with a word; where there are none, those that have another
    ending."""
    found = _beginning(db, term, origin_number)
    if not found and term.isalpha():
        for cut in range(1, _CUT + 1):
            if len(term) - cut >= _least(term) and not found:
                stem = term[:-cut]
                found = [
                    word for word in _beginning(db, stem, origin_number)
                    if len(word) <= len(stem) + _LONGER
                ]  # fmt: skip
    return found


def _beginning(db: Connection, start: str, origin_number: int) -> list[str]:
    """Return the stored words that begin so, the shortest ones first."""
    rows = fts.words_from(db, start, origin_number=origin_number, limit=_READ)
    return sorted(rows, key=len)[:_MOST]
