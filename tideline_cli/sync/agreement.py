"""Which place this is: what it says of itself, and what this memory remembers of it."""

from __future__ import annotations

import os

from tideline_cli.errors import BusyError, UsageError
from tideline_cli.store import sync_state
from tideline_cli.store.transactions import writing
from tideline_cli.sync import layout, place_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.place_file import PlaceFile
    from tideline_cli.sync.places import Place


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
        held = place_file.find(folder)
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
            told = place_file.PlaceFile(known.place, known.is_sealed)
            layout.put(folder, "", layout.PLACE_FILE, place_file.written(told))
            self.notes.append("the place had lost its place.json: it was written again")
            return place_file.find(folder) or told
        is_sealed = not self._place.is_private() if asked is None else asked
        made = place_file.create(folder, is_sealed=is_sealed)
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
