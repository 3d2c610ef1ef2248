"""A folder of notes: every name in it is opened as it is, and no link leads out of it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from tideline_cli.errors import CannotWriteError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

END = ".md"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LARGEST = 16 << 20
_PRIVATE = 0o600


class Folder:
    """An open folder. Files are private to their owner; a change is whole or not at all."""

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self._handle = handle

    @classmethod
    def at(cls, path: str) -> Folder:
        """Open a folder, and make it where it is missing; its parent must be there."""
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
        return cls(path, os.open(path, _FOLDER))

    @classmethod
    def there(cls, path: str) -> Folder:
        """Open a folder for reading."""
        return cls(path, os.open(path, _FOLDER))

    def inner(self, name: str, *, makes: bool) -> Folder | None:
        """Open a folder in it, None where there is none and none is made. A link is refused."""
        if makes:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=self._handle)
        try:
            handle = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(
                f"{self.path}/{name} is no folder of its own", hint="a link leads out of the vault"
            ) from error
        return Folder(f"{self.path}/{name}", handle)

    def names(self) -> list[str]:
        """Return the names in the folder, in order."""
        return sorted(os.listdir(self._handle))

    def notes(self) -> list[str]:
        """Return the names of its notes, in order, hidden ones left out."""
        return [name for name in self.names() if name.endswith(END) and name[0] != "."]

    def folders(self) -> list[str]:
        """Return the names of the folders in it, in order, hidden ones left out."""
        return [name for name in self.names() if name[0] != "." and self._is_folder(name)]

    def _is_folder(self, name: str) -> bool:
        try:
            state = os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return stat.S_ISDIR(state.st_mode)

    def holds(self, name: str) -> bool:
        """Say whether there is anything of this name: a file, a folder, or a link."""
        try:
            os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def read(self, name: str) -> str | None:
        """Return the text of a file; None where there is none, and where it is no plain file or no
        text in UTF-8."""
        try:
            handle = os.open(name, _READ, dir_fd=self._handle)
        except OSError:
            return None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            return None
        with open(handle, "rb") as file:
            raw = file.read(_LARGEST + 1)
        try:
            return raw.decode("utf-8-sig") if len(raw) <= _LARGEST else None
        except UnicodeDecodeError:
            return None

    def changed_at(self, name: str) -> int:
        """Return when a file was changed, in milliseconds."""
        return os.stat(name, dir_fd=self._handle, follow_symlinks=False).st_mtime_ns // 1_000_000

    def write(self, name: str, text: str) -> bool:
        """Let a file have a text; say whether that is a change."""
        raw = text.encode("utf-8", "backslashreplace")
        there = self.read(name)
        if there is not None and there.encode("utf-8", "backslashreplace") == raw:
            return False
        part = f".{os.getpid()}-{os.urandom(4).hex()}.part"
        try:
            handle = os.open(part, _WRITE, _PRIVATE, dir_fd=self._handle)
            with open(handle, "wb") as file:
                file.write(raw)
            os.replace(part, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except OSError as error:
            with suppress(OSError):
                os.unlink(part, dir_fd=self._handle)
            raise CannotWriteError(
                f"cannot write {self.path}/{name}: {error.strerror}", hint="check the folder"
            ) from error
        return True

    def remove(self, name: str) -> None:
        """Remove a file."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._handle)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        os.close(self._handle)
