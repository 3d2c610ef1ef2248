"""A text in the user's editor, by way of a private file that is gone afterwards."""

from __future__ import annotations

import os
import shlex
import subprocess
from tempfile import TemporaryDirectory

from tideline_cli.errors import TidelineError, UsageError


def edited(text: str) -> str:
    """Return `text` as the user leaves it in $VISUAL or $EDITOR.

    Raises UsageError when there is no editor, TidelineError when it fails.
    """
    command = _command()
    # Editors put backups and swap files beside the file: the folder is private (0700) and goes.
    with TemporaryDirectory(prefix="tideline-") as folder:
        path = os.path.join(folder, "fact.txt")
        with open(path, "x", encoding="utf-8", newline="\n", opener=_private) as file:
            file.write(text + "\n")
        try:
            code = subprocess.run([*command, path], check=False).returncode  # noqa: S603
        except OSError as error:
            raise _unusable(f"{command[0]}: {error.strerror}") from error
        if code != 0:
            raise TidelineError(
                f"the editor ended with {code}: nothing changed", code="editor_failed"
            )
        try:
            with open(path, encoding="utf-8-sig") as file:
                return file.read()
        except UnicodeDecodeError as error:
            raise UsageError("the edited text is not UTF-8") from error


def _command() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(named)
    except ValueError as error:
        raise _unusable(f"{named}: {error}") from error
    if not command:
        raise _unusable("none is set")
    return command


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _unusable(why: str) -> UsageError:
    return UsageError(
        f"no editor: {why}", hint="set VISUAL or EDITOR, or give the text: tideline edit ID TEXT"
    )
