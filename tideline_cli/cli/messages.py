"""What goes to stderr: notes, warnings and errors, as lines for people or as JSON lines; what an
error means to a user; and what the options of a call let it tell.

This is loaded before a command runs: without memory or open files it could not be loaded later.
"""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import AmbiguousError, CannotWriteError, ExhaustedError, TidelineError
from tideline_cli.model.codec import dumps
from tideline_cli.model.origin import is_in_form, spelled_out
from tideline_cli.policy.render import screen_json, screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.cli.options import GlobalOptions
    from tideline_cli.errors import UnavailableError
    from tideline_cli.model.origin import Origin

_SHOWN = 50  # characters of a text beside its id
_BESIDE = 31  # columns of the id and what parts it from the text


def tell(text: str) -> None:
    """Write to stderr; where that cannot be done, nothing is written, and that is no error."""
    try:
        sys.stderr.write(text)
    except (OSError, ValueError):
        return


def tell_form(form: Mapping[str, object]) -> None:
    """Write one JSON object on a line of its own, with escapes for what acts on a terminal."""
    text = dumps(form)
    if not text.isascii() and sys.stderr is not None and sys.stderr.isatty():
        text = screen_json(text)
    tell(text + "\n")


def note(text: str, *, as_json: bool = False) -> None:
    """Tell the user one line that is not a result; control characters are made visible."""
    if as_json:
        tell_form({"note": {"message": text}})
    else:
        tell(f"tideline: {printable(text)}\n")


def warn(code: str, text: str, *, hint: str = "", as_json: bool = False) -> None:
    """Warn the user of what could do harm, with a hint what to do."""
    if as_json:
        tell_form({"warning": {"code": code, "message": text, "hint": hint}})
    else:
        note(f"{text}; {hint}" if hint else text)


def interrupted(how_far: str, *, hint: str, as_json: bool) -> None:
    """Tell how far work came that the user has stopped, and how to go on."""
    if as_json:
        told = {"code": "interrupted", "message": f"interrupted; {how_far}", "hint": hint}
        tell_form({"error": told})
    else:
        note(f"interrupted; {how_far}; {hint}")


def printable(text: str) -> str:
    """Return text as a terminal may show it."""
    return screen_text(text)


def first_words(text: str) -> str:
    """Return the first words of a text, on one line that fits the terminal beside an id."""
    try:
        room = max(_SHOWN // 2, min(_SHOWN, os.get_terminal_size(2).columns - _BESIDE))
    except OSError:
        room = _SHOWN
    line = " ".join(text[:200].split())
    if line.isascii():
        return line if len(line) <= room else line[: room - 1] + "…"
    widths = list(map(_columns, line))
    if sum(widths) <= room:
        return line
    while sum(widths) >= room:
        widths.pop()
    return line[: len(widths)] + "…"


def _columns(char: str) -> int:
    """Return how many columns a terminal has for a character."""
    from unicodedata import east_asian_width  # noqa: PLC0415  plain words are one column a letter

    return 2 if east_asian_width(char) in "WF" else 1


def tell_fact(fact_id: str, text: str) -> None:
    """Write the id of a fact and its first words, on a line below a note; it fits the terminal."""
    tell(f"  {fact_id}  {printable(first_words(text))}\n")


def traceback_lines() -> list[str]:
    """Return the traceback of the error that is being handled."""
    import traceback  # noqa: PLC0415  only --debug

    return traceback.format_exc().split("\n")


INTERRUPTED = 130
_BUG = 70
_EBADF, _ENOMEM = 9, 12
_NO_FILES = (23, 24)  # ENFILE, EMFILE; the same on all systems, and `errno` need not be loaded
# The last is what the interpreter says when it runs out of memory itself.
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory",
              "can't start new thread", "error return without exception set")  # fmt: skip


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


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def call_line(words: Sequence[str], *, origin: Origin | None) -> str:
    """Return a call of these words, quoted for a shell; `origin` None is that of a plain call."""
    more = () if origin is None else ("--origin", _typed_origin(origin.key))
    line = ["tideline", *words, *more]
    if all(word and _PLAIN.issuperset(word) for word in line):
        return " ".join(line)
    from shlex import join  # noqa: PLC0415  re; few words need quotes

    return join(line)


def _typed_origin(key: str) -> str:
    """Return the name of an origin as it can be typed and copied."""
    return key if is_in_form(key) else spelled_out(key)


class Notices:
    """What the options of a call let it tell. A door for programs has nobody who reads it."""

    def __init__(self, options: GlobalOptions, *, is_door: bool) -> None:
        self.is_door = is_door
        self.json = options.json
        self.quiet = options.quiet
        self.verbose = options.verbose
        self._cautions: set[str] = set()

    @property
    def is_watched(self) -> bool:
        """Say whether a person reads what this command notes on stderr."""
        plain = not (self.quiet or self.json or self.is_door)
        return plain and sys.stderr is not None and sys.stderr.isatty()

    def note(self, text: str) -> None:
        """Tell the user something that is not a result."""
        if not self.quiet:
            note(text, as_json=self.json)

    def detail(self, text: str) -> None:
        """Tell the user something that only --verbose asks for."""
        if self.verbose:
            self.note(text)

    def caution(self, code: str, text: str, *, hint: str = "") -> None:
        """Warn the user, once and also with --quiet, of what could do harm; at a door for programs,
        which nobody watches, with --verbose alone."""
        if text not in self._cautions and (self.verbose or not self.is_door):
            self._cautions.add(text)
            warn(code, text, hint=hint, as_json=self.json)

    def caution_of_likeness(self, error: UnavailableError | None) -> None:
        """Warn that an answer was found by words alone, where the embedder cannot be had."""
        if error is not None:
            self.caution(
                "embedder", f"answered by words alone: {error.message}", hint=error.hint
            )

    def warn_of_names(self, path: str) -> None:
        from tideline_cli.store import files  # noqa: PLC0415  a store that cannot be written

        if why := files.why_two_names(path):
            self.caution(
                "two_names",
                f"{path} {why}: what was written by another name may be missing, and nothing is "
                "written by this one",
                hint=files.two_names_hint(path),
            )
