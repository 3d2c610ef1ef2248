"""tideline retention."""

from __future__ import annotations

from tideline_cli.cli.commands.purge import purge_question, report_purged
from tideline_cli.cli.options import Argument, OptionSet, count, flag
from tideline_cli.cli.session import Session
from tideline_cli.cli.terminal import confirmed
from tideline_cli.errors import UsageError
from tideline_cli.memory import purge
from tideline_cli.memory.purge import Purged, Retention

HELP = """Remove, for good, the facts that are older than a number of days.

Their age counts, not their use, and archived facts go as well. Confirmed and pinned facts stay
unless --include-confirmed, and so does what derives from an old fact and is not old itself."""
EXAMPLES = (("", "--days 365 --dry-run"), ("", "--days 365 --yes"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(OptionSet):
    """The options of a call."""

    days = count("The age that a fact may reach.", least=1)
    include_confirmed = flag("Confirmed and pinned facts as well.")
    all_origins = flag("The facts of all origins, for the owner.")
    yes = flag("Do not ask.", short="-y")
    dry_run = flag("List what would go, and leave it.", short="-n")


def run(session: Session, words: list[str], options: Options) -> int:
    """Purge what is older than the user keeps it."""
    if words or options.days is None:
        raise UsageError("say how old facts may get", hint="tideline retention --days 365")
    if options.all_origins:
        session.needs_owner("only the owner may reach all origins")
    rule = Retention(options.days, options.include_confirmed, options.all_origins)
    db = session.reading()
    gone: dict[int, str] = {}
    if db is None:
        session.check_memory_is_there()
    else:
        gone = purge.expired(db, rule, viewer=session.viewer, now=session.now)
    if options.dry_run or not gone or db is None:
        planned = Purged(tuple(gone.values()), 0, False)
        listed = (db, gone) if db is not None and options.dry_run else None
        report_purged(session, planned, dry_run=options.dry_run, of=listed, days=options.days)
    elif confirmed(session, purge_question(session, db, gone), yes=options.yes):
        session.close()
        db = session.writing(frees=True)
        done = purge.retain(db, rule, viewer=session.viewer, now=session.now)
        report_purged(session, done, dry_run=False, days=options.days)
    else:
        session.note("nothing was removed")
        return 1
    return 0
