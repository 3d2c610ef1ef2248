"""A place that is reached by another program: its files lie in a mirror here, one's own go out.

What another replica wrote is never changed there, and what is there under one's own id is never
overwritten: it is compared.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from contextlib import suppress
from time import sleep

from tideline_cli.errors import BusyError
from tideline_cli.model.record import Record
from tideline_cli.sync import folders, layout
from tideline_cli.sync.places.mirror import Mirror
from tideline_cli.sync.places.trouble import meaning_of
from tideline_cli.sync.segment import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tideline_cli.sync.places.programs import Done, Programs

_TRIES = 10  # times to publish, while others publish too
_PAUSE = 0.05  # seconds after the first of them; each is twice as long, up to 1.6 s


class PlacedFile(Record):
    """A file of a place, as the place lists it; `mark` tells its content, where the place knows."""

    size: int
    mark: str = ""


class Mirrored(ABC):
    """A place with a mirror. `replica` is one's own id, empty where there is none yet; then nothing
    is removed from the mirror."""

    kind = ""

    def __init__(self, address: str, *, mirror: str, replica: str, programs: Programs) -> None:
        self.address = address
        self._mirror = Mirror(mirror)
        self._replica = replica
        self._programs = programs
        self._has_place = False  # whether the last fetch found place.json there

    def is_owners_alone(self) -> bool:
        """Say whether only its owner can write there: nobody here knows that."""
        return False

    def is_private(self) -> bool:
        """Say whether only its owner can read it: nobody here knows that either."""
        return False

    def fetch(self) -> str:
        """Bring the mirror up to date, and return its folder.

        One's own files that are not there yet stay. Raises BusyError (75) for a place that cannot
        be reached now, UsageError for an address that leads nowhere.
        """
        with self._mirror.alone():
            there = self._list()
            self._has_place = layout.PLACE_FILE in there
            self._mirror.take(self._wanted(there), self._get)
            if self._replica:
                self._mirror.drop([
                    path
                    for path in self._mirror.sizes()
                    if path not in there and not self._may_be_unsent(path)
                ])  # fmt: skip
        return self._mirror.files

    def send(self, own_replica: str) -> None:
        """Publish the folder of one's own replica, keys and place.json; what a snapshot has
        replaced is removed there.

        Raises StoreError where another machine writes as this replica, BusyError where the place
        cannot be reached or others keep publishing, CannotWriteError where it takes nothing.
        """
        with self._mirror.alone():
            for attempt in range(_TRIES):
                there = self._list()
                self._check_place(there)
                put, gone = self._plan(there, own_replica)
                if (not put and not gone) or self._publish(put, gone, own_replica):
                    return
                sleep(_PAUSE * 2 ** min(attempt, 5) * (0.5 + os.urandom(1)[0] / 256))
        raise BusyError(
            f"{self.address}: others write there all the time", hint="try again",
            code="unreachable",
        )  # fmt: skip

    @abstractmethod
    def _list(self) -> dict[str, PlacedFile]:
        """Return the files of the layout that the place has now, by their paths."""

    @abstractmethod
    def _get(self, paths: Sequence[str]) -> None:
        """Copy files of the place to the same paths in the empty folder `incoming` of the mirror;
        what is gone meanwhile may lack."""

    @abstractmethod
    def _publish(self, put: Sequence[str], gone: Sequence[str], own: str) -> bool:
        """Copy files of the mirror to the place and remove others there; say False where somebody
        else was faster, and all of it must be done again."""

    def _is_same(self, data: bytes, entry: PlacedFile) -> bool:
        """Say whether a file here has the content that the place lists, as far as it tells."""
        return len(data) == entry.size

    def _run(
        self, words: Sequence[str], *, stdin: bytes = b"", cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Done:  # fmt: skip
        return self._programs.run(
            words, stdin=stdin, cwd=cwd, variables=variables, held=self._mirror.lock
        )

    def _check(self, done: Done) -> None:
        """Raise what a program means that has failed."""
        if done.code:
            said = done.err + done.out[:4096].decode("utf-8", "replace")
            raise meaning_of(said, self.address)

    def _is_own(self, path: str) -> bool:
        return bool(self._replica) and path.startswith(f"{self._replica}/")

    def _may_be_unsent(self, path: str) -> bool:
        return "/" not in path or path.startswith(f"{layout.KEYS}/") or self._is_own(path)

    def _wanted(self, there: Mapping[str, PlacedFile]) -> list[str]:
        """Return what the mirror lacks or has otherwise. Of one's own it is only what lacks, and
        place.json comes with anything else."""
        here = self._mirror.sizes()
        wanted = [
            path
            for path, entry in there.items()
            if entry.size <= LARGEST
            and (path not in here or (not self._is_own(path) and self._differs(path, entry, here)))
        ]
        if wanted and self._has_place and layout.PLACE_FILE not in wanted:
            wanted.append(layout.PLACE_FILE)
        return wanted

    def _differs(self, path: str, entry: PlacedFile, here: Mapping[str, int]) -> bool:
        if here[path] != entry.size:
            return True
        return bool(entry.mark) and not self._is_same(self._mirror.read(path), entry)

    def _check_place(self, there: Mapping[str, PlacedFile]) -> None:
        """Raise BusyError where somebody has made the place since the last fetch."""
        if self._has_place or layout.PLACE_FILE not in there:
            return
        is_made = layout.PLACE_FILE in self._mirror.sizes()
        before = self._mirror.read(layout.PLACE_FILE) if is_made else b""
        self._mirror.take([layout.PLACE_FILE], self._get)
        self._has_place = True
        if is_made and self._mirror.read(layout.PLACE_FILE) != before:
            raise BusyError(
                f"{self.address}: another machine has made the place at the same moment",
                hint="sync again: this machine then joins it", code="place_made",
            )  # fmt: skip

    def _plan(self, there: Mapping[str, PlacedFile], own: str) -> tuple[list[str], list[str]]:
        """Return what is to be copied to the place, and what is to be removed there."""
        here = self._mirror.sizes()
        mine = {path for path in here if path.startswith(f"{own}/")}
        shared = {path for path in here if path.rpartition("/")[0] in ("", layout.KEYS)}
        put = sorted((mine | shared) - there.keys())
        gone = []
        for path in sorted(path for path in there if mine and path.startswith(f"{own}/")):
            if path in here:
                if not self._is_same(self._mirror.read(path), there[path]):
                    self._check_cut(path, there[path])
                    put.append(path)
            elif path < min(mine):
                gone.append(path)  # a snapshot has replaced it
            else:
                raise folders.forked(own, layout.number_of(path.rpartition("/")[2]))
        return put, gone

    def _check_cut(self, path: str, entry: PlacedFile) -> None:
        """Raise StoreError unless what the place has is the beginning of our own file, as a copy
        that was cut short leaves it."""
        own, _, name = path.rpartition("/")
        data = self._mirror.read(path)
        if entry.size < len(data) and not entry.mark:
            self._mirror.clear_incoming()
            self._get([path])
            with suppress(FileNotFoundError):
                if data.startswith(layout.read(self._mirror.incoming, own, name)):
                    return
        raise folders.forked(own, layout.number_of(name))
