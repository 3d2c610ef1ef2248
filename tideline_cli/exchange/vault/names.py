"""Names of notes: words of the text that any file system takes, and the end of the id. Pure."""

from __future__ import annotations

from tideline_cli.model.unicode_forms import in_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_UNSAFE = frozenset('\\/:*?"<>|#^[]%&')  # of file systems, of links, and of addresses
_LONGEST = 60
_MOST_BYTES = 180
_ENDING = 6
_UNTITLED = "untitled"


def note_name(text: str, fact_id: str, taken: Container[str]) -> str:
    """Return the name of the note of a fact, without its ending `.md`; no two are alike, not even
    where letters of both cases are one."""
    words = safe_words(text.split("\n", 1)[0])
    short = f"{words} ({fact_id[-_ENDING:]})"
    return short if short.casefold() not in taken else f"{words} ({fact_id})"


def safe_words(text: str) -> str:
    """Return words that can stand in the name of a file in any script: nothing unseen, no sign with
    a meaning, no dot or blank at an end."""
    shown = "".join(
        char if char.isprintable() and char not in _UNSAFE else " " for char in in_form("NFC", text)
    )
    words = " ".join(shown.split())
    if len(words) > _LONGEST:
        words = words[:_LONGEST].rpartition(" ")[0] or words[:_LONGEST]
    while len(words.encode("utf-8", "replace")) > _MOST_BYTES:
        words = words[:-1]
    return words.strip(" .-~") or _UNTITLED
