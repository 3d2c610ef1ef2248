"""The keys of sealed places: a ring of them in one small text file, for the eyes of its owner.

A line is a key: `tideline-key 1 EPOCH PLACE SECRET`. It is also how a key is carried by hand to
another machine. In a place a new key lies sealed with each older one of its generation, so whoever
holds an older key gets it. It shuts nobody out: a key of a new generation does, which is carried to
the others by hand (`part`). What a rotation gives: when every replica has written its folder anew
and erased the old key, what was sealed with it can be read by nobody, wherever a copy of it lies
(the history of git, a backup of the place). What a machine that was forgotten writes with a key
that it had is not read.
"""

from __future__ import annotations

import base64
import json
import os
import stat
from contextlib import contextmanager, suppress

from tideline_cli.config import config_file, replacing
from tideline_cli.errors import (
    CannotWriteError,
    NotFoundError,
    StoreError,
    UnavailableError,
    UsageError,
)
from tideline_cli.store import sync_state
from tideline_cli.store.connection import writing
from tideline_cli.store.private_files import make_folder
from tideline_cli.sync import folders, layout
from tideline_cli.sync.layout import mark_at
from tideline_cli.sync.segment import (
    SECRET_BYTES,
    Key,
    SegmentError,
    UnsealError,
    is_id,
    key_id,
    seal,
    unseal,
)
from tideline_cli.system import BINARY, NOCTTY, NOFOLLOW, NONBLOCK, durable, is_own, pwrite, rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from apsw import Connection

    from tideline_cli.sync.segment import Ring

FILE = "sync.keys"
VARIABLE = "TIDELINE_SYNC_KEY"
_HEAD = "# Keys of encrypted places (tideline sync). Who has one can read and write the place.\n"
_LINE = "tideline-key 1"
_LARGEST = 1 << 20
_LARGEST_WRAP = 4096  # bytes of a key that is sealed with another
_MOST_EPOCH = 1 << 31
_GENERATION = 1 << 16
_PURPOSE = b"wrap"
_LOOK = os.O_RDONLY | BINARY | NONBLOCK | NOCTTY
_ANY = "-"


def default_path(environ: Mapping[str, str]) -> str:
    """Return the file of the ring: that of TIDELINE_SYNC_KEY, or the one beside the settings."""
    named = environ.get(VARIABLE, "").strip()
    if named:
        return os.path.abspath(os.path.expanduser(named))
    return os.path.join(os.path.dirname(config_file(environ)), FILE)


def from_secret(secret: bytes, epoch: int, place: str = "") -> Key:
    """Return the key of a secret; raise UsageError for what can be none."""
    is_right = len(secret) == SECRET_BYTES and type(epoch) is int and 1 <= epoch < _MOST_EPOCH
    if not is_right or not (place == "" or is_id(place)):
        raise UsageError("this is not a key of an encrypted place")
    return Key(key_id(secret), secret, epoch, place)


def key_generation(key: Key) -> int:
    """Return the generation of a key: those of one are sealed with one another in the place, so
    that whoever has one gets the newer ones. A new generation is carried by hand alone."""
    return key.epoch // _GENERATION


def written(key: Key) -> str:
    """Return a key as a line of text, which holds its secret."""
    secret = base64.urlsafe_b64encode(key.secret).decode("ascii").rstrip("=")
    return f"{_LINE} {key.epoch} {key.place or _ANY} {secret}"


def parsed(line: str) -> Key:
    """Return the key that a line of text is; raise UsageError, which says nothing of it."""
    words = line.split()
    if len(words) != 5 or " ".join(words[:2]) != _LINE:
        newer = words[:1] == _LINE.split()[:1] and words[1:2] not in ([], ["1"])
        form = "a key is one line: tideline-key 1 EPOCH PLACE SECRET"
        hint = "was it written by a newer version?" if newer else form
        raise UsageError("this is not a key of an encrypted place", hint=hint)
    try:
        secret = base64.b64decode(words[4] + "=", altchars=b"-_", validate=True)
        return from_secret(secret, int(words[2]), "" if words[3] == _ANY else words[3])
    except ValueError as error:
        raise UsageError("this is not a key of an encrypted place") from error


class KeyRing:
    """The keys of a file; each change is written at once, whole, locked. `path` may be new."""

    def __init__(self, path: str, keys: Iterable[Key] = ()) -> None:
        self.path = path
        self._keys = {key.id: key for key in keys}

    @classmethod
    def load(cls, path: str) -> KeyRing:
        """Return the ring of a file, empty where there is none. Raises UsageError for a file that
        others may read, or that is no ring; UnavailableError where it cannot be read."""
        return cls(path, _keys_of(path))

    @property
    def keys(self) -> tuple[Key, ...]:
        """All keys, the newest first."""
        return tuple(sorted(self._keys.values(), key=_age, reverse=True))

    def get(self, key_id: str, /) -> Key | None:
        """Return the key of an id, None where it is missing."""
        return self._keys.get(key_id)

    def of_place(self, place: str) -> tuple[Key, ...]:
        """Return the keys that are for a place, or for any, the newest first."""
        return tuple(key for key in self.keys if not place or key.place in ("", place))

    def newest(self, place: str = "") -> Key:
        """Return the newest key of a place, of all without one; raise NotFoundError."""
        for key in self.of_place(place):
            return key
        raise NotFoundError(
            f"there is no key for this place in {self.path}",
            hint="`tideline sync key` prints it on a machine that has it, `tideline sync key add` "
            "takes it here", code="no_key",
        )  # fmt: skip

    def make(self, place: str = "", *, apart: bool = False) -> Key:
        """Make a key that is newer than those of the place, and return it; with `apart`, the first
        of a new generation."""
        last = max((key.epoch for key in self.of_place(place)), default=0)
        epoch = (last // _GENERATION + 1) * _GENERATION if apart else last + 1
        key = from_secret(os.urandom(SECRET_BYTES), epoch, place)
        self.add(key)
        return key

    def add(self, *keys: Key) -> None:
        """Take keys into the ring and its file."""
        self._change(lambda held: held | {key.id: key for key in keys})

    def erase(self, ids: Collection[str]) -> None:
        """Take keys out of the ring and its file, whose old bytes are written over. Where the disk
        keeps what is written over (copies on write, flash memory), they may last there."""
        self._change(lambda held: {key: one for key, one in held.items() if key not in ids})

    def _change(self, changed: Callable[[dict[str, Key]], dict[str, Key]]) -> None:
        path = os.path.realpath(self.path)  # a link stays one
        try:
            make_folder(os.path.dirname(path))
            with replacing.FolderLock(path):
                ring = KeyRing(path, changed({key.id: key for key in _keys_of(path)}).values())
                lines = "".join(f"{written(key)}\n" for key in ring.keys)
                with _wiped(path):
                    replacing.replace_file(path, _HEAD + lines)
                self._keys = ring._keys
        except OSError as error:
            raise CannotWriteError(
                f"cannot write {self.path}: {error.strerror or error}", hint="check disk and folder"
            ) from error


def wrap(new: Key, old: Key) -> bytes:
    """Return a key sealed with an older one: whoever holds the old one gets the new one."""
    line = f"{_LINE} {new.id} {old.id}\n".encode("ascii")
    secret = base64.b64encode(new.secret).decode("ascii")
    form = {"epoch": new.epoch, "place": new.place, "secret": secret}
    return line + seal(old.secret, _PURPOSE, line, json.dumps(form).encode("ascii"))


def unwrap(data: bytes, ring: Ring) -> Key | None:
    """Return the key in what `wrap` made, None where it does not open with the ring."""
    line, _, sealed = data.partition(b"\n")
    words = line.decode("ascii", "replace").split(" ")
    old = ring.get(words[-1])
    if len(words) != 4 or " ".join(words[:2]) != _LINE or old is None:
        return None
    try:
        form = json.loads(unseal(old.secret, _PURPOSE, line + b"\n", sealed))
        key = from_secret(base64.b64decode(form["secret"]), form["epoch"], form["place"])
    except (UnsealError, ValueError, KeyError, TypeError, UsageError):
        return None
    return key if key.id == words[2] else None


def _age(key: Key) -> tuple[int, str]:
    return key.epoch, key.id


def _keys_of(path: str) -> list[Key]:
    try:
        handle = os.open(path, _LOOK)
    except FileNotFoundError:
        return []
    except OSError as error:
        if layout.is_out_of_files(error):
            raise
        raise UnavailableError(
            f"cannot read {path}: {error.strerror}", hint="check its permissions"
        ) from error
    with open(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise UsageError(f"{path} is not a file of keys")
        if not (is_own(state) or state.st_uid == 0) or rights(state.st_mode) & 0o077:
            raise UsageError(f"{path} is not yours alone", hint=f"chmod 600 {path}", code="key")
        raw = file.read(_LARGEST + 1)
    lines = raw.decode("utf-8", "replace").split("\n")
    if len(raw) > _LARGEST:
        raise UsageError(f"{path} is too large for a file of keys")
    try:
        return [parsed(line) for line in lines if line.strip() and not line.startswith("#")]
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", hint=error.hint) from error


@contextmanager
def _wiped(path: str) -> Iterator[None]:
    """Write over the file of this name after another one has taken its place; best effort."""
    try:
        handle = os.open(path, os.O_WRONLY | BINARY | NOFOLLOW)
    except OSError:
        handle = -1
    try:
        yield
        with suppress(OSError):
            pwrite(handle, bytes(os.fstat(handle).st_size), 0)
            durable.sync(handle)
    finally:
        with suppress(OSError):
            os.close(handle)



def rotate(folder: str, ring: KeyRing, place: str) -> Key:
    """Make a new key for a place, lay it there, and return it: what is written from now on is
    sealed with it. One's own folder is then written anew by `folders.write`."""
    ring.newest(place)  # raises where there is nothing to begin from
    ring.make(place)
    return offer(folder, ring, place)


def part(ring: KeyRing, place: str) -> Key:
    """Make a key of a new generation for a place and return it; nobody gets it by older keys."""
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
        data = layout.read(folder, layout.KEYS, name, most=_LARGEST_WRAP)
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
        """Say whether a replica wrote last with a newest key, or with none in a plain place."""
        ring = self._ring
        return ring is None or self._generation(replica) == key_generation(ring.newest(self._place))

    def _generation(self, replica: str) -> int | None:
        """Return the generation of the key a replica wrote with last, None where it is unknown."""
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
