"""library: the documents of a viewer, whether their files are as they were, taking one out."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches

from tideline_cli.errors import NotFoundError
from tideline_cli.model import instant
from tideline_cli.model.lean import sha256
from tideline_cli.model.record import record
from tideline_cli.policy.transitions import archived
from tideline_cli.store import journal, sequences, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.sequences import Document

_SPELLED_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")

@record
class Removed:
    """What was taken out: the names of the documents, how many chunks they had, and the batch."""

    names: tuple[str, ...]
    chunks: int
    batch: int


def staleness(document: Document) -> Literal["gone", "changed"] | None:
    """Return what has become of the file of a document since it was taken in; None where it is as
    it was, or came by standard input. A file of the same size is read where it was written since.
    """
    path, size = document.note.get("path"), document.note.get("bytes")
    if not isinstance(path, str):
        return None
    if not is_there(path):
        return "gone"
    whole = os.fsdecode(path_bytes(path))
    try:
        state = os.stat(whole)
        if state.st_size != size:
            return "changed"
        if instant.iso(int(state.st_mtime * 1000)) < str(document.note.get("ingested_at", "")):
            return None
        with open(whole, "rb") as file:
            is_same = sha256(file.read()).hexdigest() == document.note.get("sha256")
    except OSError:
        return None
    return None if is_same else "changed"


def is_there(text: str) -> bool:
    """Say whether the file of a path that was kept as text is there."""
    return os.path.exists(text) or ("\\x" in text and os.path.exists(path_bytes(text)))


def path_bytes(text: str) -> bytes:
    """Return the path that a text stands for, in which bytes that are no UTF-8 are spelled out."""
    if os.path.exists(text):
        return os.fsencode(text)
    return _SPELLED_BYTE.sub(lambda found: bytes([int(found[1], 16)]), text.encode())


def chunks_of(db: Connection | None, name: str, *, viewer: Origin) -> list[Fact]:
    """Return the chunks of a document in order; raise NotFoundError where there is none."""
    found = [] if db is None else sequences.chunks(db, name, viewer=viewer)
    if not found:
        raise missing(db, name, viewer=viewer)
    return found


def unknown(db: Connection, names: Sequence[str], *, viewer: Origin) -> list[NotFoundError]:
    """Return an error for each of the names that no document has."""
    known = {one.name for one in sequences.documents(db, viewer=viewer)}
    return [missing(db, name, viewer=viewer) for name in names if name not in known]


def remove(db: Connection, names: Sequence[str], *, viewer: Origin, now: int) -> Removed:
    """Archive all chunks of documents in one batch, all or none; raise NotFoundError for a name
    that no document has."""
    wanted = tuple(dict.fromkeys(names))
    with journal.batch(db, verb="library", by=viewer, now=now) as batch:
        count = 0
        for name in wanted:
            for chunk in chunks_of(db, name, viewer=viewer):
                writes.change(db, chunk, archived(chunk, now=now))
                count += 1
    return Removed(wanted, count, batch.ordinal)


def missing(db: Connection | None, name: str, *, viewer: Origin) -> NotFoundError:
    """Return the error for a name that no document has; its hint has the nearest ones."""
    known = [] if db is None else [one.name for one in sequences.documents(db, viewer=viewer)]
    by_end = [one for one in known if one.endswith(f"/{name}")]
    near = by_end[:3] or get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`tideline library` lists them"
    return NotFoundError(f"no such document: {name}", hint=hint)
