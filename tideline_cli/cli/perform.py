"""Running a command: options to values, one session, and the one place where errors are caught."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from tideline_cli.cli.commands import DOOR, verb
from tideline_cli.cli.messages import (
    INTERRUPTED,
    discard_stdout,
    exhausted,
    exit_code_of,
    interrupted,
    system_error,
    tell_door,
    tell_error,
)
from tideline_cli.cli.options import GlobalOptions
from tideline_cli.cli.session import Session, values_in_call
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import (
    CannotWriteError,
    ExhaustedError,
    HelpWantedError,
    Interrupted,
    StoreError,
    TidelineError,
    UsageError,
)
from tideline_cli.model import instant
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

HAS_BEGUN: list[bool] = []  # True: a verb has; before that, Ctrl-C ends the process at once
_ABOUT_ALL = ("dream", "gc", "consolidate", "doctor", "export", "import", "retention", "backup",
              "sync", "purge", "reembed", "embedder")  # fmt: skip
"""Commands that may be about all origins, as far as the owner calls them."""
_STAYS = ("mcp", "serve", "pick")  # each of their calls is a command of its own


def perform(name: str, given: Mapping[str, Any], show_help: Callable[[str], None]) -> int:
    """Run a command with the texts given for its options, and return the exit code. A door for
    programs never fails: it ends with 0, and says why only with --verbose or --debug."""
    call = _Call(name, given)
    try:
        return call.run()
    except HelpWantedError as error:
        if call.as_json or call.is_door:
            return call.failed(error)
        show_help(name)
        return error.exit_code
    except BrokenPipeError:
        discard_stdout()
        return 0
    except KeyboardInterrupt as stop:
        return call.interrupted(stop)
    except Exception as error:  # noqa: BLE001  the one catcher
        if call.is_door and not call.is_told:
            discard_stdout()
            return 0
        return call.failed(meaning(error, call.session))
    finally:
        if call.session is not None:
            close(call.session)


class _Call:
    """One call of a command. `session` is None until the global options are read."""

    def __init__(self, name: str, given: Mapping[str, Any]) -> None:
        self._name = name
        self._given = given
        self._start = perf_counter()
        self._debug = bool(given.get("debug"))
        self.as_json = bool(given.get("json"))
        self.is_door = name == DOOR and bool(given.get("auto"))
        self.is_told = bool(given.get("verbose") or self._debug)
        self.session: Session | None = None

    def interrupted(self, stop: KeyboardInterrupt) -> int:
        """Say how far long work came that the user has stopped, and return the exit code."""
        if isinstance(stop, Interrupted) and not self.is_door:
            interrupted(stop.message, hint=stop.hint, as_json=self.as_json)
        return INTERRUPTED

    def run(self) -> int:
        """Run the command, and return its exit code."""
        module, given = verb(self._name), self._given
        global_options = values_in_call(GlobalOptions, given, instant.now_ms)
        session = self.session = Session(global_options, is_door=self.is_door)
        options = values_in_call(module.Options, given, lambda: session.now)
        words = list(given["words"])
        if words and not module.ARGUMENTS:
            raise UsageError(f"{self._name} takes no words")
        if any("\x00" in word for word in words) and module.ARGUMENTS[0].kind == "file":
            raise UsageError("a path holds a NUL character, and names no file")
        HAS_BEGUN[:] = (True,)
        if self._name in _ABOUT_ALL and session.config.get(TABLE):
            code = self._over(session, options, lambda one: int(module.run(one, words, options)))
        elif self._name not in _STAYS and session.may_collide:
            code = self._done(session, lambda one: int(module.run(one, words, options)))
        else:
            code = int(module.run(session, words, options))
        sys.stdout.flush()
        self._tell_beside(is_done=True)
        return code

    def _over(self, session: Session, options: Any, verb: Callable[[Session], int]) -> int:
        """Run a verb that is about all origins also where these have other databases."""
        from tideline_cli.cli import own_databases  # noqa: PLC0415  few have such a table

        handlers = own_databases.Handlers(lambda one: self._done(one, verb), meaning, close)
        return own_databases.run_over_databases(session, self._name, options, handlers)

    def _done(self, session: Session, verb: Callable[[Session], int]) -> int:
        """Run a verb; on a server again, where that has ended its transaction for another's."""
        if self._name in _STAYS or not session.may_collide:
            return verb(session)
        from tideline_cli.cli import asides  # noqa: PLC0415  servers alone

        if self.is_door:  # somebody's prompt waits for it
            return asides.run_in_time(lambda: verb(session), session)
        return asides.run_until_done(lambda: verb(session), session)

    def failed(self, error: TidelineError) -> int:
        """Tell an error, and return the exit code; a door says nothing and ends with 0."""
        if self.is_door:
            discard_stdout()
            if self.is_told:
                tell_door(error, as_json=self.as_json, debug=self._debug)
            return 0
        if isinstance(error, UsageError) and not error.hint:
            error.hint = f"tideline {self._name} --help".replace("  ", " ")
        self._tell_beside(has_said_wall=error.code == "not_allowed")
        tell_error(error, as_json=self.as_json, debug=self._debug)
        return exit_code_of(error)

    def _tell_beside(self, *, is_done: bool = False, has_said_wall: bool = False) -> None:
        """Say what belongs to no result: where a server has shown a member nothing of an origin of
        others, what a night has archived, and what --verbose asks of every command. What goes
        wrong in this is no error."""
        session = self.session
        if session is None:
            return
        is_about_all = self._name in _STAYS or self._given.get("all_origins")
        is_walled = not (self.is_door or is_about_all or has_said_wall or session.opened is None)
        is_walled = is_walled and session.may_collide
        is_seen = is_done and session.is_watched
        if not (is_walled or is_seen or session.verbose):
            return
        from tideline_cli.cli import asides  # noqa: PLC0415  for few

        try:
            if is_walled and self._name in asides.ASKS:
                asides.explain_wall(session)
        except (TidelineError, OSError, DatabaseError):
            pass
        if is_seen:
            asides.tell_once(session)
        try:
            if session.verbose:
                asides.explain(session, perf_counter() - self._start)
        except (TidelineError, OSError, DatabaseError):
            return


def meaning(error: Exception, session: Session | None) -> TidelineError:
    """Return what any error means to a user."""
    if isinstance(error, TidelineError):
        return error
    if isinstance(error, DatabaseError):
        return _translated(error, session.database if session else "the store")
    if isinstance(error, OSError):
        return system_error(error)
    return _unforeseen(error, session)


def close(session: Session) -> None:
    """Close what a session opened; an error then is only a note."""
    try:
        session.close()
    except DatabaseError as error:
        if session.verbose:
            session.note(f"closing the store: {error}")


def _translated(error: DatabaseError, path: str) -> TidelineError:
    """Return what a database error means to a user; in SQLite's words where no module can be
    loaded."""
    if not _may_open_a_file():
        return ExhaustedError(
            f"too many open files: {path} cannot be opened", hint="see `ulimit -n`",
            code="out_of_files",
        )  # fmt: skip
    try:
        from tideline_cli.store.database_errors import translated  # noqa: PLC0415  only after an error
    except (ImportError, OSError):
        return CannotWriteError(f"{path}: {error}", hint="see also `ulimit -a`")
    return translated(error, path)


def _may_open_a_file() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return False
    return True


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


def _is_damaged(session: Session, error: Exception) -> bool:
    """Ask the checks of doctor whether the store is at fault."""
    from tideline_cli.cli import asides  # noqa: PLC0415  only after an error

    close(session)
    return asides.is_damaged(session.database, error)
