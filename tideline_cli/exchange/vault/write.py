"""Writing a vault: a note for each fact, hubs, a map. What its reader wrote stays, and so does a
note with an edit that no import has taken yet."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.vault import hubs, note
from tideline_cli.exchange.vault.folder import END, Folder, FoundNotes
from tideline_cli.exchange.vault.hubs import HubLine
from tideline_cli.exchange.vault.note import note_name
from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tideline_cli.exchange.vault.folder import FoundNote
    from tideline_cli.exchange.vault.note import Note

    Form = Mapping[str, Any]
    Forms = Callable[[], Iterable[Form]]

MARKER = ".tideline-vault"
FACTS, HUBS = "facts", "hubs"


class WrittenVault:
    """What became of a vault: how many notes there are and how many of them changed, how many went,
    the notes whose edits wait for an import, those that no filter asked for, and files in the place
    of a note that are none."""

    def __init__(self) -> None:
        self.notes = 0
        self.changed = 0
        self.removed = 0
        self.outside = 0
        self.kept: list[str] = []  # notes of gone facts in which somebody wrote
        self.edited: list[str] = []
        self.strange: list[str] = []


def write(path: str, forms: Forms, *, origin: str, is_there: Callable[[str], bool]) -> WrittenVault:
    """Write the vault of an origin into a folder: a new or empty one, or that of an earlier export
    of the same origin. `forms` gives the facts anew each time; the notes of other facts stay as
    they are, as long as these are there."""
    with Folder.at(path) as folder:
        _claim(folder, origin)
        facts, rooms = folder.inner(FACTS, makes=True), folder.inner(HUBS, makes=True)
        if facts is None or rooms is None:
            raise UsageError(f"{path} cannot be written", hint="check the folder")
        with facts, rooms:
            work = _Work(facts, is_there)
            work.name(forms)
            for form in forms():
                work.put(form)
            work.tidy()
            work.done.strange += hubs.put(folder, rooms, work.entries)
            return work.done


def _claim(folder: Folder, origin: str) -> None:
    """Make a folder the vault of an origin; refuse one that is something else."""
    found = folder.read(MARKER)
    if found is None:
        if [name for name in folder.names() if name[0] != "."]:
            raise UsageError(
                f"{folder.path} is not empty, and no vault of an export",
                hint="name a new or empty folder",
            )
        folder.write(MARKER, codec.dumps({"version": 1, "origin": origin}) + "\n")
    elif origin_of(found) != origin:
        raise UsageError(
            f"{folder.path} is the vault of another origin", hint="name another folder"
        )


def origin_of(marker: str) -> str | None:
    """Return whose vault a folder is, by the file that marks it."""
    try:
        value = codec.loads(marker)
    except ValueError:
        return None
    return value.get("origin") if isinstance(value, dict) else None


class _Work:
    """One export: the notes that are there, and the names of those that will be."""

    def __init__(self, facts: Folder, is_there: Callable[[str], bool]) -> None:
        self._facts = facts
        self._is_there = is_there
        self._found = FoundNotes(facts)
        self._names: dict[str, str] = {}  # by id, without the ending
        files = [*self._found.strange, *(one.file for one in self._found.files())]
        self._used = {file[: -len(END)].casefold() for file in files}
        self._copies = {one.note.text: one for one in self._found.copies if one.note.is_reworded}
        self._taken: dict[str, FoundNote] = {}  # by id: the file that the note of a fact goes on in
        self.entries: list[HubLine] = []
        self.done = WrittenVault()
        self.done.strange += self._found.strange
        self.done.strange += (f"{FACTS}/{name}" for name in self._found.folders)

    def name(self, forms: Forms) -> None:
        """Give every fact the name of its note: the one that it has, or a new one."""
        heirs = self._heirs(forms)
        for form in forms():
            found = self._note_for(form, heirs)
            if found is not None:
                self._taken[form["id"]] = found
            self._name(form, found)
        kept = {one.file for one in self._taken.values()}
        for fact_id, found in self._found.notes.items():
            if fact_id in self._names or found.file in kept or not self._is_there(fact_id):
                continue
            self.done.outside += 1
            self._name(_hub_form(found.note), found)
        copies = (one.file for one in self._found.copies if one.file not in kept)
        self.done.strange += copies

    def _name(self, form: Form, found: FoundNote | None) -> None:
        """Keep the name of a fact's note, and what hubs say of it."""
        name = found.name if found else note_name(form["content"], form["id"], self._used)
        self._names[form["id"]] = name
        self._used.add(name.casefold())
        self.entries.append(HubLine(
            name, form["segment"], form["slot"], form["lifecycle"], form["created_at"],
        ))  # fmt: skip

    def _heirs(self, forms: Forms) -> dict[str, str]:
        """Return the facts that the reader of notes has made of others, each with the one in whose
        note it goes on: it replaces that one, and the note says its words."""
        found: dict[str, str] = {}
        edited = {
            fact_id: one.note.text for fact_id, one in self._found.notes.items()
            if one.note.is_reworded
        }  # fmt: skip
        for form in forms() if edited else ():
            for link in form["links"]:
                is_said = edited.get(link["target"]) == form["content"]
                if link["kind"] == "supersedes" and is_said:
                    found[link["target"]] = form["id"]
        return {heir: old for old, heir in found.items()}

    def _note_for(self, form: Form, heirs: Mapping[str, str]) -> FoundNote | None:
        """Return the file in which the note of a fact goes on: its own, that of the fact it has
        replaced by an edit, a copy that became a fact, or what was left when it was gone."""
        fact_id = form["id"]
        if fact_id in heirs:
            return self._found.notes[heirs[fact_id]]
        if fact_id in self._found.notes and fact_id not in heirs.values():
            return self._found.notes[fact_id]
        return self._copies.pop(form["content"], None) or self._found.gone.get(fact_id)

    def put(self, form: Form) -> None:
        """Write the note of a fact, unless an edit in it waits."""
        self.done.notes += 1
        found = self._taken.get(form["id"])
        name = self._names[form["id"]]
        is_own = found is not None and found.note.state and found.note.id == form["id"]
        if found is not None and is_own and _waits(found.note, form):
            self.done.edited.append(name)
            return
        extra, yours = (found.note.extra, found.note.yours) if found else ((), "")
        text = note.written(form, self._links(form), extra=extra, yours=yours)
        self.done.changed += self._facts.write(name + END, text)

    def _links(self, form: Form) -> list[str]:
        """Return the lines of a note's links: its hubs, and the facts that it bears on."""
        hub_names = [hubs.hub_name("segment", form["segment"])]
        if form["slot"]:
            hub_names.append(hubs.hub_name("slot", form["slot"]))
        lines = [f"- [[{one}]]" for one in hub_names]
        for link in sorted(form["links"], key=lambda one: (one["kind"], one["target"])):
            known = self._names.get(link["target"])
            end = f"[[{known}]]" if known else link["target"]
            why = note.shown_text(" ".join((link["reason"] or "").split()), "tool_output")
            lines.append(f"- {link['kind']} {end}{f' – {why}' if why else ''}")
        return lines

    def tidy(self) -> None:
        """Take away the notes of facts that are gone. What somebody wrote into one stays, without
        the fact."""
        kept = {name + END for name in self._names.values()}
        for found in self._found.notes.values():
            if found.file in kept:
                continue
            left = note.farewell(found.note)
            if found.note.is_edited:
                self.done.edited.append(found.name)
            elif left is not None:
                self._facts.write(found.file, left)
                self.done.kept.append(found.name)
            else:
                self._facts.remove(found.file)
                self.done.removed += 1


def _hub_form(found: Note) -> Form:
    """Return what the hubs say of a fact, by its note alone."""
    fields = {name: value for name, value in found.fields.items() if isinstance(value, str)}
    segment = fields.get("segment")
    return {
        "id": found.id, "segment": segment if segment in SEGMENTS else "knowledge",
        "slot": fields.get("slot"), "lifecycle": fields.get("lifecycle", "active"),
        "created_at": fields.get("created_at", ""),
    }  # fmt: skip


def _waits(found: Note, form: Form) -> bool:
    """Say whether a note has an edit that the memory does not know yet."""
    if found.flaws:
        return True
    if found.is_reworded:
        return bool(found.text != form["content"])
    if not found.is_relabelled:
        return False
    known = note.parsed(note.written(form, ()))
    return known is None or not found.states_as(known)
