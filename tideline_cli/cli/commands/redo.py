"""tideline redo."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands.undo import undone_form, undone_text
from tideline_cli.cli.options import Argument, OptionSet, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory.undo import redo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """Bring back what the last undo took, and step forward again.

After so many undos, as many redos lead back to where they began. What was written since that undo
stays, and a note names it. Where some of it stands against an undo's being taken back, the one
before it is; a note says so. It is refused where none can be. A redo is a batch: `tideline undo`
takes it back again."""
EXAMPLES = (("", ""), ("", "--dry-run"))
ARGUMENTS: tuple[Argument, ...] = ()
_NAMED = 3


class Options(OptionSet):
    """The options of a call."""

    dry_run = flag("Say what would be brought back, and leave it.", short="-n")


def run(session: Session, words: list[str], options: Options) -> int:
    """Step forward."""
    if words:
        raise UsageError("redo takes no words", hint="`tideline undo BATCH` takes back any undo")
    db = session.reading()
    if db is None:  # nothing to redo makes no store
        raise NotFoundError("there is nothing to redo", hint="redo takes back an undo")
    if not options.dry_run:
        session.close()
        db = session.writing(frees=True)
    found = redo(db, viewer=session.viewer, now=session.now, dry_run=options.dry_run)
    for why in found.passed:
        session.note(f"left as it is: {why}")
    if found.kept:
        session.note(_newer(found.kept))
    if session.json:
        form = undone_form(found.done, dry_run=options.dry_run)
        output.emit_json(form | {
            "redone": found.back.ordinal, "verb": found.back.verb,
            "kept": [ordinal for ordinal, _ in found.kept],
        })  # fmt: skip
        return 0
    start = "would bring back" if options.dry_run else "brought back"
    after = "" if options.dry_run else f"; `{session.call('undo')}` takes that back"
    told = undone_text(found.back.ordinal, found.back.verb, found.done)
    output.emit_lines([f"{start} {told}{after}"])
    return 0


def _newer(kept: Sequence[tuple[int, str]]) -> str:
    """Return which batches are newer than the undo that was taken back, and stay."""
    named = ", ".join(f"{ordinal} ({verb})" for ordinal, verb in kept[-_NAMED:])
    older = f", and {len(kept) - _NAMED:,} more" if len(kept) > _NAMED else ""
    noun = "batch" if len(kept) == 1 else "batches"
    return f"made since that undo, and kept: {noun} {named}{older}"
