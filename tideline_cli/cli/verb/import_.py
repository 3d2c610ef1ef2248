"""tideline import."""

from __future__ import annotations

import io
import os
import stat
import sys

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import jsonl, take
from tideline_cli.exchange.rows import Ground
from tideline_cli.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, BinaryIO

    from tideline_cli.exchange.take import Summary

HELP = """Take in facts from JSON lines, CSV, TSV or SQLite.

Rows are taken as they are, and nothing is merged. Rows that are there already are left alone, so an
import that was cut short is finished by running it again. Unknown keys go into the metadata, and so
does an id that is no ULID. A time of creation or use that lies ahead becomes now.

Rows count as retrieved documents, whatever the file says, unless --trust vouches for it: they are
scanned, may not speak for the owner, get new ids, and claim no more use or weight than new facts
of their segment have."""
EXAMPLES = (("facts.jsonl", ""), ("backup.jsonl", "--trust"), ("notes.db", "--table fact"))
ARGUMENTS = (Argument("words", "FILE", "What to read; `-` is standard input.", "file", False, 1),)
OPTIONS = (
    Option("trust", ("--trust",), "Keep the sources that the file states; the rest is the "
           "owner's.", "flag", False),
    Option("merge", ("--merge",), "Send each row through the rules of remember.", "flag", False),
    Option("strict", ("--strict",), "Take nothing if any row is bad.", "flag", False),
    Option("format", ("--format",), "jsonl, csv, tsv or sqlite [default: by the file's name].",
           "choice", choices=("jsonl", "csv", "tsv", "sqlite")),
    Option("table", ("--table",), "The table of a SQLite file [default: fact].", metavar="NAME",
           default="fact"),
)  # fmt: skip
_BY_ENDING = {".csv": "csv", ".tsv": "tsv", ".db": "sqlite", ".sqlite": "sqlite",
              ".sqlite3": "sqlite"}  # fmt: skip
_LONGEST_LINE = 1 << 20


def run(
    session: Session, *, words: list[str], trust: bool, merge: bool, strict: bool,
    format: str | None, table: str,
) -> int:  # fmt: skip
    """Import one file."""
    if len(words) != 1:
        raise UsageError("name one file", hint="tideline import facts.jsonl")
    path = words[0]
    kind = format or _BY_ENDING.get(os.path.splitext(path)[1].lower(), "jsonl")
    ground = Ground(session.viewer, session.now, trust)
    source = _Source(path, kind, table, session.database, twice=strict)
    if strict:
        rows = source.rows()
        bad = take.check(rows, ground)
        rows.close()
        if bad is not None:
            raise UsageError(f"line {bad[0]}: {bad[1].message}", hint="nothing was imported")
    with _progress(session, source) as advance:
        summary = take.take(session.writing(), source.rows(), ground, merge=merge, progress=advance)
    _report(session, path, summary, trust)
    return 0


class _Source:
    """The file, which --strict reads twice."""

    def __init__(self, path: str, kind: str, table: str, store: str, *, twice: bool) -> None:
        self._twice = twice
        self._path = path
        self._kind = kind
        self._table = table
        self._store = store
        self._spool: io.BytesIO | None = None
        self.size = 0
        self.position: Callable[[], int] = lambda: 0
        if path != "-":
            self.size = _regular(path)
            files.refuse_own(path, store)

    def rows(self) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        if self._kind == "sqlite":
            from tideline_cli.exchange import foreign  # noqa: PLC0415  sqlite_utils, 150 ms

            yield from foreign.database(self._path, self._table, store=self._store)
            return
        with self._open() as file:
            self.position = file.tell
            if self._kind == "jsonl":
                yield from jsonl.parsed(_lines(file))
            else:
                from tideline_cli.exchange import foreign  # noqa: PLC0415

                yield from foreign.delimited(file, tabs=self._kind == "tsv")
            self.position = lambda: self.size

    def _open(self) -> BinaryIO:
        if self._path != "-":
            flags = os.O_RDONLY | os.O_CLOEXEC
            return open(os.open(self._path, flags), "rb")
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
    """Yield lines; one that is too long is cut, which makes it a bad line and no more."""
    while line := file.readline(_LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
            while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
        yield line


def _progress(session: Session, source: _Source):  # type: ignore[no-untyped-def]
    from contextlib import nullcontext  # noqa: PLC0415

    if session.quiet or not sys.stderr.isatty() or not source.size:
        return nullcontext(None)
    from tideline_cli.cli import tables  # noqa: PLC0415  rich

    return tables.progress("importing", source.size, lambda: source.position())


def _report(session: Session, path: str, summary: Summary, trust: bool) -> None:
    if session.json:
        output.emit_json(_form(path, summary, trust))
    else:
        output.emit_lines([_sentence(summary, trust)])
    for line, error in summary.errors:
        session.note(f"line {line}: {error.message}")
    hidden = summary.skipped + summary.blocked - len(summary.errors)
    if hidden > 0:
        session.note(f"and {hidden:,} more")


def _sentence(summary: Summary, trust: bool) -> str:
    parts = [f"{summary.added:,} added"]
    for count, what in (
        (summary.reinforced, "reinforced"),
        (summary.superseded, "superseded"),
        (summary.present, "there already"),
        (summary.links, "links"),
        (summary.similar, "much like others and linked as similar"),
        (summary.skipped, "bad rows skipped"),
        (summary.blocked, "blocked by the scan"),
        (summary.confined, "confined to knowledge"),
        (summary.limited, "with less use, weight or time than they claim"),
        (summary.renamed, "under new ids (the stated ones are in metadata.original_id)"),
    ):
        if count:
            parts.append(f"{count:,} {what}")
    sources = "sources as stated" if trust else "as retrieved documents (--trust vouches for them)"
    return ", ".join(parts) + f"; {sources}"


def _form(path: str, summary: Summary, trust: bool) -> dict[str, object]:
    def error_form(line: int, error: TidelineError) -> dict[str, object]:
        return {"line": line, "code": error.code, "message": error.message}

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
        "limited": summary.limited,
        "renamed": summary.renamed,
        "source": "as_stated" if trust else "retrieved_document",
        "batch": summary.batch,
        "errors": [error_form(line, error) for line, error in summary.errors],
    }
