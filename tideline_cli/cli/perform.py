"""Running a verb: options to values, one session, and the one place where errors are caught."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli.fast import verb
from tideline_cli.cli.options import GLOBAL, completed
from tideline_cli.cli.session import Session, tell
from tideline_cli.errors import CannotWriteError, HelpWantedError, StoreError, TidelineError
from tideline_cli.model.codec import dumps
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

INTERRUPTED = 130
_BUG = 70


def perform(name: str, given: Mapping[str, Any]) -> int:
    """Run a command with the texts given for its options, and return the exit code."""
    as_json, debug = bool(given.get("json")), bool(given.get("debug"))
    session: Session | None = None
    _make_printable()
    try:
        module = verb(name)
        flags = completed(given, GLOBAL)
        session = Session(flags)
        values = completed(given, module.OPTIONS)
        code = int(module.run(session, words=list(given["words"]), **values))
        sys.stdout.flush()
        return code
    except HelpWantedError as error:
        from tideline_cli.cli import app  # noqa: PLC0415  help comes from Typer

        app.run([name, "--help"])
        return error.exit_code
    except TidelineError as error:
        return _passed_on(failed(error, as_json=as_json, debug=debug), session)
    except BrokenPipeError:
        discard_stdout()
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except DatabaseError as error:
        path = session.database if session else "the store"
        told = _translated(error, path)
        return _passed_on(failed(told, as_json=as_json, debug=debug), session)
    except OSError as error:
        return _passed_on(failed(system_error(error), as_json=as_json, debug=debug), session)
    except Exception as error:  # noqa: BLE001  the one catcher
        report = _unforeseen(error, session)
        failed(report, as_json=as_json, debug=debug)
        code = report.exit_code if isinstance(report, StoreError) else _BUG
        return _passed_on(code, session)
    finally:
        if session is not None:
            _close(session)


def _passed_on(code: int, session: Session | None) -> int:
    """Return the exit code of what went wrong and was told; a door for programs fails nobody."""
    return 0 if session is not None and session.is_door else code


def _translated(error: DatabaseError, path: str) -> TidelineError:
    """Return what a database error means to a user; in SQLite's words where nothing more can be
    loaded, as without open files."""
    try:
        from tideline_cli.store.failures import translated  # noqa: PLC0415  only after an error
    except (ImportError, OSError):
        return CannotWriteError(f"{path}: {error}", hint="see also `ulimit -a`")
    return translated(error, path)


def _unforeseen(error: Exception, session: Session | None) -> TidelineError:
    """Return what an error that nobody foresaw means: damage in the store, or a fault of ours."""
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


def _is_damaged(session: Session, error: Exception) -> bool:
    """Ask the checks of doctor whether the store is at fault."""
    from tideline_cli.memory.health import examine  # noqa: PLC0415  only after an error

    _close(session)
    try:
        if not os.path.isfile(session.database):
            return False
        report = examine(
            session.database, deep=False, network_allowed=True, progress=lambda _: None
        )
    except Exception:  # noqa: BLE001  the first error is the one to tell
        return False
    found = any(finding.severity == "error" for finding in report.findings)
    return found or isinstance(error, UnicodeDecodeError)


def failed(error: TidelineError, *, as_json: bool, debug: bool = False) -> int:
    """Print an error on stderr and return its exit code."""
    if debug:
        _print_traceback()
    if as_json:
        form = {"code": error.code, "message": error.message, "hint": error.hint}
        tell(_escaped(dumps({"error": form})) + "\n")
    else:
        tell(f"tideline: {_screened(error.message)}\n")
        if error.hint:
            tell(f"  hint: {_screened(error.hint)}\n")
    return error.exit_code


def _print_traceback() -> None:
    import traceback  # noqa: PLC0415

    lines = traceback.format_exc().split("\n")
    tell("\n".join(map(_screened, lines)))


def _screened(text: str) -> str:
    """Return text as a terminal may show it, all but ASCII escaped where nothing can be loaded."""
    try:
        from tideline_cli.policy.render import screen_text  # noqa: PLC0415
    except (ImportError, OSError):
        return ascii(text)[1:-1]
    return screen_text(text)


def _escaped(json: str) -> str:
    """Return JSON as a terminal may show it."""
    if json.isascii() or sys.stderr is None or not sys.stderr.isatty():
        return json
    from tideline_cli.policy.render import screen_json  # noqa: PLC0415  only errors on a terminal

    return screen_json(json)


def system_error(error: OSError) -> TidelineError:
    """Return what an error of the operating system means to a user."""
    name = f" {error.filename}" if error.filename else ""
    return CannotWriteError(f"{error.strerror or error}{name}", hint="check path and permissions")


def _make_printable() -> None:
    """Let streams of a poor encoding print escapes where they would raise."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.errors not in ("backslashreplace", None):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")


def discard_stdout() -> None:
    """Point stdout at nothing, so that the farewell flush cannot fail again."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        return


def _close(session: Session) -> None:
    try:
        session.close()
    except DatabaseError as error:
        if session.verbose:
            session.note(f"closing the store: {error}")
