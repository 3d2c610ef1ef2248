"""Writing a vault: a note for each fact, hubs, a map. What its reader wrote stays, and so does a
note with an edit that no import has taken yet."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.vault import hubs, note
from tideline_cli.exchange.vault.folder import END, Folder
from tideline_cli.exchange.vault.hubs import HubLine
from tideline_cli.exchange.vault.names import note_name
from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tideline_cli.exchange.vault.note import Note

    Form = Mapping[str, Any]
    Forms = Callable[[], Iterable[Form]]

MARKER = ".tideline-vault"
FACTS, HUBS = "facts", "hubs"


class WrittenVault:
    """What became of a vault: how many notes there are and how many of them changed, how many went,
    the notes whose edits wait for an import, and files in the place of a note that are none."""

    def __init__(self) -> None:
        self.notes = 0
        self.changed = 0
        self.removed = 0
        self.kept: list[str] = []  # notes of gone facts in which somebody wrote
        self.edited: list[str] = []
        self.strange: list[str] = []


def write(path: str, forms: Forms, *, origin: str) -> WrittenVault:
    """Write the vault of an origin into a folder: a new or empty one, or that of an earlier export
    of the same origin. `forms` gives the facts anew each time."""
    with Folder.at(path) as folder:
        _claim(folder, origin)
        facts, rooms = folder.inner(FACTS, makes=True), folder.inner(HUBS, makes=True)
        if facts is None or rooms is None:
            raise UsageError(f"{path} cannot be written", hint="check the folder")
        with facts, rooms:
            work = _Work(facts, rooms)
            work.look()
            work.name(forms())
            for form in forms():
                work.put(form)
            work.tidy()
            work.put_hubs(folder)
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

    def __init__(self, facts: Folder, rooms: Folder) -> None:
        self._facts, self._rooms = facts, rooms
        self._there: dict[str, tuple[str, Note]] = {}  # by id: name of the file, note
        self._names: dict[str, str] = {}  # by id, without the ending
        self._entries: list[HubLine] = []
        self._heir: dict[str, str] = {}  # by the id of a new fact: that of the one it replaces
        self.done = WrittenVault()

    def look(self) -> None:
        """Read the notes that are there."""
        for name in self._facts.notes():
            text = self._facts.read(name)
            found = None if text is None else note.parsed(text)
            if found is None or not found.id:
                self.done.strange.append(name)
            elif found.id in self._there:
                self.done.strange.append(name)  # a copy of a note, which its reader made
            else:
                self._there[found.id] = name, found

    def name(self, forms: Iterable[Form]) -> None:
        """Give every fact the name of its note: the one that it has, or a new one."""
        taken = {name[: -len(END)].casefold() for name in self.done.strange}
        taken |= {name[: -len(END)].casefold() for name, _ in self._there.values()}
        for form in forms:
            fact_id = form["id"]
            old: str | None = fact_id if fact_id in self._there else self._ancestor(form)
            if old is not None and old not in self._heir.values():
                self._names[fact_id] = self._there[old][0][: -len(END)]
                if old != fact_id:
                    self._heir[fact_id] = old
            else:
                self._names[fact_id] = note_name(form["content"], fact_id, taken)
                taken.add(self._names[fact_id].casefold())
            self._entries.append(HubLine(
                self._names[fact_id], form["segment"], form["slot"], form["lifecycle"],
                form["created_at"],
            ))  # fmt: skip

    def _ancestor(self, form: Form) -> str | None:
        """Return the fact whose note was edited into this one: it is replaced by it, and its note
        says the new words."""
        for link in form["links"]:
            known = self._there.get(link["target"])
            if link["kind"] == "supersedes" and known and known[1].text == form["content"]:
                return str(link["target"])
        return None

    def put(self, form: Form) -> None:
        """Write the note of a fact, unless an edit in it waits."""
        fact_id = form["id"]
        self.done.notes += 1
        old = self._there.get(self._heir.get(fact_id, str(fact_id)))
        name = self._names[fact_id]
        if old is not None and fact_id not in self._heir and _waits(old[1], form):
            self.done.edited.append(name)
            return
        extra, yours = (old[1].extra, old[1].yours) if old else ((), "")
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
        for fact_id, (name, found) in self._there.items():
            if fact_id in self._names or fact_id in self._heir.values():
                continue
            if found.is_reworded or found.is_relabelled:
                self.done.edited.append(name[: -len(END)])
            elif found.yours:
                self._facts.write(name, f"{found.yours}\n")
                self.done.kept.append(name[: -len(END)])
            else:
                self._facts.remove(name)
                self.done.removed += 1

    def put_hubs(self, folder: Folder) -> None:
        """Write the hubs and the map, and take away those of what is gone."""
        wanted: set[str] = set()
        for kind in ("segment", "slot"):
            for word in sorted({getattr(one, kind) or "" for one in self._entries} - {""}):
                name = hubs.hub_name(kind, word) + END
                members = [one for one in self._entries if getattr(one, kind) == word]
                yours = hubs.yours_of(self._rooms.read(name))
                self._rooms.write(name, hubs.hub(kind, word, members, yours))
                wanted.add(name)
        for name in set(self._rooms.notes()) - wanted:
            text = self._rooms.read(name)
            if text is not None and note.is_hub(text) and not hubs.yours_of(text):
                self._rooms.remove(name)
        name = hubs.MAP + END
        folder.write(name, hubs.map_page(self._entries, hubs.yours_of(folder.read(name))))


def _waits(found: Note, form: Form) -> bool:
    """Say whether a note has an edit that the memory does not know yet."""
    if found.is_reworded:
        return bool(found.text != form["content"])
    if not found.is_relabelled:
        return False
    known = note.parsed(note.written(form, ()))
    return known is None or not found.states_as(known)
