"""A text as one word of a shell's line, so that nothing in it is ever run. Pure.

What is open at the cursor cannot be known for certain: bash does not say what the lines before this
one hold. So a text of harmless characters alone, which no shell would run wherever it stands, is
put between quotes as a person would; of any other text each character that might mean something
gets an escape of its own, which holds outside and inside of quotes, substitutions and comments.
"""

from __future__ import annotations

SHELLS = ("bash", "zsh", "fish")
"""The shells whose lines are known."""
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-")
_READ_TWICE = frozenset("\\`")  # between backticks a backslash of these is taken off first
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def as_word(text: str, shell: str, *, before: str) -> str:
    """Return what to put behind `before` in a line, so that the shell reads `text`; where the text
    is not harmless and a quote is open, with more backslashes than one would type."""
    # A backslash at the end of the line takes what comes first: a blank, which nobody misses.
    taken = " " if (len(before) - len(before.rstrip("\\"))) % 2 else ""
    if not all(_is_bare(char) or char in " ?'" for char in text):
        is_doubtful = shell == "bash" or "`" in before
        return taken + "".join(_escaped(char, shell, is_doubtful=is_doubtful) for char in text)
    return taken + _typed(text, shell, before)


def _typed(text: str, shell: str, before: str) -> str:
    """Return a harmless text as a person would type it."""
    quote = _open_quote(before)
    if quote == "'" and "'" in text:
        return text.replace("'", "\\'" if shell == "fish" else "'\\''")
    if quote or (text and all(map(_is_bare, text))):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"


def _open_quote(before: str) -> str:
    """Return the quote that seems to be open at the end of a line, empty for none."""
    quote = ""
    chars = iter(before)
    for char in chars:
        if char == "\\" and quote != "'":
            next(chars, "")
        elif char == quote:
            quote = ""
        elif char in "\"'" and not quote:
            quote = char
    return quote


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
