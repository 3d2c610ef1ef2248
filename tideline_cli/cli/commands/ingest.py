"""tideline ingest."""

from __future__ import annotations

import sys

from tideline_cli.cli import ingest_report, new_fact
from tideline_cli.cli.messages import shows_progress
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.ingest import chunks, files, paths, read
from tideline_cli.exchange.ingest import run as ingesting
from tideline_cli.exchange.ingest.names import STDIN, Names
from tideline_cli.exchange.ingest.notes import Cut, Reading
from tideline_cli.exchange.ingest.written import IngestContext
from tideline_cli.memory.lanes import is_slow
from tideline_cli.model.closed_set import one_of
from tideline_cli.model.fact import bare_name
from tideline_cli.model.record import record
from tideline_cli.model.short_text import storable
from tideline_cli.store import documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.exchange.ingest.files import Search
    from tideline_cli.exchange.ingest.run import Incoming
    from tideline_cli.exchange.ingest.summary import Summary
    from tideline_cli.store.documents import Document

HELP = f"""Take in documents: text, Markdown, reStructuredText, HTML, PDF.

Each document is cut into chunks, at headings, paragraphs and sentences; a chunk is a fact that
knows its document and its headings. `tideline library` lists the documents, `recall --document
NAME` asks one, `recall --no-documents` none. A PDF needs pypdf: pip install
"tideline-cli[documents]".

Of a folder, files that end as documents do are taken, of the folders below it too; --glob asks for
others. What begins with a dot is passed over, and links to folders are not followed. `-` reads
standard input, under the name that --name gives.

A document that is there with the same content is left alone. Of one that has changed, chunks that
are equal stay, and the others are replaced. So a run that was stopped is finished by running it
again. All of a run is one batch, which one undo takes back. What is gone from a folder is told, and
stays until `tideline library rm NAME`.

Chunks count as retrieved documents: they are scanned, lose secrets, and may not speak for you. A
chunk in which the scan finds an attack is left out and named. Chunks do not fade and are never
merged with facts.

A file that cannot be read is named and passed over; where none could be taken, the exit code is
that of the first one. At most {read.MOST_BYTES // 10**6:,} MB of a file are read, and
{read.MOST_CHARACTERS:,} characters of its text taken."""
EXAMPLES = (("README.md docs/", ""), ("manuals/", '--glob "*.pdf" --dry-run'),
            ("-", "--name notes.md --format markdown"))  # fmt: skip
ARGUMENTS = (
    Argument("words", "PATH", "Files and folders; `-` is standard input.", "file", True, 1),
)
OPTIONS = (
    Option("glob", ("--glob", "-g"), "Of folders only files that match, such as '*.txt'; '!*.txt' "
           "leaves out. With a slash it is matched against the path below the folder.", many=True,
           metavar="PATTERN"),
    Option("name", ("--name",), "What the document is called [default: the name of the file].",
           metavar="NAME", completes="document"),
    Option("format", ("--format",), "What the documents are [default: by their names].", "choice",
           choices=files.FORMS),
    Option("encoding", ("--encoding",), "The encoding of texts that do not say it "
           "[default: UTF-8].", metavar="NAME"),
    Option("chunk_size", ("--chunk-size",), f"Characters of a chunk at most [default: "
           f"{chunks.SIZE}].", "count", chunks.SIZE, least=chunks.LEAST_SIZE,
           most=chunks.MOST_SIZE),
    Option("overlap", ("--overlap",), "Characters of a chunk that the next one of its section "
           f"repeats, at most [default: {chunks.OVERLAP}; half of the chunk at most].", "count",
           chunks.OVERLAP, most=chunks.MOST_SIZE // 2),
    Option("scope", ("--scope",), "Of what it is worth knowing, such as work/api; an empty one is "
           "of everything [default: the setting scope].", metavar="A/B", completes="scope"),
    Option("agent", ("--agent",), "Which program takes them in; an empty one is none [default: the "
           "setting agent].", metavar="NAME", completes="agent"),
    Option("dry_run", ("--dry-run", "-n"), "Store nothing; say what would be.", "flag", False),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    glob: tuple[str, ...]
    name: str | None
    format: str | None
    encoding: str | None
    chunk_size: int
    overlap: int
    scope: str | None
    agent: str | None
    dry_run: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Take in the documents."""
    if not words and not sys.stdin.isatty():
        words = [STDIN]
    found = files.search([word for word in words if word != STDIN], options.glob)
    count = len(found.files) + (STDIN in words)
    _check(words, found, count, options)
    viewer = session.viewer
    context = IngestContext(
        viewer, session.now, session.scope(options.scope),
        Cut(options.chunk_size, options.overlap), lambda: new_fact.new_id(session.now),
        session.agent(options.agent), session.is_on_server,
    )  # fmt: skip
    db = session.reading() if options.dry_run else session.writing()
    names = Names([] if db is None else documents.listed(db, viewer=viewer))
    incoming = _incoming(session, words, found, names, options)
    if db is None or options.dry_run:
        summary = ingesting.preview(db, incoming, context)
    else:
        with _progress(session, count) as advance:
            summary = ingesting.ingest(db, incoming, context, progress=advance)
        if summary.total("added") and is_slow(db):
            from tideline_cli.cli import embedding  # noqa: PLC0415  learned embedders alone

            embedding.finish_import(session, db)
    ingest_report.report(
        session, summary, found, names.below(found.folders), dry_run=options.dry_run
    )
    _raise_useless(summary)
    return 0


def _check(words: Sequence[str], found: Search, count: int, options: Options) -> None:
    """Raise what is wrong with a call before anything is read."""
    if not words:
        raise UsageError("name a file or a folder", hint="tideline ingest README.md docs/")
    if options.name is not None:
        if count > 1:
            raise UsageError(
                f"--name names one document, and these are {count:,}", hint="leave it out"
            )
        if bare_name(options.name) is None:
            raise UsageError("the name is empty", hint="--name notes.md")
        storable(options.name, "name")
    elif STDIN in words:
        raise UsageError("standard input has no name", hint="--name notes.md says what it is")
    if not count:
        others = f" ({found.passed:,} other files)" if found.passed else ""
        raise TidelineError(
            f"no documents in {', '.join(words)}{others}",
            hint="--glob '*' takes whatever is text",
            code="no_documents",
        )


def _incoming(
    session: Session, words: Sequence[str], found: Search, names: Names, options: Options
) -> list[Incoming]:
    """Return the documents of a call; each is read when its turn comes."""
    given = bare_name(options.name)
    listed: list[Incoming] = []
    for file in found.files:
        name = given or names.of(file)
        other = names.other(name, file)
        if other is not None:
            session.note(f"{file.shown} is in the library as {other}, too, which stays as it is")
        known, path = names.known(name), paths.as_text(file.path)
        reading = _reading(options, path, known)
        listed.append(ingesting.Incoming(name, known, path, reading, _reader(file.path)))
    if STDIN in words and given is not None:
        known = names.known(given)
        reading = _reading(options, given, known)
        listed.append(ingesting.Incoming(given, known, None, reading, _standard_input))
    return listed


def _reading(options: Options, path: str, known: Document | None) -> Reading:
    """Return how a document is read: as the user says, else as it was read before, else as its name
    says."""
    before = {} if known is None or known.note.get("path") not in (path, None) else known.note
    encoding = options.encoding or before.get("encoding")
    form = options.format or next(
        (one for one in files.FORMS if one == before.get("format")), files.form_of(path)
    )
    is_text = isinstance(encoding, str)
    return Reading(one_of(form, files.FORMS, "format"), encoding if is_text else None)


def _reader(path: str) -> Callable[[], read.Content]:
    return lambda: read.content_of(path)


def _standard_input() -> read.Content:
    return read.content(sys.stdin.buffer.read(read.MOST_BYTES + 1))


def _raise_useless(summary: Summary) -> None:
    """Raise what was wrong with the first document where none could be taken."""
    error = summary.first_error()
    if error is not None and summary.count("skipped") == len(summary.outcomes):
        error.message = f"{summary.outcomes[0].name}: {error.message}"
        raise error


def _progress(session: Session, count: int):  # type: ignore[no-untyped-def]
    from contextlib import nullcontext  # noqa: PLC0415  without a terminal alone

    if count < 2 or not shows_progress(quiet=session.quiet, as_json=session.json):
        return nullcontext(lambda _: None)
    from tideline_cli.cli import tables  # noqa: PLC0415  rich

    return _bar(tables.progress_bar, count)


def _bar(progress_bar, count: int):  # type: ignore[no-untyped-def]
    from contextlib import contextmanager  # noqa: PLC0415  as above

    @contextmanager
    def shown():  # type: ignore[no-untyped-def]
        done = 0
        with progress_bar("reading", count, lambda: done) as advance:

            def progress(number: int) -> None:
                nonlocal done
                done = number
                advance(number)

            yield progress

    return shown()
