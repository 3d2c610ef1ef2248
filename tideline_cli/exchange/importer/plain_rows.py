"""Rows that say nothing of other facts: what is stored of them is known before the transaction."""

from __future__ import annotations

from _operator import attrgetter

from tideline_cli.exchange.importer.prepared import Prepared
from tideline_cli.exchange.importer.row_times import STATED_KEYS
from tideline_cli.exchange.importer.rows import reason_of, times_of
from tideline_cli.exchange.importer.worth import was_confined, was_limited
from tideline_cli.memory.screening import Screen
from tideline_cli.model.fields import SEARCHED
from tideline_cli.model.record import record
from tideline_cli.store import bulk_inserts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer, IndexTerms
    from tideline_cli.store.bulk_inserts import Own

_labels = attrgetter("derived_from", *SEARCHED)


@record
class PlainRow:
    """A row whose fact is one row of the file and nothing else: the columns of a fact that it is
    like, which several rows may share, and what it has for itself."""

    line: int
    row: dict[str, Any]
    analyzer: Analyzer
    model: list[Any]
    own: Own
    secrets = 0
    """None: what has one is no such row."""

    @property
    def content(self) -> str:
        """The text of the fact."""
        return self.own[bulk_inserts.OWN_CONTENT]

    @property
    def id(self) -> str:
        """The id of the fact."""
        return self.own[bulk_inserts.OWN_ID]

    @property
    def origin_key(self) -> str:
        """The origin of the fact."""
        return self.model[bulk_inserts.ORIGIN]  # type: ignore[no-any-return]

    @property
    def fact(self) -> Fact:
        """The fact, made anew."""
        return self._unsealed()[0]

    @property
    def terms(self) -> IndexTerms:
        """The index terms of the text, made anew."""
        return self._unsealed()[1]

    def prepared(self) -> Prepared:
        """Return the row as it is stored where something is in the way."""
        fact, terms = self._unsealed()
        screen = Screen()
        return Prepared(self.line, self.row, fact, self.analyzer, terms, screen, 0)

    def _unsealed(self) -> tuple[Fact, IndexTerms]:
        return bulk_inserts.unsealed(bulk_inserts.with_own(self.model, self.own))


def plain_row(line: int, row: dict[str, Any], analyzer: Analyzer, columns: list[Any]) -> PlainRow:
    """Return a plain row by its own columns."""
    return PlainRow(line, row, analyzer, columns, bulk_inserts.own_of(columns))


def plain_columns(ready: Prepared, context: ImportContext) -> list[Any] | None:
    """Return the columns of a row that is plain, None of any other."""
    if not is_plain(ready, context):
        return None
    return bulk_inserts.sealed(ready.fact, ready.terms, ready.analyzer)


def is_plain(ready: Prepared, context: ImportContext) -> bool:
    """Say whether a row says no more than its fact does, was taken as it is, and whether its fact
    has no labels, sources, uses or times that are stored apart."""
    fact, row = ready.fact, ready.row
    return not (
        any(_labels(fact))
        or row.get("links")
        or row.get("supersedes")
        or fact.access_count
        or fact.last_accessed_at != fact.created_at
        or ready.secrets
        or str(row.get("id") or fact.id) != fact.id
        or was_confined(row, fact)
        or was_limited(row, fact, trusted=context.trusted, now=context.now)
        or not _is_timed_as_made(ready, fact, context)
    )


def _is_timed_as_made(ready: Prepared, fact: Fact, context: ImportContext) -> bool:
    """Say whether the state of a fact was stated when the fact was made, and no reason for it."""
    if fact.lifecycle == "active" and STATED_KEYS.isdisjoint(ready.row):
        return True
    at = times_of(ready.row, fact, context)
    if reason_of(ready.row, context):
        return False
    return at.changed_at == at.said_at == fact.created_at
