"""New keys for a sealed place, the end of old ones, and machines that were forgotten: what they
write with a key that they had is not read.

A new key lies in the place sealed with each older one of its generation, so whoever holds an older
key gets it. It shuts nobody out: a key of a new generation does, which is carried to the others by
hand (`part`). What a rotation gives:
when every replica has written its folder anew and erased the old key, what was sealed with it can
be read by nobody, wherever a copy of it lies (the history of git, a backup of the place).
"""

from __future__ import annotations

from tideline_cli.errors import StoreError, UnavailableError
from tideline_cli.store import sync_state
from tideline_cli.store.transactions import writing
from tideline_cli.sync import folders, layout
from tideline_cli.sync.keys import key_generation, unwrap, wrap
from tideline_cli.sync.layout import mark_at
from tideline_cli.sync.segment import SegmentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.sync.keys import Key, KeyRing

_LARGEST = 4096  # bytes of a key that is sealed with another


def rotate(folder: str, ring: KeyRing, place: str) -> Key:
    """Make a new key for a place, lay it there, and return it: what is written from now on is
    sealed with it. One's own folder is then written anew by `folders.replace_with_snapshot`."""
    ring.newest(place)  # raises where there is nothing to begin from
    ring.make(place)
    return offer(folder, ring, place)


def part(ring: KeyRing, place: str) -> Key:
    """Make a key of a new generation for a place, and return it: nobody gets it who has only older
    ones."""
    ring.newest(place)  # raises where there is nothing to part from
    return ring.make(place, apart=True)


def is_parted(folder: str, replica: str, ring: KeyRing, place: str) -> bool:
    """Say whether segments of a replica are sealed with keys of older generations."""
    newest = key_generation(ring.newest(place))
    keys = {mark_at(folder, replica, one).key for one in layout.segment_numbers(folder, replica)}
    held = (ring.get(key) for key in keys)
    return any(key is None or key_generation(key) < newest for key in held)


def offer(folder: str, ring: KeyRing, place: str) -> Key:
    """Lay the newest key of a place there for the holders of each older one in the ring, where it
    does not lie yet; return it."""
    newest, *older = ring.of_place(place) or (ring.newest(place),)
    for old in (key for key in older if key_generation(key) == key_generation(newest)):
        name = f"{newest.id}.{old.id}"
        if name not in layout.names(folder, layout.KEYS):
            layout.put(folder, layout.KEYS, name, wrap(newest, old))
    return newest


def learn(folder: str, ring: KeyRing, place: str) -> tuple[Key, ...]:
    """Take into the ring what newer keys the place has for its holder; return them."""
    learned: dict[str, Key] = {}
    waiting = [name for name in layout.names(folder, layout.KEYS) if layout.is_wrap(name)]
    is_growing = True
    while is_growing:  # a key may open another one
        is_growing = False
        for name in waiting:
            if ring.get(name[:16]) or not ring.get(name[17:]):
                continue
            key, opener = _unwrapped(folder, name, ring), ring.get(name[17:])
            if key is not None and opener is not None and key.place in ("", place) and (
                key_generation(key) == key_generation(opener)
            ):
                ring.add(key)
                learned[key.id] = key
                is_growing = True
    return tuple(learned.values())


def used(folder: str) -> set[str]:
    """Return the ids of the keys that the segments of a place are sealed with, by their first
    lines. Raises StoreError where one cannot be read: nobody knows what it needs."""
    ids = set()
    for replica in folders.replicas(folder):
        for number in layout.segment_numbers(folder, replica):
            try:
                ids.add(mark_at(folder, replica, number).key)
            except FileNotFoundError as error:
                raise StoreError(f"segment {number} of {replica} cannot be read") from error
    return ids - {""}


def erasable(folder: str, ring: KeyRing, place: str) -> tuple[str, ...]:
    """Return the ids of the keys of a place that can be erased: older ones that no segment needs.
    Raises StoreError as `used` does.

    A machine that was away may still write with an old key; it learns the new one at its next sync,
    and writes its folder anew then.
    """
    needed = used(folder)
    older = [key for key in ring.of_place(place) if key.place == place][1:]
    return tuple(key.id for key in older if key.id not in needed)


def _unwrapped(folder: str, name: str, ring: KeyRing) -> Key | None:
    try:
        data = layout.read(folder, layout.KEYS, name, most=_LARGEST)
    except FileNotFoundError:
        return None
    key = unwrap(data, ring)
    return key if key is not None and key.id == name[:16] else None


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
                part(ring, self._place)
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
