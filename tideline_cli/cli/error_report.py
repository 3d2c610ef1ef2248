"""What an error means to a user, and how it is printed. Every command loads this module at once:
without memory or open files it could not be loaded later."""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import CannotWriteError, ExhaustedError, StoreError, TidelineError
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_ENOMEM = 12
_NO_FILES = (23, 24)  # ENFILE, EMFILE; the same on all systems, and `errno` need not be loaded
# The last is what the interpreter says when it runs out of memory itself.
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory",
              "error return without exception set")  # fmt: skip


def meaning(error: Exception, session: Session | None) -> TidelineError:
    """Return what any error means to a user."""
    if isinstance(error, TidelineError):
        return error
    if isinstance(error, DatabaseError):
        return _translated(error, session.database if session else "the store")
    if isinstance(error, OSError):
        return system_error(error)
    return _unforeseen(error, session)


def exhausted(error: BaseException) -> ExhaustedError | None:
    """Return what an error means whose cause is too little memory or too few open files; None for
    any other error. A library that cannot be loaded then says so only in its message."""
    number, said = getattr(error, "errno", None), str(error)
    if (
        isinstance(error, MemoryError)
        or number == _ENOMEM
        or any(words in said for words in _NO_MEMORY)
    ):
        return ExhaustedError(
            "out of memory: the system gives this process no more", hint="see `ulimit -v`"
        )
    if number in _NO_FILES or "Too many open files" in said or _is_out_of_files(error):
        return ExhaustedError(
            "too many open files: this process may open no more", hint="see `ulimit -n`",
            code="out_of_files",
        )  # fmt: skip
    return None


def system_error(error: OSError) -> TidelineError:
    """Return what an error of the operating system means to a user."""
    short = exhausted(error)
    if short is not None:
        return short
    name = f" {error.filename}" if error.filename else ""
    return CannotWriteError(f"{error.strerror or error}{name}", hint="check path and permissions")


def tell_error(error: TidelineError, *, as_json: bool, debug: bool = False) -> int:
    """Print an error on stderr and return its exit code."""
    try:
        from tideline_cli.cli.messages import (  # noqa: PLC0415  most commands tell nothing
            printable,
            tell,
            tell_form,
        )  # fmt: skip
    except (ImportError, OSError):  # without memory or open files: that is the error to print
        return _failed_barely(error)
    if as_json:
        form = {"code": error.code, "message": error.message, "hint": error.hint}
        tell_form({"error": form | ({"traceback": _traceback()} if debug else {})})
        return error.exit_code
    if debug:
        tell("\n".join(map(printable, _traceback())))
    tell(f"tideline: {printable(error.message)}\n")
    if error.hint:
        tell(f"  hint: {printable(error.hint)}\n")
    return error.exit_code


def close(session: Session) -> None:
    """Close what a session opened; an error then is only a note."""
    try:
        session.close()
    except DatabaseError as error:
        if session.verbose:
            session.note(f"closing the store: {error}")


def _translated(error: DatabaseError, path: str) -> TidelineError:
    """Return what a database error means to a user; in SQLite's words where no module can be
    loaded, as when no file can be opened."""
    try:
        from tideline_cli.store.database_errors import translated  # noqa: PLC0415  only after an error
    except (ImportError, OSError):
        return CannotWriteError(f"{path}: {error}", hint="see also `ulimit -a`")
    return translated(error, path)


def _unforeseen(error: Exception, session: Session | None) -> TidelineError:
    """Return what an unexpected error means: damage in the store, or a fault of the program."""
    short = exhausted(error)
    if short is not None:
        return short
    if isinstance(error, ImportError):
        return TidelineError(
            f"a part of the program cannot be loaded: {error}",
            hint="install tideline-cli again; if that does not help, see `ulimit -a`",
            code="internal",
        )
    if session is not None and _is_damaged(session, error):
        return StoreError(
            f"the store holds something that cannot be read: {type(error).__name__}: {error}",
            hint="`tideline doctor --deep` tells what, and how to mend it",
        )
    return TidelineError(
        f"internal error: {type(error).__name__}: {error}",
        hint="please report it, with the output of the same command and --debug",
        code="internal",
    )


def _is_out_of_files(error: BaseException) -> bool:
    """Say whether a module was not found because no more files can be opened."""
    if not isinstance(error, ImportError):
        return False
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as reason:
        return reason.errno in _NO_FILES
    return False


def _is_damaged(session: Session, error: Exception) -> bool:
    """Ask the checks of doctor whether the store is at fault."""
    from tideline_cli.memory.doctor import examine  # noqa: PLC0415  only after an error

    close(session)
    try:
        if not os.path.isfile(session.database):
            return False
        report = examine(
            session.database, deep=False, network_allowed=True, progress=lambda _: None
        )
    except Exception:  # noqa: BLE001  the first error is the one to report
        return False
    found = any(finding.severity == "error" for finding in report.findings)
    return found or isinstance(error, UnicodeDecodeError)


def _failed_barely(error: TidelineError) -> int:
    """Print what can be printed where no module can be loaded."""
    try:
        sys.stderr.write(f"tideline: {ascii(error.message)[1:-1]}\n")
    except (OSError, ValueError):
        return error.exit_code
    return error.exit_code


def _traceback() -> list[str]:
    import traceback  # noqa: PLC0415  only --debug

    return traceback.format_exc().split("\n")
