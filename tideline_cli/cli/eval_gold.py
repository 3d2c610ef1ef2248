"""Where the questions of an evaluation come from: a file of one's own, or a public set."""

from __future__ import annotations

import io
import os
from itertools import chain

from tideline_cli.cli import stdin
from tideline_cli.errors import UsageError
from tideline_cli.evaluation import copies, gold
from tideline_cli.evaluation.sets import files, formats
from tideline_cli.exchange import json_rows, jsonl
from tideline_cli.model.record import record
from tideline_cli.store import stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import ExitStack
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.eval_options import Options
    from tideline_cli.cli.session import Session
    from tideline_cli.errors import TidelineError
    from tideline_cli.evaluation.gold import Case, LeftOut

    Row = tuple[int, dict[str, Any] | TidelineError]


@record
class GoldFile:
    """The questions, what cannot be asked, and the memory that is asked; how many facts it has for
    those who ask, and the form of the file."""

    db: Connection
    path: str
    form: str
    facts: int
    questions: tuple[Case, ...]
    left_out: tuple[LeftOut, ...]
    ignored: tuple[str, ...]


def gold_of(session: Session, path: str, options: Options, stack: ExitStack) -> GoldFile:
    """Return the questions of a file and the memory that they are asked of: the user's own, or one
    of the documents of a set, which goes with the stack."""
    form = checked_form(path, options.form)
    if form == formats.JSONL:
        db = session.reading()
        if db is None:
            raise UsageError(f"there is no store yet at {session.database}", hint="see --db")
        rows = _lines(path)
    else:
        db = stack.enter_context(copies.empty())
        db.asked_settings = session.asked_settings  # type: ignore[attr-defined]
        load(session, db, path, form)
        rows = set_rows(formats.FORMS[form].questions(path), path, form)
    found = gold.read(rows, db, viewer=session.viewer, origin_of=session.origin, now=session.now)
    count = sum(
        stats.active(db, viewer=origin) for origin in {one.origin for one in found.questions}
    )
    return GoldFile(
        db, path, form, count, tuple(found.questions), tuple(found.left_out),
        tuple(sorted(found.ignored)),
    )  # fmt: skip


def checked_form(path: str, named: str | None) -> str:
    """Return the form of a file, as it is named or as it looks."""
    if path != "-" and not os.path.exists(path):
        raise UsageError(f"there is no file {path}", hint="`tideline eval make -o FILE` makes one")
    form = named or formats.form_of(path)
    if path != "-" and os.path.isdir(path) != (form in formats.FOLDERS):
        what = "a folder" if form in formats.FOLDERS else "a file"
        raise UsageError(f"{form} is {what}, and {path} is none", hint="is it the right --format?")
    if path == "-" and form != formats.JSONL:
        raise UsageError("a set cannot be piped", hint="name the file")
    return form


def load(session: Session, db: Connection, path: str, form: str) -> int:
    """Store the documents of a set; say what was left out of it. Return how many there are."""
    documents = copies.CutRows(set_rows(formats.FORMS[form].documents(path), path, form))
    done = copies.load(db, documents, viewer=session.viewer, now=session.now)
    if documents.cut:
        longer = "1 document is" if documents.cut == 1 else f"{documents.cut:,} documents are"
        session.note(f"{longer} longer than a fact may be, and cut")
    if done.skipped:
        line, why = done.errors[0]
        session.note(f"{done.skipped:,} documents left out; first: {line:,}: {why.message}")
    return done.taken


def set_rows(rows: Iterator[Row], path: str, form: str) -> Iterator[Row]:
    """Yield the rows of a set; raise UsageError where a file is not as its form has it."""
    try:
        yield from rows
    except (KeyError, TypeError, AttributeError, ValueError, EOFError) as error:
        raise UsageError(
            f"{path} is not as {form} has it: {type(error).__name__}: {error}",
            hint="is it the right --format?",
        ) from error


def tell_left_out(session: Session, found: GoldFile) -> None:
    """Say what is not asked, or cannot be found."""
    if found.left_out:
        first = found.left_out[0]
        session.note(
            f"{_questions(len(found.left_out))} left out; first: line {first.line:,}: "
            f"{first.message}"
        )
        for one in found.left_out[1:]:
            session.detail(f"left out: line {one.line:,}: {one.message}")
    archived = sum(1 for one in found.questions if one.archived)
    if archived:
        session.note(f"{_questions(archived)} name facts that are archived: no recall finds them")
    unknown = {name for one in found.questions for name in one.unknown}
    if unknown:
        session.note(
            f"no fact has the id or the source_turn {min(unknown)!r:.60}"
            f"{f' and {len(unknown) - 1:,} more' if len(unknown) > 1 else ''}: "
            "as answers they count as not found"
        )
    if found.ignored and found.form == formats.JSONL:
        session.note(f"keys that mean nothing here: {', '.join(found.ignored)}")


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count:,} questions"


def _lines(path: str) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    if path == "-":
        yield from _rows(io.BytesIO(stdin.text().encode()))
        return
    with files.stream(path) as file:
        yield from _rows(file)


def _rows(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield the rows of JSON lines, or of one list. A line is a question, whatever it holds."""
    waiting = iter(lines)
    first = next(waiting, b"")
    is_list = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    yield from (json_rows.rows if is_list else jsonl.parsed)(chain([first], waiting))
