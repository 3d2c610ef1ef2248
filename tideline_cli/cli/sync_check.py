"""What `doctor --deep` asks of a memory that syncs: is it as the log of its places says?"""

from __future__ import annotations

import os
from contextlib import closing

from tideline_cli.cli import sync_meetings
from tideline_cli.config import state_folder
from tideline_cli.errors import TidelineError
from tideline_cli.model.finding import Finding, some
from tideline_cli.store import connection, sync_schema, sync_state
from tideline_cli.sync import keys, place_file, places, verify
from tideline_cli.sync.places.addresses import understood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.store.sync_state import PlaceRow

NAME = "sync_log"
_NAMED = 5  # ids in a message
_OF_FILES = (
    "`tideline restore --from` a backup and sync: what it lacks comes from the place; or say anew "
    "what is wrong, by `tideline edit`"
)
_OF_SERVERS = (
    "say anew what is wrong, by `tideline edit`; who looks after the server can bring back its "
    "backup of before: sync then, and what that lacks comes from the place"
)


def findings(session: Session, progress: Callable[[str], None]) -> tuple[Finding, ...] | None:
    """Fold the log of each place whose files are on this machine, and compare it with the memory.
    None where the memory does not sync, or has no such place."""
    try:
        with closing(connection.open_for_inspection(session.database)) as db:
            if not sync_schema.exists(db):
                return None
            listed = [(row, _folder(db, row)) for row in sync_state.all_places(db)]
            near = [(row, folder) for row, folder in listed if folder is not None]
            if not near:
                return None
            progress(NAME)
            return tuple(
                one for row, folder in near for one in _of_place(session, db, row, folder)
            )
    except connection.DatabaseError:
        return None  # other checks say what is wrong with the file


def _folder(db: Connection, row: PlaceRow) -> str | None:
    """Return the folder with the files of a place, None where none is on this machine."""
    folder = row.address
    if understood(row.address).kind != "folder":
        mirror = places.mirror_folder(state_folder(os.environ), f"{db.filename}\n{row.address}")
        folder = os.path.join(mirror, "files")
    return folder if os.path.isdir(folder) else None


def _of_place(
    session: Session, db: Connection, row: PlaceRow, folder: str
) -> Iterator[Finding]:
    try:
        held = place_file.find(folder)
        if held is None or held.id != row.place:
            yield Finding(
                NAME, "warning", f"{row.address} is not the place of before", "`tideline sync`"
            )
            return
        ring = keys.KeyRing.load(sync_meetings.keys_file(None)) if row.is_sealed else None
        found = verify.fold(db, folder, row, ring, now=session.now)
    except (TidelineError, OSError) as error:
        hint = error.hint if isinstance(error, TidelineError) else ""
        yield Finding(NAME, "warning", f"the log of {row.address} cannot be read: {error}",
                      hint or "check the disk and the folder")  # fmt: skip
        return
    if found.waits:
        session.note(f"{row.address} has news: its log is compared after the next `tideline sync`")
    for name, why, advice in found.stopped:
        yield Finding(
            NAME, "warning", f"what {name} left in {row.address} cannot be read on: {why}", advice
        )
    if found.differing:
        listed = ", ".join(found.differing[:_NAMED])
        more = len(found.differing) - _NAMED
        yield Finding(
            NAME, "error", f"{some(len(found.differing), 'fact')} differ from what the log of "
            f"{row.address} says: {listed}" + (f" and {more:,} more" if more > 0 else ""),
            _OF_SERVERS if session.is_on_server else _OF_FILES,
        )  # fmt: skip
