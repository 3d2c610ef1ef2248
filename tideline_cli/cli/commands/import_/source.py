"""The file that an import reads: its rows, up to a limit, and how far it is read."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections import Counter

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import (
    dates,
    encodings,
    foreign,
    gone_notes,
    jsonl,
    lists,
    markdown,
    named_files,
    sentences,
    tools,
)
from tideline_cli.exchange.importer.cells import in_milliseconds, renamed
from tideline_cli.exchange.jsonl import LONGEST_LINE
from tideline_cli.exchange.statements import left_words
from tideline_cli.exchange.tools import notes
from tideline_cli.exchange.tools.files import files_below
from tideline_cli.exchange.vault import read
from tideline_cli.model.finding import some
from tideline_cli.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
    from typing import Any, BinaryIO

    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.folders import Walk

_PIPED = "pipe it and use `-`"
_LARGE = 1 << 20  # bytes from which on a file has thousands of rows, but for very long ones
_BY_ENDING = {
    ".csv": "csv", ".tsv": "tsv", ".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite",
    ".md": "markdown", ".markdown": "markdown", ".xlsx": "sheet", ".json": "jsonl",
    ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
_BEGINNING = 4096  # bytes
_TABLES = ("jsonl", "csv", "tsv", "sqlite", "sheet")
_SHARES = 1000  # of a memory of one file: how finely its progress is told
_CHECKED = 1 << 20  # bytes whose encoding is looked at
_MOST_DECODED = 256 << 20


def kind_of(path: str) -> str:
    """Return the format that the name of a file means, or its beginning where the name means none;
    a folder holds Markdown. What has an ending of its own and begins like no JSON is a document,
    which another command reads."""
    if path != "-" and os.path.isdir(path):
        return "markdown"
    ending = os.path.splitext(path)[1].lower()
    known = _BY_ENDING.get(ending)
    if known is not None or path == "-" or not os.path.isfile(path):
        return known or "jsonl"
    with named_files.open_plain(path, hint=_PIPED) as file:
        raw = file.read(_BEGINNING)
    text = raw.decode(encodings.marked(raw) or "utf-8", "replace")
    found = lists.list_kind(path, text)
    if found is not None or ending in ("", ".txt"):
        return found or ("text" if ending else "jsonl")
    begins = text.lstrip("\ufeff \r\n\t")
    if begins.startswith("<?xml") and "<html" not in begins:
        raise UsageError(f"{path} is XML", hint="save it as HTML, Markdown or CSV")
    if begins[:1] not in ("", "{", "["):
        raise UsageError(f"{path} is a document", hint=f"tideline ingest {path}")
    return "jsonl"


class LimitedRows:
    """Rows up to a limit. An error that ends them early does not break the import off: it stands in
    `stopped`, and all rows before it are stored."""

    def __init__(self, source: Source, most: int) -> None:
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


class Source:
    """The file, which --strict reads twice."""

    def __init__(
        self, session: Session, path: str, kind: str, table: str, *, twice: bool,
        mapping: Mapping[str, str], tool: str | None = None, seconds: bool = False,
        sentence: str | None = None, encoding: str | None = None, ignoring: bool = True,
    ) -> None:  # fmt: skip
        self._counts_seconds = seconds
        self._sentence = sentence
        self._now = session.now
        self._walk: Walk | None = None  # of a folder of notes
        self.written: dates.Dates | None = None
        self.files: dict[int, str] = {}  # of the rows of a folder by their places
        self.unchanged = 0  # notes of a folder that are as they were when they were read
        self._encoding = encoding
        self._tool = tool  # the program that wrote it, where `--from` names one
        self._mapping = mapping
        self.missed = set(mapping)  # columns that --map names and no row has
        self.displaced: set[str] = set()  # columns whose name another one takes by --map
        self._twice = twice
        self._path = path
        self._kind = kind
        self._table = table
        self._store = session.database
        self._note = session.note
        self._told: set[str] = set()
        self._spool: io.BytesIO | None = None
        self.size = 0
        self.position: Callable[[], int] = lambda: 0
        self._found = 0  # rows of notes, and of what a program left
        self.elements: dict[int, str] = {}  # what a row was in its file, by its number
        if encoding is not None and (kind in ("sqlite", "sheet") or self._is_vault()):
            raise UsageError("--encoding cannot go with this: it says its own", hint="leave it out")
        if self._is_vault():
            return
        if self._tool is not None or self._is_folder():
            if os.path.isdir(path):
                self._walk = files_below(path, self._tell, ignoring=ignoring)
            elif path != "-":
                _regular(path)
            if self._walk is not None and self._tool is None and not self._walk.files:
                hint = f"name a file; `tideline ingest {path}` takes other documents"
                raise UsageError(f"{path} has no Markdown files", hint=hint)
            self._set_size(0)
        elif path != "-":
            self.size = _regular(path)
            files.refuse_own(path, self._store)

    def _set_size(self, share: float) -> None:
        """Count each file of a folder as one, and the rows as as much again, of which this share is
        given."""
        files = len(self._walk.files) if self._walk is not None else 0
        rows = files or _SHARES
        self.size = files + rows
        self.position = lambda: (self._walk.read if self._walk else 0) + round(rows * share)

    def watched(self, advance: Callable[[int], object]) -> None:
        """Tell also while the files of a folder are read how far that is."""
        if self._walk is not None:
            self._walk.tick = lambda: advance(len(self.elements))

    def rows(self) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        """Yield the rows of the file, their values under the names of fields."""
        rows = self._read() if self._is_table() else self._named(self._read())
        if self._sentence is not None:
            rows = sentences.stated(rows, self._sentence, self._tell)
        found = renamed(rows, self._mapping, missed=self.missed, displaced=self.displaced)
        try:
            yield from in_milliseconds(found) if self._counts_seconds else found
        except (TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
            raise UsageError(
                f"{self._path} cannot be read on: {error!s:.80}",
                hint="is it damaged? --format says what it is",
            ) from error

    def _is_table(self) -> bool:
        return self._tool is None and self._kind in _TABLES

    def _named(
        self, rows: Iterable[tuple[int, dict[str, Any] | TidelineError]]
    ) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        """Yield rows without what they were in their file, which `elements` keeps."""
        for line, row in rows:
            if not isinstance(row, TidelineError):
                tags = list(row.get("tags") or ())
                usual = "relation" if "relation" in tags else "memory"
                if self._tool is None:
                    usual = tags[0] if self._kind in lists.READERS else "fact"
                self.elements[line] = row.pop("element", usual)
            yield line, row

    def tell_missed(self, session: Session) -> None:
        """Say which columns of --map no row has had."""
        for name in sorted(self.missed):
            session.note(f"--map: no row has the column {name!r:.60}")
        for name in sorted(self.displaced):
            session.note(
                f"--map: another column is {name}; the column of that name is left out; "
                "map it to something else to keep it"
            )

    def _tell(self, line: str) -> None:
        """Say a line once, however often the file is read."""
        if line not in self._told:
            self._told.add(line)
            self._note(line)

    def _is_folder(self) -> bool:
        return self._kind == "markdown" and self._path != "-" and os.path.isdir(self._path)

    def _is_vault(self) -> bool:
        """Say whether the file is a folder that `export --format vault` has made."""
        if not self._is_folder():
            return False
        return read.is_vault(self._path)

    def _dated(
        self, rows: Iterable[tuple[int, dict[str, Any] | TidelineError]]
    ) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        """Yield the rows of notes with the time at which their file was written, where they state
        none; those of an export state theirs."""
        folder, name = os.path.split(self._path) if self._walk is None else (self._path, "")
        paths = [name] if self._walk is None else self._walk.files
        when = self.written = dates.Dates(folder or ".", paths, now=self._now)
        found: dict[tuple[str, int | None], int | None] = {}
        for line, row in rows:
            if isinstance(row, TidelineError):
                yield line, row
                continue
            head = row.get("metadata") or {}
            if self._walk is not None and gone_notes.FILE in head:
                self.files[line] = str(head[gone_notes.FILE])
                row["metadata"] = head = {
                    **head, gone_notes.FOLDER: self.folder,
                    gone_notes.STATE: self._state(head[gone_notes.FILE]),
                }  # fmt: skip
            if row.get("created_at") is not None:
                yield line, row
                continue
            if "id" in row and "file" not in head:
                yield line, row
                continue
            file = str(head.get("file", name))
            part = file, dates.at_head(head)
            if part not in found:
                found[part] = when.of(file, head)
            yield line, row if found[part] is None else row | {"created_at": found[part]}

    def _of_notes(
        self, rows: Iterable[tuple[int, dict[str, Any] | TidelineError]]
    ) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        """Yield the rows of notes, dated; a statement of one title and day is one row, in whose
        metadata stands how many times the notes state it."""
        first: dict[tuple[object, ...], dict[str, Any]] = {}
        found = []
        for line, row in self._dated(rows):
            if not isinstance(row, TidelineError) and "id" not in row:
                stated = (row.get("title"), row.get("content"), row.get("created_at"))
                known = first.setdefault(stated, row)
                if known is not row:
                    head = known.get("metadata") or {}
                    known["metadata"] = head | {"times": head.get("times", 1) + 1}
                    continue
            found.append((line, row))
        many = sum("times" in (row.get("metadata") or {}) for row in first.values())
        if many:
            self._tell(f"{some(many, 'statement')} found more than once there: each is one fact")
        heads = [row.get("metadata") or {} for _, row in found if isinstance(row, dict)]
        last = {head[gone_notes.FILE]: head for head in heads if gone_notes.STATE in head}
        for head in last.values():
            head[gone_notes.STATE] = (*head[gone_notes.STATE], 1)
        self._found = len(found)
        for place, numbered in enumerate(found, 1):
            self._set_size(place / self._found)
            yield numbered

    def _of_folder(self) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        """Yield the rows of the Markdown files of a folder and below it, numbered through."""
        rows = enumerate(notes.lists(self._path, self._tell, self._walk, self._encoding), 1)
        yield from self._of_notes((number, row) for number, row in rows)

    def has_notes(self) -> bool:
        """Say whether its rows are those of notes, as old as their files."""
        is_note = self._tool is not None or self._kind in ("markdown", "text")
        return is_note and not self._is_vault()

    def leave_unchanged(self, known: Mapping[str, tuple[int, int]]) -> None:
        """Leave out the notes of a folder that are as they were when they were read."""
        if self._walk is not None and self._tool != "basic-memory":  # whose notes name one another
            changed = [name for name in self._walk.files
                       if name not in known or known[name] != self._state(name)]  # fmt: skip
            self.unchanged = len(self._walk.files) - len(changed)
            self._walk.files = changed
            self._set_size(0)

    def _state(self, name: str) -> tuple[int, int]:
        """Return when a note of a folder was written, and how long it is."""
        try:
            state = os.stat(os.path.join(self._path, name))
        except OSError:
            return 0, 0
        return state.st_mtime_ns // 1_000_000, state.st_size

    @property
    def taken(self) -> Container[str]:
        """The notes of a folder that were read."""
        return () if self._walk is None else self._walk.taken

    @property
    def folder(self) -> str | None:
        """The folder of notes that is read, from the root; None for a file."""
        return None if self._walk is None else os.path.realpath(self._path)

    def is_kept(self) -> bool:
        """Say whether it is a list that a program keeps, each entry under an id of its own."""
        return self._tool is not None or self._kind in lists.READERS

    def is_large(self) -> bool:
        """Say whether the file may have thousands of rows, by its size."""
        return self.size >= _LARGE

    def place(self) -> int:
        """Return how far the file is read."""
        return self.position()

    def row_count(self) -> int:
        """Return how many rows notes have, or a file of JSON lines; 0 where only reading would
        tell."""
        if self._tool is not None or self._kind != "jsonl" or self._path == "-":
            return self._found
        with self._open() as file:
            return sum(1 for line in _lines(file) if line.strip())

    def _read(self) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
        if self._tool is not None:
            rows = tools.rows_of(
                self._tool, self._path, self._tell, self._walk, self._encoding,
                is_rest=self.unchanged > 0,
            )
            yield from self._of_notes(rows)
            return
        if self._kind == "sqlite":
            yield from foreign.database(self._path, self._table, tell=self._tell)
            return
        if self._is_vault():
            yield from read.rows(self._path, tell=self._tell)
            return
        if self._is_folder():
            yield from self._of_folder()
            return
        with self._open() as file:
            self.position = file.tell
            if self._kind == "jsonl":
                yield from jsonl.rows(_pieces(file))
            elif self._kind in ("markdown", "text"):
                name = None if self._path == "-" else self._path
                yield from self._of_notes(markdown.rows(_lines(file), name=name, tell=self._tell))
            elif self._kind == "sheet":
                yield from foreign.of_sheets(file.read(), self._tell)
            elif self._kind in lists.READERS:
                text, left = file.read().decode("utf-8-sig", "replace"), Counter[str]()
                number = 0
                for number, row in enumerate(lists.READERS[self._kind](text, left), 1):
                    yield number, row
                if +left:
                    self._tell(f"left out of {self._path}: {left_words(+left)}")
                if not number:
                    raise UsageError(
                        f"{self._path} holds nothing of {self._kind}",
                        hint="--format says what it is",
                    )
            else:
                yield from foreign.delimited(
                    file, tabs=self._kind == "tsv", tell=self._tell
                )
            self.position = lambda: self.size

    def _open(self) -> BinaryIO:
        if self._path != "-":
            return self._as_utf8(named_files.open_plain(self._path, hint=_PIPED))
        if not self._twice:
            file: BinaryIO = sys.stdin.buffer
            said = self._encoding is not None
            return self._as_utf8(io.BytesIO(file.read())) if said else file
        if self._spool is None:
            self._spool = io.BytesIO(sys.stdin.buffer.read())
        return self._as_utf8(io.BytesIO(self._spool.getvalue()))

    def _as_utf8(self, file: BinaryIO) -> BinaryIO:
        """Return a file as UTF-8: decoded at once where it says, or begins, in another encoding."""
        if self._kind == "sheet":
            return file
        if self._kind == "history":
            with file:
                file = io.BytesIO(lists.unmetafied(file.read()))
        raw = file.read(_CHECKED)
        file.seek(0)
        is_other = encodings.marked(raw) not in (None, "utf-8-sig") or self._encoding is not None
        if not is_other:
            try:
                codecs.getincrementaldecoder("utf-8")().decode(raw)
            except UnicodeDecodeError:
                is_other = encodings.guess(raw) is not None  # else it is damaged, and told so
        if not is_other or self.size > _MOST_DECODED:
            return file
        with file:
            text, guessed = encodings.decoded(file.read(), self._encoding)
        if guessed is not None:
            self._tell(f"{self._path} is not UTF-8, read as {guessed}; --encoding says what it is")
        return io.BytesIO(text.encode())


def _regular(path: str) -> int:
    """Return the size of a file; refuse what is not one."""
    try:
        state = os.stat(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read {path}: {reason}") from error
    if not stat.S_ISREG(state.st_mode):
        raise UsageError(f"{path} is not a file", hint=_PIPED)
    return state.st_size


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines; one that is too long comes in pieces, so that a list may stand on one line."""
    return iter(lambda: file.readline(LONGEST_LINE), b"")


def _lines(file: BinaryIO):  # type: ignore[no-untyped-def]
    """Yield lines; one that is too long is cut, so that it is a bad line."""
    while line := file.readline(LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == LONGEST_LINE:
            while (more := file.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
        yield line
