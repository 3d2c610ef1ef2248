"""Command lines as words, and words as a command line: of settings, and of files of others."""

from __future__ import annotations

import shlex
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def split(text: str) -> list[str]:
    r"""Return the words of a command, quoted as in a shell. On Windows a backslash is a letter of a
    path, as in C:\Tools\ask.exe. Raises ValueError for a quote that does not end."""
    words = shlex.shlex(text, posix=True)
    words.whitespace_split = True
    words.commenters = ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)


def join(words: Sequence[str]) -> str:
    """Return a command line that a shell reads as these words; on Windows one that cmd and the
    shells of POSIX both read so, for words without quotes and percent signs."""
    line = shlex.join(words)
    if sys.platform == "win32":
        line = " ".join(f'"{word}"' if "'" in shlex.quote(word) else word for word in words)
    return line
