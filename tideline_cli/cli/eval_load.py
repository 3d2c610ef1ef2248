"""`eval load`: the documents of a public set into a memory, its questions into a file."""

from __future__ import annotations

import os
from contextlib import contextmanager

from tideline_cli.cli import eval_files, eval_gold, output
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.evaluation.sets import formats
from tideline_cli.model import codec
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from tideline_cli.cli.eval_options import Options
    from tideline_cli.cli.session import Session


def run(session: Session, path: str, options: Options) -> int:
    """Load a set."""
    form = eval_gold.checked_form(path, options.form)
    if form == formats.JSONL:
        raise UsageError(
            f"{path} has questions alone", hint="`tideline eval run` asks them of your memory"
        )
    session.needs_owner("only the owner may load a set")
    with _target(options.output, session.database) as file:
        written = 0 if file is None else _write(path, form, file)
        db = session.writing()
        if facts.last_number(db):
            raise UsageError(
                f"{session.database} holds facts already", hint="name a new file with --db"
            )
        count = eval_gold.load(session, db, path, form)
    if session.json:
        output.emit_json({"database": session.database, "format": form, "facts": count,
                          "questions": written, "output": options.output})  # fmt: skip
        return 0
    output.emit_lines([f"{session.database}: {count:,} facts"])
    if options.output is None:
        session.note("the questions are not written: --output FILE takes them")
    else:
        output.emit_lines([f"{options.output}: {written:,} questions"])
    return 0


@contextmanager
def _target(path: str | None, database: str) -> Iterator[TextIO | None]:
    """Give the fresh file that the questions go into, if any: before anything is stored, and for
    good only if all is."""
    if path is None:
        yield None
        return
    file = eval_files.fresh(path, database=database)
    try:
        with file:
            yield file
    except BaseException:
        os.unlink(path)
        raise


def _write(path: str, form: str, file: TextIO) -> int:
    """Write the questions of a set into a file; return how many there are."""
    count = 0
    for _, row in eval_gold.set_rows(formats.FORMS[form].questions(path), path, form):
        if not isinstance(row, TidelineError):
            file.write(codec.dumps(row) + "\n")
            count += 1
    return count
