"""The questions of an evaluation: from one's own file or a public set, or proposed from facts."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, nullcontext
from itertools import chain

from tideline_cli.cli import model_options, options, output
from tideline_cli.cli.session import stdin_text
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.evaluation import ask, copies, datasets, gold, make
from tideline_cli.exchange import jsonl
from tideline_cli.model import codec
from tideline_cli.model.finding import some
from tideline_cli.model.record import record, replace
from tideline_cli.policy.render import screen_text
from tideline_cli.store import facts, stats
from tideline_cli.store.files import refuse_own
from tideline_cli.system import BINARY, NOFOLLOW, pread, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import ExitStack
    from typing import Any, TextIO

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.evaluation.gold import Case, LeftOut
    from tideline_cli.evaluation.make import ProposedQuestion
    Row = tuple[int, dict[str, Any] | TidelineError]

MOST_K = 1000
DEFAULT_K = 5
DEFAULT_COUNT = 20


class Options(model_options.ModelOptions, options.Scopes):
    """The options of a call."""

    k = options.count(
        f"How many answers count [default: {DEFAULT_K}].",
        short="-k", default=DEFAULT_K, least=1, most=MOST_K,
    )  # fmt: skip
    profiles = options.listed(
        "Compare other ways of asking with the one of now: all, or some of "
        f"{', '.join([name for name in ask.PROFILES if name != ask.DEFAULT])}.",
        flags=("--profiles", "--profile"), many=True, metavar="NAMES",
    )  # fmt: skip
    embedder = options.listed(
        "Compare with the vectors of another embedder.", many=True, metavar="NAMES"
    )
    form = options.choice((datasets.JSONL, *datasets.FORMS))(
        "The form of FILE: jsonl, locomo, longmemeval, beir, trec or own (corpus.jsonl and "
        "queries.jsonl) [default: as it looks].",
        flags=("--format",),
    )
    misses = options.flag("Show the questions that are not answered among the first K.")
    strict = options.flag(
        "Ask nothing if any question cannot be asked, or names an answer that is not there."
    )
    count = options.count(
        f"How many questions are proposed [default: {DEFAULT_COUNT}].",
        default=DEFAULT_COUNT, least=1, most=100_000,
    )  # fmt: skip
    output = options.file(
        "Where make and load write questions; make adds to what is there.", short="-o"
    )


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
    if form == datasets.JSONL:
        db = session.reading()
        if db is None:
            raise UsageError(f"there is no store yet at {session.database}", hint="see --db")
        rows = _lines(path)
    else:
        db = stack.enter_context(copies.empty())
        db.asked_settings = session.asked_settings  # type: ignore[attr-defined]
        load_documents(session, db, path, form)
        rows = set_rows(datasets.FORMS[form].questions(path), path, form)
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
    form = named or datasets.form_of(path)
    if path != "-" and os.path.isdir(path) != (form in datasets.FOLDERS):
        what = "a folder" if form in datasets.FOLDERS else "a file"
        raise UsageError(f"{form} is {what}, and {path} is none", hint="is it the right --format?")
    if path == "-" and form != datasets.JSONL:
        raise UsageError("a set cannot be piped", hint="name the file")
    return form


def load_documents(session: Session, db: Connection, path: str, form: str) -> int:
    """Store the documents of a set; say what was left out of it. Return how many there are."""
    documents = copies.CutRows(set_rows(datasets.FORMS[form].documents(path), path, form))
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
            f"{some(len(found.left_out), 'question')} left out; first: line {first.line:,}: "
            f"{first.message}"
        )
        for one in found.left_out[1:]:
            session.detail(f"left out: line {one.line:,}: {one.message}")
    archived = sum(1 for one in found.questions if one.archived)
    if archived:
        named = some(archived, "question")
        session.note(f"{named} name facts that are archived: no recall finds them")
    unknown = {name for one in found.questions for name in one.unknown}
    if unknown:
        session.note(
            f"no fact has the id or the source_turn {min(unknown)!r:.60}"
            f"{f' and {len(unknown) - 1:,} more' if len(unknown) > 1 else ''}: "
            "as answers they count as not found"
        )
    if found.ignored and found.form == datasets.JSONL:
        session.note(f"keys that mean nothing here: {', '.join(found.ignored)}")


def _lines(path: str) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    if path == "-":
        yield from _rows(io.BytesIO(stdin_text().encode()))
        return
    with datasets.open_file(path) as file:
        yield from _rows(file)


def _rows(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield the rows of JSON lines, or of one list. A line is a question, whatever it holds."""
    waiting = iter(lines)
    first = next(waiting, b"")
    is_list = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    yield from (jsonl.rows if is_list else jsonl.parsed)(chain([first], waiting))


_SAFE = os.O_CREAT | NOFOLLOW | BINARY
_MODE = 0o600


def fresh_file(path: str, *, database: str) -> TextIO:
    """Open a new file; raise UsageError where anything is there, or would belong to the memory
    file."""
    refuse_own(path, database)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_EXCL | _SAFE, _MODE)
    except FileExistsError as error:
        raise UsageError(f"{path} exists", hint="name a fresh file") from error
    set_mode(handle, _MODE)
    return open(handle, "w", encoding="utf-8", newline="\n")


def appended_file(path: str, *, database: str) -> TextIO:
    """Open a file to add lines to it; a new one is made where there is none. Raise UsageError for
    the memory file and those that belong to it."""
    refuse_own(path, database)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | _SAFE, _MODE)
    file = open(handle, "a", encoding="utf-8", newline="\n")  # noqa: SIM115  the caller closes it
    size = os.fstat(handle).st_size
    if size and pread(handle, 1, size - 1) != b"\n":
        file.write("\n")  # a line that an editor has left without its end
    return file


def load_set(session: Session, path: str, options: Options) -> int:
    """Load a set."""
    form = checked_form(path, options.form)
    if form == datasets.JSONL:
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
        count = load_documents(session, db, path, form)
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
    file = fresh_file(path, database=database)
    try:
        with file:
            yield file
    except BaseException:
        os.unlink(path)
        raise


def _write(path: str, form: str, file: TextIO) -> int:
    """Write the questions of a set into a file; return how many there are."""
    count = 0
    for _, row in set_rows(datasets.FORMS[form].questions(path), path, form):
        if not isinstance(row, TidelineError):
            file.write(codec.dumps(row) + "\n")
            count += 1
    return count


_PROPOSED_TEXT = 200
_KEYS = "y keep, n drop, e edit, q stop"


def propose(session: Session, options: Options) -> int:
    """Propose questions; on a terminal a person confirms each."""
    db = session.reading()
    scopes = session.scopes(options.scope, everything=options.all_scopes)
    chosen, known = (
        ([], []) if db is None
        else make.considered(db, viewer=session.viewer, scopes=scopes, count=options.count)
    )  # fmt: skip
    if db is None or not chosen:
        raise UsageError("there are no facts to ask about", hint="tideline remember TEXT")
    proposals = make.proposed(db, chosen, known)
    asks = sys.stdin.isatty() and sys.stderr.isatty() and not session.no_input
    kept: list[dict[str, Any]] = []
    file = (
        None if options.output is None
        else appended_file(options.output, database=session.database)
    )  # fmt: skip
    with file or nullcontext():
        for one in _confirmed(session, proposals, options) if asks else _worded(
            session, proposals, options
        ):
            kept.append(_proposal_form(one))
            line = codec.dumps(kept[-1]) + "\n"
            if file is not None:
                file.write(line)
                file.flush()
            elif not session.json:
                output.emit_exact([line])
    if session.json:
        output.emit_json({"questions": kept, "output": options.output})
    elif options.output is not None:
        output.emit_lines([f"{options.output}: {some(len(kept), 'question')} added"])
    if not asks:
        session.note("nobody has confirmed these: look through them before you measure with them")
    return 0


def _worded(
    session: Session, proposals: list[ProposedQuestion], options: Options
) -> Iterator[ProposedQuestion]:
    """Yield the proposals, in the words of a model where one is named."""
    model = model_options.chosen(session, options) if _names_model(options) else None
    if model is None:
        yield from proposals
        return
    for worded in make.asked(proposals, model_options.asker(session, model)):
        yield from worded


def _names_model(options: Options) -> bool:
    """Say whether this call names a model: that of the settings is not asked unasked for."""
    return bool(options.llm or options.model or options.base_url)


def _confirmed(
    session: Session, proposals: list[ProposedQuestion], options: Options
) -> Iterator[ProposedQuestion]:
    """Yield what a person keeps of the proposals, as worded by them."""
    sys.stderr.write(f"{_KEYS}\n")
    for number, one in enumerate(_worded(session, proposals, options), 1):
        fact = screen_text(output.brief(one.fact, _PROPOSED_TEXT))
        sys.stderr.write(f"\n{number}/{len(proposals)}  {fact}\n    {screen_text(one.query)}\n")
        while (answer := _typed("keep? [y/n/e/q] ")) not in ("y", "yes", "n", "no", "q", "e", None):
            sys.stderr.write(f"{_KEYS}\n")
        if answer in ("q", None):
            return
        if answer == "e":
            said = _typed("question: ", folds=False)
            if said:
                yield replace(one, query=said, by="person")
        elif answer in ("y", "yes"):
            yield one


def _typed(prompt: str, *, folds: bool = True) -> str | None:
    """Return what is typed on one line; None at the end of the input."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        sys.stderr.write("\n")
        return None
    return line.strip().lower() if folds else line.strip()


def _proposal_form(one: ProposedQuestion) -> dict[str, Any]:
    return {"query": one.query, "ids": [one.fact.id], "says": one.fact.content, "by": one.by}
