"""What of this replica lies in a place, held against what the memory remembers of it."""

from __future__ import annotations

import os
from contextlib import suppress

from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import replace
from tideline_cli.store import sync_state
from tideline_cli.store.connection import put_setting, setting
from tideline_cli.store.transactions import writing
from tideline_cli.sync import folders, layout, replica, segment
from tideline_cli.sync.header import MOST_NUMBER
from tideline_cli.sync.stream import Stopped, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.folders import Tail
    from tideline_cli.sync.sealing import Ring

_ELSEWHERE = (
    "another machine writes as this one, from a copy of this memory file or of a backup: this one "
    "has a new id from now on"
)
_LACKS = "the place has lost files of this machine: everything is sent again"
_SEEN = "sync_seen"  # how the own folder of a place looked when it was read last


def reconciled(
    db: Connection, folder: str, row: PlaceRow, ring: Ring | None
) -> tuple[PlaceRow, str]:
    """Return the row of a place as the place says, and what a user should know of that, else ''.

    What was left by a sync that was cut short is ours. What is missing or damaged is left anew. A
    whole segment that we never wrote is of another machine with our id: this one takes a new id.
    """
    own = sync_state.SyncState(db).own_id
    tail = folders.tail(folder, own)
    if tail.digest in row.pending:
        with writing(db):  # before other digests take the place of these
            sync_state.put_place(db, row.number, segment=tail.number, digest=tail.digest)
        row = replace(row, segment=tail.number, digest=tail.digest)
    if tail.number < row.segment:
        return _anew(row, row.segment), _LACKS
    if (tail.number, tail.digest) == (row.segment, row.digest):
        if _is_sound(db, folder, own, row, ring):
            return row, ""
        return _anew(row, row.segment), _LACKS
    if not _is_whole(folder, own, tail, ring) and tail.number < MOST_NUMBER - 1000:
        return _anew(row, tail.number), _LACKS
    replica.become_another(db)
    return replace(_anew(row, 0), digest="", pending=()), _ELSEWHERE


def note_look(db: Connection, folder: str, row: PlaceRow) -> None:
    """Remember how the own folder looks, all of which is sound; in a transaction of the caller."""
    put_setting(db, f"{_SEEN}_{row.number}", _look(folder, sync_state.SyncState(db).own_id))


def _anew(row: PlaceRow, number: int) -> PlaceRow:
    """Return the row of a place in which all is to be left again, behind segment `number`."""
    return replace(row, sent=0, whole=0, whole_at=0, segment=number)


def _is_whole(folder: str, own: str, tail: Tail, ring: Ring | None) -> bool:
    """Say whether the last segment is one: else it is damaged, or no work of ours."""
    try:
        data = layout.read(folder, own, layout.file_name(tail.number))
        header, _ = segment.unpack(data, ring)
    except segment.SegmentError as error:
        return error.reason == "newer"
    except FileNotFoundError:
        return False
    return (header.replica, header.number) == (own, tail.number)


def _is_sound(db: Connection, folder: str, own: str, row: PlaceRow, ring: Ring | None) -> bool:
    """Say whether others can read all of the own folder. It is read where it looks otherwise than
    the last time."""
    if setting(db, f"{_SEEN}_{row.number}", "") == _look(folder, own):
        return True
    found = unread(folder, own, after=0, last="", ring=ring, place=row.place)
    if any(isinstance(one, Stopped) and one.reason != "newer" for one in found):
        return False
    with writing(db):
        note_look(db, folder, row)
    return True


def _look(folder: str, own: str) -> str:
    """Return a digest of the names, sizes and times of the own segments."""
    told = []
    with suppress(FileNotFoundError, NotADirectoryError), layout.opened_folder(folder, own) as at:
        for number in layout.segment_numbers(folder, own):
            held = os.stat(layout.file_name(number), dir_fd=at, follow_symlinks=False)
            told.append(f"{number} {held.st_size} {held.st_mtime_ns}")
    return blake2b("\n".join(told).encode(), digest_size=16).hexdigest()
