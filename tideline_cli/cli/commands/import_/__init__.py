"""tideline import."""

from __future__ import annotations

import os

from tideline_cli.cli import embedding, output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.commands.import_.source import LimitedRows, Source, kind_of
from tideline_cli.cli.new_fact import Labels
from tideline_cli.cli.options import Argument, OptionSet, choice, count, flag, pair, text
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import progress
from tideline_cli.errors import Interrupted, TidelineError, UsageError
from tideline_cli.exchange import dates, gone_notes, tools
from tideline_cli.exchange.importer import import_rows, prepared
from tideline_cli.exchange.importer.cells import TEXT_KEYS, mapping_of
from tideline_cli.exchange.importer.preparation import ChunkReader
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.exchange.importer.summary import ImportSummary
from tideline_cli.memory.lanes import is_slow
from tideline_cli.memory.secret_screening import replacement_note
from tideline_cli.model import codec, instant
from tideline_cli.model.finding import some
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tideline_cli.model.fact import Fact

MAX_ROWS = 1_000_000
PROGRAMS = ("claude-code", "claude-mem", "mem0", "mcp-memory-service", "mcp-memory",
            "basic-memory", "brigade", "rsclaw", "codex", "openclaw", "hermes", "gemini",
            "obsidian", "logseq", "claude-ai", "chatgpt")  # fmt: skip
FORMATS = ("jsonl", "csv", "tsv", "sqlite", "markdown", "text", "sheet", "vcard", "ical", "todo",
           "bookmarks", "history", "anki")  # fmt: skip
HELP = """Take in facts from JSON, tables, Markdown, calendars, contacts and other lists.

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


class Options(OptionSet):
    """The options of a call."""

    trust = flag("Keep the sources that the file states; the rest is the owner's.")
    merge = flag("Send each row through the rules of remember.")
    strict = flag("Take nothing if any row is bad.")
    format = choice(FORMATS)("What the file is [default: by its name, or how it begins].")
    from_ = choice((*PROGRAMS, "auto", "none"))(
        "The program that wrote it, or none [default: auto, by what the file holds]; "
        "docs/importers.md says what is read.",
        metavar="PROGRAM", excludes=("format", "table"),
    )  # fmt: skip
    table = text("The table of a SQLite file [default: fact].", metavar="NAME")
    max_rows = count(
        f"Rows at most, bad ones included [default: {MAX_ROWS:,}].", default=MAX_ROWS, least=1
    )
    map = pair(
        "Take COLUMN as FIELD, such as content, tags or created_at.",
        many=True, metavar="COLUMN=FIELD",
    )  # fmt: skip
    as_ = text(
        "The text of each row: a sentence with columns in braces, such as 'The capital of {State} "
        "is {Capital}'.",
        metavar="SENTENCE", excludes=("from_",),
    )  # fmt: skip
    no_ignore = flag(
        "Of folders also what ignore files name, and what programs lay there for themselves."
    )
    encoding = text("The encoding of a text that is not UTF-8.", metavar="NAME")
    agent = Labels.agent.but(
        help="Which program wrote what no row says that of; an empty one is none [default: the "
        "setting agent]."
    )
    seconds = flag(
        "Times that are numbers count seconds, and not milliseconds.", excludes=("from_",)
    )
    gone = flag(
        "Archive what earlier imports of this folder took in and it does not state any more.",
        excludes=("merge", "dry_run"),
    )  # fmt: skip
    dry_run = flag(
        "Store nothing; show what the rows would become, and the first of each kind.",
        short="-n", excludes=("merge", "strict"),
    )  # fmt: skip


def run(session: Session, words: list[str], options: Options) -> int:
    """Import one file."""
    if len(words) != 1:
        raise UsageError("name one file", hint="tideline import facts.jsonl")
    path = words[0]
    tool = _program(session, path, options)
    kind = options.format or ("jsonl" if tool else kind_of(path))
    if options.table is not None and kind != "sqlite":
        raise UsageError(f"--table cannot go with {kind}: it has none", hint="leave it out")
    agent = session.agent(options.agent)
    source = Source(
        session, path, kind, options.table or "fact", twice=options.strict,
        mapping=mapping_of(options.map), tool=tool,
        seconds=options.seconds, sentence=options.as_, encoding=options.encoding,
        ignoring=not options.no_ignore,
    )  # fmt: skip
    if options.gone and source.folder is None:
        raise UsageError("--gone goes with a folder of notes", hint="tideline import FOLDER --gone")
    context = ImportContext(
        session.viewer, session.now, options.trust, agent, are_dated=source.has_notes(),
        are_kept=source.is_kept(),
        name=path if path == "-" else os.fsencode(os.path.abspath(path)).decode("utf-8", "replace"),
    )
    if source.folder is not None and _is_as_before(session, options):
        source.leave_unchanged(gone_notes.known_states(
            session.opened or session.writing(), source.folder, viewer=session.viewer,
            trusted=options.trust,
        ))  # fmt: skip
    if options.strict:
        _check(session, LimitedRows(source, options.max_rows), context)
    rows = LimitedRows(source, options.max_rows)
    if options.dry_run:
        return preview(session, path, rows, context, source)
    summary = _stored(session, rows, context, source, merge=options.merge)
    summary.unchanged = source.unchanged
    if summary.rows:
        _embed(session)
    if source.folder is not None and rows.stopped is None and not options.merge:
        gone_notes.settle(
            session.writing(), source.folder, source.taken, summary, viewer=session.viewer,
            now=session.now, archive=options.gone,
        )  # fmt: skip
    source.tell_missed(session)
    if source.written is not None and dates.dated_words(source.written.told):
        session.detail(dates.dated_words(source.written.told))
    report(
        session, path, summary, trust=options.trust, archived=options.gone, stopped=rows.stopped,
        files=source.files,
    )  # fmt: skip
    if rows.stopped is not None:
        raise _told(session, rows, summary)
    if summary.rows and not summary.taken:
        raise useless(summary)
    return 0


def _is_as_before(session: Session, options: Options) -> bool:
    """Say whether a note that is as it was would give what it gave before."""
    says_how = (options.map, options.as_, options.encoding, options.agent, options.seconds)
    is_plain = not any(says_how) and not (options.merge or options.strict or options.dry_run)
    return is_plain and session.has_memory


def _stored(
    session: Session, rows: LimitedRows, context: ImportContext, source: Source, *, merge: bool
) -> ImportSummary:
    """Store the rows; say how far they came where the user or the disk stops it."""
    try:
        with progress(session, "importing", source.size, source.place) as advance:
            source.watched(advance)
            return import_rows.import_rows(
                session.writing(), rows, context, merge=merge, progress=advance,
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


def _program(session: Session, path: str, options: Options) -> str | None:
    """Return the program that left a file: the one that is named, else the one whose marks it
    bears, which is told."""
    if options.from_ == "none":
        return None
    if options.from_ not in (None, "auto"):
        return options.from_
    is_plain = (options.format, options.table, options.as_) == (None, None, None)
    if path == "-" or not (is_plain and not options.map and os.path.exists(path)):
        return None
    found = tools.recognised(path)
    if found is not None:
        session.note(f"{path} is read as a memory of {found}; --from none reads it as a plain file")
    return found


def _embed(session: Session) -> None:
    """Make the vectors that the import has left to be made, by an embedder that is slow."""
    db = session.opened
    if db is not None and is_slow(db):
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


_MOST_ALONE = 3  # rows with the same flaw that have a line each
_MOST_LINES = 10
_CUT = 60


def report(
    session: Session, path: str, summary: ImportSummary, *, trust: bool, archived: bool,
    stopped: TidelineError | None, files: Mapping[int, str],
) -> None:  # fmt: skip
    """Print what became of the rows, and on stderr what concerns single rows."""
    if session.json:
        code = stopped.code if stopped is not None else None
        form = _form(path, summary, trust)
        output.emit_json(form | {"stopped": code, "secrets": summary.secrets})
    else:
        output.emit_lines([_sentence(summary, trust)])
    for line in (*refusals(summary, files), *_losses(summary)):
        session.note(line)
    _tell_gone(session, path, summary.gone, archived=archived)
    tell_early(session, summary)
    if summary.secrets:
        _tell_secrets(session, summary.secrets, trust=trust)


def _tell_gone(session: Session, path: str, gone: Sequence[Fact], *, archived: bool) -> None:
    """Say which facts of a folder are not in it any more, and what archives them."""
    count = some(len(gone), "fact")
    again = session.call("import", path, "--gone")
    if archived and gone:
        session.note(f"archived: {count} that the folder does not state any more")
    elif gone:
        session.note(
            f"not in the folder any more: {count} of earlier imports; `{again}` archives them"
        )
    shown = gone if session.verbose else gone[:_MOST_ALONE]
    for fact in shown:
        session.note(f"gone: {fact.id} {output.brief(fact)}")
    if len(gone) > len(shown):
        session.note(f"and {len(gone) - len(shown):,} more; --verbose names them")


def _tell_secrets(session: Session, count: int, *, trust: bool) -> None:
    """Say what became of the secrets of the rows."""
    if not trust:
        session.note(f"{replacement_note(count)} before storing")
        return
    session.caution(
        "secret",
        f"{some(count, 'secret')} stored as stated, for the file is vouched for",
        hint=f"`{session.call('doctor', '--secrets')}` names them",
    )


def tell_early(session: Session, summary: ImportSummary) -> None:
    """Say that times seem to count seconds, and how such a file is read."""
    if not summary.early:
        return
    first = summary.first_early
    again = "import it with --seconds"
    if summary.batch is not None:
        again = f"`{session.call('undo', str(summary.batch))}`, then {again}"
    session.caution(
        "seconds",
        f"{some(summary.early, 'row')} made before 1990: {first} is {instant.iso(first)[:10]} in "
        f"milliseconds, and {instant.iso(first * 1000)[:10]} in seconds",
        hint=f"if the file counts seconds: {again}",
    )


def useless(summary: ImportSummary) -> TidelineError:
    """Return the error of an import that could use no row: what it looked for, what there was."""
    found = ", ".join(f"{key:.{_CUT}}" for key in summary.keys) or "no keys"
    if summary.has_content:
        hint = "what stands above says why"
    elif not summary.keys:
        hint = ('rows are JSON objects with "content"; --format csv, tsv, sqlite or markdown says '
                "what else the file is")  # fmt: skip
    else:
        hint = (
            f"a row needs \"content\" (or {', '.join(TEXT_KEYS[1:])}; or --map COLUMN=content); "
            f"or --as 'a sentence with {{COLUMN}}'; the rows have {found}"
        )
    why = f"none of the {summary.rows:,} rows could be used"
    return TidelineError(why, hint=hint, code="no_usable_row")


def refusals(summary: ImportSummary, files: Mapping[int, str]) -> Iterator[str]:
    """Yield what is wrong with the rows that were refused: each, or once for many with the same
    flaw, by the order of the first of them. A row is told by its line, or by its file."""
    by_line = dict(summary.errors)
    for kind, lines in summary.kinds.items():
        count = summary.counts[kind]
        alone = [line for line in lines[:_MOST_ALONE] if line in by_line]
        if count > _MOST_ALONE:
            alone = alone[:1]
        for line in alone:
            yield f"{files.get(line, f'line {line}')}: {by_line[line].message}"
        if count > len(alone):
            start = f"and {count - len(alone):,} more like it" if alone else _unread(kind, count)
            yield f"{start}: {_listed(lines[len(alone) :], count - len(alone), files)}"


def _unread(kind: str, count: int) -> str:
    what = kind.partition(" ")[2] or kind
    return f"{count:,} rows with another flaw ({what:.{_CUT}})"


def _listed(lines: list[int], count: int, files: Mapping[int, str]) -> str:
    named = [*dict.fromkeys(files[line] for line in lines if line in files)]
    shown = lines[:_MOST_LINES]
    more = ", …" if (len(named) > _MOST_LINES if named else count > len(shown)) else ""
    if named:
        return ", ".join(named[:_MOST_LINES]) + more
    return f"line{'s' if count > 1 else ''} {', '.join(map(str, shown))}{more}"


def _losses(summary: ImportSummary) -> Iterator[str]:
    """Yield what of the rows that were taken is not stored."""
    shown = summary.dangling[:_MOST_LINES]
    for line, reference in dict.fromkeys(shown):  # a row may name the same one twice
        yield f"line {line}: no row and no fact is {reference:.{_CUT}}; stored without it"
    if summary.unresolved > len(shown):
        yield f"and {summary.unresolved - len(shown):,} more references that name nothing"
    if summary.usurping:
        yield (
            f"write-gate: {some(summary.usurping, 'statement')} not taken: a row that nobody "
            "vouches for does not replace a trusted fact, nor archive one"
        )
    if summary.differing:
        yield (
            f"{some(summary.differing, 'row')} here in another state, which stays; "
            "`tideline show ID` shows it, and --merge takes the state that was stated later"
        )


def _sentence(summary: ImportSummary, trust: bool) -> str:
    parts = [f"{summary.added:,} added"]
    for many, what in (
        (summary.reinforced, "reinforced"),
        (summary.not_taken, "of these with labels that the known fact does not take"),
        (summary.superseded, "superseded"),
        (summary.older, "older than what is held"),
        (summary.brought["archived"], "archived, as the file says later"),
        (summary.brought["restored"], "restored, as the file says later"),
        (summary.brought["relabelled"], "with other labels, as the file says later"),
        (summary.ended, "copies archived that the file has forgotten since"),
        (summary.present, "there already"),
        (summary.unchanged, "notes unchanged since they were read"),
        (summary.forgotten, "of these forgotten here since"),
        (summary.used, "used more"),
        (summary.differing, "of these in another state, which stays"),
        (summary.links, "links"),
        (summary.unresolved, "left out that name nothing"),
        (summary.similar, "much like others and linked as similar"),
        (summary.skipped, "bad rows skipped"),
        (summary.threats, "blocked by the scan"),
        (summary.gated, "blocked by the write-gate"),
        (summary.confined, "confined to knowledge"),
        (summary.limited, "with less use, weight or time than they claim"),
        (summary.renamed, "under new ids (the stated ones are in metadata.original_id)"),
    ):
        if many:
            parts.append(f"{many:,} {what}")
    sources = "sources as stated" if trust else "as retrieved documents (--trust vouches for them)"
    return ", ".join(parts) + f"; {sources}"


def error_forms(summary: ImportSummary) -> list[dict[str, object]]:
    """Return what is wrong with the rows that were refused, the first hundred, for JSON."""
    return [
        {"line": line, "code": error.code, "message": error.message}
        for line, error in summary.errors
    ]


def _form(path: str, summary: ImportSummary, trust: bool) -> dict[str, object]:
    return {
        "file": path,
        "added": summary.added,
        "reinforced": summary.reinforced,
        "superseded": summary.superseded,
        "present": summary.present,
        "links": summary.links,
        "skipped": summary.skipped,
        "blocked": summary.blocked,
        "confined": summary.confined,
        "similar": summary.similar,
        "ignored": summary.not_taken,
        "limited": summary.limited,
        "renamed": summary.renamed,
        "source": "as_stated" if trust else "retrieved_document",
        "batch": summary.batch,
        "errors": error_forms(summary),
        "blocked_by": {"scan": summary.threats, "write_gate": summary.gated},
        "older": summary.older,
        "differing": summary.differing,
        "unresolved": [
            {"line": line, "reference": reference} for line, reference in summary.dangling
        ],
        "unresolved_count": summary.unresolved,
        "usurping": summary.usurping,
        "brought": summary.brought | {"used": summary.used, "copies": summary.ended},
        "forgotten": summary.forgotten,
        "before_1990": summary.early,
        "gone": len(summary.gone),
        "gone_ids": [fact.id for fact in summary.gone],
        "unchanged": summary.unchanged,
    }


_SHOWN = 10
_OF_A_KIND = 3
_COLUMNS = ("content", "segment", "tags", "title", "slot", "created_at", "session", "turn",
            "speaker", "role", "agent", "progress", "metadata")


class RowKind:
    """Rows that were one thing in their file and become one kind of fact, and the first of them."""

    __slots__ = ("becomes", "count", "element", "first")

    def __init__(self, element: str, fact: Fact) -> None:
        self.element = element
        self.becomes = f"{fact.segment} ({fact.kind})" if fact.kind else fact.segment
        self.count = 0
        self.first: list[Fact] = []


def preview(
    session: Session, path: str, rows: LimitedRows, context: ImportContext, source: Source
) -> int:
    """Print what an import would read; nothing is opened but the file."""
    summary = ImportSummary()
    reader = ChunkReader(
        context, summary, analyzer="standard", merge=False, on_server=session.is_on_server
    )
    usable = 0
    first: list[Fact] = []
    kinds: dict[tuple[str, str, str | None], RowKind] = {}
    with progress(session, "reading", source.size, source.place) as advance:
        source.watched(advance)
        for chunk in reader.chunks(rows):
            usable += len(chunk)
            first += [ready.fact for ready in chunk[: _SHOWN - len(first)]]
            for ready in chunk:
                _count(kinds, source.elements.get(ready.line, "row"), ready.fact)
            advance(usable)
    source.tell_missed(session)
    if session.json:
        output.emit_json({
            "file": path, "dry_run": True, "rows": summary.rows, "usable": usable,
            "first": [codec.fact_form(fact) for fact in first],
            "kinds": [
                {"element": kind.element, "becomes": kind.becomes, "count": kind.count,
                 "first": [codec.fact_form(fact) for fact in kind.first]}
                for kind in kinds.values()
            ],
            "errors": error_forms(summary),
            "stopped": rows.stopped.code if rows.stopped is not None else None,
        })  # fmt: skip
    else:
        _print(session, first, list(kinds.values()))
        output.emit_lines([
            f"dry run: {usable:,} of {summary.rows:,} rows could be stored; nothing was"
        ])  # fmt: skip
    for line in refusals(summary, source.files):
        session.note(line)
    tell_early(session, summary)
    if rows.stopped is not None:
        raise rows.stopped
    if summary.rows and not usable:
        raise useless(summary)
    return 0


def _count(kinds: dict[tuple[str, str, str | None], RowKind], element: str, fact: Fact) -> None:
    """Count a fact among those of its kind, whose first three are kept."""
    kind = kinds.setdefault((element, fact.segment, fact.kind), RowKind(element, fact))
    kind.count += 1
    if len(kind.first) < _OF_A_KIND:
        kind.first.append(fact)


def _print(session: Session, first: list[Fact], kinds: list[RowKind]) -> None:
    names = [name for name in _COLUMNS if any(getattr(fact, name) for fact in first)]
    cells = [[_cell(fact, name) for name in names] for fact in first]
    if first and output.is_terminal(session):
        drawer(session).kinds([(one.element, one.becomes, one.count, one.first) for one in kinds])
    elif first:
        output.emit_lines(["\t".join(row) for row in [names, *cells]])


def _cell(fact: Fact, name: str) -> str:
    value = getattr(fact, name)
    if name == "created_at":
        return instant.iso(value)[:16].replace("T", " ")
    if name == "tags":
        return ", ".join(value)
    text = value if isinstance(value, str) else "" if value is None else codec.dumps(value)
    return output.one_line(text)
