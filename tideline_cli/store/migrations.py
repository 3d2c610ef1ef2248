"""From an older schema to ours: a copy first, then all steps in one transaction."""

from __future__ import annotations

import apsw

from tideline_cli.errors import StoreError
from tideline_cli.store import backup, files, locks, schema
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from apsw import Connection

    Step = Callable[[Connection], None]

_PATIENCE = 600.0  # seconds; the process before may have to copy a large file
_ATTEMPTS = 5


STEPS: Mapping[int, Step] = {}
"""What makes version n + 1 of version n. A step runs inside the transaction, with foreign keys
unchecked until its end. It says itself what the schema of version n + 1 was, since `schema` goes on
changing, and makes anew what is derived of the rows that it changes."""


def upgrade(db: Connection, path: str) -> None:
    """Bring an older file to the version of this program, or leave it as it is.

    Whatever stops it, the file has the old version or the new one. A copy of the old file stays
    beside it, as `copy_name` says. When many processes come at once, the first one upgrades and the
    others wait. Raises StoreError where the file cannot be upgraded.
    """
    _check_way(db, path)
    queue = locks.wait(path, locks.UPGRADE, seconds=_PATIENCE)
    try:
        for _ in range(_ATTEMPTS):
            if _upgraded(db, path):
                return
    finally:
        locks.release(queue)
    raise StoreError(
        f"{path} could not be upgraded: other programs keep writing to it",
        hint="end them and try again; nothing was changed",
        code="store_older",
    )


def copy_name(path: str, version: int) -> str:
    """Return where the file as it was before its upgrade is kept."""
    return f"{path}.v{version}"


def _check_way(db: Connection, path: str) -> None:
    version = db.pragma("user_version")
    if any(step not in STEPS for step in range(version, schema.VERSION)):
        raise StoreError(
            f"{path} has schema version {version}, which this program cannot upgrade to "
            f"{schema.VERSION}",
            hint="export it with the program that wrote it, and import that",
            code="store_older",
        )
    if db.readonly("main"):
        if files.why_two_names(path):
            raise files.two_names_error(path)
        raise StoreError(
            f"{path} has schema version {version}, and is upgraded to {schema.VERSION} before it "
            "is read, but it is read-only",
            hint="copy it to a place that you may write",
            code="store_older",
        )


def _upgraded(db: Connection, path: str) -> bool:
    """Copy the file and upgrade it; return False when another program has written meanwhile, so
    that the copy is not what would be upgraded."""
    seen = db.pragma("data_version")
    version = db.pragma("user_version")
    if version == schema.VERSION:
        return True
    backup.write_over(db, copy_name(path, version))
    db.execute("PRAGMA secure_delete = ON").fetchall()
    with writing(db):
        if db.pragma("user_version") == schema.VERSION:
            return True
        if db.pragma("data_version") != seen:
            return False
        for number in range(version, schema.VERSION):
            STEPS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")
        if db.execute("PRAGMA foreign_key_check").fetchall():
            raise apsw.ConstraintError(f"the upgrade of {path} would break references")
    return True
