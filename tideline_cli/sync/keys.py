"""The keys of sealed places: a ring of them in one small text file, for the eyes of its owner.

A line is a key: `tideline-key 1 EPOCH PLACE SECRET`. It is also how a key is carried by hand to
another machine.
"""

from __future__ import annotations

import base64
import json
import os
import stat
from contextlib import contextmanager, suppress

from tideline_cli.config import config_file, replacing
from tideline_cli.errors import CannotWriteError, NotFoundError, UnavailableError, UsageError
from tideline_cli.store.private_files import make_folder
from tideline_cli.sync import layout
from tideline_cli.sync.segment import SECRET_BYTES, Key, UnsealError, is_id, key_id, seal, unseal
from tideline_cli.system import BINARY, NOCTTY, NOFOLLOW, NONBLOCK, durable, is_own, pwrite, rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from tideline_cli.sync.segment import Ring

FILE = "sync.keys"
VARIABLE = "TIDELINE_SYNC_KEY"
_HEAD = "# Keys of encrypted places (tideline sync). Who has one can read and write the place.\n"
_LINE = "tideline-key 1"
_LARGEST = 1 << 20
_MOST_EPOCH = 1 << 31
_GENERATION = 1 << 16
_PURPOSE = b"wrap"
_LOOK = os.O_RDONLY | BINARY | NONBLOCK | NOCTTY
_ANY = "-"


__all__ = ["Key", "KeyRing", "default_path", "from_secret", "key_generation", "parsed", "unwrap",
           "wrap", "written"]  # fmt: skip


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
    """The keys of a file; each change is written at once, whole, and under a lock. `path` may name
    no file yet."""

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
    """Return the key in what `wrap` made, None where the ring lacks the key that opens it or it is
    not what was sealed."""
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
