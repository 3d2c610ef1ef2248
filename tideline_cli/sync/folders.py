"""A place as a folder: writing the segments of one's own replica, reading those of the others."""

from __future__ import annotations

from contextlib import contextmanager, suppress

from tideline_cli.errors import StoreError
from tideline_cli.model.record import Record, replace
from tideline_cli.sync import layout, segment
from tideline_cli.sync.layout import file_name, mark_at
from tideline_cli.sync.segment import Header, SegmentError, is_id
from tideline_cli.system import LOCK_EX, flock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.sync.segment import Key

class Tail(Record):
    """The last segment of a replica: its number and digest, 0 and empty where there is none."""

    number: int
    digest: str


def replicas(folder: str) -> tuple[str, ...]:
    """Return the ids of the replicas that have a folder in a place."""
    return tuple(name for name in layout.names(folder)
                 if is_id(name) and layout.is_folder(folder, name))  # fmt: skip


def tail(folder: str, replica: str) -> Tail:
    """Return the last segment of a replica. Where one's own differs from what the store remembers,
    a sync was cut short before the store noted it, or another machine has the same id."""
    found = layout.segment_numbers(folder, replica)
    if not found:
        return Tail(0, "")
    return Tail(found[-1], segment.digest(_content(folder, replica, found[-1])))


def packed_segments(
    header: Header, parts: Sequence[Sequence[bytes]], key: Key | None
) -> list[tuple[Header, bytes]]:
    """Return the segments with the lines of these parts, the first of which has this header: those
    of a log follow one another, those of a snapshot are its parts."""
    found: list[tuple[Header, bytes]] = []
    previous, is_snapshot = header.previous, header.kind == "snapshot"
    for at, lines in enumerate(parts):
        one = replace(
            header, number=header.number + at, previous=previous,
            part=at + 1 if is_snapshot else 1, parts=len(parts) if is_snapshot else 1,
        )  # fmt: skip
        found.append((one, segment.pack(one, lines, key)))
        previous = segment.digest(found[-1][1])
    return found


def write(folder: str, parts: Sequence[tuple[Header, bytes]]) -> str:
    """Write the next segments of one's own replica, packed; return the digest of the last. Each is
    durable then.

    The parts of a snapshot take the place of all earlier segments, which go after them: a reader
    finds one or the other whole. A segment that is there already, to the byte, is left as it is:
    repeated, this finishes what was cut short. Raises StoreError where one does not follow the last
    one (two machines with one id), CannotWriteError where it cannot be written.
    """
    first = parts[0][0]
    with _own(folder, first.replica):
        _tidy(folder, first.replica)
        digests = [_append(folder, header, data) for header, data in parts]
        if first.kind == "snapshot":
            older = [n for n in layout.segment_numbers(folder, first.replica) if n < first.number]
            layout.remove(folder, first.replica, [file_name(number) for number in older])
    return digests[-1]


@contextmanager
def _own(folder: str, replica: str) -> Iterator[None]:
    """Hold the right to write in a folder of a replica, which is made where it is missing."""
    layout.make(folder, replica)
    with layout.opened_folder(folder, replica) as handle:
        with suppress(OSError):  # a file system without locks
            flock(handle, LOCK_EX)
        yield


def _tidy(folder: str, replica: str) -> None:
    """Remove what a killed writer has left: files that are not whole, the parts of a snapshot that
    lacks some, and what a snapshot has replaced that is the last of all."""
    gone = [name for name in layout.names(folder, replica) if name.startswith(layout.PART)]
    found = layout.segment_numbers(folder, replica)
    first, is_whole = _last_snapshot(folder, replica, found)
    if first:
        gone += [file_name(number) for number in found if (number < first) == is_whole]
    if gone:
        layout.remove(folder, replica, gone)


def _last_snapshot(folder: str, replica: str, found: Sequence[int]) -> tuple[int, bool]:
    """Return the first number of the snapshot whose part is the last segment, and whether it has
    all its parts; 0 where the last segment is of no snapshot."""
    if not found:
        return 0, False
    try:
        mark = mark_at(folder, replica, found[-1])
    except (SegmentError, FileNotFoundError):
        return 0, False
    if mark.kind != "snapshot":
        return 0, False
    first = found[-1] - mark.part + 1
    return first, mark.part == mark.parts and set(found) >= set(range(first, found[-1] + 1))


def _append(folder: str, header: Header, data: bytes) -> str:
    """Write the bytes of a segment behind the last one of its replica; return their digest."""
    found = layout.segment_numbers(folder, header.replica)
    name, last = file_name(header.number), found[-1] if found else 0
    if header.number > last:
        _check_follows(folder, header, last)
        if layout.put(folder, header.replica, name, data):
            return segment.digest(data)
    if header.number not in found or _content(folder, header.replica, header.number) != data:
        raise forked(header.replica, header.number)
    return segment.digest(data)


def _check_follows(folder: str, header: Header, last: int) -> None:
    if header.kind == "snapshot" and header.part == 1:
        return
    if last == 0 and header.number == 1:
        return
    if last == 0 or header.number > last + 1:
        raise StoreError(
            f"the last segment of this machine in the place is {last}: {header.number} cannot "
            "follow it", hint="sync again: the place may have been restored from a backup",
            code="own_segments_missing",
        )  # fmt: skip
    before = _content(folder, header.replica, last)
    if segment.digest(before) != header.previous:
        raise forked(header.replica, last)


def _content(folder: str, replica: str, number: int) -> bytes:
    try:
        return layout.read(folder, replica, file_name(number))
    except FileNotFoundError as error:
        raise StoreError(
            f"segment {number} of machine {replica} is gone, or is no plain file",
            hint="look into the place: nobody else may write in this folder", code="replica_forked",
        ) from error  # fmt: skip


def forked(replica: str, number: int) -> StoreError:
    """Return the error of two machines that write as one replica."""
    return StoreError(
        f"segment {number} of {replica} in the place is not the one of this machine: two machines "
        "use one id", hint="was the memory file copied? Sync again: this one then gets a new id",
        code="replica_forked",
    )  # fmt: skip
