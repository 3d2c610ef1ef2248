"""One sync with one place: read what others have left there, leave what they do not have yet."""

from __future__ import annotations

import os

from tideline_cli.errors import BusyError, UsageError
from tideline_cli.model.record import record
from tideline_cli.store import sync_registers, sync_state
from tideline_cli.store.connection import writing
from tideline_cli.store.purging import finish_purge
from tideline_cli.sync import folders, keys, layout, operations, outbox, replica
from tideline_cli.sync.absorb import Absorber, confined_words
from tideline_cli.sync.keys import Gone, KeyRing
from tideline_cli.sync.outbox import Outbox
from tideline_cli.sync.registers import clock_ms, is_ahead
from tideline_cli.sync.stream import Stopped, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.layout import PlaceFile
    from tideline_cli.sync.operations import Operation
    from tideline_cli.sync.places import Place
    from tideline_cli.sync.segment import Header
    from tideline_cli.sync.stream import Segment


class Agreement:
    """Finds a place, or makes it. `sealed` is what the call asks for, None: a new place is sealed
    unless it is private. `notes` are what a user should know; `is_readable`: others can read the
    place from now on, which is said once."""

    def __init__(self, db: Connection, place: Place, *, sealed: bool | None) -> None:
        self._db = db
        self._place = place
        self._sealed = sealed
        self.notes: list[str] = []
        self.is_readable = False

    def reach(self) -> tuple[str, PlaceFile]:
        """Return the folder with the files of the place, and what it says of itself. Raises
        TidelineError where it cannot be reached, or is not what it was."""
        self._check_there()
        folder = self._place.fetch()
        return folder, self._agreed(folder)

    def _check_there(self) -> None:
        """Refuse a folder of before that is not there: a disk may not be mounted, and what is
        written in its stead would lie elsewhere."""
        address = self._place.address
        known = sync_state.place_at(self._db, address)
        if self._place.kind != "folder" or known is None or not known.place:
            return
        if not os.path.isdir(address):
            raise BusyError(
                f"{address} is not there, and was at the last sync",
                hint=f"is its disk there? Else `mkdir {address}`: the next sync fills it again",
                code="unreachable",
            )

    def _agreed(self, folder: str) -> PlaceFile:
        """Return what the place says of itself; make it one where nobody has."""
        address = self._place.address
        held = layout.find_place(folder)
        known = sync_state.place_at(self._db, address)
        asked = self._sealed
        if held is None:
            return self._made(folder, known)
        form = "encrypted" if held.is_sealed else "not encrypted"
        if asked is not None and asked != held.is_sealed:
            raise UsageError(
                f"{address} is {form} already",
                hint="leave out --plain and --encrypt, or name a new place",
            )
        if held.is_sealed:
            return held
        if known is not None and known.is_sealed and (asked is None or known.place == held.id):
            raise UsageError(
                f"{address} was encrypted, and says that it is not",
                hint="somebody has changed its place.json: put it back, or name a new place",
            )
        if known is None and asked is None and not self._place.is_private():
            raise UsageError(
                f"{address} is not encrypted, and others may read there",
                hint="--plain joins it all the same; or name a new place",
            )
        return held

    def _made(self, folder: str, known: PlaceRow | None) -> PlaceFile:
        """Make a place; one of before that has lost its place.json gets it again."""
        asked = self._sealed
        if known is not None and known.place:
            told = layout.PlaceFile(known.place, known.is_sealed)
            layout.put(folder, "", layout.PLACE_FILE, layout.place_text(told))
            self.notes.append("the place had lost its place.json: it was written again")
            return layout.find_place(folder) or told
        is_sealed = not self._place.is_private() if asked is None else asked
        made = layout.create_place(folder, is_sealed=is_sealed)
        if asked is None and not made.is_sealed:
            self.notes.append(
                f"not encrypted: you alone can read {self._place.address}. In a new folder, "
                "--encrypt makes a place that is safe to copy elsewhere"
            )
        return made

    def note(self, held: PlaceFile, *, trust: bool) -> PlaceRow:
        """Return what this memory knows of the place; a place with another id is a new one."""
        address = self._place.address
        with writing(self._db):
            known = sync_state.place_at(self._db, address)
            if known is not None and known.place not in ("", held.id):
                sync_state.remove_place(self._db, address)
                self.notes.append("there is a new place at this address: everything is sent to it")
                known = None
            known = self._moved(held) or known or self._added(held)
            trusted = trust or held.is_sealed or known.is_trusted
            vouched = 1 if trusted else 2 if self._place.is_owners_alone() else 0
            sync_state.put_place(
                self._db, known.number, address=address, place=held.id, sealed=int(held.is_sealed),
                vouched=vouched,
            )  # fmt: skip
            if vouched and not known.is_vouched:
                sync_state.read_anew(self._db, known.number)
            is_new = not (known.place or held.is_sealed)
            self.is_readable = is_new and not self._place.is_private()
        return sync_state.place_at(self._db, address) or known

    def _moved(self, held: PlaceFile) -> PlaceRow | None:
        """Return the place as it is known by another address: it has this one from now on. One
        place with two of them would be written twice over."""
        known = sync_state.place_by_id(self._db, held.id)
        if known is not None and known.address != self._place.address:
            sync_state.remove_place(self._db, self._place.address)
            self.notes.append(
                f"this is the place that was at {known.address}; that address is forgotten"
            )
        return known

    def _added(self, held: PlaceFile) -> PlaceRow:
        """Note a new place, and what was left there before it was forgotten."""
        address = self._place.address
        known = sync_state.add_place(self._db, address, is_sealed=held.is_sealed, is_vouched=False)
        number, digest = sync_state.left_off(self._db, held.id)
        sync_state.put_place(self._db, known.number, segment=number, digest=digest)
        return known


_DAY_MS = 24 * 3600 * 1000


@record
class SyncRequest:
    """What a call asks: a `name` for this machine ('' keeps it), whether a new place is sealed
    (None: unless it is private), whether the owner vouches for a plain place, the file of keys."""

    name: str = ""
    sealed: bool | None = None
    trust: bool = False
    keys: str = ""


@record
class Halt:
    """A replica that is not read on: its name, the number of the segment, why, what to do."""

    replica: str
    name: str
    reason: str
    number: int
    message: str
    advice: str


@record
class Report:
    """What one sync has done. `received` counts the facts of which anything was new here, `batches`
    are those of this memory in which they came; `sent` counts the facts of which anything was left,
    in `segments` of so many bytes. Of a place for which nobody vouches, `strangers` counts the
    facts that were taken as text from outside, and `refused` those of which a change was not taken.
    With `is_readable`, others can read the place, which is said once: it is told with --quiet too.
    `reworded` are the wordings that wait for an answer, as `sync_registers` tells them."""

    address: str
    place: str
    is_sealed: bool
    is_vouched: bool
    received: int
    batches: tuple[int, ...]
    purged: int
    strangers: int
    refused: int
    sent: int
    segments: int
    octets: int
    halts: tuple[Halt, ...]
    notes: tuple[str, ...]
    is_readable: bool
    conflicts: int
    reworded: tuple[tuple[str | None, str], ...]


class Meeting:
    """One sync with one place. `now` is the time of this machine, in milliseconds."""

    def __init__(self, db: Connection, place: Place, asked: SyncRequest, *, now: int) -> None:
        self._db = db
        self._place = place
        self._asked = asked
        self._now = now
        self._notes: list[str] = []
        self._halts: list[Halt] = []
        self._strangers: set[str] = set()
        self._refused: set[str] = set()

    def run(self) -> Report:
        """Meet the others. Raises TidelineError where the place cannot be reached or used; what was
        read until then stays."""
        changed = replica.ensure(self._db, now=self._now, name=self._asked.name)
        if changed is not None:
            self._notes.append(changed)
        self._set_clock()
        agreement = Agreement(self._db, self._place, sealed=self._asked.sealed)
        folder, held = agreement.reach()
        row = agreement.note(held, trust=self._asked.trust)
        self._notes += agreement.notes
        ring = self._ring(folder, held)
        row, told = outbox.reconciled(self._db, folder, row, ring)
        self._notes += [told] if told else []
        gone = Gone(self._db, folder, held.id, ring)
        gone.part()
        absorber = Absorber(self._db, place=row.number, now=self._now)
        absorber.own_words()
        self._read(folder, row, ring, absorber, gone)
        self._notes += gone.notes
        absorber.own_words()
        sender = Outbox(self._db, self._place, folder, held, ring, now=self._now)
        done = sender.send(row)
        self._notes += sender.notes
        if absorber.purged and not finish_purge(self._db):
            self._notes.append(
                "traces of purged facts stay in the file while another program reads it: the "
                "next command removes them"
            )
        with writing(self._db):
            sync_state.put_place(self._db, row.number, synced_at=self._now)
        return Report(
            self._place.address, held.id, held.is_sealed, row.is_vouched,
            len(absorber.facts) + len(absorber.purged), tuple(absorber.batches),
            len(absorber.purged), len(self._strangers), len(self._refused), done.facts,
            done.segments, done.octets,
            tuple(self._halts), tuple(self._notes), agreement.is_readable,
            len(sync_registers.ruled(self._db, "slot", origin_number=None)),
            tuple(sync_registers.reworded(self._db, origin_number=None)),
        )  # fmt: skip

    def _set_clock(self) -> None:
        """Put right what was said while the clock of this machine was far ahead."""
        ahead = replica.restamped(self._db, now=self._now)
        if ahead:
            self._notes.append(
                f"the clock of this machine was {ahead // _DAY_MS} days ahead: what was said then "
                "counts as said now, and everything is sent again"
            )

    def _ring(self, folder: str, held: PlaceFile) -> KeyRing | None:
        """Return the keys of a sealed place, with what the place has for their holder."""
        if not held.is_sealed:
            return None
        ring = KeyRing.load(self._asked.keys)
        if not ring.of_place(held.id):
            if folders.replicas(folder):
                ring.newest(held.id)  # raises, with what to do
            ring.make(held.id)
            self._notes.append(
                f"made a key: {ring.path}; copy its line to your other machines in a safe way, and "
                "keep a copy: without it nobody can read the place"
            )
        if keys.learn(folder, ring, held.id):
            self._notes.append(f"took a newer key of the place into {ring.path}")
        return ring

    def _read(
        self, folder: str, row: PlaceRow, ring: KeyRing | None, absorber: Absorber, gone: Gone
    ) -> None:
        """Read what the other replicas have left, each stream as far as it can be read."""
        own = sync_state.SyncState(self._db).own_id
        known = sync_state.streams_of(self._db, row.number)
        for other in folders.replicas(folder):
            if other == own or not operations.is_replica(other) or gone.is_silent(other):
                continue
            stream = known.get(other)
            if stream is None and not layout.segment_numbers(folder, other):
                continue  # an empty folder is no machine yet
            after, last = (stream.segment, stream.digest) if stream else (0, "")
            stopped: Stopped | None = None
            for one in unread(folder, other, after=after, last=last, ring=ring, place=row.place):
                if isinstance(one, Stopped):
                    stopped = one
                else:
                    stopped = self._take(one, row, absorber)
                    if stopped is None:
                        after, last = one.header.number, one.digest
                if stopped is not None:
                    break
            if stream is None or stopped or (after, last) != (stream.segment, stream.digest) or (
                stream.stopped
            ):
                self._note_stream(row, other, after, last, stopped)

    def _take(self, one: Segment, row: PlaceRow, absorber: Absorber) -> Stopped | None:
        """Take the words of a segment; return why they cannot be taken."""
        header = one.header
        try:
            names, told = operations.parsed(one.lines)
        except UsageError as error:
            return Stopped("newer", header.number, error.message, error.hint)
        ahead = max((stamp[0] for stamp in map(_stamp, told) if stamp), default=0)
        if is_ahead(ahead, self._now):
            days = (clock_ms(ahead) - self._now) // _DAY_MS
            return Stopped(
                "clock", header.number, f"its clock was {days} days ahead",
                "set the clock of that machine and let it sync again; or set the clock here, if "
                "this one is wrong",
            )  # fmt: skip
        self._name(names, header, is_vouched=row.is_vouched)
        if not row.is_vouched:
            confined = confined_words(self._db, told, place=row.number)
            self._strangers |= confined.strangers
            self._refused |= confined.refused
            with writing(self._db):
                sync_state.note_refused(self._db, row.number, confined.refused)
            told = confined.taken
        absorber.take(told, whole=header.kind == "snapshot")
        return None

    def _name(self, names: dict[str, str], header: Header, *, is_vouched: bool) -> None:
        """Take the names of machines: each is called as it says itself, and as others say only
        until then. Where others can write, nobody is called otherwise than before."""
        with writing(self._db):
            known = {one: name for one, name in sync_state.replicas(self._db).values() if name}
            told = {one: name for one, name in names.items() if one not in known}
            if header.replica not in known or is_vouched:
                told[header.replica] = header.name
            for one, name in told.items():
                sync_state.replica_number(self._db, one, name=name)

    def _note_stream(
        self, row: PlaceRow, other: str, after: int, last: str, stopped: Stopped | None
    ) -> None:
        with writing(self._db):
            number = sync_state.replica_number(self._db, other)
            why = stopped.message if stopped else None
            sync_state.put_stream(self._db, row.number, number, after, last, why)
            name = sync_state.name_of(self._db, other)
        if stopped is not None:
            self._halts.append(
                Halt(
                    other, name, stopped.reason, stopped.number, stopped.message, stopped.advice
                )
            )  # fmt: skip


def _stamp(one: Operation) -> tuple[int, str] | None:
    return getattr(one, "stamp", None)
