"""Syncs of a call: with the place that it names, or with all that are known, one after the other.
"""

from __future__ import annotations

import os
import sys

from tideline_cli.config import state_folder
from tideline_cli.errors import TidelineError, UnavailableError, UsageError
from tideline_cli.model.record import record
from tideline_cli.store import locks, sync_schema, sync_state
from tideline_cli.sync import keys, meeting, places
from tideline_cli.sync.operation_lines import is_name
from tideline_cli.sync.places.addresses import understood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.sync.meeting import Report, SyncRequest
    from tideline_cli.sync.places import Place


@record
class Meetings:
    """What was done in each place, and the exit code: that of the first place that failed."""

    reports: tuple[Report, ...]
    exit_code: int


def asked(
    name: str | None, sealed: bool | None, trust: bool, key: str | None
) -> SyncRequest:
    """Return what a call asks of a sync, by its options. Raises UsageError for a name that no
    machine can have."""
    if name is not None and not (name.strip() and is_name(name)):
        raise UsageError(
            "this cannot be the name of a machine",
            hint="--name takes up to 255 characters on one line",
        )
    return meeting.SyncRequest(name or "", sealed, trust, keys_file(key))


def keys_file(named: str | None) -> str:
    """Return the path of the file of keys."""
    if named:
        return os.path.abspath(os.path.expanduser(named))
    return keys.default_path(os.environ)


def meet(session: Session, words: Sequence[str], asked: SyncRequest) -> Meetings | None:
    """Sync with one place, or with all that are known; a place that fails keeps none from the
    others. None where another sync of this memory is at work."""
    if sys.platform == "win32":
        raise UnavailableError(
            "sync does not run on Windows yet", hint="tideline export, and import --merge there"
        )
    addresses = [whole_address(word) for word in words] or known(session)
    if not addresses:
        raise UsageError(
            "this memory has no place yet", hint="tideline sync FOLDER, and see tideline sync -h"
        )
    db = session.writing()
    lock = locks.attempt(db.filename, locks.SYNC)
    if lock is None:
        session.note("another sync of this memory is running: nothing was done")
        return None
    reports: list[Report] = []
    failed: TidelineError | None = None
    try:
        for address in addresses:
            try:
                place = opened_place(db, address)
                reports.append(meeting.Meeting(db, place, asked, now=session.now).run())
            except TidelineError as error:
                if len(addresses) == 1:
                    raise
                session.caution("sync", f"{address}: {error.message}", hint=error.hint)
                failed = failed or error
    finally:
        locks.release(lock)
    return Meetings(tuple(reports), failed.exit_code if failed else 0)


def known(session: Session) -> list[str]:
    """Return the addresses of the places that this memory knows."""
    db = session.reading()
    if db is None:
        from tideline_cli.cli import named_memory  # noqa: PLC0415  where there is no memory

        named_memory.check_is_there(session)
        return []
    if not sync_schema.exists(db):
        return []
    return [place.address for place in sync_state.all_places(db)]


def opened_place(db: Connection, address: str) -> Place:
    """Return the place of an address."""
    own = sync_state.SyncState(db).own_id if sync_schema.exists(db) else ""
    mirror = places.mirror_folder(state_folder(os.environ), f"{db.filename}\n{address}")
    return places.open_place(
        address, mirror=mirror, replica=own, on_terminal=sys.stderr.isatty()
    )


def whole_address(address: str) -> str:
    """Return an address as it is found from anywhere: of a folder its whole path."""
    found = understood(address)
    if found.kind != "folder":
        return address
    return os.path.abspath(os.path.expanduser(found.path))


def around_a_pass(session: Session) -> None:
    """Sync with all known places, as a pass asks for it: what fails is told, and the pass goes
    on."""
    from tideline_cli.cli import sync_report  # noqa: PLC0415  needs this for nothing else

    if not known(session):
        return
    try:
        done = meet(session, (), asked(None, None, False, None))
    except TidelineError as error:
        session.caution(error.code, f"not synced: {error.message}", hint=error.hint)
        return
    if done is not None:
        sync_report.tell_beside(session, done.reports)
