"""What this replica leaves in a place: segments of its log, or a snapshot in place of all of them;
what of it lies there, held against what the memory remembers of it.
"""

from __future__ import annotations

import os
from contextlib import suppress

from tideline_cli.errors import StoreError
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record, replace
from tideline_cli.store import sync_registers, sync_state
from tideline_cli.store.connection import put_setting, setting, snapshot, writing
from tideline_cli.sync import folders, keys, layout, registers, segment
from tideline_cli.sync.operations import (
    AddOp,
    BatchOp,
    EdgeOp,
    PurgeOp,
    SetOp,
    UseOp,
    Writer,
    facts_about,
)
from tideline_cli.sync.registers import CHANGING, FIXED, GONE, PLACE, PRESENT, VERSION
from tideline_cli.sync.replica import become_another
from tideline_cli.sync.segment import MOST_NUMBER, Header
from tideline_cli.sync.stream import Stopped, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.folders import Tail
    from tideline_cli.sync.keys import KeyRing
    from tideline_cli.sync.layout import PlaceFile
    from tideline_cli.sync.operations import Operation, Stamp
    from tideline_cli.sync.places import Place
    from tideline_cli.sync.registers import Mark, Registers
    from tideline_cli.sync.segment import Key, Ring

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
    become_another(db)
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
    """Say whether others can read the own folder; read only where it looks otherwise now."""
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


_AT_ONCE = 400


class Publication:
    """What has become known after version `since` and not from the place of this number; all of it
    where `since` is 0 and the place is NOWHERE."""

    def __init__(self, db: Connection, *, since: int, place: int) -> None:
        self._db = db
        self._since = since
        self._place = place
        self._ids = {number: replica for number, (replica, _) in sync_state.replicas(db).items()}

    def operations(self) -> Iterator[Operation]:
        """Yield the operations: batches, facts, edges, purges."""
        db, since = self._db, self._since
        batches = sync_registers.batches_since(db, since)
        for clock, replica, number, origin, verb, at, version, place in batches:
            if self._is_new((clock, replica, version, place)):
                yield BatchOp((clock, self._ids[replica]), number, origin, verb, at)
        listed = sync_registers.facts_since(db, since)
        for start in range(0, len(listed), _AT_ONCE):
            yield from self._facts(listed[start : start + _AT_ONCE])
        for edge in sync_registers.edges_since(db, since):
            if self._is_new((edge.clock, edge.replica, edge.version, edge.place)):
                values = (edge.reason, edge.strength, edge.created_at) if edge.present else None
                stamp = (edge.clock, self._ids[edge.replica])
                yield EdgeOp(edge.source, edge.kind, edge.target, stamp, values)
        purges = sync_registers.purges_since(db, since)
        gone = [fact_id for fact_id, place in purges if place != self._place]
        for start in range(0, len(gone), _AT_ONCE):
            yield PurgeOp(tuple(gone[start : start + _AT_ONCE]))

    def _facts(self, ids: list[str]) -> Iterator[Operation]:
        rows = sync_registers.facts(self._db, ids)
        stored = sync_registers.in_table(self._db, ids)
        for fact_id in ids:
            known = registers.read(rows[fact_id], fact_id, stored.get(fact_id))
            yield from self._fact(known)

    def _fact(self, known: Registers) -> Iterator[Operation]:
        is_new = known.birth is not None and self._is_new(known.birth)
        told = {name: mark for name, mark in known.marks.items() if is_new or self._is_new(mark)}
        if is_new and known.birth is not None and "content" in known.values:
            # A birth is whole, and a register that was stated later is told after it.
            values = {name: known.values[name] for name in (*FIXED, *CHANGING)}
            yield AddOp(known.id, self._stamp(known.birth), values | {GONE: known.gone()})
        by_stamp: dict[Stamp, dict[str, Any]] = {}
        for name, mark in told.items():
            if name != PRESENT and name not in known.values:
                continue  # it was taken back a moment ago: the next sync tells that
            value = known.is_present if name == PRESENT else known.values[name]
            by_stamp.setdefault(self._stamp(mark), {})[name] = value
        for stamp, values in sorted(by_stamp.items()):
            yield SetOp(known.id, stamp, values)
        for replica, use in known.uses.items():
            if is_new or self._is_new((0, 0, use[VERSION], use[PLACE])):
                yield UseOp(known.id, self._ids[replica], *use[:VERSION])

    def _is_new(self, mark: Mark) -> bool:
        return mark[2] > self._since and mark[3] != self._place

    def _stamp(self, mark: Mark) -> Stamp:
        return mark[0], self._ids[mark[1]]


NOWHERE = -1
"""The number of no place: nothing is known from there."""


_SEGMENT = 1 << 20  # bytes of lines after which a segment is closed
_RENEWED_MS = 30 * DAY_MS
_MOST_SEGMENTS = 500  # behind a snapshot, before the next one


@record
class Sent:
    """How much was left: words of so many facts, segments, bytes of these."""

    facts: int
    segments: int
    octets: int


@record
class _Parcel:
    """The lines of segments, the number of facts in them, and up to which version they tell all."""

    parts: tuple[tuple[bytes, ...], ...]
    facts: int
    version: int


class Outbox:
    """Leaves what a place does not have yet. `notes` are what a user should know."""

    def __init__(
        self, db: Connection, place: Place, folder: str, held: PlaceFile, ring: KeyRing | None, *,
        now: int,
    ) -> None:  # fmt: skip
        self._db = db
        self._place = place
        self._folder = folder
        self._held = held
        self._ring = ring
        self._now = now
        self.notes: list[str] = []

    def send(self, row: PlaceRow) -> Sent:
        """Leave what is new; at first, after a purge, or a month, all of it, as a snapshot. The row
        is one that `own_folder.reconciled` has given."""
        is_whole = self._wants_snapshot(row)
        # What is known from this place lies there: a newcomer leaves only what it has brought.
        place = NOWHERE if is_whole and row.segment else row.number
        parcel = self._packed(0 if is_whole else row.sent, place)
        if not parcel.parts:
            with writing(self._db):
                sync_state.put_place(
                    self._db, row.number, sent=parcel.version, segment=row.segment,
                    digest=row.digest, pending=(),
                )  # fmt: skip
            self._finish()
            return Sent(0, 0, 0)
        key = self._key(rotates=is_whole and self._purged_apart(row))
        packed = folders.packed_segments(self._header(row, is_whole), parcel.parts, key)
        with writing(self._db):
            digests = tuple(segment.digest(data) for _, data in packed)
            sync_state.put_place(self._db, row.number, pending=digests)
        digest = folders.write(self._folder, packed)
        last, _ = packed[-1]
        self._place.send(last.replica)
        with writing(self._db):
            whole = {"whole": parcel.version, "whole_at": self._now} if is_whole else {}
            sync_state.put_place(
                self._db, row.number, sent=parcel.version, segment=last.number, digest=digest,
                pending=(), **whole,
            )  # fmt: skip
            note_look(self._db, self._folder, row)
        self._finish()
        return Sent(parcel.facts, len(packed), sum(len(data) for _, data in packed))

    def _wants_snapshot(self, row: PlaceRow) -> bool:
        if row.segment == 0 or row.sent == 0 or self._has_purged(row):
            return True
        own = sync_state.SyncState(self._db).own_id
        if self._ring and keys.is_parted(self._folder, own, self._ring, self._held.id):
            return True
        count = len(layout.segment_numbers(self._folder, own))
        is_old = self._now - row.whole_at > _RENEWED_MS and count > 1
        return is_old or count > _MOST_SEGMENTS

    def _has_purged(self, row: PlaceRow) -> bool:
        return row.whole > 0 and bool(sync_registers.purges_since(self._db, row.whole))

    def _purged_apart(self, row: PlaceRow) -> bool:
        """Say whether anything was purged that nobody has told in this place yet: whoever tells it
        first makes a new key."""
        purges = sync_registers.purges_since(self._db, row.whole) if row.whole else []
        return any(place != row.number for _, place in purges)

    def _packed(self, since: int, place: int) -> _Parcel:
        """Return the lines of what became known after a version and not from a place."""
        with snapshot(self._db):
            state = sync_state.SyncState(self._db)
            names = dict(sync_state.replicas(self._db).values())
            parts: list[tuple[bytes, ...]] = []
            writer = Writer(names)
            told: set[str] = set()
            for operation in Publication(self._db, since=since, place=place).operations():
                writer.put(operation)
                told |= facts_about(operation)
                if writer.size >= _SEGMENT:
                    parts.append(tuple(writer.whole()))
                    writer = Writer(names)
            if writer.lines:
                parts.append(tuple(writer.whole()))
            return _Parcel(tuple(parts), len(told), state.version)

    def _key(self, *, rotates: bool) -> Key | None:
        if self._ring is None:
            return None
        if rotates:
            return keys.rotate(self._folder, self._ring, self._held.id)
        return keys.offer(self._folder, self._ring, self._held.id)

    def _header(self, row: PlaceRow, is_whole: bool) -> Header:
        state = sync_state.SyncState(self._db)
        known = sync_state.streams_of(self._db, row.number)
        return Header(
            self._held.id, state.own_id, sync_state.name_of(self._db, state.own_id),
            row.segment + 1, kind="snapshot" if is_whole else "log",
            previous="" if is_whole else row.digest, clock=state.clock,
            knows={one.replica: one.segment for one in known.values() if one.segment},
        )  # fmt: skip

    def _finish(self) -> None:
        """Erase the keys that no segment of the place needs any more."""
        if self._ring is None:
            return
        if len(self._ring.of_place(self._held.id)) < 2:
            return
        try:
            gone = keys.erasable(self._folder, self._ring, self._held.id)
        except StoreError as error:
            self.notes.append(f"the older keys of the place are kept for now: {error.message}")
            return
        if gone:
            self._ring.erase(gone)
            self.notes.append(
                "an older key of the place was erased: nobody can read what it had encrypted"
            )
