"""Preparing the rows of an import, in their order and in chunks: in a process beside it when there
are many, `python -m tideline_cli.exchange.importer.preparation PIPE`.

That process answers frames on its standard input: a length, as `vector.worker` writes it, then a
value as `marshal` writes it, since both ends are one program on one interpreter. PIPE is the number
of a handle whose pipe ends when the import is gone. What it does not answer is prepared here.
"""

from __future__ import annotations

import gc
import marshal  # noqa: TID251  from our own process alone; JSON takes three times as long
import os
import sys
from collections import deque
from itertools import islice

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.prepared import (
    Alike,
    PlainRow,
    PlainWords,
    Prepared,
    is_scanned,
    plain_row,
    ready_row,
    server_refusal,
)
from tideline_cli.exchange.importer.rows import ImportContext, vouched_id
from tideline_cli.exchange.importer.workers import started
from tideline_cli.memory.screening import Screen
from tideline_cli.model.fact import Fact
from tideline_cli.model.fields import NAMES
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import replace
from tideline_cli.model.text import IndexTerms, index_terms
from tideline_cli.store import vectors
from tideline_cli.vector.worker import LENGTH, end_with, framed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, BinaryIO

    from tideline_cli.exchange.importer.prepared import Row, Rows
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.exchange.importer.workers import Worker
    from tideline_cli.model.text import Analyzer

    Numbered = tuple[int, Row]
    Ready = Prepared | PlainRow
    # What a row becomes: the columns of a plain one; the values of a fact, its terms as the file
    # keeps them, and whether a scan has found nothing in it; or None, where the import shall look
    # itself.
    Answer = list[Any] | tuple[list[Any], str, bool] | None

CHUNK = vectors.CHUNK  # each transaction of a new store fills a row of vectors, and rewrites none
_ROWS = vectors.CHUNK  # that are sent at once
_AHEAD = 8  # of them at most are under way
_ALONE = 4  # such parts; a process beside pays from the next one on: it takes 80 ms to start
_WORKER = "tideline_cli.exchange.importer.preparation"
_ORIGIN = NAMES.index("origin")


class ChunkReader:
    """Makes chunks of rows that can be stored; what is wrong with a row goes to the summary."""

    def __init__(
        self, context: ImportContext, summary: ImportSummary, *, analyzer: Analyzer, merge: bool,
        are_many: bool = False, on_server: bool = False,
    ) -> None:  # fmt: skip
        self._summary = summary
        self._on_server = on_server
        self._are_notes = context.are_dated
        self._preparer = RowPreparer(context, analyzer=analyzer, merge=merge, are_many=are_many)

    def chunks(self, rows: Rows) -> Iterator[list[Ready]]:
        """Yield the rows that can be stored, `CHUNK` at a time; the last chunk may be shorter."""
        chunk: list[Ready] = []
        for line, row, ready in self._preparer.prepared(rows):
            self._summary.note_row(row)
            if not isinstance(ready, TidelineError) and self._on_server:
                ready = server_refusal(ready.content, row, analyzer=ready.analyzer) or ready
            if isinstance(ready, TidelineError):
                self._summary.refuse(line, ready)
                continue
            self._summary.secrets += ready.secrets
            if self._are_notes:
                self._note_id(ready)
            chunk.append(ready)
            if len(chunk) >= CHUNK:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def _note_id(self, ready: Ready) -> None:
        """Note under which ids the fact of a row may stand."""
        fact_id = ready.id if isinstance(ready, PlainRow) else ready.fact.id
        self._summary.ids |= {fact_id, vouched_id(Origin(ready.origin_key), fact_id)}

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
        self._words = PlainWords()
        self._alike = Alike(self._words)

    def prepared(self, rows: Rows) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield (line, row, the row as it can be stored or what is wrong with it)."""
        waiting = iter(rows)
        if not self._are_many:
            for line, row in islice(waiting, _ALONE * _ROWS):
                yield line, row, self._here(line, row)
        part = list(islice(waiting, _ROWS))
        if not part:
            return
        worker = started(_WORKER)
        try:
            yield from self._in_parts(part, waiting, worker)
        finally:
            if worker is not None:
                worker.end()

    def _in_parts(
        self, part: list[Numbered], waiting: Iterator[Numbered], worker: Worker | None
    ) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield the rows of each part, while parts after it are read and prepared. The first part
        of many is prepared here, while the worker starts."""
        asked: deque[_Request] = deque()
        if self._are_many:
            asked.append(_Request(part, self.analyzer, None, None))
            part = list(islice(waiting, _ROWS))
        while part:
            newest = self._request(part, worker)
            while asked and not (len(asked) < _AHEAD and newest.has_room()):
                yield from self._answered(asked.popleft())
            newest.send()
            asked.append(newest)
            part = list(islice(waiting, _ROWS))
        for earlier in asked:
            yield from self._answered(earlier)

    def _request(self, part: list[Numbered], worker: Worker | None) -> _Request:
        raw = None
        if worker is not None:
            raw = request_of(part, self._context, self.analyzer, merge=self._merge)
        return _Request(part, self.analyzer, worker, raw)

    def _answered(self, asked: _Request) -> Iterator[tuple[int, Row, Ready | TidelineError]]:
        """Yield the rows of a part, as they were prepared beside or as they are prepared here."""
        for (line, row), ready in zip(asked.part, asked.answer(), strict=True):
            yield line, row, ready or self._here(line, row)

    def _here(self, line: int, row: Row) -> Ready | TidelineError:
        """Prepare a row in this process."""
        if isinstance(row, TidelineError):
            return row
        columns = None if self._merge else self._alike.columns(row, self.analyzer)
        if columns is not None:
            return PlainRow(line, row, self.analyzer, columns)
        try:
            ready = ready_row(
                line, row, self._context, self.analyzer, self._words, merge=self._merge
            )
        except TidelineError as error:
            return error
        plain = None if self._merge else plain_row(ready, self._context)
        if plain is None:
            return ready
        self._alike.keep(ready, plain.columns)
        return plain


class _Request:
    """Rows that a worker is asked to prepare. Without a worker, or a form in which they can be
    sent, it has no answer."""

    def __init__(
        self, part: list[Numbered], analyzer: Analyzer, worker: Worker | None, raw: bytes | None
    ) -> None:
        self.part = part
        self._analyzer = analyzer
        self._worker = worker if raw else None
        self._raw = raw or b""

    def has_room(self) -> bool:
        """Say whether the worker takes the request without a wait for answers."""
        return self._worker is None or self._worker.has_room(self._raw)

    def send(self) -> None:
        """Send the rows, where they can be sent."""
        if self._worker is not None and not self._worker.ask(self._raw):
            self._worker = None
        self._raw = b""

    def answer(self) -> Sequence[Ready | None]:
        """Return the rows, None in the place of each that has to be prepared here."""
        raw = self._worker.answer() if self._worker is not None else b""
        return rows_of(raw, self.part, self._analyzer) if raw else [None] * len(self.part)


def request_of(
    rows: Sequence[tuple[int, Row]], context: ImportContext, analyzer: Analyzer, *, merge: bool
) -> bytes | None:
    """Return the request for some rows; None for rows that cannot be sent."""
    sent = [None if isinstance(row, TidelineError) else row for _, row in rows]
    about = (context.origin.key, context.now, context.trusted, context.agent)
    try:
        return framed(marshal.dumps((*about, analyzer, merge, sent)))
    except ValueError:  # nested too deeply, or of a type that a file has and JSON has not
        return None


def rows_of(raw: bytes, rows: Sequence[tuple[int, Row]], analyzer: Analyzer) -> list[Ready | None]:
    """Return the rows that an answer is about; None is one that has to be looked at here."""
    answers: list[Answer] = marshal.loads(raw)  # noqa: S302  our own process has written it
    return [
        None if answer is None else _ready(line, row, answer, analyzer)
        for (line, row), answer in zip(rows, answers, strict=True)
    ]


def _ready(line: int, row: Any, answer: Any, analyzer: Analyzer) -> Ready:
    if isinstance(answer, list):
        return PlainRow(line, row, analyzer, answer)
    values, joined, was_scanned = answer
    values[_ORIGIN] = Origin(values[_ORIGIN])
    fact = Fact(*values)
    screen = Screen([fact.content] if was_scanned else ())
    return Prepared(line, row, fact, analyzer, IndexTerms.parted(joined), screen, 0)


class Answerer:
    """Answers the requests of one import. The words of one request it knows for the next."""

    def __init__(self) -> None:
        self._words = PlainWords()
        self._alike = Alike(self._words)

    def answer(self, raw: bytes) -> bytes:
        """Return the answer to a request."""
        key, now, trusted, agent, analyzer, merge, rows = marshal.loads(raw)  # noqa: S302  as above
        context = ImportContext(Origin(key), now, trusted, agent)
        return framed(
            marshal.dumps([self._answer(row, context, analyzer, merge=merge) for row in rows])
        )

    def _answer(
        self, row: dict[str, Any] | None, context: ImportContext, analyzer: Analyzer, *, merge: bool
    ) -> Answer:
        """Return what a row becomes, unless there is something to say of it."""
        if row is None:
            return None
        columns = None if merge else self._alike.columns(row, analyzer)
        if columns is not None:
            return columns
        try:
            ready = ready_row(0, row, context, analyzer, self._words, merge=merge)
        except TidelineError:
            return None
        was_scanned = is_scanned(ready, context, merge=merge)
        if ready.secrets or (was_scanned and ready.screen.found(ready.content)):
            return None
        plain = None if merge else plain_row(ready, context)
        if plain is not None:
            self._alike.keep(ready, plain.columns)
            return plain.columns
        values = [getattr(ready.fact, name) for name in NAMES]
        values[_ORIGIN] = ready.origin_key
        return values, ready.terms.joined(), was_scanned


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until they end."""
    answerer = Answerer()
    while head := requests.read(LENGTH):
        answers.write(answerer.answer(requests.read(int.from_bytes(head, "little"))))
        answers.flush()


if __name__ == "__main__":
    try:
        gc.freeze()  # rows hold no cycles: what is looked for is rarely there
        gc.set_threshold(50_000)
        end_with(int(sys.argv[1]))
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(0)
