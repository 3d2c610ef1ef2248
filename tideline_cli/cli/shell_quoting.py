"""A text as one word of a shell's line, so that nothing in it is ever run. Pure.

What is open at the cursor cannot be known for certain: a comment, a here-document, an escape in
quotes tell it only to the shell, and bash does not say what the lines before this one hold. So a
text of harmless characters alone is put between quotes, as a person would, only where the shell
tells all lines and none has a sign of that kind; else each character that might mean something gets
an escape of its own, which holds outside and inside of quotes, substitutions and comments.
"""

from __future__ import annotations

SHELLS = ("bash", "zsh", "fish")
"""The shells whose lines are known."""
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-")
_DOUBTFUL = frozenset("'\"\\#<$`!")  # behind one of these, what is open is not known
_READ_TWICE = frozenset("\\`$")  # between backticks a backslash of these is taken off first
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def as_word(text: str, shell: str, *, before: str) -> str:
    """Return what to put behind `before` in a line, so that the shell reads `text`; where a quote
    may be open, with more backslashes than one would type."""
    is_known = shell != "bash" and not _DOUBTFUL.intersection(before)
    if is_known and all(_is_bare(char) or char in " ?'" for char in text):
        return _typed(text)
    # A backslash at the end of the line takes what comes first: a blank, which nobody misses.
    taken = " " if (len(before) - len(before.rstrip("\\"))) % 2 else ""
    is_doubtful = shell == "bash" or "`" in before
    return taken + "".join(_escaped(char, shell, is_doubtful=is_doubtful) for char in text)


def _typed(text: str) -> str:
    """Return a harmless text as a person would type it."""
    if text and all(map(_is_bare, text)):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"


def _escaped(char: str, shell: str, *, is_doubtful: bool) -> str:
    """Return one character, harmless whatever is open; `is_doubtful`: backticks may be."""
    if _is_bare(char):
        return char
    if shell == "fish":
        return f"\\{char}" if char.isprintable() else _code(char)
    is_plain = char.isprintable() and not (is_doubtful and char in _READ_TWICE)
    return f"\\{char}" if is_plain else f"$'{_code(char)}'"


def _is_bare(char: str) -> bool:
    return char in _BARE or (char > "\x7f" and char.isprintable())


def _code(char: str) -> str:
    """Return the escape of a character that shows nothing."""
    number = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
