"""What it means where a server does not allow something to a role, ends a statement, or is gone.
Loaded only after such an error."""

from __future__ import annotations

import apsw

from tideline_cli.errors import BusyError, CannotWriteError, StoreError, TidelineError
from tideline_cli.store import key_lengths
from tideline_cli.store.postgres.server import LOOK

_WORDS = (
    ("for schema", "your role may not use this memory",
     "its owner lets you in: tideline member add ROLE --origin NAME"),
    ("for function", "your role may not use this memory",
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


def meaning(error: BaseException, address: str) -> TidelineError | None:
    """Return what an error of the server means to a user, None for one that files have too."""
    if getattr(error, "state", "") == key_lengths.STATE:
        return key_lengths.too_long("a word or a label")
    match error:
        case apsw.AuthError():
            return _not_allowed(str(error))
        case apsw.ReadOnlyError():
            return CannotWriteError(
                f"{address} can only be read: it is a standby, or your role is read-only",
                hint="name the server that takes writes (target_session_attrs=read-write), or look "
                "at default_transaction_read_only of role and database",
            )
        case apsw.InterruptError():
            return BusyError(
                f"the server has ended the command: {error}",
                hint="try again; where it was statement_timeout, ALTER ROLE NAME SET "
                "statement_timeout = '5min' gives more",
            )
        case apsw.IOError():
            return StoreError(
                f"the connection to {address} was lost: {error}",
                hint=f"try again; after a write {LOOK}",
                code="no_server",
            )
    return None


def _not_allowed(said: str) -> CannotWriteError:
    for words, message, hint in _WORDS:
        if words in said:
            return CannotWriteError(message, hint=hint, code="not_allowed")
    return CannotWriteError(
        f"the server does not allow it: {said}", hint="`tideline member list` shows what is yours",
        code="not_allowed",
    )  # fmt: skip
