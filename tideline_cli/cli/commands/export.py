"""tideline export."""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import chain

from tideline_cli.cli import answer_notes, filters, output
from tideline_cli.cli.filters import Filters, Formats
from tideline_cli.cli.options import Argument, choice, file, flag, folder
from tideline_cli.cli.output import emit_exact, emit_json
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.exchange import foreign, jsonl, markdown
from tideline_cli.model import codec
from tideline_cli.model.fact import LIFECYCLES
from tideline_cli.model.finding import some
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import replace
from tideline_cli.policy.render import screen_json, screen_text
from tideline_cli.store import facts, files, references, stats
from tideline_cli.store.connection import snapshot
from tideline_cli.system import NOFOLLOW, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.vault.write import WrittenVault
    from tideline_cli.model.origin import Everyone, Origin
    from tideline_cli.store.facts import Filter

    Writer = Callable[[Iterable[Mapping[str, Any]]], Iterator[str]]

HELP = """Write facts out as JSON lines, CSV, SQLite or Markdown.

JSON lines are loss-free: `tideline import --trust` into an empty file gives the same export,
byte for byte, and so do CSV and SQLite. Archived facts and links are included. One origin, unless
--all-origins; every scope, unless --scope. Filters are those of list; where they leave nothing, it
exits with 1. CSV quotes texts that a spreadsheet would run, and names those cells in the column
quoted_cells, by which import takes the quotes off again.

With --json, JSON lines to standard output stay as they are; for what goes into a file one object
says where it is and how many facts it holds. CSV and Markdown to standard output are refused.

Markdown holds the active facts, for reading and for `import --trust`, which brings back texts,
dates, tags and links; --split DIR makes a file of each fact. A text that shows an attack pattern is
marked. `--format vault DIR` makes a folder for editors of linked notes, such as Obsidian: a note a
fact, hubs for segments and slots, a map. Run it again to bring it up to date: what you wrote below
the line of a note stays, and the note of a fact that is gone goes. Filters leave all other notes as
they are. What you change in the text or the fields of notes comes in by `import DIR --trust
--merge`; until then such notes are left alone. A copy of a note with another text is a new fact.
A table is for reading alone. On a terminal control characters are spelled out; into a pipe
or a file every byte goes as it is."""
EXAMPLES = (("> memory.jsonl", ""), ("--format sqlite --output memory.db", ""),
            ("", "--split notes"),
            ("vault", "--format vault"))
ARGUMENTS = (Argument("words", "DIR", "The folder of a vault.", "file", True, 0),)


class Options(Filters, Formats):
    """The options of a call."""

    format = choice(("jsonl", "csv", "tsv", "sqlite", "markdown", "vault", "table"))(
        "jsonl, csv, tsv, sqlite, markdown, vault or table [default: jsonl].",
        default="jsonl", beside=(*Formats.format.beside[1:], ("split", ("markdown",))),
    )  # fmt: skip
    csv = Formats.csv.but(excludes=("jsonl", "nl", "tsv", "table", "fmt"))
    tsv = Formats.tsv.but(excludes=("jsonl", "nl", "table", "fmt"))
    table = Formats.table.but(excludes=("jsonl", "nl"))
    fmt = Formats.fmt.but(excludes=("jsonl", "nl", "format"))
    output = file("Where to write [default: standard output].", short="-o")
    all_origins = flag("The facts of every origin (the owner's right).")
    split = folder(
        "Write a Markdown file for each active fact into the new folder DIR.",
        metavar="DIR", excludes=("output", "json", "jsonl", "nl", "csv", "tsv", "table", "fmt"),
    )  # fmt: skip
    lifecycle = choice((*LIFECYCLES, "all"))(
        "active, archived, pruned or all [default: all; in Markdown active]."
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Export one origin, or all."""
    form = output.named(options) or "jsonl"
    if form == "vault":
        if options.all_origins:
            raise UsageError("a vault holds one origin", hint="choose it with --origin")
        named = [*words, *([options.output] if options.output else [])]
        return _export_vault(
            session, named, lambda db: _wanted(session, db, options),
            is_filtered=_is_filtered(options),
        )  # fmt: skip
    if words:
        raise UsageError("export takes no words", hint="tideline export > memory.jsonl")
    if options.all_origins:
        session.needs_owner("only the owner may export all origins")
    is_file = options.output is not None and options.output != "-"
    if not is_file:
        output.check_beside_json(session, form, ("jsonl", "sqlite"))
    viewer = EVERYONE if options.all_origins else session.viewer
    db = session.reading()
    wanted = _wanted(session, db, options)
    if options.split is not None:
        count = _split(session, db, options.split, viewer=viewer, wanted=wanted)
    elif db is None:
        count = _write(session, form, options.output, iter(()))
    else:
        with snapshot(db):
            forms = jsonl.forms(db, viewer=viewer, wanted=wanted)
            count = _write(session, form, options.output, forms)
    if is_file and session.json:
        emit_json({"output": options.output, "format": form, "facts": count})
    elif is_file:
        session.detail(f"{count:,} facts written to {options.output}")
    if db is not None and not (options.all_origins or filters.is_given(options)):
        _tell_of_others(session, db)
    if count or not _is_filtered(options):
        return 0
    session.note("nothing to export: no fact is as the filters ask")
    answer_notes.name_unknown_documents(session, db, options.document)
    return 1


def _tell_of_others(session: Session, db: Connection) -> None:
    """Say to an owner who has named no origin what is not in the export."""
    if not session.viewer.is_owner or session.options.origin:
        return
    left = [count for key, count in stats.origins(db) if count and key != session.viewer.key]
    if left:
        others = "another origin" if len(left) == 1 else f"{len(left):,} other origins"
        session.note(f"not in it: {some(sum(left), 'fact')} of {others}; "
                     f"`{session.call('export', '--all-origins')}` has all")  # fmt: skip


def _is_filtered(options: Options) -> bool:
    return bool(filters.is_given(options) or options.lifecycle)


def _wanted(session: Session, db: Connection | None, options: Options) -> Filter:
    """Return what is exported: what the filters ask for, of every scope unless one is named."""
    is_text = output.named(options) in ("markdown", "vault") or options.split is not None
    usual = "active" if is_text else "all"
    lifecycle = options.lifecycle or usual
    wanted = filters.wanted(
        session, db, options, lifecycle=None if lifecycle == "all" else lifecycle
    )
    return wanted if options.scope is not None else replace(wanted, scopes=None)


def _split(
    session: Session, db: Connection | None, folder: str, *, viewer: Origin | Everyone,
    wanted: Filter,
) -> int:  # fmt: skip
    """Write each fact into a file of its own, in a new folder; return how many there were."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError as error:
        raise UsageError(f"{folder} exists", hint="name a new folder") from error
    count = 0
    if db is not None:
        with snapshot(db):
            for form in jsonl.forms(db, viewer=viewer, wanted=wanted):
                path = os.path.join(folder, f"{form['id']}.md")
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(handle, "w", encoding="utf-8", newline="") as file:
                    file.write(markdown.document(form))
                count += 1
    session.detail(f"{count:,} facts written into {folder}")
    return count


def _write(
    session: Session, format: str, path: str | None, forms: Iterable[Mapping[str, Any]]
) -> int:
    """Write the facts and return how many there were."""
    counted = _Counted(forms)
    if path not in (None, "-"):
        files.refuse_own(path, session.database)
    if format == "sqlite":
        if path is None:
            raise UsageError("a SQLite export needs a file", hint="add --output memory.db")
        foreign.write_database(path, counted)
        return counted.count
    writer = _writer(format)
    if path is None or path == "-":
        lines = writer(counted)
        emit_exact(map(_SEEN.get(format, _row_seen), lines) if sys.stdout.isatty() else lines)
        return counted.count
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
    try:
        handle = os.open(path, flags, 0o600)
    except FileExistsError as error:
        raise UsageError(f"{path} exists", hint="name a fresh file") from error
    set_mode(handle, 0o600)  # whatever the umask
    with open(handle, "w", encoding="utf-8", newline="") as file:
        file.writelines(writer(counted))
    return counted.count


def _writer(format: str) -> Writer:
    """Return what writes facts in a format, line by line."""
    known: dict[str, Writer] = {
        "jsonl": _json_lines, "markdown": markdown.lines,
        "csv": partial(_csv_lines, tabs=False), "tsv": partial(_csv_lines, tabs=True),
    }  # fmt: skip
    if format in known:
        return known[format]

    def drawn(forms: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        from tideline_cli.cli import row_formats  # noqa: PLC0415  tabulate, 25 ms

        for line in row_formats.table(forms, output.form_of(format), output.one_line):
            yield line + "\n"

    return drawn


class _Counted:
    """Facts that are exported, counted as they pass."""

    def __init__(self, forms: Iterable[Mapping[str, Any]]) -> None:
        self._forms = forms
        self.count = 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for form in self._forms:
            self.count += 1
            yield form


def _json_lines(forms: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for form in forms:
        yield codec.dumps(dict(form)) + "\n"


def _csv_lines(forms: Iterable[Mapping[str, Any]], *, tabs: bool) -> Iterator[str]:
    head = [*foreign.COLUMNS, foreign.QUOTED]
    return foreign.csv_lines(chain([head], map(foreign.cells, forms)), tabs=tabs)


def _row_seen(row: str) -> str:
    """Return a row of CSV on one line, as a terminal may show it."""
    return screen_text(row.removesuffix("\n")) + "\n"


_SEEN: dict[str, Callable[[str], str]] = {
    "jsonl": screen_json,  # what it prints is JSON that means the same
    "csv": _row_seen,
    "markdown": str,  # made for prompts: control characters are visible already
}


_NAMED = 3  # notes that a line names


def _export_vault(
    session: Session, named: list[str], wanted_of: Callable[[Connection], Filter], *,
    is_filtered: bool,
) -> int:  # fmt: skip
    """Write the vault of an origin into the folder that is named; return the exit code."""
    if len(named) != 1 or named[0] == "-":
        raise UsageError("a vault needs one folder", hint="tideline export --format vault notes")
    db = session.reading()
    if db is None:
        session.note(f"nothing to export: there is no store yet at {session.database}")
        return 1
    from tideline_cli.exchange.vault import read, write  # noqa: PLC0415  a hash that few need

    wanted = wanted_of(db)
    (folder,) = named
    with snapshot(db):
        is_empty = is_filtered and next(_forms(session, db, wanted), None) is None
        if not is_empty or (os.path.isdir(folder) and read.is_vault(folder)):
            done = write.write(
                folder, lambda: _forms(session, db, wanted), origin=session.viewer.key,
                is_there=lambda fact_id: _is_there(session, db, fact_id, wanted.lifecycle),
            )  # fmt: skip
            _report(session, folder, done)
    if is_empty:
        session.note("nothing to export: no fact is as the filters ask")
    return 1 if is_empty else 0


def _forms(session: Session, db: Connection, wanted: Filter) -> Iterator[dict[str, Any]]:
    return jsonl.forms(db, viewer=session.viewer, wanted=wanted)


def _is_there(session: Session, db: Connection, fact_id: str, lifecycle: str | None) -> bool:
    """Say whether a fact may keep its note: it is active, or of the lifecycle that is exported."""
    if not references.exists(db, fact_id, viewer=session.viewer):
        return False
    known = facts.find(db, fact_id, viewer=session.viewer)
    return lifecycle is None or known.lifecycle in ("active", lifecycle)


def _report(session: Session, path: str, done: WrittenVault) -> None:
    if session.json:
        output.emit_json({
            "output": path, "format": "vault", "facts": done.notes, "changed": done.changed,
            "removed": done.removed, "edited": done.edited, "kept": done.kept,
            "strange": done.strange, "outside": done.outside,
        })  # fmt: skip
        return
    output.emit_lines([f"{path}: {some(done.notes, 'note')}, {done.changed:,} written, "
                       f"{done.removed:,} removed"])  # fmt: skip
    if done.outside:
        session.note(f"left as they are, outside of the filters: {some(done.outside, 'note')}")
    if done.edited:
        session.note(
            f"left alone, with edits that are not in the memory: {_some(done.edited)}; "
            f"`{session.call('import', path, '--trust', '--merge')}` takes them in"
        )
    if done.kept:
        session.note(f"of facts that are gone, what you wrote is kept: {_some(done.kept)}")
    if done.strange:
        session.note(f"neither notes nor hubs of an export, left alone: {_some(done.strange)}")


def _some(names: list[str]) -> str:
    shown = ", ".join(output.visible(one) for one in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
