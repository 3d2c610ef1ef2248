"""Machines that were forgotten: what they write with a key that they had is not read, and what is
written here is sealed with a key that they never had."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.store import sync_state
from tideline_cli.store.transactions import writing
from tideline_cli.sync import layout, rotation
from tideline_cli.sync.keys import key_generation
from tideline_cli.sync.marks import mark_at
from tideline_cli.sync.segment import SegmentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.sync.keys import KeyRing


class Gone:
    """The forgotten machines in one place, by its id and folder; `ring` is None for a plain one.
    `notes` are what a user should know."""

    def __init__(self, db: Connection, folder: str, place: str, ring: KeyRing | None) -> None:
        self._db = db
        self._folder = folder
        self._place = place
        self._ring = ring
        self.notes: list[str] = []

    def part(self) -> None:
        """Make a key for the place that no forgotten machine can have, unless there is one. Each
        machine does so once for a machine that it has forgotten."""
        ring = self._ring
        if ring is None:
            return
        for replica, row in sync_state.forgotten_machines(self._db).items():
            if self._place in row["parted"]:
                continue
            known = self._generation(replica)
            if known is None or key_generation(ring.newest(self._place)) <= known:
                rotation.part(ring, self._place)
                self.notes.append(
                    f"made a new key for the place, which {self._name(replica)} does not have: "
                    f"{ring.path}; copy its line to your other machines (`tideline sync key`, "
                    "`tideline sync key add`): without it they cannot read this one any more"
                )
            self._put(replica, {**row, "parted": [*row["parted"], self._place]})

    def is_silent(self, replica: str) -> bool:
        """Say whether nothing of a replica is read: it was forgotten, and has written nothing since
        with a key that it cannot have had. One that has is there again."""
        row = sync_state.forgotten_machines(self._db).get(replica)
        if row is None:
            return False
        last = max(layout.segment_numbers(self._folder, replica), default=0)
        if last <= max(row[word].get(self._place, 0) for word in ("seen", "told")):
            return True
        name = self._name(replica)
        if self._writes_with_newest(replica):
            self._put(replica, None)
            self.notes.append(f"{name} was forgotten and has written since: it is read again")
            return False
        self._put(replica, {**row, "told": {**row["told"], self._place: last}})
        self.notes.append(
            f"{name} was forgotten, and what it left since with the old key is not read. If it is "
            "yours still: `tideline sync key add` there, and sync"
        )
        return True

    def _writes_with_newest(self, replica: str) -> bool:
        """Say whether a replica wrote last with a key of the newest generation, or with none in a
        plain place."""
        ring = self._ring
        return ring is None or self._generation(replica) == key_generation(ring.newest(self._place))

    def _generation(self, replica: str) -> int | None:
        """Return the generation of the key that a replica wrote with last, None where nobody can
        tell."""
        last = max(layout.segment_numbers(self._folder, replica), default=0)
        try:
            mark = mark_at(self._folder, replica, last) if last else None
        except (SegmentError, FileNotFoundError, UnavailableError):
            mark = None
        key = self._ring.get(mark.key) if self._ring and mark else None
        return None if key is None else key_generation(key)

    def _name(self, replica: str) -> str:
        return sync_state.name_of(self._db, replica)

    def _put(self, replica: str, row: dict[str, object] | None) -> None:
        with writing(self._db):
            sync_state.put_forgotten(self._db, replica, row)
