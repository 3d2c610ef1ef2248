"""What the tests of places are made of: ids, headers, replicas that write and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tideline_cli.model.record import replace
from tideline_cli.sync import folders, layout, stream
from tideline_cli.sync.places import open_place
from tideline_cli.sync.segment import Header

if TYPE_CHECKING:
    from pathlib import Path

PLACE = "c0ffee" * 5 + "00"
LAPTOP, DESKTOP, SERVER = ("1ab" * 10 + "aa", "2de" * 10 + "bb", "3fe" * 10 + "cc")


def header(number: int = 1, **changes: Any) -> Header:
    """Return a header of the laptop; `previous` is invented where one must stand."""
    given = {"place": PLACE, "replica": LAPTOP, "name": "laptop", "number": number, "clock": 7,
             "previous": "" if number == 1 else "0" * 64}  # fmt: skip
    return Header(**(given | changes))


class Log:
    """A replica that writes into the folder of a place."""

    def __init__(self, folder: Path | str, replica: str = LAPTOP, key: Any = None) -> None:
        self.folder, self.replica, self.key = str(folder), replica, key

    def write(self, *lines: bytes, **changes: Any) -> str:
        """Write the next log segment, and return its digest."""
        last = folders.tail(self.folder, self.replica)
        made = header(last.number + 1, place=self.place(), replica=self.replica,
                      previous=last.digest)  # fmt: skip
        packed = folders.packed_segments(replace(made, **changes), [lines], self.key)
        return folders.write(self.folder, packed)

    def snapshot(self, *parts: list[bytes], **changes: Any) -> int:
        """Replace all by a snapshot; return the number of its last part."""
        number = folders.tail(self.folder, self.replica).number + 1
        made = header(number, place=self.place(), replica=self.replica, kind="snapshot",
                      previous="")  # fmt: skip
        packed = folders.packed_segments(replace(made, **changes), parts, self.key)
        folders.write(self.folder, packed)
        return packed[-1][0].number

    def place(self) -> str:
        """Return the id of the place, which is made plain where there is none."""
        return layout.create_place(self.folder, is_sealed=self.key is not None).id


def place_of(folder: Path | str) -> str:
    """Return the id of the place that a folder is, empty where it is none."""
    found = layout.find_place(str(folder))
    return found.id if found else ""


def read(folder: Path | str, replica: str = LAPTOP, *, after: int = 0, last: str = "",
         ring: Any = None, place: str = "") -> list[Any]:  # fmt: skip
    """Return what is new of a replica: a number for a segment, its reason for a stop."""
    return [
        one.header.number if isinstance(one, stream.Segment) else one.reason
        for one in stream.unread(
            str(folder), replica, after=after, last=last, ring=ring,
            place=place or place_of(folder),
        )
    ]


class Machine:
    """A replica that syncs with a place by an address."""

    def __init__(self, where: Any, replica: str, tmp_path: Path) -> None:
        self.replica = replica
        mirror = tmp_path / f"mirror-{replica[:3]}"
        self.place = open_place(
            where.address, mirror=str(mirror), replica=replica, environ=where.environ, timeout=60
        )
        self.mirror = mirror

    def fetch(self) -> str:
        return self.place.fetch()

    def say(self, *lines: bytes) -> None:
        """Fetch, write one segment, send."""
        Log(self.fetch(), self.replica).write(*lines)
        self.place.send(self.replica)
