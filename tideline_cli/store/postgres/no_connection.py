"""What to do about a connection that is not made, by what was said. Loaded only then.

Before a connection stands there is no code of an error, only words of the client library and of the
server; those of a server in another language get the usual hint.
"""

from __future__ import annotations

_USUAL = "is the server there, and are user and database right?"
# The first whose words are said counts.
_HINTS = (
    (("pg_hba.conf",),
     "the server lets this role in from elsewhere, or encrypted alone (sslmode=verify-full in the "
     "address); its administrator says how"),
    (("permission denied for database",),
     "the server's administrator lets the role in: GRANT CONNECT ON DATABASE NAME TO ROLE"),
    (("certificate", "SSL", "TLS"),
     "sslmode=verify-full and sslrootcert=/PATH/OF/THE/AUTHORITY in the address say whom to "
     "believe"),
    (("password",),
     "put the password into ~/.pgpass, which nobody else may read (chmod 600), or into PGPASSWORD"),
    (("role \"", "is not permitted to log in"),
     "the server's administrator makes the role: createuser NAME"),
    (("database \"",),
     "the server's administrator makes the database: createdb --owner NAME DATABASE"),
    (("could not translate host name",), "is the name of the host right?"),
    (("session is not read-only", "session is read-only", "server is not in hot standby mode",
      "server is in hot standby mode"),
     "none of the servers is what target_session_attrs in the address asks for"),
    (("Connection refused", "No such file or directory"),
     "is the server running there, and is the port right?"),
    (("too many", "connection slots"),
     "try again; a pool of connections before the server helps (pgbouncer)"),
    (("starting up", "shutting down", "recovery"), "try again in a moment"),
)  # fmt: skip


def hint(said: str) -> str:
    """Return what to do about it."""
    for words, what in _HINTS:
        if any(word in said for word in words):
            return what
    return _USUAL
