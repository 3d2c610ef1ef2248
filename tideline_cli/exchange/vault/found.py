"""What is found in the folder of notes: the note of each fact, copies of it, notes of gone facts,
and files that are none."""

from __future__ import annotations

from tideline_cli.exchange.vault import note
from tideline_cli.exchange.vault.folder import END
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.exchange.vault.folder import Folder
    from tideline_cli.exchange.vault.note import Note

_ENDING = 6  # letters of an id that a name ends with


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
    is_named = found.name.endswith((f"({fact_id})", f"({fact_id[-_ENDING:]})"))
    return found.note.is_reworded, found.note.is_edited, not is_named, found.file
