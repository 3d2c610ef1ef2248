"""tideline purge."""

from __future__ import annotations

from tideline_cli.cli import by_id, purge_report
from tideline_cli.cli.options import Option
from tideline_cli.cli.session import Session
from tideline_cli.cli.terminal import confirmed
from tideline_cli.errors import UsageError
from tideline_cli.memory import purge
from tideline_cli.model.record import record, replace
from tideline_cli.store import facts

HELP = """Remove facts for good: text, index, vector, links and history, from every file.

What derives from them goes with them, pinned and confirmed facts as well; the owner's purge
follows into the facts of others. All of them or none: an unknown id stops it. Nothing brings them
back; `tideline forget` archives instead.

While another process reads, or the disk is full, traces may stay in the files; a later command
takes them out."""
EXAMPLES = (("@1", ""), ("01KA2B 01KA2C", "--yes"), ("@1", "--dry-run"))
ARGUMENTS = (replace(by_id.FACTS[0], completes=("id",)),)
OPTIONS = (
    purge_report.YES,
    Option("dry_run", ("--dry-run", "-n"), "List what would go, and leave it.", "flag", False),
)


@record
class Options:
    """The options of a call."""

    yes: bool
    dry_run: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Purge the facts named."""
    if not words:
        raise UsageError("name the facts to remove", hint="tideline purge ID")
    references = [session.reference(word) for word in words]
    db = session.reading()
    if db is None:
        raise facts.missing(references[0])
    gone = purge.doomed(db, references, viewer=session.viewer)
    if options.dry_run:
        planned = purge.Purged(tuple(gone.values()), 0, False)
        purge_report.report(session, planned, dry_run=True, of=(db, gone))
    elif confirmed(session, purge_report.question(session, db, gone), yes=options.yes):
        session.close()
        db = session.writing(frees=True)
        done = purge.purge(db, references, viewer=session.viewer, now=session.now)
        purge_report.report(session, done, dry_run=False)
    else:
        session.note("nothing was removed")
        return 1
    return 0
