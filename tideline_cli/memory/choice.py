"""Which embedder the name of a file's vectors means, on this machine."""

from __future__ import annotations

from tideline_cli.memory.coded_lane import check_revision
from tideline_cli.vector.embedder import resolve
from tideline_cli.vector.embedders.names import split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.vector.embedder import Embedder


def made(db: Connection, name: str) -> Embedder:
    """Return the embedder that made the vectors of a name; raises UnavailableError where it cannot
    be had, or only another revision of it."""
    found = chosen(db, split_name(name).spec)
    if " " in name:
        check_revision(found.name, name)
    return found


def chosen(db: Connection, spec: str) -> Embedder:  # noqa: ARG001
    """Return an embedder as it is here now, by what a user types."""
    return resolve(spec)
