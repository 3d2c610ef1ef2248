"""library: the documents of a viewer; taking one out."""

from __future__ import annotations

from difflib import get_close_matches

from tideline_cli.errors import NotFoundError
from tideline_cli.model.record import record
from tideline_cli.policy.transitions import archived
from tideline_cli.store import documents, journal, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin


@record
class Removed:
    """What was taken out: the names of the documents, how many chunks they had, and the batch."""

    names: tuple[str, ...]
    chunks: int
    batch: int


def chunks_of(db: Connection | None, name: str, *, viewer: Origin) -> list[Fact]:
    """Return the chunks of a document in order; raise NotFoundError where there is none."""
    found = [] if db is None else documents.chunks(db, name, viewer=viewer)
    if not found:
        raise missing(db, name, viewer=viewer)
    return found


def unknown(db: Connection, names: Sequence[str], *, viewer: Origin) -> list[NotFoundError]:
    """Return an error for each of the names that no document has."""
    known = {one.name for one in documents.listed(db, viewer=viewer)}
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
    known = [] if db is None else [one.name for one in documents.listed(db, viewer=viewer)]
    by_end = [one for one in known if one.endswith(f"/{name}")]
    near = by_end[:3] or get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`tideline library` lists them"
    return NotFoundError(f"no such document: {name}", hint=hint)
