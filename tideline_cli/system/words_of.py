"""The words of a command line that a user has written into a setting."""

from __future__ import annotations

import shlex
import sys


def split(text: str) -> list[str]:
    r"""Return the words of a command, quoted as in a shell. On Windows a backslash is a letter of a
    path, as in C:\Tools\ask.exe. Raises ValueError for a quote that does not end."""
    words = shlex.shlex(text, posix=True)
    words.whitespace_split = True
    words.commenters = ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)
