"""What it means where a server does not allow something to a role. Loaded only after such an
error."""

from __future__ import annotations

import apsw

from tideline_cli.errors import CannotWriteError, TidelineError
from tideline_cli.store.postgres import key_lengths

_WORDS = (
    ("for schema", "your role may not use this memory",
     "its owner lets you in: tideline member add ROLE --origin NAME"),
    ("for database", "there is no memory here, and your role may not make one",
     "name the schema of one (?schema=NAME), or have the server's administrator make it"),
    ("for table setting", "the settings of this memory are its owner's to change",
     "ask whoever made it"),
    ("for table origin", "your role is no member of this origin",
     "`tideline member list` shows yours; name one with --origin"),
    ("row-level security", "your role is no member of this origin",
     "`tideline member list` shows yours; name one with --origin"),
)  # fmt: skip


def meaning(error: BaseException) -> TidelineError | None:
    """Return what a refusal of the server means to a user, None for any other error."""
    if getattr(error, "state", "") == key_lengths.STATE:
        return key_lengths.too_long("a word or a label")
    if not isinstance(error, apsw.AuthError):
        return None
    said = str(error)
    for words, message, hint in _WORDS:
        if words in said:
            return CannotWriteError(message, hint=hint, code="not_allowed")
    return CannotWriteError(
        f"the server does not allow it: {said}", hint="`tideline member list` shows what is yours",
        code="not_allowed",
    )  # fmt: skip
