"""What an error means to a user, and how it is told.

This is loaded before a command runs: without memory or open files it could not be loaded later.
"""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import AmbiguousError, CannotWriteError, ExhaustedError, TidelineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INTERRUPTED = 130
_BUG = 70
_EBADF, _ENOMEM = 9, 12
_NO_FILES = (23, 24)  # ENFILE, EMFILE; the same on all systems, and `errno` need not be loaded
# The last is what the interpreter says when it runs out of memory itself.
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory",
              "error return without exception set")  # fmt: skip


def discard_stdout() -> None:
    """Point stdout at nothing, so that the flush at the end cannot fail again."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        return


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


def exit_code_of(error: TidelineError) -> int:
    """Return the exit code of an error."""
    return _BUG if error.code == "internal" else error.exit_code


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


def _is_out_of_files(error: BaseException) -> bool:
    """Say whether a module was not found because no more files can be opened."""
    if not isinstance(error, ImportError):
        return False
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as reason:
        return reason.errno in _NO_FILES
    return False


def _failed_barely(error: TidelineError) -> int:
    """Print what can be printed where no module can be loaded."""
    try:
        sys.stderr.write(f"tideline: {ascii(error.message)[1:-1]}\n")
    except (OSError, ValueError):
        return error.exit_code
    return error.exit_code
