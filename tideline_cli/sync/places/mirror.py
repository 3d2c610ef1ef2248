"""The mirror of a place: a private folder with the files that the place has, and those that it is
to get. It may be lost; it is made anew."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from tideline_cli.errors import BusyError
from tideline_cli.store.folders import make_folder
from tideline_cli.sync import folders, layout
from tideline_cli.system import LOCK_EX, LOCK_NB, NOFOLLOW, flock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WAIT = 60.0  # seconds for another sync of this machine
_GLANCE = 0.05
_LOCK = os.O_RDWR | os.O_CREAT | NOFOLLOW


class Mirror:
    """`files` is laid out as the place, `incoming` holds what is just arriving. `lock` is the open
    lock file while the mirror is `alone`: programs that work on it inherit it, so that the mirror
    is not free before they have ended, even where we were killed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.files = os.path.join(path, "files")
        self.incoming = os.path.join(path, "incoming")
        self.lock = -1

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only process that uses the mirror; raise BusyError after a minute."""
        try:
            make_folder(self.files)
            self.lock = os.open(os.path.join(self.path, "lock"), _LOCK, 0o600)
        except OSError as error:
            raise layout.cannot_write(self.path, error) from error
        try:
            self._wait()
            yield
        finally:
            os.close(self.lock)
            self.lock = -1

    def _wait(self) -> None:
        end = monotonic() + _WAIT
        while True:
            try:
                flock(self.lock, LOCK_EX | LOCK_NB)
                return
            except BlockingIOError:
                if monotonic() > end:
                    message = "another sync with this place is running"
                    raise BusyError(message, hint="try again") from None
                sleep(_GLANCE)
            except OSError:
                return  # a file system without locks

    def sizes(self) -> dict[str, int]:
        """Return the sizes of the files, by their paths."""
        found = {}
        for folder in ("", layout.KEYS, *folders.replicas(self.files)):
            for name in layout.names(self.files, folder):
                path = f"{folder}/{name}" if folder else name
                if layout.is_ours(path):
                    with suppress(FileNotFoundError):
                        found[path] = os.lstat(os.path.join(self.files, path)).st_size
        return found

    def read(self, path: str) -> bytes:
        """Return the content of a file; raise FileNotFoundError."""
        folder, _, name = path.rpartition("/")
        return layout.read(self.files, folder, name)

    def take(self, paths: Sequence[str], get: Callable[[Sequence[str]], None]) -> None:
        """Bring in files that `get` lays into `incoming`, each whole or not at all."""
        if not paths:
            return
        try:
            self.clear_incoming()
            get(paths)
            for path in paths:
                source, target = (os.path.join(one, path) for one in (self.incoming, self.files))
                with suppress(FileNotFoundError, NotADirectoryError):  # it is gone meanwhile
                    if stat.S_ISREG(os.lstat(source).st_mode):
                        os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
                        os.replace(source, target)
            shutil.rmtree(self.incoming, ignore_errors=True)
        except OSError as error:
            raise layout.cannot_write(self.path, error) from error

    def clear_incoming(self) -> None:
        """Leave `incoming` empty."""
        shutil.rmtree(self.incoming, ignore_errors=True)
        make_folder(self.incoming)

    def drop(self, paths: Sequence[str]) -> None:
        """Remove segments, and folders of replicas that have none left."""
        for path in paths:
            folder, _, name = path.rpartition("/")
            layout.remove(self.files, folder, [name])
        for folder in {path.rpartition("/")[0] for path in paths}:
            with suppress(OSError):
                os.rmdir(os.path.join(self.files, folder))  # where nothing is in it

    def listed(self, paths: Sequence[str], *, start: str = "") -> str:
        """Write paths into a file, a line each, and return its name."""
        name = os.path.join(self.path, "list")
        try:
            with open(name, "w", encoding="ascii") as file:
                file.writelines(f"{start}{path}\n" for path in paths)
        except OSError as error:
            raise layout.cannot_write(name, error) from error
        return name
