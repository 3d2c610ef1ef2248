"""tideline library."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats
from tideline_cli.cli.options import Argument, Scopes, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.exchange.ingest import library
from tideline_cli.model import codec, instant, time_words
from tideline_cli.model.finding import some
from tideline_cli.store import sequences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.model.fact import Fact
    from tideline_cli.store.sequences import Document

HELP = """Show the documents that `tideline ingest` took in.

ACTION is list (the default: names, chunks, size of the file, when, and whether the file has changed
since or is gone), show NAME (the chunks in order, as they are stored), or rm NAME… (take documents
out: their chunks are archived, all of it one batch that one undo brings back; `tideline purge`
removes text for good). rm --gone takes out every document whose file is gone.

list exits with 0 where there is none; show and rm with 3 for a name that no document has."""
EXAMPLES = (("", ""), ("show README.md", ""), ("rm docs/old.md", "--dry-run"), ("rm", "--gone"))
ARGUMENTS = (
    Argument("words", "ACTION", "list, show NAME, rm NAME…", "word", True, 0,
             ("list", "show", "rm"), ("", "document")),
)  # fmt: skip


class Options(Scopes, Formats):
    """The options of a call."""

    scope = Scopes.scope.but(
        help="List documents of this scope, of those above it, and without one; an empty one sees "
        "the last alone [default: the setting scope]."
    )
    all_scopes = Scopes.all_scopes.but(help="List the documents of every scope.")
    gone = flag("With rm: the documents whose files are gone.")
    dry_run = flag("With rm: say what would be taken out.", short="-n")


def run(session: Session, words: list[str], options: Options) -> int:
    """Run one action."""
    action, *names = words or ["list"]
    if action != "rm" and options.dry_run:
        raise UsageError("--dry-run goes with rm", hint="tideline library rm NAME --dry-run")
    if action != "rm" and options.gone:
        raise UsageError("--gone goes with rm", hint="tideline library rm --gone")
    if action == "list" and not names:
        _list(session, options)
    elif action == "show" and len(names) == 1:
        _show(session, names[0], options)
    elif action == "rm" and bool(names) != options.gone:
        return _remove(session, names, options)
    else:
        raise UsageError(
            "library takes list, show NAME or rm NAME…", hint="tideline library show README.md"
        )
    return 0


def _list(session: Session, options: Options) -> None:
    db = session.reading()
    found = [] if db is None else sequences.documents(db, viewer=session.viewer)
    seen = session.scopes(options.scope, everything=options.all_scopes)
    hidden = 0
    if seen is not None:
        listed = [one for one in found if one.scope in seen]
        found, hidden = listed, len(found) - len(listed)
    chosen = output.of_rows(session, options)

    def table() -> None:
        rows = [(one.name, f"{one.chunks:,}", _size(one), time_words.brief(_when(one), session.now),
                 _FILE[library.staleness(one)]) for one in found]  # fmt: skip
        columns = ("document", "chunks", "size", "age", "file")
        drawer(session).listing(columns, rows, wide="document")

    output.show_list(
        session, chosen, "documents", found, form=_form, line=_line, table=table,
        none="no documents: `tideline ingest PATH` takes some in",
    )  # fmt: skip
    if hidden and not output.is_json(session, chosen):
        session.note(f"{some(hidden, 'document')} of other scopes; --all-scopes lists all")


_FILE = {None: "", "gone": "gone from the disk", "changed": "changed since"}


def _line(one: Document) -> str:
    when = instant.iso(_when(one))[:10]
    stale = _FILE[library.staleness(one)]
    line = f"{output.one_line(one.name)}\t{some(one.chunks, 'chunk')}\t{_size(one)}\t{when}"
    return f"{line}\t{stale}" if stale else line


def _form(one: Document) -> dict[str, Any]:
    return {
        "name": one.name, "chunks": one.chunks, "bytes": _bytes(one), "path": one.note.get("path"),
        "ingested_at": instant.iso(_when(one)), "scope": one.scope,
        "chunk_size": one.note.get("chunk_size"), "overlap": one.note.get("overlap"),
        "file": library.staleness(one),
    }  # fmt: skip


def _when(one: Document) -> int:
    """Return when a document was last taken in."""
    stated = one.note.get("ingested_at")
    try:
        return instant.parse(stated) if isinstance(stated, str) else one.created_at
    except UsageError:
        return one.created_at


def _bytes(one: Document) -> int | None:
    size = one.note.get("bytes")
    return size if isinstance(size, int) else None


def _size(one: Document) -> str:
    stated = _bytes(one)
    if stated is None:
        return "?"
    size = float(stated)
    for unit in ("bytes", "KB", "MB"):
        if size < 1000 or unit == "MB":
            return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return ""


def _show(session: Session, name: str, options: Options) -> None:
    found = library.chunks_of(session.reading(), name, viewer=session.viewer)
    chosen = output.chosen(session, output.named(options), usual="lines")
    session.keep_hits([chunk.id for chunk in found])
    output.emit_rows(
        "lines" if chosen == "table" else chosen,
        map(codec.fact_form, found),
        whole=lambda forms: {"name": name, "chunks": forms},
        lines=lambda: _shown(found),
        table=lambda: None,
    )


def _shown(found: Sequence[Fact]) -> list[str]:
    """Return the chunks as lines: where each stands, and its text."""
    lines: list[str] = []
    for chunk in found:
        where = " · ".join(filter(None, (f"{chunk.turn}", chunk.source_turn, chunk.title)))
        lines += [f"{chunk.id}  {output.one_line(where)}", *output.block(chunk.content), ""]
    return lines[:-1]


def _remove(session: Session, names: Sequence[str], options: Options) -> int:
    """Take documents out."""
    viewer = session.viewer
    db = session.reading()
    if options.gone:
        listed = [] if db is None else sequences.documents(db, viewer=viewer)
        names = [one.name for one in listed if library.staleness(one) == "gone"]
        if not names:
            raise NotFoundError("no document whose file is gone", hint="`tideline library`")
    counts = {name: len(library.chunks_of(db, name, viewer=viewer)) for name in names}
    if options.dry_run:
        _emit_removed(session, tuple(counts), sum(counts.values()), None, dry_run=True)
        session.note("dry run: nothing was written")
        return 0
    session.close()
    if not session.has_memory:
        raise NotFoundError(f"no such document: {names[0]}", hint="`tideline library` lists them")
    done = library.remove(session.writing(frees=True), names, viewer=viewer, now=session.now)
    _emit_removed(session, done.names, done.chunks, done.batch, dry_run=False)
    session.note(f"`{session.call('undo', str(done.batch))}` brings all of it back")
    return 0


def _emit_removed(
    session: Session, names: Sequence[str], chunks: int, batch: int | None, *, dry_run: bool
) -> None:
    if session.json:
        output.emit_json(
            {"removed": list(names), "chunks": chunks, "batch": batch, "dry_run": dry_run}
        )
    else:
        did = "would take" if dry_run else "took"
        output.emit_lines([f"{did} {', '.join(names)} out: {some(chunks, 'chunk')}"])
