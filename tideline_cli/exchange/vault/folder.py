"""A folder of notes: every name in it is opened as it is, and no link leads out of it; and what is
found in it: the note of each fact, copies of it, notes of gone facts, and files that are none."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from tideline_cli.errors import CannotWriteError, UsageError
from tideline_cli.exchange.vault import note
from tideline_cli.model.record import record
from tideline_cli.system import BINARY, NOFOLLOW, NONBLOCK, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.exchange.vault.note import Note

END = ".md"
_READ = os.O_RDONLY | NOFOLLOW | NONBLOCK | BINARY
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | BINARY
_LARGEST = 16 << 20


class Folder:
    """An open folder. Files are private to their owner; a change is whole or not at all."""

    def __init__(self, path: str, handle: inside.Handle) -> None:
        self.path = path
        self._handle = handle

    @classmethod
    def at(cls, path: str) -> Folder:
        """Open a folder, and make it where it is missing; its parent must be there."""
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
        return cls(path, inside.opened_folder(path))

    @classmethod
    def there(cls, path: str) -> Folder:
        """Open a folder for reading."""
        return cls(path, inside.opened_folder(path))

    def inner(self, name: str, *, makes: bool) -> Folder | None:
        """Open a folder in it, None where there is none and none is made. A link is refused."""
        if makes:
            with suppress(FileExistsError):
                inside.make_folder(self._handle, name)
        try:
            handle = inside.inner_folder(self._handle, name)
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
            state = inside.state_of(self._handle, name)
        except FileNotFoundError:
            return False
        return stat.S_ISDIR(state.st_mode)

    def holds(self, name: str) -> bool:
        """Say whether there is anything of this name: a file, a folder, or a link."""
        try:
            inside.state_of(self._handle, name)
        except FileNotFoundError:
            return False
        return True

    def read(self, name: str) -> str | None:
        """Return the text of a file; None where there is none, and where it is no plain file or no
        text in UTF-8."""
        try:
            handle = inside.opened(self._handle, name, _READ)
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
        return inside.state_of(self._handle, name).st_mtime_ns // 1_000_000

    def write(self, name: str, text: str) -> bool:
        """Let a file have a text; say whether that is a change."""
        raw = text.encode("utf-8", "backslashreplace")
        there = self.read(name)
        if there is not None and there.encode("utf-8", "backslashreplace") == raw:
            return False
        part = f".{os.getpid()}-{os.urandom(4).hex()}.part"
        try:
            handle = inside.opened(self._handle, part, _WRITE)
            with open(handle, "wb") as file:
                file.write(raw)
            inside.put_over(self._handle, part, name)
        except OSError as error:
            with suppress(OSError):
                inside.remove(self._handle, part)
            raise CannotWriteError(
                f"cannot write {self.path}/{name}: {error.strerror}", hint="check the folder"
            ) from error
        return True

    def remove(self, name: str) -> None:
        """Remove a file."""
        with suppress(FileNotFoundError):
            inside.remove(self._handle, name)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        inside.close(self._handle)


@record
class FoundNote:
    """A file with the note that it holds."""

    file: str
    note: Note

    @property
    def name(self) -> str:
        """The name of the file without its ending, as links have it."""
        return self.file[: -len(END)]


class FoundNotes:
    """`notes` are the notes by the ids of their facts, `gone` what readers wrote into those of gone
    facts, `copies` further files with the id of a note, `strange` files that are none of these, and
    `folders` what lies deeper and is not read."""

    def __init__(self, folder: Folder) -> None:
        self.notes: dict[str, FoundNote] = {}
        self.gone: dict[str, FoundNote] = {}
        self.copies: list[FoundNote] = []
        self.strange: list[str] = []
        self.folders = folder.folders()
        files: dict[str, list[FoundNote]] = {}
        for file in folder.notes():
            text = folder.read(file)
            found = None if text is None else note.parsed(text)
            if found is not None and found.id:
                files.setdefault(found.id, []).append(FoundNote(file, found))
            elif text is not None and (left := note.parsed_gone(text)) is not None:
                self.gone.setdefault(left.id, FoundNote(file, left))
            else:
                self.strange.append(file)
        for fact_id, same in files.items():
            first = min(same, key=_foreignness)
            self.notes[fact_id] = first
            self.copies += (one for one in same if one is not first)

    def files(self) -> list[FoundNote]:
        """Return all files that hold notes, or what is left of them."""
        return [*self.notes.values(), *self.gone.values(), *self.copies]


def _foreignness(found: FoundNote) -> tuple[bool, bool, bool, str]:
    """Return what tells a copy, which its reader made and wrote into, from the note itself."""
    fact_id = found.note.id
    is_named = found.name.endswith((f"({fact_id})", f"({fact_id[-note.ENDING:]})"))
    return found.note.is_reworded, found.note.is_edited, not is_named, found.file
