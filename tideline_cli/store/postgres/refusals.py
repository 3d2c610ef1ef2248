"""What it means where a server makes no connection, does not allow something to a role, ends a
statement, or is gone. Loaded only after such an error."""

from __future__ import annotations

import re

import apsw

from tideline_cli.errors import BusyError, CannotWriteError, StoreError, TidelineError, UsageError
from tideline_cli.model.server_address import has_password
from tideline_cli.store import remote
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
    if getattr(error, "state", "") == remote.KEY_TOO_LONG:
        return remote.too_long("a word or a label")
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


_NAMED = re.compile(r'"[^"]*"( \([^)]*\))?(, port \d+)?')
_USUAL = "is the server there, and are user and database right?"
_IN_ADDRESS = "the password in the address is wrong; it counts before PGPASSWORD and ~/.pgpass"
# How the library begins where it has not even asked a server.
_UNREAD = (
    "invalid ", "missing key/value", "extra key/value", "unexpected ", "end of string",
    "could not match", "could not parse network address", "sslmode value", "weak sslmode",
    "definition of service",
)  # fmt: skip
_AS_WRITTEN = "postgresql://USER@HOST:PORT/DATABASE?schema=NAME"
# Of each table the first whose words are said counts.
_IN_PART = (
    (("when SSL support is not",),
     "take sslmode out of the address, or install a client library (libpq) that can encrypt"),
    (("sslmode value",),
     "sslmode is disable, allow, prefer, require, verify-ca or verify-full"),
    (("URI query parameter",), "options are those of PostgreSQL's client library, and schema"),
)  # fmt: skip
_LATER = (
    (("too many connections", "too many clients", "connection slots are reserved",
      "no more connections allowed"),
     "try again; a pool of connections before the server helps (pgbouncer)"),
    (("the database system is",), "try again in a moment"),
)  # fmt: skip
_HINTS = (
    (("pg_hba.conf",),
     "the server lets this role in from elsewhere, or encrypted alone (sslmode=verify-full in the "
     "address); its administrator says how"),
    (("permission denied for database",),
     "the server's administrator lets the role in: GRANT CONNECT ON DATABASE NAME TO ROLE"),
    (("does not support SSL",),
     "the server does not encrypt: its administrator sets ssl = on; sslmode=prefer in the address "
     "goes without"),
    (("root certificate file",),
     "sslrootcert= in the address names a file that is there, by its whole path: no ~"),
    (("does not match host name",),
     "name the host as its certificate does; hostaddr= in the address says where that is"),
    (("is not currently accepting connections",),
     "the server's administrator opens it: ALTER DATABASE NAME ALLOW_CONNECTIONS true"),
    (("certificate", "SSL", "TLS"),
     "sslmode=verify-full and sslrootcert=/PATH/OF/THE/AUTHORITY in the address say whom to "
     "believe"),
    (("password",),
     "put the password into ~/.pgpass, which nobody else may read (chmod 600), or into PGPASSWORD"),
    (("is not permitted to log in",),
     "the server's administrator lets the role in: ALTER ROLE NAME LOGIN"),
    (("role … does not exist",), "the server's administrator makes the role: createuser NAME"),
    (("database … does not exist",),
     "the server's administrator makes the database: createdb --owner NAME DATABASE"),
    (("could not translate host name", "failed to resolve host"), "is the name of the host right?"),
    (("session is not read-only", "session is read-only", "server is not in hot standby mode",
      "server is in hot standby mode"),
     "none of the servers is what target_session_attrs in the address asks for"),
    (("Connection refused", "No such file or directory"),
     "is the server running there, and is the port right?"),
)  # fmt: skip


def what_failed(said: str, address: str) -> TidelineError:
    """Return the error of a connection to an address that was not made, by what was said."""
    if said.startswith(_UNREAD):
        hint = _first(_IN_PART, said) or _AS_WRITTEN
        message = f"the address of the server cannot be used: {said}"
        return UsageError(message, hint=hint, code="address")
    message = f"no connection to {remote.kept(address)}: {said}"
    why = _reasons(said)
    if later := _first(_LATER, why):
        return BusyError(message, hint=later)
    hint = _first(_HINTS, why) or _USUAL
    if "password authentication failed" in why and has_password(remote.whole(address)):
        hint = _IN_ADDRESS
    return StoreError(message, hint=hint, code="no_server")


def _reasons(said: str) -> str:
    """Return what was said without the names in it, which may be any words."""
    whole = _NAMED.sub("…", said)
    return "; ".join(part.rpartition("… failed: ")[2] for part in whole.split("; connection to "))


def _first(table: tuple[tuple[tuple[str, ...], str], ...], said: str) -> str:
    return next((hint for words, hint in table if any(word in said for word in words)), "")
