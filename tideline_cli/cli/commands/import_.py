"""tideline import."""

from __future__ import annotations

import io
import os
import stat
import sys

from tideline_cli.cli import import_report
from tideline_cli.cli.messages import shows_progress
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.exchange.importer import import_rows, prepared
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.model.record import record
from tideline_cli.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, BinaryIO

    from tideline_cli.exchange.importer.summary import ImportSummary

MAX_ROWS = 1_000_000
HELP = """Take in facts from JSON lines, CSV, TSV or SQLite.

Rows are taken as they are, archived ones too, and nothing is merged. Rows that are there already
are left alone, but for edges and sources that they lack, so an import that was cut short is
finished by running it again. A slot keeps one value at a time, the one said last: an older one
ends where a newer one begins. Unknown keys go into the metadata, and so does an id that is no ULID.
A time of creation or use that lies ahead becomes now. What a row names (derived_from, supersedes,
links) may be the beginning of an id; what names nothing is told and left out.

With --merge a row restates a fact that says it already, at the row's own time; what was forgotten
or replaced stays so, and a row that is here under its own id is left alone.

Rows count as retrieved documents, whatever the file says, unless --trust vouches for it: they are
scanned, may not speak for the owner, get new ids, and claim no more use or weight than new facts
of their segment have.

Of a SQLite file one table is read; views and virtual tables are not. After --max-rows rows, or
where a file cannot be read on, it stops with 2; what was taken until then is one batch, which one
undo takes back. Where no row could be used it ends with 1."""
EXAMPLES = (("facts.jsonl", ""), ("backup.jsonl", "--trust"), ("notes.db", "--table fact"))
ARGUMENTS = (Argument("words", "FILE", "What to read; `-` is standard input.", "file", False, 1),)
OPTIONS = (
    Option("trust", ("--trust",), "Keep the sources that the file states; the rest is the "
           "owner's.", "flag", False),
    Option("merge", ("--merge",), "Send each row through the rules of remember.", "flag", False),
    Option("strict", ("--strict",), "Take nothing if any row is bad.", "flag", False),
    Option("format", ("--format",), "jsonl, csv, tsv or sqlite [default: by the file's name].",
           "choice", choices=("jsonl", "csv", "tsv", "sqlite")),
    Option("table", ("--table",), "The table of a SQLite file [default: fact].", metavar="NAME"),
    Option("max_rows", ("--max-rows",), f"Rows at most, bad ones included [default: {MAX_ROWS:,}].",
           "count", MAX_ROWS, least=1),
)  # fmt: skip
_BY_ENDING = {".csv": "csv", ".tsv": "tsv", ".db": "sqlite", ".sqlite": "sqlite",
              ".sqlite3": "sqlite"}  # fmt: skip
_LONGEST_LINE = 1 << 20


@record
class Options:
    """The options of a call."""

    trust: bool
    merge: bool
    strict: bool
    format: str | None
    table: str | None
    max_rows: int


def run(session: Session, words: list[str], options: Options) -> int:
    """Import one file."""
    if len(words) != 1:
        raise UsageError("name one file", hint="tideline import facts.jsonl")
    path = words[0]
    kind = options.format or _BY_ENDING.get(os.path.splitext(path)[1].lower(), "jsonl")
    if options.table is not None and kind != "sqlite":
        raise UsageError(f"--table cannot go with {kind}: it has none", hint="leave it out")
    context = ImportContext(session.viewer, session.now, options.trust)
    source = _Source(session, path, kind, options.table or "fact", twice=options.strict)
    if options.strict:
        _check(_Rows(source, options.max_rows), context)
    rows = _Rows(source, options.max_rows)
    with _progress(session, source) as advance:
        summary = import_rows.import_rows(
            session.writing(), rows, context, merge=options.merge, progress=advance
        )
    import_report.report(session, path, summary, trust=options.trust, stopped=rows.stopped)
    if rows.stopped is not None:
        raise _told(session, rows, summary)
    if summary.rows and not summary.taken:
        raise import_report.useless(summary)
    return 0


def _check(rows: _Rows, context: ImportContext) -> None:
    bad = prepared.first_refused(rows, context)
    stopped = bad[1] if bad is not None else rows.stopped
    if stopped is not None:
        where = f"line {bad[0]}: " if bad is not None else ""
        raise UsageError(where + stopped.message, hint="nothing was imported", code=stopped.code)


def _told(session: Session, rows: _Rows, summary: ImportSummary) -> TidelineError:
    """Return the error of an import that stopped: where, what it took, and what to do next."""
    error = rows.stopped or UsageError("stopped")
    error.message += f"; {rows.count:,} rows were taken or skipped before"
    if summary.batch is not None:
        error.hint += f"; `{session.call('undo', str(summary.batch))}` takes all of it back"
    return error


class _Rows:
    """Rows up to a limit. An error that ends them early does not break the import off: it stands in
    `stopped`, and all rows before it are stored."""

    def __init__(self, source: _Source, most: int) -> None:
        self._source = source
        self._most = most
        self.count = 0
        self.stopped: TidelineError | None = None

    def __iter__(self) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        rows = self._source.rows()
        try:
            for row in rows:
                if self.count == self._most:
                    self.stopped = UsageError(
                        f"the file has more than {self._most:,} rows",
                        hint="--max-rows N takes more",
                        code="too_many_rows",
                    )
                    return
                self.count += 1
                yield row
        except TidelineError as error:
            if not self.count:
                raise  # nothing of it can be read
            self.stopped = error
        finally:
            rows.close()


class _Source:
    """The file, which --strict reads twice."""

    def __init__(
        self, session: Session, path: str, kind: str, table: str, *, twice: bool
    ) -> None:  # fmt: skip
        self._twice = twice
        self._path = path
        self._kind = kind
        self._table = table
        self._store = session.database
        self._tell = session.note
        self._spool: io.BytesIO | None = None
        self.size = 0
        self.position: Callable[[], int] = lambda: 0
        if path != "-":
            self.size = _regular(path)
            files.refuse_own(path, self._store)

    def rows(self) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        if self._kind == "sqlite":
            from tideline_cli.exchange import foreign  # noqa: PLC0415  only a SQLite file

            yield from foreign.database(
                self._path, self._table, store=self._store, tell=self._tell
            )
            return
        with self._open() as file:
            self.position = file.tell
            if self._kind == "jsonl":
                yield from jsonl.parsed(_lines(file))
            else:
                from tideline_cli.exchange import foreign  # noqa: PLC0415  sqlite_utils, 179 ms

                yield from foreign.delimited(file, tabs=self._kind == "tsv")
            self.position = lambda: self.size

    def _open(self) -> BinaryIO:
        if self._path != "-":
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
            handle = os.open(self._path, flags)
            if stat.S_ISREG(os.fstat(handle).st_mode):
                return open(handle, "rb")
            os.close(handle)
            raise UsageError(f"{self._path} is not a file", hint="pipe it and use `-`")
        if not self._twice:
            return sys.stdin.buffer
        if self._spool is None:
            self._spool = io.BytesIO(sys.stdin.buffer.read())
        return io.BytesIO(self._spool.getvalue())


def _regular(path: str) -> int:
    """Return the size of a file; refuse what is not one."""
    try:
        state = os.stat(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read {path}: {reason}") from error
    if not stat.S_ISREG(state.st_mode):
        raise UsageError(f"{path} is not a file", hint="pipe it and use `-`")
    return state.st_size


def _lines(file: BinaryIO):  # type: ignore[no-untyped-def]
    """Yield lines; one that is too long is cut, so that it is a bad line."""
    while line := file.readline(_LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
            while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
        yield line


def _progress(session: Session, source: _Source):  # type: ignore[no-untyped-def]
    from contextlib import nullcontext  # noqa: PLC0415  without a terminal alone

    if not (shows_progress(quiet=session.quiet, as_json=session.json) and source.size):
        return nullcontext(None)
    from tideline_cli.cli import tables  # noqa: PLC0415  rich

    return tables.progress_bar("importing", source.size, lambda: source.position())
