"""tideline purge and tideline retention."""

from __future__ import annotations

from tideline_cli.cli import by_id, output, own_databases
from tideline_cli.cli.options import OptionSet, count, flag
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.memory import purge, turns
from tideline_cli.memory.purge import Purged, Retention
from tideline_cli.model.finding import some
from tideline_cli.model.record import replace
from tideline_cli.store import facts, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

_LISTED = 10
_SHOWN = 70  # characters of a text

HELP = """Remove facts for good: text, index, vector, links and history, from every file.

What derives from them goes with them, pinned and confirmed facts as well; the owner's purge
follows into the facts of others. All of them or none: an unknown id stops it. Nothing brings them
back; `tideline forget` archives instead.

While another process reads, or the disk is full, traces may stay in the files; a later command
takes them out."""
EXAMPLES = (("@1", ""), ("01KA2B 01KA2C", "--yes"), ("@1", "--dry-run"))
ARGUMENTS = (replace(by_id.FACTS[0], completes=("id",)),)


class Options(OptionSet):
    """The options of a call."""

    yes = flag("Do not ask.", short="-y")
    dry_run = flag("List what would go, and leave it.", short="-n")
    turns = flag("Remove the turns of sessions that they come from, too.")


def run(session: Session, words: list[str], options: Options) -> int:
    """Purge the facts named."""
    if not words:
        raise UsageError("name the facts to remove", hint="tideline purge ID")
    references = [session.reference(word) for word in words]
    db = session.reading()
    if db is None:
        raise facts.missing(references[0])
    gone = purge.doomed(db, references, viewer=session.viewer)
    said = sessions.sources(db, gone, viewer=session.viewer)
    numbers = [turn.number for turn, _ in said]

    def deed(db: Connection) -> Purged:
        done = purge.purge(db, references, viewer=session.viewer, now=session.now)
        if not (numbers and options.turns):
            return done
        pending = turns.purge_turns(db, numbers, viewer=session.viewer, now=session.now)
        return replace(done, pending=pending)

    code = _carry_out(session, db, gone, options, deed, turns=len(said) if options.turns else 0)
    if not code and said and not options.turns:
        turn, held = said[0]
        more = f" and {len(said) - 1:,} more" if len(said) > 1 else ""
        session.note(f"said in turn {turn.place} of the session {held.name}{more}, which is kept:"
                     f" `{session.call('sessions', 'purge', held.name)}` removes it; purge --turns"
                     " removes such turns at once")  # fmt: skip
    return code


def _carry_out(
    session: Session, db: Connection | None, gone: dict[int, str],
    options: Options | RetentionOptions, deed: Callable[[Connection], Purged], **more: Any,
) -> int:  # fmt: skip
    """Remove facts once the user has said yes, and print what went, or with --dry-run would go."""
    if options.dry_run or not gone or db is None:
        planned = Purged(tuple(gone.values()), 0, False)
        listed = (db, gone) if db is not None and options.dry_run else None
        report_purged(session, planned, dry_run=options.dry_run, of=listed, **more)
    elif session.confirmed(purge_question(session, db, gone), yes=options.yes):
        session.close()
        report_purged(session, deed(session.writing(frees=True)), dry_run=False, **more)
    else:
        session.note("nothing was removed")
        return 1
    return 0


def purge_question(session: Session, db: Connection, gone: dict[int, str]) -> str:
    """Return what to ask before facts go, the first few listed."""
    lines = [f"  {_clipped(line)}" for line in _lines(session, db, gone, limit=_LISTED)]
    if len(gone) > _LISTED:
        lines.append(f"  and {len(gone) - _LISTED:,} more")
    return "\n".join([*lines, f"Remove {some(len(gone), 'fact')} for good?"])


def report_purged(
    session: Session,
    done: Purged,
    *,
    dry_run: bool,
    of: tuple[Connection, dict[int, str]] | None = None,
    **more: Any,
) -> None:
    """Print what went, or would go."""
    if session.json:
        form = {"purged": list(done.ids), "pending": done.pending, "dry_run": dry_run}
        output.emit_json(
            form | {"earlier": list(done.earlier), "again": list(done.again)}
            | {"batch": done.batch or None} | more
        )
    elif of is not None:
        output.emit_lines(_lines(session, *of))
    elif not dry_run:
        output.emit_lines([f"{some(len(done.ids), 'fact')} removed for good"])
    if done.ids and not dry_run:
        them = "it" if len(done.ids) == 1 else "them"
        session.note(
            f"the server may keep {them} in its log, its replicas and its backups: "
            f"ask who looks after it; exports made before keep {them} too"
            if session.is_on_server
            else f"backups and exports made before keep {them}: delete those too"
        )
        _tell_of_copies(session, done.ids)
    if done.earlier:
        left = some(
            len(done.earlier), "earlier wording that was replaced is",
            "earlier wordings that were replaced are",
        )  # fmt: skip
        session.note(f"{left} still there: {session.call('purge', *done.earlier[:_LISTED])}")
    if done.again:
        named = ", ".join(done.again[:_LISTED])
        session.note(f"again a value of its slot, as if nothing else had been said: {named}")
    if done.pending:
        session.note(
            "pending: another process keeps the store open, or the disk is full, so traces may be "
            "left in the files; a later command removes them"
        )


def _tell_of_copies(session: Session, ids: tuple[str, ...]) -> None:
    """Name what another database keeps, where origins have databases of their own."""
    if session.config.get(TABLE):
        own_databases.tell_of_copies(session, ids)


def _lines(
    session: Session, db: Connection, gone: dict[int, str], limit: int | None = None
) -> list[str]:
    """Return a line a fact; of a fact of another origin, and of one that an undo took out, the
    id alone."""
    lines: list[str] = []
    for seq, fact_id in list(gone.items())[:limit]:
        found = facts.get(db, [seq], viewer=session.viewer).get(seq)
        text = "(undone, or of another origin)"
        if found is not None:
            text = f"[{found.segment}] {output.told(found)}"
        lines.append(f"{fact_id}\t{text}")
    return lines


def _clipped(line: str) -> str:
    fact_id, _, text = line.partition("\t")
    return f"{fact_id} {output.clipped(text, _SHOWN)}"


class RetentionOptions(OptionSet):
    """The options of a call."""

    days = count("The age that a fact may reach.", least=1)
    include_confirmed = flag("Confirmed and pinned facts as well.")
    all_origins = flag("The facts of all origins, for the owner.")
    yes = flag("Do not ask.", short="-y")
    dry_run = flag("List what would go, and leave it.", short="-n")


def _retention(session: Session, words: list[str], options: RetentionOptions) -> int:
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
    return _carry_out(
        session, db, gone, options,
        lambda db: purge.retain(db, rule, viewer=session.viewer, now=session.now),
        days=options.days,
    )  # fmt: skip


RETENTION = Verb(
    """Remove, for good, the facts that are older than a number of days.

Their age counts, not their use, and archived facts go as well. Confirmed and pinned facts stay
unless --include-confirmed, and so does what derives from an old fact and is not old itself.""",
    (("", "--days 365 --dry-run"), ("", "--days 365 --yes")), (),
    RetentionOptions, _retention,
)  # fmt: skip
