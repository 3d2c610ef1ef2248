"""What an import and the process that prepares its rows say to one another.

A frame is its length, as `vector.worker` writes it, then a value as `marshal` writes it: both ends
are one program on one interpreter.
"""

from __future__ import annotations

import marshal  # noqa: TID251  from our own process alone; JSON takes three times as long

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.plain_rows import PlainRow, plain_columns, plain_row
from tideline_cli.exchange.importer.prepared import Prepared, is_scanned, prepared, scan_row
from tideline_cli.exchange.importer.row_moulds import RowMoulds
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory.screening import Screen
from tideline_cli.model.fact import Fact
from tideline_cli.model.fields import NAMES
from tideline_cli.model.origin import Origin
from tideline_cli.model.text import IndexTerms
from tideline_cli.vector.worker import framed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.exchange.importer.row_moulds import Moulded
    from tideline_cli.model.text import Analyzer

    Row = dict[str, Any] | TidelineError
    Ready = Prepared | PlainRow
    # What a row becomes: the columns of a plain one, or the number of those that it shares and what
    # it has for itself; the values of a fact, its terms as the file keeps them, and whether a scan
    # has found nothing in it; or None, where the process that asks shall look itself.
    Answer = list[Any] | Moulded | tuple[list[Any], str, bool] | None

_MOULDED = 2  # values of such an answer
_ORIGIN = NAMES.index("origin")


def request(
    rows: Sequence[tuple[int, Row]], context: ImportContext, analyzer: Analyzer, *, merge: bool
) -> bytes | None:
    """Return the request for some rows; None for rows that cannot be sent."""
    plain = [None if isinstance(row, TidelineError) else row for _, row in rows]
    about = (context.origin.key, context.now, context.trusted, context.agent)
    asked = (*about, analyzer, merge, plain)
    try:
        return _frame(asked)
    except ValueError:  # nested too deeply, or of a type that a file has and JSON has not
        return None


def rows_of(
    raw: bytes, rows: Sequence[tuple[int, Row]], analyzer: Analyzer
) -> list[Ready | None]:
    """Return the rows that an answer is about; None is one that has to be looked at here."""
    answers: list[Answer]
    shared: dict[int, list[Any]]
    answers, shared = marshal.loads(raw)  # noqa: S302  our own process has written it
    return [
        None if answer is None else _ready(line, row, answer, shared, analyzer)
        for (line, row), answer in zip(rows, answers, strict=True)
    ]


class Answerer:
    """Answers the requests of one import. What it learns of the words and the rows of one request
    it knows for the next."""

    def __init__(self) -> None:
        self._asked: tuple[ImportContext, Analyzer] | None = None
        self._moulds = RowMoulds("reference")

    def answer(self, raw: bytes) -> bytes:
        """Return the answer to a request."""
        key, now, trusted, agent, analyzer, merge, rows = marshal.loads(raw)  # noqa: S302  as above
        context = ImportContext(Origin(key), now, trusted, agent)
        if self._asked != (context, analyzer):
            self._asked = (context, analyzer)
            self._moulds = RowMoulds(analyzer)
        moulded: list[Moulded | None] = [None] * len(rows)
        if not merge:
            moulded = [None if row is None else self._moulds.moulded(row) for row in rows]
        numbers = {one[0] for one in moulded if one is not None}
        shared = {number: self._moulds.columns(number) for number in numbers}
        made: list[Answer] = [*moulded]
        places = [place for place, answer in enumerate(made) if answer is None]
        others = [rows[place] for place in places]
        # Stage by stage: a tenth faster than row by row, since each stage has its own tables.
        stated = [_stated(row, context, analyzer) for row in others]
        passed = [ready and _passed(ready, context, merge=merge) for ready in stated]
        for place, ready in zip(places, passed, strict=True):
            if ready is not None:
                made[place] = columns = _answer(ready, context, merge=merge)
                if isinstance(columns, list):
                    self._moulds.keep(rows[place], ready, columns)
        return _frame((made, shared))


def _stated(
    row: dict[str, Any] | None, context: ImportContext, analyzer: Analyzer
) -> Prepared | None:
    """Return a row as it can be stored, unless there is something to say of it."""
    if row is None:
        return None
    try:
        ready = prepared(0, row, context, analyzer)
    except TidelineError:
        return None
    return None if ready.secrets else ready


def _passed(ready: Prepared, context: ImportContext, *, merge: bool) -> Prepared | None:
    """Return a row in which the scan finds nothing."""
    try:
        scan_row(ready, context, merge=merge)
    except TidelineError:
        return None
    if is_scanned(ready, context, merge=merge) and ready.screen.found(ready.content):
        return None
    return ready


def _answer(ready: Prepared, context: ImportContext, *, merge: bool) -> Answer:
    columns = None if merge else plain_columns(ready, context)
    if columns is not None:
        return columns
    return _values(ready.fact), ready.terms.joined(), is_scanned(ready, context, merge=merge)


def _ready(
    line: int, row: Any, answer: Any, shared: dict[int, list[Any]], analyzer: Analyzer
) -> Ready:
    if len(answer) == _MOULDED:
        return PlainRow(line, row, analyzer, shared[answer[0]], answer[1])
    if isinstance(answer, list):
        return plain_row(line, row, analyzer, answer)
    values, joined, was_scanned = answer
    values[_ORIGIN] = Origin(values[_ORIGIN])
    fact = Fact(*values)
    screen = Screen([fact.content] if was_scanned else ())
    return Prepared(line, row, fact, analyzer, IndexTerms.parted(joined), screen, 0)


def _values(fact: Fact) -> list[Any]:
    values = [getattr(fact, name) for name in NAMES]
    values[_ORIGIN] = fact.origin.key
    return values


def _frame(value: Any) -> bytes:
    return framed(marshal.dumps(value))
