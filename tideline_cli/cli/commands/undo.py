"""tideline undo."""

from __future__ import annotations

from tideline_cli.cli import output, undo_report
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory.query import ALL
from tideline_cli.memory.undo import Undone, foresee_undo, undo, undoable
from tideline_cli.model.record import record

HELP = """Take back what one command did, all of it: the last one, or BATCH.

Every command that writes is a batch; --list shows what can be undone, newest first, with the
numbers. Each `tideline undo` steps one batch further back, and `tideline redo` one forward again;
the undo after a redo takes back what that brought back. What came by a sync is no step: its number
takes it back, here and at the next sync everywhere.
An undo is a batch too: `tideline undo BATCH` takes that one back. It is refused, and nothing
changes, where later changes would be lost; the message names them. Only purge and retention are
final."""
EXAMPLES = (("", ""), ("", "--list"), ("12", "--dry-run"))
ARGUMENTS = (
    Argument("words", "BATCH", "Which batch [default: the last one].", "word", False,
             completes=("batch",)),
)  # fmt: skip
OPTIONS = (
    Option("dry_run", ("--dry-run", "-n"), "Say what would be taken back, and leave it.", "flag",
           False, excludes=("list",)),
    Option("list", ("--list",), "Show what could be undone, newest first; a BATCH is not named "
           "with it.", "flag", False, excludes=("words",)),
    Option("limit", ("--limit",), "Batches that --list shows [default: 20; 0 is all].", "count",
           20),
)  # fmt: skip
_LONGEST = 9
_REPEATING = ("dream", "gc", "consolidate")


@record
class Options:
    """The options of a call."""

    dry_run: bool
    list: bool
    limit: int


def run(session: Session, words: list[str], options: Options) -> int:
    """Undo one batch, or show what could be undone."""
    if options.list:
        return _show_list(session, options.limit)
    if len(words) > 1:
        raise UsageError("name one batch at most", hint="`tideline history` shows their numbers")
    ordinal = _ordinal(words[0]) if words else None
    # Nothing to undo makes no store.
    viewer = session.viewer
    db = session.reading(
        lambda db, ahead: foresee_undo(db, ahead, viewer=viewer) if ordinal is None else None
    )
    if db is None:
        raise NotFoundError(
            "there is nothing to undo" if ordinal is None else f"no such batch: {ordinal}",
            hint="`tideline history` shows the batches of this origin",
        )
    if not options.dry_run:
        db = session.writing(frees=True)
    done = undo(db, ordinal, viewer=session.viewer, now=session.now, dry_run=options.dry_run)
    if session.json:
        form = undo_report.form(done, dry_run=options.dry_run)
        output.emit_json({**form, "passed_over": list(done.passed)})
    else:
        after = "" if options.dry_run else _way_back(session, done)
        start = "would undo" if options.dry_run else "undid"
        output.emit_lines([f"{start} {undo_report.in_words(done.undone, done.verb, done)}{after}"])
        if done.verb in _REPEATING and not options.dry_run:
            session.note("the next pass may propose the same; `tideline pin` keeps a fact")
    if done.passed:
        _tell_of_syncs(session, done.passed)
    return 0


def _tell_of_syncs(session: Session, passed: tuple[int, ...]) -> None:
    """Say that what other machines said since stays, and how to take it back."""
    call = session.call("undo", str(passed[0]))
    if len(passed) == 1:
        session.note(f"batch {passed[0]} came by a sync and stays; `{call}` takes it back")
    else:
        session.note(f"{len(passed):,} newer batches came by syncs and stay; `{call}` takes the "
                     "newest back")  # fmt: skip


def _ordinal(word: str) -> int:
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST:
        return int(word)
    raise UsageError(f"not a batch: {word!r}", hint="`tideline history` shows their numbers")


def _way_back(session: Session, done: Undone) -> str:
    """Return the call that brings back what was taken away; an undo of an undo is taken back by
    its number."""
    if done.verb in ("undo", "redo"):
        return f"; `{session.call('undo', str(done.batch))}` takes that back"
    return f"; `{session.call('redo')}` brings it back"


def _show_list(session: Session, limit: int) -> int:
    """Show what undo would take back, one batch after the other."""
    db = session.reading()
    most = limit + 1 if limit else ALL
    found = [] if db is None else undoable(db, viewer=session.viewer, limit=most)
    shown = found[:limit] if limit else found
    undo_report.show(session, db, shown, is_cut=len(shown) < len(found))
    return 0
