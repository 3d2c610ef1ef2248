"""Commands of the owner that are about all origins, where some have databases of their own.

What tends or examines the memory does so in each database, one after the other: a night that left
some alone would lose them from sight. What copies, moves or removes works in one, and says so.
"""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager

from tideline_cli.cli import failing, output, own_databases, passes
from tideline_cli.cli.commands.schedule import scheduler
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from tideline_cli.cli.own_databases import OwnDatabase
    from tideline_cli.cli.session import Session


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


def run(session: Session, name: str, options: Any, handlers: Handlers) -> int:
    """Run a command in the owner's database, and in each other one or with a note of them."""
    others = own_databases.others_of(session) if _is_for_all(session, name, options) else ()
    if not others:
        return handlers.verb(session)
    if name in _IN_EACH:
        code = _in_each(session, others, handlers)
        if name == "doctor":
            own_databases.tell_of_all_left(session)
            scheduler.tell_of_entries(session)
        return code
    code = handlers.verb(session)
    if name == "import":
        own_databases.tell_of_all_left(session)
        return code
    session.note(
        f"this was about {session.database} alone; origins with a database of their own: "
        f"{own_databases.databases_line(others)}; --db names one"
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
        one = session if own is None else own_databases.session_for(session, own)
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


def _in_one(
    session: Session, handlers: Handlers, *, is_first: bool
) -> tuple[int, dict[str, Any]]:
    """Run a command in one database; return its exit code, and for JSON what it has printed."""
    if not session.json:
        if not session.quiet:
            output.emit_lines([f"database   {session.database}"])
        return _code(session, handlers, is_first=is_first)[0], {}
    with _captured() as out:
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
        failing.tell_error(error, as_json=session.json, debug=session.options.debug)
        return failing.exit_code_of(error), error


def _keeps_shut(session: Session, error: TidelineError) -> bool:
    """Say whether an error is that of the address of a database, which cannot be opened by it."""
    try:
        session.reading()
    except UsageError as shut:
        return shut.message in error.message
    except (TidelineError, DatabaseError, OSError):
        pass
    return False


@contextmanager
def _captured() -> Iterator[io.StringIO]:
    """Let standard output be memory."""
    kept, sys.stdout = sys.stdout, io.StringIO()
    try:
        yield sys.stdout
    finally:
        sys.stdout = kept
