"""Preparing the rows of an import, in their order: in a process beside it when there are many."""

from __future__ import annotations

from itertools import islice

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer import row_frames
from tideline_cli.exchange.importer.beside import started
from tideline_cli.exchange.importer.plain_rows import PlainRow, plain_columns
from tideline_cli.exchange.importer.prepared import Prepared, ready_row
from tideline_cli.store import vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tideline_cli.exchange.importer.beside import Beside
    from tideline_cli.exchange.importer.prepared import Rows
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.text import Analyzer

    Row = dict[str, Any] | TidelineError
    Numbered = tuple[int, Row]
    Ready = Prepared | PlainRow

_ROWS = vectors.CHUNK  # that are sent at once
_ALONE = 4  # such parts; a process beside pays from the next one on: it takes 80 ms to start
_WORKER = "tideline_cli.exchange.importer.row_worker"


class RowPreparer:
    """Prepares rows one after the other. `analyzer` makes the terms of rows to come."""

    def __init__(self, context: ImportContext, *, analyzer: Analyzer, merge: bool) -> None:
        self.analyzer = analyzer
        self._context = context
        self._merge = merge

    def prepared(self, rows: Rows) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield (line, row, the row as it can be stored or what is wrong with it)."""
        waiting = iter(rows)
        for line, row in islice(waiting, _ALONE * _ROWS):
            yield line, row, self._here(line, row)
        part = list(islice(waiting, _ROWS))
        if not part:
            return
        beside = started(_WORKER)
        try:
            yield from self._in_parts(part, waiting, beside)
        finally:
            if beside is not None:
                beside.end()

    def _in_parts(
        self, part: list[Numbered], waiting: Iterator[Numbered], beside: Beside | None
    ) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield the rows of each part, while the part after it is read and prepared."""
        asked = self._asked(part, beside)
        while part:
            part = list(islice(waiting, _ROWS))
            asked.hear()
            earlier = asked
            if part:
                asked = self._asked(part, beside)
            for place, (line, row) in enumerate(earlier.part):
                yield line, row, earlier.made[place] or self._here(line, row)

    def _asked(self, part: list[Numbered], beside: Beside | None) -> _Asked:
        """Send rows to the process beside; it has answered all before, so neither side waits for
        the other for ever, however little the pipes hold."""
        asked = _Asked(part, self.analyzer)
        if beside is not None:
            asked.ask(beside, self._context, merge=self._merge)
        return asked

    def _here(self, line: int, row: Row) -> Ready | TidelineError:
        """Prepare a row in this process."""
        try:
            ready = ready_row(line, row, self._context, self.analyzer, merge=self._merge)
        except TidelineError as error:
            return error
        columns = None if self._merge else plain_columns(ready, self._context)
        return ready if columns is None else PlainRow(line, ready.row, self.analyzer, columns)


class _Asked:
    """Rows of which a process beside was asked, and its answer: None where it has none."""

    def __init__(self, part: list[Numbered], analyzer: Analyzer) -> None:
        self.part = part
        self.made: Sequence[Ready | None] = [None] * len(part)
        self._analyzer = analyzer
        self._beside: Beside | None = None

    def ask(self, beside: Beside, context: ImportContext, *, merge: bool) -> None:
        """Send the rows, where they can be sent."""
        request = row_frames.request(self.part, context, self._analyzer, merge=merge)
        if request is not None and beside.ask(request):
            self._beside = beside

    def hear(self) -> None:
        """Read the answer, if there is one to come."""
        if self._beside is None:
            return
        raw = self._beside.answer(row_frames.COUNT)
        size = int.from_bytes(raw, "little")
        raw = self._beside.answer(size) if len(raw) == row_frames.COUNT else b""
        if raw and len(raw) == size:
            self.made = row_frames.rows_of(raw, self.part, self._analyzer)
