"""Databases that origins have of their own: which there are beside that of the owner, a session for
each, and the owner's commands that are about all origins, run in each of them."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

from tideline_cli.cli import messages, other_memories, output, passes
from tideline_cli.cli.commands.schedule import scheduler
from tideline_cli.cli.session import Session
from tideline_cli.config import own_address
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model import codec
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import record, replace
from tideline_cli.model.server_address import without_password
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


@record
class OwnDatabase:
    """A database beside that of the owner: its address as it is stated, which may hold a password,
    as it may be shown, and the origins that have it."""

    stated: str
    shown: str
    origins: tuple[Origin, ...]


def others_of(session: Session) -> tuple[OwnDatabase, ...]:
    """Return the databases that are not the one of an owner's session, in the order of the table.
    None where an option or the environment names one database for all."""
    if session.options.db or not session.viewer.is_owner:
        return ()
    found: dict[str, OwnDatabase] = {}
    own = session.real_database
    for key, stated in own_address.table_in_use(session.config).items():
        place = other_memories.place_of(stated)
        if place == own:
            continue
        known = found.get(place, OwnDatabase(stated, without_password(stated), ()))
        found[place] = replace(known, origins=(*known.origins, Origin(key)))
    return tuple(found.values())


def check_is_here(session: Session, origin: Origin) -> None:
    """Raise UsageError for an origin whose facts lie in another database than this session's."""
    if any(origin in one.origins for one in others_of(session)):
        call = messages.call_line(("recall", "--batch"), origin=origin)
        raise UsageError(f"{origin.key} has a database of its own", hint=f"`{call}` asks there")


def session_for(session: Session, own: OwnDatabase) -> Session:
    """Return a session of the owner for another database; it tends the origins that have it."""
    made = Session(replace(session.options, db=own.stated))
    made.take_settings(session)
    made.db_from = f"{TABLE} in {session.config.values[TABLE].came_from}"
    made.tended = own.origins
    return made


def databases_line(databases: Sequence[OwnDatabase]) -> str:
    """Return the databases with their origins, on one line."""
    return "; ".join(
        f"{one.shown} ({', '.join(origin.key for origin in one.origins)})" for one in databases
    )


def status_lines(session: Session) -> list[str]:
    """Return what names the database of a session, and for the owner which others there are."""
    viewer, named_by = session.viewer, session.named_by
    if not viewer.is_owner and viewer.key not in session.config.get(TABLE):
        return []
    is_for_all = session.options.db or not own_address.table_in_use(session.config)
    lines = [f"named by   {named_by}{f', in the place of {TABLE}' if is_for_all else ''}"]
    return lines + [
        f"{'others' if at == 0 else '':<11}{databases_line((one,))}"
        for at, one in enumerate(others_of(session))
    ]


def tell_of_all_left(session: Session) -> None:
    """Say to the owner the same of each origin that has a database of its own."""
    for own in others_of(session):
        one = session_for(session, own)
        try:
            for origin in own.origins:
                other_memories.warn_of_left_facts(session, origin, one.reading)
        finally:
            one.close()


def tell_of_copies(session: Session, ids: Sequence[str]) -> None:
    """Say which facts that were just purged lie in another database that the settings name."""
    places = [own.stated for own in others_of(session)]
    usual: str = session.config.get("database")
    is_elsewhere = other_memories.place_of(usual) != session.real_database
    if session.named_by.startswith(TABLE) and is_elsewhere:
        places.insert(0, usual)
    other_memories.warn_of_purged_copies(session, session.viewer, ids, places)


def tell_of_change(session: Session) -> None:
    """Say what follows from the database that an origin has got: what it has left, or that another
    one is named for all."""
    fresh = Session(session.options)
    named_by = fresh.named_by
    if not named_by.startswith(TABLE):
        session.note(f"it does not count here: {named_by} names one database for all")
        return
    try:
        other_memories.warn_of_left_facts(fresh, fresh.viewer, fresh.reading)
    finally:
        fresh.close()
    scheduler.tell_of_entries(fresh)


@record
class Handlers:
    """What runs a command in the database of a session and returns its exit code, what says what
    an error means there, and what closes the session."""

    verb: Callable[[Session], int]
    meaning: Callable[[Exception, Session], TidelineError]
    close: Callable[[Session], None]


_PASSES = ("dream", "gc", "consolidate")
_IN_EACH = (*_PASSES, "doctor")
_OF_ALL = ("export", "retention")  # with --all-origins alone
"""Commands that are about all origins only where they are asked for."""


def run_over_databases(session: Session, name: str, options: Any, handlers: Handlers) -> int:
    """Run a command in the owner's database, and in each other one or with a note of them."""
    others = others_of(session) if _is_for_all(session, name, options) else ()
    if not others:
        return handlers.verb(session)
    if name in _IN_EACH:
        code = _in_each(session, others, handlers)
        if name == "doctor":
            tell_of_all_left(session)
            scheduler.tell_of_entries(session)
        return code
    code = handlers.verb(session)
    if name == "import":
        tell_of_all_left(session)
        return code
    session.note(
        f"this was about {session.database} alone; origins with a database of their own: "
        f"{databases_line(others)}; --db names one"
    )
    return code


def _is_for_all(session: Session, name: str, options: Any) -> bool:
    everything = getattr(options, "all_origins", False)
    if name in _PASSES and not passes.frozen_by_switch():
        return passes.is_for_all(session, all_origins=everything)
    return session.viewer.is_owner and (everything or name not in (*_PASSES, *_OF_ALL))


def _in_each(session: Session, others: tuple[OwnDatabase, ...], handlers: Handlers) -> int:
    """Run a command in each database. One that fails keeps none from the others; the exit code is
    that of the first one that failed."""
    codes: list[int] = []
    forms: list[dict[str, Any]] = []
    for own in (None, *others):
        one = session if own is None else session_for(session, own)
        try:
            code, form = _in_one(one, handlers, is_first=own is None)
        finally:
            if own is not None:
                handlers.close(one)
        codes.append(code)
        keys = [origin.key for origin in own.origins] if own is not None else None
        forms.append({"database": one.database, "mapped_origins": keys, **form})
    if session.json:
        first, *more = forms
        output.emit_json({**first, "databases": more})
    return next((code for code in codes if code), 0)


def _in_one(session: Session, handlers: Handlers, *, is_first: bool) -> tuple[int, dict[str, Any]]:
    """Run a command in one database; return its exit code, and for JSON what it has printed."""
    if not session.json:
        if not session.quiet:
            output.emit_lines([f"database   {session.database}"])
        return _code(session, handlers, is_first=is_first)[0], {}
    with redirect_stdout(io.StringIO()) as out:
        code, error = _code(session, handlers, is_first=is_first)
    form: dict[str, Any] = codec.loads(out.getvalue()) if out.getvalue().strip() else {}
    if error is not None:
        form["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
    return code, form


def _code(
    session: Session, handlers: Handlers, *, is_first: bool
) -> tuple[int, TidelineError | None]:
    """Run a command; tell its error, and return its exit code. A fault of the call itself is raised
    by the first database, so that it is told once."""
    try:
        return handlers.verb(session), None
    except BrokenPipeError:
        raise
    except Exception as raised:  # the other databases have their turn
        error = handlers.meaning(raised, session)
        is_usage = isinstance(error, UsageError) and error.code == UsageError.code
        if is_first and is_usage and not _keeps_shut(session, error):
            raise
        if session.database not in error.message:
            error.message = f"{session.database}: {error.message}"
        messages.tell_error(error, as_json=session.json, debug=session.options.debug)
        return messages.exit_code_of(error), error


def _keeps_shut(session: Session, error: TidelineError) -> bool:
    """Say whether an error is that of the address of a database, which cannot be opened by it."""
    try:
        session.reading()
    except UsageError as shut:
        return shut.message in error.message
    except (TidelineError, DatabaseError, OSError):
        pass
    return False
