"""restore --from: replace the content of the memory file by that of a backup."""

from __future__ import annotations

from tideline_cli.errors import StoreError, TidelineError, UsageError
from tideline_cli.memory import doctor
from tideline_cli.model.record import record
from tideline_cli.store import backup, connection, files, opening, transactions
from tideline_cli.store.checks import run_check, structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHECKS = (
    ("identity", structure.identity),
    ("structure", structure.structure_and_indexes),
    ("tables", structure.tables),
    ("references", structure.references),
)


@record
class Restored:
    """What was put back: how many facts, where the copy of the old content is (None when there was
    none), and what `doctor` finds now."""

    path: str
    facts: int
    kept: str | None
    wrong: tuple[str, ...]


def check_backup(path: str, database: str) -> int:
    """Return the number of facts in a backup; raise StoreError when it is not one, or not whole."""
    files.refuse_own(path, database)
    if not files.is_file(path):
        raise UsageError(f"there is no file {path}", hint="name a file that `tideline backup` made")
    for name, one in _CHECKS:
        found = [f for f in run_check.run(name, one, path) if f.severity == "error"]
        if found and name == "identity" and _is_older(path):
            break  # it is upgraded once it is in place
        if found:
            raise StoreError(
                f"{path} cannot be restored: {found[0].message}", hint="use another backup"
            )
    db = connection.open_for_inspection(path)
    try:
        return backup.verify(db, path)
    finally:
        db.close()


def restore_from(
    path: str, database: str, *, now: int, network_allowed: bool, progress: Callable[[str], None]
) -> Restored:
    """Put the content of a checked backup into the memory file, after a copy of what is there.

    A process that is reading goes on with the old content. Raises StoreError when the pages are
    not whole afterwards; the copy is kept in any case.
    """
    db = opening.open_for_replacing(database, network_allowed=network_allowed)
    try:
        kept = backup.replace_content(db, path, now=now, progress=progress)
        is_older = opening.is_older(db)
        backup.write_log_back(db)
    finally:
        db.close()
    db = opening.open_for_writing(database, network_allowed=network_allowed)  # upgrades
    try:
        if is_older:
            transactions.renew(db)
    finally:
        db.close()
    report = doctor.examine(
        database, deep=False, network_allowed=network_allowed, progress=progress
    )
    wrong = [finding for finding in report.findings if finding.severity == "error"]
    broken = [finding for finding in wrong if finding.check in doctor.BLOCKING]
    if broken:
        raise StoreError(
            f"restored from {path}, but it is not whole: {broken[0].message}",
            hint=f"what was there before is in {kept}" if kept else broken[0].remedy,
        )
    return Restored(path, _count(database), kept, tuple(finding.message for finding in wrong))


def _is_older(path: str) -> bool:
    try:
        db = connection.open_for_inspection(path)
    except (connection.DatabaseError, TidelineError):
        return False
    try:
        return opening.is_older(db)
    finally:
        db.close()


def _count(database: str) -> int:
    db = connection.open_for_inspection(database)
    try:
        return backup.verify(db, database)
    finally:
        db.close()
