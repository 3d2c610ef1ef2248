"""tideline undo."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory.undo import Undone, undo
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HELP = """Take back what one command did, all of it: the last one, or BATCH.

Every command that writes is a batch; `tideline history` shows their numbers. An undo is a batch
too, so undoing it brings everything back. It is refused, and nothing changes, where later
changes would be lost; the message names them. Only purge and retention are final."""
EXAMPLES = (("", ""), ("12", "--dry-run"))
ARGUMENTS = (Argument("words", "BATCH", "Which batch [default: the last one].", "word", False),)
OPTIONS = (
    Option("dry_run", ("--dry-run", "-n"), "Say what would be taken back, and leave it.", "flag",
           False),
)  # fmt: skip
_LONGEST = 9
_REPEATING = ("dream", "gc", "consolidate")


@record
class Options:
    """The options of a call."""

    dry_run: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Undo one batch."""
    if len(words) > 1:
        raise UsageError("name one batch at most", hint="`tideline history` shows their numbers")
    ordinal = _ordinal(words[0]) if words else None
    # Nothing to undo makes no store.
    db = session.reading()
    if db is None:
        raise NotFoundError(
            "there is nothing to undo" if ordinal is None else f"no such batch: {ordinal}",
            hint="`tideline history` shows the batches of this origin",
        )
    if not options.dry_run:
        session.close()
        db = session.writing(frees=True)
    done = undo(db, ordinal, viewer=session.viewer, now=session.now, dry_run=options.dry_run)
    if session.json:
        output.emit_json(_form(done, options.dry_run))
    else:
        output.emit_lines([_line(session, done, options.dry_run)])
        if done.verb in _REPEATING and not options.dry_run:
            session.note("the next pass may propose the same; `tideline pin` keeps a fact")
    return 0


def _ordinal(word: str) -> int:
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST:
        return int(word)
    raise UsageError(f"not a batch: {word!r}", hint="`tideline history` shows their numbers")


def _form(done: Undone, dry_run: bool) -> dict[str, Any]:
    return {
        "batch": None if dry_run else done.batch,
        "undone": done.undone,
        "verb": done.verb,
        "facts": {
            "removed": list(done.removed),
            "restored": list(done.restored),
            "changed": list(done.changed),
        },
        "links": {"removed": done.links_removed, "restored": done.links_restored},
        "dry_run": dry_run,
    }


def _line(session: Session, done: Undone, dry_run: bool) -> str:
    parts = [
        f"{count:,} {noun if count == 1 else noun + 's'} {deed}"
        for count, noun, deed in (
            (len(done.removed), "fact", "removed"),
            (len(done.restored), "fact", "restored"),
            (len(done.changed), "fact", "changed"),
            (done.links_removed, "link", "removed"),
            (done.links_restored, "link", "restored"),
        )
        if count
    ]
    start = "would undo" if dry_run else "undid"
    end = "" if dry_run else f"; `{session.call('undo')}` takes that back"
    return f"{start} batch {done.undone} ({done.verb}): {', '.join(parts) or 'nothing to do'}{end}"
