"""tideline ingest."""

from __future__ import annotations

import sys
from functools import partial

from tideline_cli.cli import embedding, output
from tideline_cli.cli.new_fact import Labels, new_id
from tideline_cli.cli.options import Argument, OptionSet, choice, count, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import progress
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import dates, folders
from tideline_cli.exchange.ingest import chunks, files, read
from tideline_cli.exchange.ingest import run as ingesting
from tideline_cli.exchange.ingest.files import STDIN, Names
from tideline_cli.exchange.ingest.storing import Cut, IngestContext, Reading
from tideline_cli.memory.lanes import is_slow
from tideline_cli.memory.secret_screening import replacement_note
from tideline_cli.model.fact import bare_name
from tideline_cli.model.finding import some
from tideline_cli.model.short_text import storable
from tideline_cli.store import sequences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tideline_cli.exchange.ingest.files import FilesFound
    from tideline_cli.exchange.ingest.run import Incoming, Outcome, Summary
    from tideline_cli.store.sequences import Document

HELP = f"""Take in documents: text, Markdown, reStructuredText, HTML, PDF.

Each document is cut into chunks, at headings, paragraphs and sentences; a chunk is a fact that
knows its document and its headings. `tideline library` lists the documents, `recall --document
NAME` asks one, `recall --no-documents` none. PDF, DOCX, ODT and EPUB
need `pip install '.[documents]'` in the clone.

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


class Options(OptionSet):
    """The options of a call."""

    glob = text(
        "Of folders only files that match, such as '*.txt'; '!*.txt' leaves out. With a slash it "
        "is matched against the path below the folder.",
        short="-g", many=True, metavar="PATTERN",
    )  # fmt: skip
    no_ignore = flag(
        "Of folders also what ignore files name, and what programs lay there for themselves."
    )
    name = text(
        "What the document is called [default: the name of the file].",
        metavar="NAME", completes="document",
    )  # fmt: skip
    format = choice(files.FORMS)("What the documents are [default: by their names].")
    encoding = text("The encoding of texts that do not say it [default: UTF-8].", metavar="NAME")
    chunk_size = count(
        f"Characters of a chunk at most [default: {chunks.SIZE}].",
        default=chunks.SIZE, least=chunks.LEAST_SIZE, most=chunks.MOST_SIZE,
    )  # fmt: skip
    overlap = count(
        "Characters of a chunk that the next one of its section repeats, at most [default: "
        f"{chunks.OVERLAP}; half of the chunk at most].",
        default=chunks.OVERLAP, most=chunks.MOST_SIZE // 2,
    )  # fmt: skip
    scope = Labels.scope
    agent = Labels.agent.but(
        help="Which program takes them in; an empty one is none [default: the setting agent]."
    )
    dry_run = flag("Store nothing; say what would be.", short="-n")


def run(session: Session, words: list[str], options: Options) -> int:
    """Take in the documents."""
    if not words and not sys.stdin.isatty():
        words = [STDIN]
    found = files.search(
        [word for word in words if word != STDIN], options.glob, ignoring=not options.no_ignore
    )
    count = len(found.files) + (STDIN in words)
    _check(words, found, count, options)
    viewer = session.viewer
    context = IngestContext(
        viewer, session.now, session.scope(options.scope),
        Cut(options.chunk_size, options.overlap), lambda: new_id(session.now),
        session.agent(options.agent), session.is_on_server,
    )  # fmt: skip
    db = session.reading() if options.dry_run else session.writing()
    names = Names([] if db is None else sequences.documents(db, viewer=viewer))
    times = files.WrittenTimes(found.files, now=session.now)
    incoming = _incoming(session, words, found, names, times, options)
    if db is None or options.dry_run:
        summary = ingesting.preview(db, incoming, context)
    else:
        with progress(session, "reading", count if count > 1 else 0) as advance:
            summary = ingesting.ingest(db, incoming, context, progress=advance)
        if summary.total("added") and is_slow(db):
            embedding.finish_import(session, db)
    report(session, summary, found, names.below(found.folders), times, dry_run=options.dry_run)
    _raise_useless(summary)
    return 0


def _check(words: Sequence[str], found: FilesFound, count: int, options: Options) -> None:
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
        others = f" ({folders.passed_words(found.passed)})" if found.passed else ""
        raise TidelineError(
            f"no documents in {', '.join(words)}{others}",
            hint="--glob '*' takes whatever is text",
            code="no_documents",
        )


def _incoming(
    session: Session, words: Sequence[str], found: FilesFound, names: Names,
    times: files.WrittenTimes, options: Options,
) -> list[Incoming]:  # fmt: skip
    """Return the documents of a call; each is read when its turn comes."""
    given = bare_name(options.name)
    listed: list[Incoming] = []
    for file in found.files:
        name = given or names.of(file)
        other = names.other(name, file)
        if other is not None:
            session.note(f"{file.shown} is in the library as {other}, too, which stays as it is")
        known, path = names.known(name), files.as_text(file.path)
        reading = _reading(options, path, known)
        listed.append(
            ingesting.Incoming(
                name, known, path, reading, partial(read.content_of, file.path),
                written_at=partial(times.of, file), moved_from=partial(names.moved, name=name),
            )
        )  # fmt: skip
    if STDIN in words and given is not None:
        known = names.known(given)
        reading = _reading(options, given, known)
        listed.append(
            ingesting.Incoming(
                given, known, None, reading, _standard_input, lambda _: None, lambda _: None
            )
        )
    return listed


def _reading(options: Options, path: str, known: Document | None) -> Reading:
    """Return how a document is read: as the user says, else as it was read before, else as its name
    says."""
    before = {} if known is None or known.note.get("path") not in (path, None) else known.note
    encoding = options.encoding or before.get("encoding")
    noted = next((one for one in files.FORMS if one == before.get("format")), None)
    form = options.format or noted or files.form_of(path)
    is_text = isinstance(encoding, str)
    return Reading(form, encoding if is_text else None)


def _standard_input() -> read.Content:
    return read.content(sys.stdin.buffer.read(read.MOST_BYTES + 1))


def _raise_useless(summary: Summary) -> None:
    """Raise what was wrong with the first document where none could be taken."""
    error = summary.first_error()
    if error is not None and summary.count("skipped") == len(summary.outcomes):
        error.message = f"{summary.outcomes[0].name}: {error.message}"
        raise error


_MOST_LINES = 20
_MOST_NOTES = 10
_MOST_GONE = 3


def report(
    session: Session, summary: Summary, found: FilesFound, missing: Sequence[Document],
    times: files.WrittenTimes, *, dry_run: bool,
) -> None:  # fmt: skip
    """Print what became of the documents. `missing` are those whose files are gone."""
    taken = summary.count("added", "changed", "unchanged")
    if session.json:
        form = _form(summary, found, missing, dry_run=dry_run)
        output.emit_json(form | {"dated_by": dict(times.told)})
    elif taken:
        output.emit_lines([*_lines(summary), _sentence(summary, dry_run=dry_run)])
    _tell_skipped(session, summary, found, is_useful=taken > 0)
    for name, warning in summary.warnings[:_MOST_NOTES]:
        session.caution("document", f"{name}: {warning}")
    if len(summary.warnings) > _MOST_NOTES:
        session.note(f"and {len(summary.warnings) - _MOST_NOTES:,} more like it")
    _tell_missing(session, missing)
    secrets = summary.total("secrets")
    if secrets:
        session.note(f"{replacement_note(secrets)} before storing")
    dated = dates.dated_words(times.told)
    if dated:
        session.detail(dated)
    if found.passed:
        session.note(f"{folders.passed_words(found.passed)}; --glob and --no-ignore take more")
    if summary.batch is not None:
        session.note(f"`{session.call('undo', str(summary.batch))}` takes all of it back")


def _lines(summary: Summary) -> list[str]:
    told = [one for one in summary.outcomes if one.action in ("added", "changed")]
    lines = [
        f"{output.one_line(one.name)}\t{some(one.chunks, 'chunk')}{_changes(one)}"
        for one in told[:_MOST_LINES]
    ]
    if len(told) > _MOST_LINES:
        lines.append(f"and {len(told) - _MOST_LINES:,} more")
    return lines


def _changes(one: Outcome) -> str:
    """Return what has changed of a document that was there."""
    if one.action != "changed":
        return ""
    parts = ((one.added, "new"), (one.kept, "as before"), (one.superseded, "replaced"),
             (one.removed, "gone"))  # fmt: skip
    return "\t" + ", ".join(f"{count:,} {what}" for count, what in parts if count)


def _sentence(summary: Summary, *, dry_run: bool) -> str:
    counts = (
        (summary.count("added"), "added"), (summary.count("changed"), "changed"),
        (summary.count("unchanged"), "there already"), (summary.count("skipped"), "passed over"),
    )  # fmt: skip
    parts = [f"{count:,} {what}" for count, what in counts if count]
    first, _, what = parts[0].partition(" ")
    documents = "document" if first == "1" else "documents"
    said = ", ".join([f"{first} {documents} {what}", *parts[1:]])
    would = "would be stored" if dry_run else "stored as retrieved documents"
    blocked = summary.total("blocked")
    left_out = f", {some(blocked, 'chunk')} left out by the scan" if blocked else ""
    if not summary.count("added", "changed"):
        return said
    return f"{said}; {some(summary.total('added'), 'chunk')} {would}{left_out}"


def _tell_skipped(
    session: Session, summary: Summary, found: FilesFound, *, is_useful: bool
) -> None:
    """Say what could not be read; where nothing was of use, the error says the first of it."""
    wrong = [(one.name, one.error, one.chunks) for one in summary.outcomes if one.error]
    wrong += [(name, error, 0) for name, error in found.unread]
    for name, error, held in wrong[0 if is_useful else 1 :][:_MOST_NOTES]:
        before = f"; what it said before still answers ({some(held, 'chunk')})" if held else ""
        said = f"{name} is passed over: {error.message}{before}"
        session.caution(error.code, said, hint=error.hint)
    if len(wrong) > _MOST_NOTES + (not is_useful):
        session.note(f"and {len(wrong) - _MOST_NOTES - (not is_useful):,} more are passed over")


def _tell_missing(session: Session, missing: Sequence[Document]) -> None:
    if missing:
        names = ", ".join(one.name for one in missing[:_MOST_GONE])
        more = f" and {len(missing) - _MOST_GONE:,} more" if len(missing) > _MOST_GONE else ""
        are = "is" if len(missing) == 1 else "are"
        chunks = some(sum(one.chunks for one in missing), "chunk")
        session.note(
            f"{names}{more} {are} gone from the disk, and still answer{'s' * (are == 'is')} "
            f"({chunks}): `{session.call('library', 'rm', '--gone')}` takes out what is gone"
        )


def _form(
    summary: Summary, found: FilesFound, missing: Sequence[Document], *, dry_run: bool
) -> dict[str, Any]:
    return {
        "documents": [_outcome_form(one) for one in summary.outcomes],
        "added": summary.total("added"), "kept": summary.total("kept"),
        "superseded": summary.total("superseded"), "removed": summary.total("removed"),
        "blocked": summary.total("blocked"), "secrets": summary.total("secrets"),
        "passed_over": sum(found.passed.values()), "passed_by": dict(found.passed),
        "unread": list(_unread_forms(found)),
        "warnings": [{"name": name, "message": text} for name, text in summary.warnings],
        "missing": [one.name for one in missing], "batch": summary.batch, "dry_run": dry_run,
    }  # fmt: skip


def _outcome_form(one: Outcome) -> dict[str, Any]:
    return {
        "name": one.name, "path": one.path, "action": one.action, "chunks": one.chunks,
        "added": one.added, "kept": one.kept, "superseded": one.superseded,
        "removed": one.removed, "blocked": one.blocked,
        "error": None if one.error is None else _error_form(one.error),
    }  # fmt: skip


def _unread_forms(found: FilesFound) -> Iterator[dict[str, Any]]:
    for path, error in found.unread:
        yield {"path": path, "error": _error_form(error)}


def _error_form(error: TidelineError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
