"""Running dream, gc and consolidate over origins: which ones, and one at a time."""

from __future__ import annotations

import sys
from time import monotonic

from tideline_cli.cli.messages import shows_progress, tell
from tideline_cli.dream import run
from tideline_cli.errors import Interrupted, UsageError
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import record
from tideline_cli.store import bulk_reads, locks, notices, stats
from tideline_cli.store.visibility import NOBODY, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.dream.plan import Settings
    from tideline_cli.dream.run import Dreamt


@record
class PassRequest:
    """What a command asks of a pass. With an `interval`, origins whose last pass is younger are
    left alone."""

    verb: str
    settings: Settings
    dry_run: bool
    all_origins: bool
    interval: int | None = None


@record
class PassRun:
    """What a pass did in each origin. `busy` says that another pass is running; `due` is when the
    next one is due, where this one was not."""

    dreams: tuple[tuple[Origin, Dreamt], ...] = ()
    busy: bool = False
    due: int | None = None

    def batch_of(self, viewer: Origin) -> int | None:
        """Return the batch of the viewer's own origin."""
        return next((done.batch for origin, done in self.dreams if origin == viewer), None)


def run_passes(session: Session, asked: PassRequest) -> PassRun:
    """Run a pass over the viewer's origin, or over every origin in turn, one at a time."""
    check_right(session, all_origins=asked.all_origins)
    db = session.reading()
    if db is None:
        from tideline_cli.cli import named_memory  # noqa: PLC0415  where there is no memory

        named_memory.check_is_there(session)
        return PassRun()
    if asked.dry_run:
        return _over_origins(session, db, asked)
    session.close()
    db = session.writing()
    lock = locks.attempt(db.filename, locks.DREAM)
    if lock is None:
        return PassRun(busy=True)
    try:
        return _over_origins(session, db, asked)
    finally:
        locks.release(lock)


def is_watched(session: Session) -> bool:
    """Say whether somebody reads at once what a pass says of itself."""
    return sys.stdout.isatty() and not session.quiet


def check_right(session: Session, *, all_origins: bool) -> None:
    """Raise UsageError when somebody else than the owner asks for all origins."""
    if all_origins and not session.viewer.is_owner:
        raise UsageError("only the owner may tend all origins", hint="leave out --all-origins")


def is_for_all(session: Session, *, all_origins: bool) -> bool:
    """Say whether a pass is for all origins: for an owner who names none, or asks for them."""
    return all_origins or (session.viewer.is_owner and not session.names_origin)


def origins_to_tend(session: Session, db: Connection, *, all_origins: bool) -> list[Origin]:
    """Return the viewer's own origin; where the pass is for all, also the others that hold facts.
    Of a database that some origins have of their own, these."""
    if session.tended:
        return [origin for origin in session.tended if number(db, origin) != NOBODY]
    viewer = session.viewer  # a member of a memory on a server may see others, and not the owner
    own = [viewer] if number(db, viewer) != NOBODY else []
    if not is_for_all(session, all_origins=all_origins):
        return own
    others = [Origin(key) for key, active in stats.origins(db) if active]
    return [*own, *(origin for origin in others if origin != viewer)]


def _over_origins(session: Session, db: Connection, asked: PassRequest) -> PassRun:
    done: list[tuple[Origin, Dreamt]] = []
    due: list[int] = []
    for origin in origins_to_tend(session, db, all_origins=asked.all_origins):
        next_due = _next_due(session, db, asked, origin)
        if next_due is not None:
            due.append(next_due)
            continue
        dreamt = _dream(session, db, asked, origin)
        done.append((origin, dreamt))
        if dreamt.batch is not None and dreamt.archived and not is_watched(session):
            notices.add(db, dreamt.batch, facts=len(dreamt.archived), viewer=origin)
    return PassRun(tuple(done), False, min(due) if due and not done else None)


def _dream(session: Session, db: Connection, asked: PassRequest, origin: Origin) -> Dreamt:
    """Run the pass over one origin; where the user stops it, say how far it came."""
    try:
        return run.dream(
            db, asked.settings, viewer=origin, now=session.now, dry_run=asked.dry_run,
            verb=asked.verb, progress=_progress(session),
        )  # fmt: skip
    except Interrupted:
        raise
    except KeyboardInterrupt as stop:
        hint = f"run `tideline {asked.verb}` again"
        raise Interrupted("no fact of this origin was changed", hint=hint) from stop


def _next_due(
    session: Session, db: Connection, asked: PassRequest, origin: Origin
) -> int | None:
    """Return when the next pass of an origin is due, None where it is due now."""
    if asked.interval is None:
        return None
    last = bulk_reads.last_pass(db, asked.verb, viewer=origin)
    if last is None or not 0 <= session.now - last < asked.interval:
        return None
    return last + asked.interval


def _progress(session: Session) -> Callable[[int, int], None] | None:
    if not shows_progress(quiet=session.quiet, as_json=session.json):
        return None

    began = monotonic()

    def show(done: int, of: int) -> None:
        end = "\r\x1b[K" if done >= of else ""
        rate = done / max(monotonic() - began, 1e-3)
        tell(f"\r\x1b[Kcomparing {done:,} of {of:,} facts, {rate:,.0f}/s{end}")
        sys.stderr.flush()

    return show
