"""Reading a vault: each note as the fact that it was, or with what its reader made of it."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.vault import note
from tideline_cli.exchange.vault.folder import Folder
from tideline_cli.exchange.vault.write import FACTS, MARKER
from tideline_cli.model import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.errors import TidelineError
    from tideline_cli.exchange.vault.note import Note

_OF_ONE_LIFE = frozenset((
    "id", "created_at", "last_accessed_at", "access_count", "changed_at", "said_at", "lifecycle",
    "archived_reason", "links", "heat", "status", "valid_from", "valid_to", "content",
    "source_turn", "pinned",
))  # fmt: skip
"""What the fact that takes the place of a reworded one does not take from it."""


def is_vault(path: str) -> bool:
    """Say whether a folder is a vault."""
    with Folder.there(path) as folder:
        return folder.read(MARKER) is not None


def rows(path: str) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield (number, row or what is wrong with it) of the notes, by their names.

    A note whose text was edited is a new fact in the place of the old one; one of which fields were
    edited is the same fact, changed when the file was. A note that is none of ours is a new fact.
    """
    with Folder.there(path) as folder:
        facts = folder.inner(FACTS, makes=False)
        if facts is None:
            raise UsageError(f"{path} has no notes", hint="export it again")
        with facts:
            for number, name in enumerate(facts.notes(), 1):
                text = facts.read(name)
                if text is None:
                    yield number, UsageError(f"{name!r:.60} is no text in UTF-8")
                    continue
                found = note.parsed(text)
                if found is not None:
                    yield number, _row(found, facts.changed_at(name))
                else:
                    yield number, _foreign(name, text)


def _row(found: Note, changed_at: int) -> dict[str, Any]:
    fields = dict(found.fields)
    if found.is_reworded and found.id:
        kept = {name: value for name, value in fields.items() if name not in _OF_ONE_LIFE}
        return kept | {"content": found.text, "supersedes": [found.id]}
    fields["content"] = found.text
    if found.is_relabelled:
        fields["changed_at"] = instant.iso(changed_at)
    return fields


def _foreign(name: str, text: str) -> dict[str, Any] | TidelineError:
    """Return the row of a note that somebody wrote beside ours."""
    plain = text.replace("\r\n", "\n").strip("\n")
    if any(mark in plain for mark in (note.BEGIN, note.END)):
        return UsageError(f"{name!r:.60}: the marks around its fact are broken")
    if plain.startswith("---\n"):
        plain = plain.partition("\n---\n")[2].strip("\n")
    if not plain:
        return UsageError(f"{name!r:.60} says nothing")
    return {"content": plain}
