"""Preparing the rows of an import, in their order: in a process beside it when there are many."""

from __future__ import annotations

from collections import deque
from itertools import islice

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer import row_frames
from tideline_cli.exchange.importer.beside import started
from tideline_cli.exchange.importer.plain_rows import PlainRow, plain_columns, plain_row
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
_AHEAD = 8  # of them at most are under way
_ALONE = 4  # such parts; a process beside pays from the next one on: it takes 80 ms to start
_WORKER = "tideline_cli.exchange.importer.row_worker"


class RowPreparer:
    """Prepares rows one after the other. `analyzer` makes the terms of rows to come; `are_many`
    says that a process beside pays from the first rows on."""

    def __init__(
        self, context: ImportContext, *, analyzer: Analyzer, merge: bool, are_many: bool = False
    ) -> None:
        self.analyzer = analyzer
        self._are_many = are_many
        self._context = context
        self._merge = merge

    def prepared(self, rows: Rows) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield (line, row, the row as it can be stored or what is wrong with it)."""
        waiting = iter(rows)
        if not self._are_many:
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
        """Yield the rows of each part, while parts after it are read and prepared. The first part
        of many is prepared here, while the process beside starts."""
        asked: deque[_Asked] = deque()
        if self._are_many:
            asked.append(_Asked(part, self.analyzer, None, b""))
            part = list(islice(waiting, _ROWS))
        while part:
            newest = self._request(part, beside)
            while asked and not (len(asked) < _AHEAD and newest.has_room()):
                yield from self._answered(asked.popleft())
            newest.ask()
            asked.append(newest)
            part = list(islice(waiting, _ROWS))
        for earlier in asked:
            yield from self._answered(earlier)

    def _answered(self, asked: _Asked) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield the rows of a part, as they were prepared beside or as they are prepared here."""
        asked.hear()
        for place, (line, row) in enumerate(asked.part):
            yield line, row, asked.made[place] or self._here(line, row)

    def _request(self, part: list[Numbered], beside: Beside | None) -> _Asked:
        request = beside and row_frames.request(
            part, self._context, self.analyzer, merge=self._merge
        )
        return _Asked(part, self.analyzer, beside, request or b"")

    def _here(self, line: int, row: Row) -> Ready | TidelineError:
        """Prepare a row in this process."""
        try:
            ready = ready_row(line, row, self._context, self.analyzer, merge=self._merge)
        except TidelineError as error:
            return error
        columns = None if self._merge else plain_columns(ready, self._context)
        return ready if columns is None else plain_row(line, ready.row, self.analyzer, columns)


class _Asked:
    """Rows of which a process beside is asked, and its answer: None where it has none. Without a
    request the rows cannot be sent."""

    def __init__(
        self, part: list[Numbered], analyzer: Analyzer, beside: Beside | None, request: bytes
    ) -> None:
        self.part = part
        self.made: Sequence[Ready | None] = [None] * len(part)
        self._analyzer = analyzer
        self._beside = beside if request else None
        self._request = request

    def has_room(self) -> bool:
        """Say whether the process takes the request without a wait for answers."""
        return self._beside is None or self._beside.has_room(self._request)

    def ask(self) -> None:
        """Send the rows, where they can be sent."""
        if self._beside is not None and not self._beside.ask(self._request):
            self._beside = None
        self._request = b""

    def hear(self) -> None:
        """Read the answer, if there is one to come."""
        raw = self._beside.answer() if self._beside is not None else b""
        if raw:
            self.made = row_frames.rows_of(raw, self.part, self._analyzer)
