"""Running a command: options to values, one session, and the one place where errors are caught."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from tideline_cli.cli.commands import DOOR, verb
from tideline_cli.cli.error_report import close, meaning, tell_error
from tideline_cli.cli.options import GLOBAL, GlobalOptions, completed
from tideline_cli.cli.session import Session
from tideline_cli.errors import HelpWantedError, TidelineError
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

INTERRUPTED = 130
_BUG = 70


def perform(name: str, given: Mapping[str, Any], show_help: Callable[[str], None]) -> int:
    """Run a command with the texts given for its options, and return the exit code.

    A door for programs never fails: it ends with 0, and says why only with
    --verbose or --debug.
    """
    call = _Call(name, given)
    _make_printable()
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
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the one catcher
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
        self.session: Session | None = None

    def run(self) -> int:
        """Run the command, and return its exit code."""
        module, given = verb(self._name), self._given
        global_options = GlobalOptions(**completed(given, GLOBAL))
        self.session = Session(global_options, is_door=self.is_door)
        options = module.Options(**completed(given, module.OPTIONS))
        code = int(module.run(self.session, list(given["words"]), options))
        sys.stdout.flush()
        self._explain()
        return code

    def failed(self, error: TidelineError) -> int:
        """Tell an error, and return the exit code; a door says nothing and ends with 0."""
        if not self.is_door or self._given.get("verbose") or self._debug:
            self._explain()
            tell_error(error, as_json=self.as_json, debug=self._debug)
        if self.is_door:
            discard_stdout()
            return 0
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
