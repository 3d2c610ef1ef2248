"""The files of a place, as they lie in a folder: their names, reading and writing them.

    PLACE/place.json
    PLACE/keys/NEW.OLD          a key, sealed with an older one
    PLACE/REPLICA/00000001.seg  a segment

Other names are passed by. No link inside PLACE is followed, and nothing that is no plain file is
opened. A file appears whole or not at all, and a name that is taken is never written again.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from contextlib import contextmanager, suppress

from tideline_cli.errors import CannotWriteError, StoreError, UnavailableError, UsageError
from tideline_cli.model.record import Record
from tideline_cli.store.private_files import hand_over
from tideline_cli.sync import segment
from tideline_cli.sync.segment import FORMAT, MOST_NUMBER, Mark, SegmentError, is_hex, is_id
from tideline_cli.system import BINARY, DIRECTORY, NOCTTY, NOFOLLOW, NONBLOCK, durable, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLACE_FILE = "place.json"
KEYS = "keys"
SEGMENT = ".seg"
_FOLDER = os.O_RDONLY | DIRECTORY
_READ = os.O_RDONLY | BINARY | NOFOLLOW | NONBLOCK | NOCTTY


def file_name(number: int) -> str:
    """Return the name of a segment's file."""
    return f"{number:08d}{SEGMENT}"


def number_of(name: str) -> int:
    """Return the number of a segment's file, 0 for any other name."""
    stem = name.removesuffix(SEGMENT)
    if not (stem.isascii() and stem.isdigit()) or not 1 <= int(stem[:12]) <= MOST_NUMBER:
        return 0
    return int(stem) if name == file_name(int(stem)) else 0


def is_wrap(name: str) -> bool:
    """Say whether a name in `keys` is that of a key, sealed with an older one."""
    new, _, old = name.partition(".")
    return is_hex(new, 16) and is_hex(old, 16)


def is_ours(path: str) -> bool:
    """Say whether a path inside a place, with `/`, is that of a file of the """
    folder, _, name = path.rpartition("/")
    if not folder:
        return name == PLACE_FILE
    return is_wrap(name) if folder == KEYS else is_id(folder) and number_of(name) > 0


@contextmanager
def opened_folder(folder: str, inside: str = "") -> Iterator[int]:
    """Open a place, or a folder inside it, as a handle. Raises FileNotFoundError where there is
    none, and NotADirectoryError for anything else, links too."""
    root = os.open(folder, _FOLDER)
    try:
        handle = os.open(inside, _FOLDER | NOFOLLOW, dir_fd=root) if inside else root
        try:
            yield handle
        finally:
            if handle != root:
                os.close(handle)
    finally:
        os.close(root)


def names(folder: str, inside: str = "") -> list[str]:
    """Return the sorted names in a place, or in a folder inside it; none where it is missing or no
    folder. Raises UnavailableError where it cannot be read."""
    try:
        with opened_folder(folder, inside) as handle:
            return sorted(os.listdir(handle))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        if error.errno == errno.ELOOP:
            return []
        raise _unreadable(os.path.join(folder, inside), error) from error


def segment_numbers(folder: str, replica: str) -> list[int]:
    """Return the numbers of a replica's segments, the least first."""
    return sorted(filter(None, map(number_of, names(folder, replica))))


def is_folder(folder: str, name: str) -> bool:
    """Say whether a name in a place is that of a folder, and no link to one."""
    try:
        with opened_folder(folder, name):
            return True
    except OSError as error:
        if is_out_of_files(error):
            raise
        return False


def read(folder: str, inside: str, name: str, *, most: int = segment.LARGEST) -> bytes:
    """Return the content of a file, one byte more than `most` where it is longer. Raises
    FileNotFoundError where there is none (or a link, or a folder), UnavailableError where it cannot
    be read."""
    try:
        with opened_folder(folder, inside) as above:
            handle = os.open(name, _READ, dir_fd=above)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(errno.ENOENT, "no such file", name) from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise FileNotFoundError(errno.ENOENT, "no plain file", name) from None
        raise _unreadable(os.path.join(folder, inside, name), error) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FileNotFoundError(errno.ENOENT, "no plain file", name)
        with open(handle, "rb", closefd=False) as file:
            return file.read(most + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(os.path.join(folder, inside, name), error) from error
    finally:
        os.close(handle)


def put(folder: str, inside: str, name: str, data: bytes) -> bool:
    """Write a file whole and durably; return False, and write nothing, where the name is taken.

    It may be read by whoever may read the place. Raises CannotWriteError.
    """
    path = os.path.join(folder, inside, name)
    try:
        if inside:
            make(folder, inside)
        mode = stat.S_IMODE(os.stat(folder).st_mode)
        with opened_folder(folder, inside) as handle:
            return put_file(handle, name, data, mode=mode & 0o666 | 0o600, like=folder)
    except OSError as error:
        raise cannot_write(path, error) from error


def make(folder: str, inside: str) -> None:
    """Make a folder inside a place, with the rights of the place. Raises CannotWriteError, and
    StoreError where the name is that of a link."""
    try:
        with opened_folder(folder) as root:
            _make(root, inside, stat.S_IMODE(os.fstat(root).st_mode), folder)
    except OSError as error:
        raise cannot_write(os.path.join(folder, inside), error) from error


def remove(folder: str, inside: str, gone: list[str]) -> None:
    """Remove files of a folder, those that are there, durably. Raises CannotWriteError."""
    try:
        with opened_folder(folder, inside) as handle:
            for name in gone:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=handle)
            sync_folder(handle)
    except OSError as error:
        raise cannot_write(os.path.join(folder, inside), error) from error


def cannot_write(path: str, error: OSError) -> CannotWriteError:
    """Return what an error of the system means for writing a file."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CannotWriteError(f"the disk that holds {path} is full", hint="make room; nothing "
                                "was lost, and the next sync goes on")  # fmt: skip
    return CannotWriteError(f"cannot write {path}: {error.strerror or error}",
                            hint="check the folder and its permissions")  # fmt: skip


def is_out_of_files(error: OSError) -> bool:
    """Say whether this process may open no more files: that says nothing of the place."""
    return error.errno in (errno.EMFILE, errno.ENFILE)


def _unreadable(path: str, error: OSError) -> Exception:
    if is_out_of_files(error):
        return error
    return UnavailableError(f"cannot read {path}: {error.strerror or error}", hint="check the disk "
                            "and the permissions", code="unreadable")  # fmt: skip


def _make(root: int, name: str, mode: int, folder: str) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=root)
    except FileExistsError:
        if stat.S_ISLNK(os.lstat(name, dir_fd=root).st_mode):
            raise StoreError(f"{folder}/{name} is a link, and a place has none") from None
        return
    with opened_folder(folder, name) as handle:
        set_rights(handle, mode & 0o2777 | 0o700)
        hand_over(handle, os.path.join(folder, name), like=folder)
    sync_folder(root)


PART = ".part-"
"""What a name begins with, whose file is not whole yet."""
_WRITE = os.O_WRONLY | BINARY | os.O_CREAT | os.O_EXCL | NOFOLLOW
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EACCES)


def put_file(above: int, name: str, data: bytes, *, mode: int, like: str) -> bool:
    """Write a file into an open folder; return False, and write nothing, where the name is taken.
    Root gives it to the owner of the folder `like`, the path of the place. Raises OSError."""
    fresh = f"{PART}{os.getpid()}-{os.urandom(4).hex()}"
    handle = os.open(fresh, _WRITE, 0o600, dir_fd=above)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            set_rights(handle, mode)
            hand_over(handle, os.path.join(like, fresh), like=like)
            durable.sync(handle)
        if not _named(above, fresh, name):
            return False
        sync_folder(above)
        return True
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=above)


def set_rights(handle: int, mode: int) -> None:
    """Set the rights of a file, where its disk keeps rights: FAT and some network disks do not."""
    try:
        set_mode(handle, mode)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP):
            raise


def sync_folder(handle: int) -> None:
    """Make the names in a folder durable, where its disk can: some network disks refuse it."""
    try:
        durable.sync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF):
            raise


def _named(above: int, fresh: str, name: str) -> bool:
    """Give a file its name, unless it is taken."""
    try:
        os.link(fresh, name, src_dir_fd=above, dst_dir_fd=above, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without hard links: one writer a folder, so nobody takes the name between.
        with suppress(FileNotFoundError):
            os.lstat(name, dir_fd=above)
            return False
        os.rename(fresh, name, src_dir_fd=above, dst_dir_fd=above)
    return True


_START = 4096  # bytes in which the first line of most segments ends
_FIRST_LINE = 1 << 20


def mark_at(folder: str, replica: str, number: int) -> Mark:
    """Return what the first line of a segment says; raise SegmentError or FileNotFoundError."""
    start = read(folder, replica, file_name(number), most=_START)
    if b"\n" not in start and len(start) > _START:
        start = read(folder, replica, file_name(number), most=_FIRST_LINE)
    return segment.marked(start)


def newest_snapshot(folder: str, replica: str, numbers: Sequence[int]) -> int:
    """Return the first number of the newest whole snapshot among some numbers, 0 for none."""
    held = set(numbers)
    for number in sorted(numbers, reverse=True):
        try:
            mark = mark_at(folder, replica, number)
        except (SegmentError, FileNotFoundError, UnavailableError):
            continue  # who reads it says so
        if mark.kind == "snapshot" and mark.part == 1 and held.issuperset(
            range(number, number + mark.parts)
        ):  # fmt: skip
            return number
    return 0


_LARGEST_PLACE = 1 << 16
_FORMS = ("sealed", "plain")
_STEM, _END = PLACE_FILE.split(".")


class PlaceFile(Record):
    """The id of a place, and whether its segments are sealed.

    Who can write in the place can write this file. So a machine remembers the form of the places
    that it has joined, and takes no sealed one for a plain one later.
    """

    id: str
    is_sealed: bool


def find_place(folder: str) -> PlaceFile | None:
    """Return what a place says of itself, None where there is no place yet.

    Two machines may make a place at once, and a program that keeps folders equal then keeps both
    files (`place (conflicted copy).json`): of those a sealed one wins, then the smaller id, on each
    machine alike. Raises StoreError for a place.json that cannot be read or is newer.
    """
    copies = [name for name in names(folder)
              if name.startswith(_STEM) and name.endswith("." + _END)]  # fmt: skip
    found = [one for name in copies if (one := _parsed_place(folder, name)) is not None]
    return min(found, key=lambda one: (not one.is_sealed, one.id), default=None)


def create_place(folder: str, *, is_sealed: bool) -> PlaceFile:
    """Make a folder a place, and return what the place says of itself: what another machine has
    written, where that was first. Raises UsageError for a folder that holds other files."""
    found = find_place(folder)
    if found is not None:
        return found
    others = [name for name in names(folder)
              if not name.startswith(".") and name != KEYS and not is_id(name)]  # fmt: skip
    if others:
        raise UsageError(f"{folder} is no place of tideline, and holds other files ({others[0]})",
                         hint="name an empty folder, or one that is not there yet")  # fmt: skip
    made = PlaceFile(os.urandom(16).hex(), is_sealed)
    put(folder, "", PLACE_FILE, place_text(made))
    return find_place(folder) or made


def place_text(place: PlaceFile) -> bytes:
    """Return the content of place.json."""
    form = {"format": FORMAT, "id": place.id, "form": _FORMS[not place.is_sealed]}
    return json.dumps(form).encode("ascii") + b"\n"


def _parsed_place(folder: str, name: str) -> PlaceFile | None:
    """Return what a file says; None for a copy that cannot be read, and for one that is gone."""
    try:
        form = json.loads(read(folder, "", name, most=_LARGEST_PLACE))
        if form["format"] > FORMAT:
            raise StoreError(f"{folder} was made by a newer version",
                             hint="upgrade tideline-cli here", code="place_newer")  # fmt: skip
        if is_id(form["id"]) and form["form"] in _FORMS:
            return PlaceFile(form["id"], form["form"] == _FORMS[0])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    if name != PLACE_FILE:
        return None
    raise StoreError(
        f"{os.path.join(folder, name)} cannot be read: it is damaged, or not whole yet",
        hint="sync again when it has arrived; else take it back from a backup of the place",
        code="place_damaged",
    )
