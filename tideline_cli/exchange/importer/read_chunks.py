"""Reading the rows of an import: checked, analysed and scanned before any lock, chunk by chunk."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.plain_rows import PlainRow
from tideline_cli.exchange.importer.prepare_rows import RowPreparer
from tideline_cli.exchange.importer.prepared import server_refusal
from tideline_cli.model.record import replace
from tideline_cli.model.text import index_terms
from tideline_cli.store import vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tideline_cli.exchange.importer.prepare_rows import Ready
    from tideline_cli.exchange.importer.prepared import Rows
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.text import Analyzer

CHUNK = vectors.CHUNK  # each transaction of a new store fills a row of vectors, and rewrites none


class ChunkReader:
    """Makes chunks of rows that can be stored; what is wrong with a row goes to the summary."""

    def __init__(
        self, context: ImportContext, summary: ImportSummary, *, analyzer: Analyzer, merge: bool,
        are_many: bool = False, on_server: bool = False,
    ) -> None:  # fmt: skip
        self._summary = summary
        self._on_server = on_server
        self._preparer = RowPreparer(context, analyzer=analyzer, merge=merge, are_many=are_many)

    def chunks(self, rows: Rows) -> Iterator[list[Ready]]:
        """Yield the rows that can be stored, `CHUNK` at a time; the last chunk may be shorter."""
        chunk: list[Ready] = []
        for line, row, ready in self._preparer.prepared(rows):
            self._summary.heard(row)
            if not isinstance(ready, TidelineError) and self._on_server:
                ready = server_refusal(ready.content, row, analyzer=ready.analyzer) or ready
            if isinstance(ready, TidelineError):
                self._summary.refuse(line, ready)
                continue
            self._summary.secrets += ready.secrets
            chunk.append(ready)
            if len(chunk) >= CHUNK:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def analysed(self, chunk: list[Ready], analyzer: Analyzer) -> list[Ready]:
        """Return a chunk with the terms of this analyser, which rows to come get too: that of the
        store may have changed since the chunk was read."""
        self._preparer.analyzer = analyzer
        return [ready if ready.analyzer == analyzer else _again(ready, analyzer) for ready in chunk]


def _again(ready: Ready, analyzer: Analyzer) -> Ready:
    """Return a row with the terms of another analyser."""
    if isinstance(ready, PlainRow):
        ready = ready.prepared()
    return replace(ready, analyzer=analyzer, terms=index_terms(ready.content, analyzer=analyzer))
