"""Rows that say the same but for their texts: what the file keeps of one holds for the others.

A row is made from the mould of its kind when its text has nothing but plain words. Whatever else a
row says, an id, a time, a secret, it is made by itself.
"""

from __future__ import annotations

from tideline_cli.exchange.importer.plain_words import PlainWords, can_tell
from tideline_cli.exchange.importer.rows import made_id, told_apart
from tideline_cli.model.fact import MAX_CONTENT
from tideline_cli.policy.sameness import APART
from tideline_cli.store import bulk_inserts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.bulk_inserts import Own, SharedColumns

    Row = dict[str, Any]
    # What a row says beside its text: keys, values, and their types, since 1 is also True.
    Kind = tuple[object, ...]
    # The number of a model, the model, and the origin and the labels that ids are made of.
    Mould = tuple[int, SharedColumns, Any, str]

    # The number of a model, and what a row has for itself.
    Moulded = tuple[int, Own]

_OWN = frozenset(("id", "created_at"))  # of each row another
_MOST = 1000  # moulds that are kept
_TEXT_ALONE = 1


class RowMoulds:
    """The moulds of one import, for one analyser."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._words = PlainWords() if can_tell(analyzer) else None
        self._moulds: dict[Kind, Mould] = {}
        self._models: list[bulk_inserts.SharedColumns] = []

    def moulded(self, row: Row) -> Moulded | None:
        """Return what the file keeps of a row; None where there is no mould for it."""
        content = row.get("content")
        if self._words is None or not isinstance(content, str) or len(content) > MAX_CONTENT:
            return None
        mould = self._moulds.get(()) if len(row) == _TEXT_ALONE else self._mould(row)
        if mould is None:
            return None
        terms = self._words.terms(content)
        if terms is None:
            return None
        number, model, origin, apart = mould
        fact_id = made_id(origin, content, apart, None, 0)
        return number, model.own_of(fact_id, content, terms)

    def columns(self, number: int) -> list[Any]:
        """Return the columns of a model."""
        return self._models[number].columns

    def keep(self, row: Row, ready: Prepared, columns: list[Any]) -> None:
        """Keep a mould of a row that is plain, for others that say the same beside their texts."""
        kind = _kind(row)
        if kind is not None and len(self._moulds) < _MOST:
            model, fact = bulk_inserts.SharedColumns(columns), ready.fact
            apart = told_apart({name: getattr(fact, name) for name in ("source_turn", *APART)})
            self._moulds[kind] = (len(self._models), model, fact.origin, apart)
            self._models.append(model)

    def _mould(self, row: Row) -> Mould | None:
        kind = _kind(row)
        return None if kind is None else self._moulds.get(kind)


def _kind(row: Row) -> Kind | None:
    """Return what a row says beside its text, None where that tells it apart from all others."""
    if not _OWN.isdisjoint(row):
        return None
    rest = [(name, value, type(value)) for name, value in row.items() if name != "content"]
    kind = tuple(rest)
    try:
        hash(kind)
    except TypeError:  # a list, an object
        return None
    return kind
