"""tideline import."""

from __future__ import annotations

from tideline_cli.cli import import_report
from tideline_cli.cli.import_source import LimitedRows, Source, kind_of
from tideline_cli.cli.messages import shows_progress
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import Interrupted, TidelineError, UsageError
from tideline_cli.exchange.importer import import_rows, prepared
from tideline_cli.exchange.importer.columns import mapping_of
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory.lanes import is_slow
from tideline_cli.model.record import record
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.exchange.importer.summary import ImportSummary

MAX_ROWS = 1_000_000
PROGRAMS = ("claude-code", "claude-mem", "mem0", "mcp-memory-service", "mcp-memory",
            "basic-memory", "brigade", "rsclaw", "codex", "openclaw", "hermes")  # fmt: skip
HELP = """Take in facts from JSON, CSV, TSV, SQLite or Markdown.

The text of a row is its "content", or else text, memory, body, note, fact, statement or
observation; --map COLUMN=FIELD says what else a column is, and --dry-run shows what would become of
the first rows. JSON may be one object a line, a list, or an object that holds one. The cells of CSV
may be parted by comma, semicolon, tab or bar; tags may be "home;bike" or "home, bike". Of a
Markdown file, or of all in a folder, each item and each paragraph is a fact, and the heading above
it its tag; what an export has written is read back as it was.

Rows are taken as they are, archived ones too, and nothing is merged. Rows that are there already
are left alone, but for edges and sources that they lack, so an import that was cut short is
finished by running it again. A slot keeps one value at a time, the one said last: an older one
ends where a newer one begins. Unknown keys go into the metadata, and so does an id that is no ULID.
A time of creation or use that lies ahead becomes now; times that are numbers count milliseconds,
or with --seconds seconds. What a row names (derived_from, supersedes,
links) may be the beginning of an id; what names nothing is told and left out.

With --merge two memories become one, by time: of a fact that both know the state that was stated
later holds (archived, restored, labels), of a slot the value that was said later, and a row
restates a fact that says it already, at the row's own time.

--from NAME reads what another memory has left: each fact is tagged import:NAME, keeps the id that
it had there in its metadata, and is not taken twice. A file that is cut off changes nothing.

Rows count as retrieved documents, whatever the file says, unless --trust vouches for it: they are
scanned, may not speak for the owner, get new ids, and claim no more use or weight than new facts
of their segment have.

Of a SQLite file one table is read; views and virtual tables are not. After --max-rows rows, or
where a file cannot be read on, it stops with 2; what was taken until then is one batch, which one
undo takes back. Where no row could be used it ends with 1."""
EXAMPLES = (("facts.jsonl", ""), ("laptop.jsonl", "--trust --merge"),
            ("books.csv", "--map author=tags --dry-run"), ("CLAUDE.md", ""),
            ("memory.json", "--from mem0 --dry-run"))
ARGUMENTS = (Argument("words", "FILE", "What to read; `-` is standard input.", "file", False, 1),)
OPTIONS = (
    Option("trust", ("--trust",), "Keep the sources that the file states; the rest is the "
           "owner's.", "flag", False),
    Option("merge", ("--merge",), "Send each row through the rules of remember.", "flag", False),
    Option("strict", ("--strict",), "Take nothing if any row is bad.", "flag", False),
    Option("format", ("--format",), "jsonl, csv, tsv, sqlite or markdown [default: by the file's "
           "name].", "choice", choices=("jsonl", "csv", "tsv", "sqlite", "markdown")),
    Option("from_", ("--from",), "The program that wrote it; docs/importers.md says what is read.",
           "choice", choices=PROGRAMS, metavar="PROGRAM", excludes=("format", "table")),
    Option("table", ("--table",), "The table of a SQLite file [default: fact].", metavar="NAME"),
    Option("max_rows", ("--max-rows",), f"Rows at most, bad ones included [default: {MAX_ROWS:,}].",
           "count", MAX_ROWS, least=1),
    Option("map", ("--map",), "Take COLUMN as FIELD, such as content, tags or created_at.", "pair",
           many=True, metavar="COLUMN=FIELD"),
    Option("agent", ("--agent",), "Which program wrote what no row says that of; an empty one is "
           "none [default: the setting agent].", metavar="NAME", completes="agent"),
    Option("seconds", ("--seconds",), "Times that are numbers count seconds, and not milliseconds.",
           "flag", False, excludes=("from_",)),
    Option("dry_run", ("--dry-run", "-n"), "Store nothing; show the first rows as they would be "
           "stored.", "flag", False, excludes=("merge", "strict")),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    trust: bool
    merge: bool
    strict: bool
    format: str | None
    from_: str | None
    table: str | None
    max_rows: int
    map: tuple[tuple[str, str], ...]
    agent: str | None
    seconds: bool
    dry_run: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Import one file."""
    if len(words) != 1:
        raise UsageError("name one file", hint="tideline import facts.jsonl")
    path = words[0]
    kind = options.format or kind_of(path)
    if options.table is not None and kind != "sqlite":
        raise UsageError(f"--table cannot go with {kind}: it has none", hint="leave it out")
    agent = session.agent(options.agent)
    context = ImportContext(session.viewer, session.now, options.trust, agent)
    source = Source(
        session, path, kind, options.table or "fact", twice=options.strict,
        mapping=mapping_of(options.map), tool=options.from_,
        seconds=options.seconds,
    )  # fmt: skip
    if options.strict:
        _check(session, LimitedRows(source, options.max_rows), context)
    rows = LimitedRows(source, options.max_rows)
    if options.dry_run:
        from tideline_cli.cli import import_preview  # noqa: PLC0415  a dry run alone

        return import_preview.preview(session, path, rows, context, source)
    try:
        with _progress(session, source) as advance:
            summary = import_rows.import_rows(
                session.writing(), rows, context, merge=options.merge, progress=advance,
                are_many=source.is_large(),
            )  # fmt: skip
    except Interrupted as stop:
        total = source.row_count()
        if total:
            message = f"{stop.done:,} of {total:,} are in"
            raise Interrupted.of(stop, message, hint=stop.hint, done=stop.done) from stop
        raise
    except (DatabaseError, OSError) as error:
        for note in getattr(error, "__notes__", ()):
            if note.endswith(import_rows.GO_ON):  # not the statement, which --debug shows
                session.note(note)
        raise
    if summary.rows:
        _embed(session)
    source.tell_missed(session)
    import_report.report(session, path, summary, trust=options.trust, stopped=rows.stopped)
    if rows.stopped is not None:
        raise _told(session, rows, summary)
    if summary.rows and not summary.taken:
        raise import_report.useless(summary)
    return 0


def _embed(session: Session) -> None:
    """Make the vectors that the import has left to be made, by an embedder that is slow."""
    db = session.opened
    if db is not None and is_slow(db):
        from tideline_cli.cli import embedding  # noqa: PLC0415  learned embedders alone

        embedding.finish_import(session, db)


def _check(session: Session, rows: LimitedRows, context: ImportContext) -> None:
    bad = prepared.first_refused(rows, context, on_server=session.is_on_server)
    stopped = bad[1] if bad is not None else rows.stopped
    if stopped is not None:
        where = f"line {bad[0]}: " if bad is not None else ""
        raise UsageError(where + stopped.message, hint="nothing was imported", code=stopped.code)


def _told(session: Session, rows: LimitedRows, summary: ImportSummary) -> TidelineError:
    """Return the error of an import that stopped: where, what it took, and what to do next."""
    error = rows.stopped or UsageError("stopped")
    error.message += f"; {rows.count:,} rows were taken or skipped before"
    if summary.batch is not None:
        error.hint += f"; `{session.call('undo', str(summary.batch))}` takes all of it back"
    return error


def _progress(session: Session, source: Source):  # type: ignore[no-untyped-def]
    from contextlib import nullcontext  # noqa: PLC0415  without a terminal alone

    if not (shows_progress(quiet=session.quiet, as_json=session.json) and source.size):
        return nullcontext(None)
    from tideline_cli.cli import tables  # noqa: PLC0415  rich

    return tables.progress_bar("importing", source.size, lambda: source.position())
