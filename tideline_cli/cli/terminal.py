"""What needs a person at the terminal: a question, or a text in their editor."""

from __future__ import annotations

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.policy.render import screen_text
from tideline_cli.system import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_HINT = "repeat it with --yes; --dry-run shows what it would do"


def confirmed(session: Session, question: str, *, yes: bool, hint: str = _HINT) -> bool:
    """Return whether the user says yes to `question`, which may have several lines, or has
    given --yes; raise UsageError when no question can be asked."""
    if yes:
        return True
    if session.no_input or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "this needs a yes, and there is nobody to ask",
            hint=hint,
        )
    shown = "\n".join(map(screen_text, question.split("\n")))
    sys.stderr.write(f"{shown} [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    return answer.strip().lower() in ("y", "yes")


_HOW = "set VISUAL or EDITOR, or give the text: tideline edit ID TEXT"


def edited(text: str, *, name: str = "fact.txt", hint: str = _HOW) -> str:
    """Return `text` as the user leaves it in $VISUAL or $EDITOR.

    Raises UsageError when there is no editor, TidelineError when it fails.
    """
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
