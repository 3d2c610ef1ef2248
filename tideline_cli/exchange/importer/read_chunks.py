"""Reading the rows of an import: checked, analysed and scanned before any lock, chunk by chunk."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.prepared import prepared
from tideline_cli.memory.screening import refuse_threats
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import index_terms
from tideline_cli.store import vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.exchange.importer.prepared import Prepared, Rows
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.text import Analyzer

CHUNK = vectors.CHUNK  # each transaction of a new store fills a row of vectors, and rewrites none


class ChunkReader:
    """Makes chunks of rows that can be stored; what is wrong with a row goes to the summary."""

    def __init__(
        self, context: ImportContext, summary: ImportSummary, *, analyzer: Analyzer, merge: bool
    ) -> None:
        self._context = context
        self._summary = summary
        self._analyzer = analyzer
        self._merge = merge

    def chunks(self, rows: Rows) -> Iterator[list[Prepared]]:
        """Yield the rows that can be stored, `CHUNK` at a time; the last chunk may be shorter."""
        chunk: list[Prepared] = []
        for line, row in rows:
            self._summary.heard(row)
            try:
                chunk.append(self._ready(line, row))
            except TidelineError as error:
                self._summary.refuse(line, error)
            if len(chunk) >= CHUNK:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def analysed(self, chunk: list[Prepared], analyzer: Analyzer) -> list[Prepared]:
        """Return a chunk with the terms of this analyser, which rows to come get too: that of the
        store may have changed since the chunk was read."""
        self._analyzer = analyzer
        return [
            ready
            if ready.analyzer == analyzer
            else replace(
                ready, analyzer=analyzer, terms=index_terms(ready.fact.content, analyzer=analyzer)
            )
            for ready in chunk
        ]

    def _ready(self, line: int, row: dict[str, Any] | TidelineError) -> Prepared:
        """Return a row as it can be stored; raise what is wrong with it."""
        ready = prepared(line, row, self._context, self._analyzer)
        if self._merge and not is_trusted(ready.fact.source):
            ready.screen.found(ready.fact.content)  # the merge asks for it later, under the lock
        if not self._context.trusted:
            hint = "read it; if you vouch for the file, import it with --trust"
            refuse_threats(ready.fact.content, ready.screen, whose="", hint=hint)
        self._summary.secrets += ready.secrets
        return ready
