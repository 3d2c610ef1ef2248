"""A person at the terminal: a text in their editor, a long result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.system import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_HOW = "set VISUAL or EDITOR, or give the text: tideline edit ID TEXT"


def edited(text: str, *, name: str = "fact.txt", hint: str = _HOW) -> str:
    """Return `text` as the user leaves it in $VISUAL or $EDITOR. Raises UsageError when there is no
    editor, TidelineError when it fails."""
    command = _command(hint)
    # Editors put backups and swap files beside the file: the folder is private (0700) and is
    # removed afterwards.
    with TemporaryDirectory(prefix="tideline-") as folder:
        path = os.path.join(folder, name)
        with open(path, "x", encoding="utf-8", newline="\n", opener=_private) as file:
            file.write(text if text.endswith("\n") else text + "\n")
        try:
            code = subprocess.run([*command, path], check=False).returncode  # noqa: S603
        except OSError as error:
            raise _unusable(f"{command[0]}: {error.strerror}", hint) from error
        if code != 0:
            raise TidelineError(
                f"the editor ended with {code}: nothing changed", code="editor_failed"
            )
        try:
            with open(path, encoding="utf-8-sig") as file:
                return file.read()
        except UnicodeDecodeError as error:
            raise UsageError("the edited text is not UTF-8") from error


def _command(hint: str) -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = words_of.split(named)
    except ValueError as error:
        raise _unusable(f"{named}: {error}", hint) from error
    if not command:
        raise _unusable("none is set", hint)
    return command


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _unusable(why: str, hint: str) -> UsageError:
    return UsageError(f"no editor: {why}", hint=hint)


_PAGER = "less"
_LESS_FLAGS = "FRX"  # quit where all fits on a screen, keep colors, leave the screen as it is


def show_by_pager(session: Session, text: str) -> None:
    """Print a text; on a terminal that has fewer lines, by the pager."""
    if not (_is_paged(session) and _is_longer(text) and _by_pager(session, text)):
        sys.stdout.write(text)


def _is_paged(session: Session) -> bool:
    """Say whether a person reads, at a terminal that can page."""
    return (
        sys.stdout.isatty()
        and not (session.options.no_pager or session.json)
        and os.environ.get("TERM", "dumb") not in ("", "dumb")
        and os.environ.get("PAGER", _PAGER).strip() not in ("", "cat")
    )


def _is_longer(text: str) -> bool:
    """Say whether a text has more lines than the terminal. A line of the result may take several:
    escape sequences only make the guess larger."""
    size = os.get_terminal_size(sys.stdout.fileno())
    width = max(1, size.columns)
    return sum(1 + max(0, len(line) - 1) // width for line in text.split("\n")) > size.lines


def _by_pager(session: Session, text: str) -> bool:
    """Hand a text to the pager and wait until it is left; False where it cannot be run."""
    named = os.environ.get("PAGER", _PAGER)
    sys.stdout.flush()
    try:
        argv = words_of.split(named)
        program = subprocess.Popen(  # noqa: S603  no shell; the user's own choice
            argv, stdin=subprocess.PIPE, env={"LESS": _LESS_FLAGS, "LV": "-c"} | os.environ,
            text=True, encoding="utf-8", errors="backslashreplace",
        )  # fmt: skip
    except (OSError, ValueError) as error:
        if named != _PAGER:
            session.note(f"PAGER: cannot run {named!r}: {error}; --no-pager prints without it")
        return False
    kept = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
    try:
        program.communicate(text)
    except BrokenPipeError:  # left before it was read to the end
        program.wait()
    finally:
        signal.signal(signal.SIGINT, kept)
    return True
