"""What is new of a replica in a place: its next segments, in order, each checked first."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.model.record import Record
from tideline_cli.sync import layout, segment
from tideline_cli.sync.layout import newest_snapshot
from tideline_cli.sync.segment import Header, SegmentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tideline_cli.sync.segment import Ring

_MACHINE = "let that machine sync, or take the file from a backup of the place"
ADVICE = {
    "gap": f"the file may still be on its way: sync again later; if it stays so, {_MACHINE}",
    "truncated": f"the file may still be on its way: sync again later; if it stays so, {_MACHINE}",
    "incomplete": "that machine is still writing: sync again when it has finished",
    "damaged": f"{_MACHINE}, which then writes its folder anew",
    "too_large": "remove the file: no segment is that large",
    "newer": "upgrade tideline-cli here",
    "key": "`tideline sync key` prints it on a machine that has it, `tideline sync key add` takes "
           "it here",
    "form": "somebody without the key may have written it: remove the file, or make a new place",
    "place": "it was written for another place: let that machine sync again",
    "chain": "two machines may use one copy of a memory file: sync on both, and one of them gets a "
             "new id",
    "rewound": "the place is older than what was read from it: was it restored from a backup? Let "
               "that machine sync: it sends everything again",
    "unreadable": "check the disk and the permissions of the place",
}  # fmt: skip
"""What to do about each reason for which the stream of a replica stops."""


class Segment(Record):
    """A segment that was read; `digest` is what the next one names as `previous`."""

    header: Header
    lines: list[bytes]
    digest: str


class Stopped(Record):
    """Why no more of a replica is read: a word of ADVICE, the number of the segment, what is wrong
    with it, what to do. Other replicas go on."""

    reason: str
    number: int
    message: str
    advice: str


class _Reader(Record):
    folder: str
    replica: str
    ring: Ring | None
    place: str


def unread(
    folder: str, replica: str, *, after: int, last: str, ring: Ring | None, place: str
) -> Iterator[Segment | Stopped]:
    """Yield the segments of a replica behind number `after`, whose digest was `last` (empty: not
    compared), in order; at the end a `Stopped`, where the stream cannot be read on.

    The newest snapshot that is whole and comes after `after` is where it begins: what is before it
    is passed over. All parts of it are checked before the first is yielded. A ring is for a sealed
    place, None for a plain one. `place` is the id that segments must name. Raises UnavailableError
    without `cryptography`.
    """
    reader = _Reader(folder, replica, ring, place)
    numbers = layout.segment_numbers(folder, replica)
    stop = _check_known(reader, numbers, after, last)
    if stop is not None:
        yield stop
        return
    fresh = [number for number in numbers if number > after]
    first = newest_snapshot(folder, replica, fresh)
    if first:
        stop = _check_snapshot(reader, first)
        if stop is not None:  # what is before it may be there still
            before = [number for number in fresh if number < first]
            has_stopped = yield from _in_order(reader, after + 1, last, before, first=0)
            if not has_stopped:
                yield stop
            return
    yield from _in_order(reader, first or after + 1, "" if first else last, fresh, first=first)


def _in_order(
    reader: _Reader, number: int, previous: str, fresh: list[int], *, first: int
) -> Generator[Segment | Stopped, None, bool]:
    """Yield segments, the last of which is that of `fresh`; return whether reading stopped."""
    while fresh and number <= fresh[-1]:
        one = _segment(reader, number, previous)
        if isinstance(one, Stopped):
            yield one
            return True
        header = one.header
        if header.kind == "snapshot" and header.part == 1 and number != first:
            message = f"a snapshot lacks some of its {header.parts} parts"
            yield _stopped("incomplete", number, message)
            return True
        yield one
        previous, number = one.digest, number + 1
    return False


def _check_known(reader: _Reader, numbers: list[int], after: int, last: str) -> Stopped | None:
    """Say what is wrong where the last segment that was read is not there as it was."""
    if after and (not numbers or numbers[-1] < after):
        at = numbers[-1] if numbers else 0
        message = f"{after} segments were read before, and the place has only {at} now"
        return _stopped("rewound", at, message)
    if not last or after not in numbers:
        return None
    try:
        data = layout.read(reader.folder, reader.replica, layout.file_name(after))
    except FileNotFoundError:
        return None
    except UnavailableError as error:
        return _stopped("unreadable", after, error.message)
    if segment.digest(data) != last:
        return _stopped("chain", after, "a segment is not the one that was read before")
    return None


def _check_snapshot(reader: _Reader, first: int) -> Stopped | None:
    previous, number, parts = "", first, 1
    while number < first + parts:
        one = _segment(reader, number, previous)
        if isinstance(one, Stopped):
            return one
        header = one.header
        parts = header.parts if number == first else parts
        if (header.kind, header.part, header.parts) != ("snapshot", number - first + 1, parts):
            return _stopped("damaged", number, "a part of a snapshot is another one")
        previous, number = one.digest, number + 1
    return None


def _segment(reader: _Reader, number: int, previous: str) -> Segment | Stopped:
    try:
        data = layout.read(reader.folder, reader.replica, layout.file_name(number))
        header, lines = segment.unpack(data, reader.ring)
    except FileNotFoundError:
        return _stopped("gap", number, "a segment is missing")
    except SegmentError as error:
        return _stopped(error.reason, number, error.message)
    except UnavailableError as error:
        if error.code != "unreadable":
            raise
        return _stopped("unreadable", number, error.message)
    if (header.replica, header.number) != (reader.replica, number):
        return _stopped("damaged", number, "a segment has the file name of another one")
    if header.place != reader.place:
        return _stopped("place", number, "a segment was written for another place")
    starts = header.kind == "snapshot" and header.part == 1
    if not starts and header.previous != previous and (previous or number == 1):
        return _stopped("chain", number, "a segment does not follow the one that was read before")
    return Segment(header, lines, segment.digest(data))


def _stopped(reason: str, number: int, message: str) -> Stopped:
    return Stopped(reason, number, message, ADVICE[reason])
