"""Locks that last longer than a transaction of the memory: one dream, one sync at a time."""

from __future__ import annotations

from tideline_cli.store.postgres import opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.store.postgres.server import ServerConnection

# The transaction that holds the lock does nothing for as long as a pass takes. A server that ends
# idle ones would let a second pass in.
_LASTING = """
SELECT set_config(name, '0', true) FROM pg_settings
WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')
"""
# A query keeps its snapshot until the next statement comes.
_NEXT = "SAVEPOINT held"


class ServerLock:
    """A lock of the server, held by a transaction of a connection of its own. The server frees it
    when the process dies."""

    def __init__(self, db: ServerConnection) -> None:
        self._db = db

    def release(self) -> None:
        """Give the lock back. It is free when this returns, or as soon as the server answers."""
        self._db.close()


def attempt(address: str, name: str) -> ServerLock | None:
    """Return a lock of a memory, None when another process holds it."""
    db = opening.connected(address)
    taken = None
    try:
        db.begin_lasting()
        db.as_it_is(_LASTING)
        taken = db.execute(
            "SELECT pg_try_advisory_xact_lock(hashtext(?), hashtext(?))",
            (f"tideline {name}", db.schema),
        ).get
        db.as_it_is(_NEXT)
        db.flush()
    finally:
        if not taken:
            db.close()
    return ServerLock(db) if taken else None
