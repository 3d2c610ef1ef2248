"""What this replica leaves in a place: segments of its log, or a snapshot in place of all of them.
"""

from __future__ import annotations

from tideline_cli.errors import StoreError
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record, replace
from tideline_cli.store import sync_registers, sync_state
from tideline_cli.store.transactions import snapshot, writing
from tideline_cli.sync import folders, layout, own_folder, rotation, segment
from tideline_cli.sync.header import Header
from tideline_cli.sync.operations import Writer, facts_about
from tideline_cli.sync.publish import NOWHERE, Publication

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.keys import Key, KeyRing
    from tideline_cli.sync.place_file import PlaceFile
    from tideline_cli.sync.places import Place

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
    """The lines of segments, the number of facts in them, and the version up to which they tell
    all."""

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
            self._note_sent(row, parcel)
            self._finish()
            return Sent(0, 0, 0)
        key = self._key(rotates=is_whole and self._purged_apart(row))
        header = self._header(row, is_whole)
        packed = self._segments(header, parcel, key)
        with writing(self._db):
            digests = tuple(segment.digest(data) for data in packed)
            sync_state.put_place(self._db, row.number, pending=digests)
        if is_whole:
            tail = folders.replace_with_snapshot(self._folder, header, parcel.parts, key)
            number, digest = tail.number, tail.digest
        else:
            for at, lines in enumerate(parcel.parts):
                one = replace(
                    header, number=header.number + at,
                    previous=row.digest if at == 0 else segment.digest(packed[at - 1]),
                )  # fmt: skip
                digest = folders.write(self._folder, one, lines, key)
                number = one.number
        self._place.send(header.replica)
        with writing(self._db):
            whole = {"whole": parcel.version, "whole_at": self._now} if is_whole else {}
            sync_state.put_place(
                self._db, row.number, sent=parcel.version, segment=number, digest=digest,
                pending=(), **whole,
            )  # fmt: skip
            own_folder.note_look(self._db, self._folder, row)
        self._finish()
        return Sent(parcel.facts, len(packed), sum(map(len, packed)))

    def _wants_snapshot(self, row: PlaceRow) -> bool:
        if row.segment == 0 or row.sent == 0 or self._has_purged(row):
            return True
        own = sync_state.SyncState(self._db).own_id
        if self._ring and rotation.is_parted(self._folder, own, self._ring, self._held.id):
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
            return rotation.rotate(self._folder, self._ring, self._held.id)
        return rotation.offer(self._folder, self._ring, self._held.id)

    def _header(self, row: PlaceRow, is_whole: bool) -> Header:
        state = sync_state.SyncState(self._db)
        known = sync_state.streams_of(self._db, row.number)
        return Header(
            self._held.id, state.own_id, sync_state.name_of(self._db, state.own_id),
            row.segment + 1, kind="snapshot" if is_whole else "log",
            previous="" if is_whole else row.digest, clock=state.clock,
            knows={one.replica: one.segment for one in known.values() if one.segment},
        )  # fmt: skip

    def _segments(self, header: Header, parcel: _Parcel, key: Key | None) -> list[bytes]:
        """Return the bytes of the segments."""
        packed: list[bytes] = []
        previous = header.previous
        count = len(parcel.parts) if header.kind == "snapshot" else 1
        for at, lines in enumerate(parcel.parts):
            one = replace(
                header, number=header.number + at, previous=previous,
                part=at + 1 if count > 1 else 1, parts=count,
            )  # fmt: skip
            packed.append(segment.pack(one, lines, key))
            previous = segment.digest(packed[-1])
        return packed

    def _note_sent(self, row: PlaceRow, parcel: _Parcel) -> None:
        with writing(self._db):
            sync_state.put_place(
                self._db, row.number, sent=parcel.version, segment=row.segment, digest=row.digest,
                pending=(),
            )  # fmt: skip

    def _finish(self) -> None:
        """Erase the keys that no segment of the place needs any more."""
        if self._ring is None:
            return
        if len(self._ring.of_place(self._held.id)) < 2:
            return
        try:
            gone = rotation.erasable(self._folder, self._ring, self._held.id)
        except StoreError as error:
            self.notes.append(f"the older keys of the place are kept for now: {error.message}")
            return
        if gone:
            self._ring.erase(gone)
            self.notes.append(
                "an older key of the place was erased: nobody can read what it had encrypted"
            )
