"""Paths as the note of a document keeps them: text, also where a name is none in UTF-8."""

from __future__ import annotations

import os


def as_text(path: str) -> str:
    """Return a path as text: bytes of a name that are no UTF-8 are spelled out, as `\\xe9`."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path


def is_there(text: str) -> bool:
    """Say whether the file of a path that was kept as text is there."""
    return os.path.exists(text) or ("\\x" in text and os.path.exists(_bytes(text)))


def _bytes(text: str) -> bytes:
    """Return the path that a text with spelled bytes stands for."""
    import re  # noqa: PLC0415  few names are no UTF-8

    spelled = re.compile(rb"\\x([89a-f][0-9a-f])")
    return spelled.sub(lambda found: bytes([int(found[1], 16)]), text.encode())
