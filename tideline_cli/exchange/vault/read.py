"""Reading a vault: each note as the fact that it was, or with what its reader made of it."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import markdown
from tideline_cli.exchange.vault import note
from tideline_cli.exchange.vault.folder import END, Folder, FoundNotes
from tideline_cli.exchange.vault.hubs import MAP
from tideline_cli.exchange.vault.write import FACTS, HUBS, MARKER
from tideline_cli.model import instant
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from tideline_cli.exchange.vault.note import Note

_OF_ONE_LIFE = frozenset((
    "id", "created_at", "last_accessed_at", "access_count", "changed_at", "said_at", "lifecycle",
    "archived_reason", "links", "heat", "status", "content",
))  # fmt: skip
"""What the fact that takes the place of a reworded one does not take from it: an edit carries over
all labels, and nothing of its use, its links and its standing."""


def is_vault(path: str) -> bool:
    """Say whether a folder is a vault."""
    with Folder.there(path) as folder:
        return folder.read(MARKER) is not None


def rows(
    path: str, *, tell: Callable[[str], None]
) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield (number, row or what is wrong with it) of the notes, by their names; tell what is
    passed over.

    A note whose text was edited is a new fact in the place of the old one; one of which fields were
    edited is the same fact, changed when the file was. A note that is none of ours is a new fact,
    and so is a copy of a note that says something else.
    """
    with Folder.there(path) as folder:
        facts = folder.inner(FACTS, makes=False)
        if facts is None:
            raise UsageError(f"{path} has no notes", hint="export it again")
        with facts:
            reader = _Reader(facts, tell)
            yield from enumerate(reader.rows(), 1)
            reader.tell_rest()
        ours = (f"{MAP}{END}", FACTS, HUBS)
        beside = [one for one in (*folder.notes(), *folder.folders()) if one not in ours]
        if beside:
            more = f" and {len(beside) - 1:,} more" if len(beside) > 1 else ""
            tell(f"passed over: {beside[0]}{more}; of a vault only the notes in {FACTS} are read")


class _Reader:
    """The notes of one folder as rows."""

    def __init__(self, folder: Folder, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._found = FoundNotes(folder)
        self._tell = tell
        self._same = 0  # copies that say what their notes say

    def rows(self) -> Iterator[dict[str, Any] | TidelineError]:
        """Yield the row of each note, or what is wrong with it."""
        files = {one.file: one.note for one in self._found.files()}
        originals = {one.file for one in self._found.notes.values()}
        gone = {one.file for one in self._found.gone.values()}
        for name in sorted([*files, *self._found.strange]):
            found = files.get(name)
            row = None
            if found is None:
                yield from self._foreign(name)
            elif name in originals:
                row = self._row(name, found)
            elif name not in gone:
                row = self._of_copy(name, found)
            if row is not None:
                yield row

    def tell_rest(self) -> None:
        """Tell what was passed over."""
        for count, what in (
            (len(self._found.gone), "notes of gone facts hold your own words alone"),
            (self._same, "copies of notes say the same as these"),
            (len(self._found.folders), f"folders in {FACTS} are not read"),
        ):
            if count:
                self._tell(f"passed over: {count:,} {what}")

    def _row(self, name: str, found: Note) -> dict[str, Any] | TidelineError:
        if found.flaws:
            return UsageError(f"{name!r:.60}: {found.flaws[0]}")
        if found.is_reworded:
            return self._reworded(name, found) | {"supersedes": [found.id]}
        fields = found.fields | {"content": found.text}
        if found.is_relabelled:
            fields["changed_at"] = instant.iso(self._folder.changed_at(name))
        return fields

    def _reworded(self, name: str, found: Note) -> dict[str, Any]:
        """Return the fact that says the new words, made when the file was changed; as an edit has
        it, it holds for all the time for which the old one held. Words that nobody vouches for lose
        what the old ones were granted."""
        fields = found.fields
        kept = {one: value for one, value in fields.items() if one not in _OF_ONE_LIFE}
        if not is_trusted(found.source):
            kept = {one: kept[one] for one in kept if one not in ("pinned", "tier")}
        born = _instant(fields.get("created_at"))
        since = _instant(fields.get("valid_from")) or born
        until = _instant(fields.get("valid_to"))
        if since is not None and (until is None or since < until):
            kept["valid_from"] = instant.iso(since)
        said = max(self._folder.changed_at(name), born or 0)
        return kept | {"content": found.text, "created_at": instant.iso(said)}

    def _of_copy(self, name: str, found: Note) -> dict[str, Any] | TidelineError | None:
        """Return the row of a further file with the id of a note: a fact of its own, if it says
        something else."""
        original = self._found.notes[found.id].file
        if found.flaws or (found.is_relabelled and not found.is_reworded):
            return UsageError(
                f"{name!r:.60} is a copy of {original!r:.60} with other fields; give it a text of "
                "its own, or change the fields there"
            )
        if found.is_reworded:
            return self._reworded(name, found)
        self._same += 1
        return None

    def _foreign(self, name: str) -> Iterator[dict[str, Any] | TidelineError]:
        """Yield what a note states that somebody wrote beside ours."""
        text = self._folder.read(name)
        if text is None:
            yield UsageError(f"{name!r:.60} is no text in UTF-8, or a link, which is not followed")
            return
        plain = text.replace("\r\n", "\n").strip("\n")
        if any(mark in plain for mark in (note.BEGIN, note.END)):
            yield UsageError(f"{name!r:.60}: the marks around its fact are broken")
            return
        found = [row for _, row in markdown.rows_of(plain.split("\n"), name=name, tell=self._tell)]
        for row in found or [UsageError("it says nothing")]:
            if isinstance(row, TidelineError):
                row = UsageError(f"{name!r:.60}: {row.message}")
            yield row


def _instant(value: object) -> int | None:
    """Return the time that a field states; a wrong one is told where its row is read."""
    try:
        return instant.parse(value) if isinstance(value, str) else None
    except TidelineError:
        return None
