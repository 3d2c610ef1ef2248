"""Running a command: options to values, one session, and the one place where errors are caught.

What an error means stands here too: without memory or open files it could not be loaded later."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from tideline_cli.cli.commands import DOOR, verb
from tideline_cli.cli.options import GLOBAL, GlobalOptions, completed
from tideline_cli.cli.session import Session
from tideline_cli.errors import (
    AmbiguousError,
    CannotWriteError,
    ExhaustedError,
    HelpWantedError,
    Interrupted,
    StoreError,
    TidelineError,
    UsageError,
)
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

HAS_BEGUN: list[bool] = []  # True: a verb has; before that, Ctrl-C ends the process at once
INTERRUPTED = 130
_BUG = 70


def perform(name: str, given: Mapping[str, Any], show_help: Callable[[str], None]) -> int:
    """Run a command with the texts given for its options, and return the exit code.

    A door for programs never fails: it ends with 0, and says why only with
    --verbose or --debug.
    """
    call = _Call(name, given)
    try:
        _make_printable()
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
            from tideline_cli.cli.messages import interrupted  # noqa: PLC0415  Ctrl-C alone

            interrupted(stop.message, hint=stop.hint, as_json=self.as_json)
        return INTERRUPTED

    def run(self) -> int:
        """Run the command, and return its exit code."""
        module, given = verb(self._name), self._given
        global_options = GlobalOptions(**completed(given, GLOBAL))
        session = self.session = Session(global_options, is_door=self.is_door)
        options = module.Options(**completed(given, module.OPTIONS, lambda: session.now))
        words = list(given["words"])
        if any("\x00" in word for word in words) and module.ARGUMENTS[0].kind == "file":
            raise UsageError("a path holds a NUL character, and names no file")
        HAS_BEGUN[:] = (True,)
        code = self._done(lambda: int(module.run(session, words, options)))
        sys.stdout.flush()
        if self.session.is_watched:
            from tideline_cli.cli import night_report  # noqa: PLC0415  on a terminal alone

            night_report.tell_once(self.session)
        self._explain()
        return code

    def _done(self, verb: Callable[[], int]) -> int:
        """Run a verb; on a server again, where that has ended its transaction for another's."""
        session = self.session
        if session is None or not session.may_collide:
            return verb()
        from tideline_cli.cli import run_again  # noqa: PLC0415  servers alone

        return run_again.until_done(verb, session)

    def failed(self, error: TidelineError) -> int:
        """Tell an error, and return the exit code; a door says nothing and ends with 0."""
        if self.is_door:
            discard_stdout()
            if self.is_told:
                tell_door(error, as_json=self.as_json, debug=self._debug)
            return 0
        if isinstance(error, UsageError) and not error.hint:
            error.hint = f"tideline {self._name} --help".replace("  ", " ")
        self._explain()
        tell_error(error, as_json=self.as_json, debug=self._debug)
        return _BUG if error.code == "internal" else error.exit_code

    def _explain(self) -> None:
        """Say what --verbose asks of every command, before its error; this causes no error."""
        if self.session is None or not self.session.verbose:
            return
        from tideline_cli.cli.verbose import explain  # noqa: PLC0415  only --verbose

        try:
            explain(self.session, perf_counter() - self._start)
        except (TidelineError, OSError, DatabaseError):
            return


def _make_printable() -> None:
    """Let streams whose encoding lacks a character print an escape instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.errors not in ("backslashreplace", None):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")


def discard_stdout() -> None:
    """Point stdout at nothing, so that the flush at the end cannot fail again."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        return


_EBADF, _ENOMEM = 9, 12
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
    said = "standard output is closed" if error.errno == _EBADF else error.strerror or error
    return CannotWriteError(f"{said}{name}", hint="check path and permissions")


def tell_error(error: TidelineError, *, as_json: bool, debug: bool = False) -> int:
    """Print an error on stderr and return its exit code."""
    try:
        from tideline_cli.cli.messages import (  # noqa: PLC0415  most commands tell nothing
            printable,
            tell,
            tell_fact,
            tell_form,
            traceback_lines,
        )  # fmt: skip
    except (ImportError, OSError):  # without memory or open files: that is the error to print
        return _failed_barely(error)
    if as_json:
        form: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
        if isinstance(error, AmbiguousError):
            form["facts"] = [{"id": name, "content": text} for name, text in error.facts]
        tell_form({"error": form | ({"traceback": traceback_lines()} if debug else {})})
        return error.exit_code
    if debug:
        tell("\n".join(map(printable, traceback_lines())))
    tell(f"tideline: {printable(error.message)}\n")
    if isinstance(error, AmbiguousError):
        for name, text in error.facts:
            tell_fact(name, text)
    if error.hint:
        tell(f"  hint: {printable(error.hint)}\n")
    return error.exit_code


def tell_door(error: TidelineError, *, as_json: bool, debug: bool = False) -> None:
    """Say in one line why a door for programs prints nothing."""
    if as_json or debug:
        tell_error(error, as_json=as_json, debug=debug)
        return
    hint = f"; {error.hint}" if error.hint else ""
    tell_error(TidelineError(error.message.replace("\n", " ") + hint), as_json=False)


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
    from tideline_cli.cli import damage  # noqa: PLC0415  only after an error

    close(session)
    return damage.is_in(session.database, error)


def _failed_barely(error: TidelineError) -> int:
    """Print what can be printed where no module can be loaded."""
    try:
        sys.stderr.write(f"tideline: {ascii(error.message)[1:-1]}\n")
    except (OSError, ValueError):
        return error.exit_code
    return error.exit_code
