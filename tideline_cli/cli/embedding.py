"""Making vectors while a person waits: the progress, and what is said of it."""

from __future__ import annotations

from tideline_cli.cli.verbs import progress
from tideline_cli.errors import Interrupted, UnavailableError
from tideline_cli.memory import reembed
from tideline_cli.vector.embedders.names import split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.model.origin import Everyone, Origin

AT_ONCE = 2000  # facts whose vectors an import or a choice waits for


def make(
    session: Session, db: Connection, *, limit: int | None, total: int, viewer: Origin | Everyone
) -> int:
    """Make vectors that facts of the viewer lack, with a bar on a terminal; return how many."""
    made = 0
    try:
        with progress(session, "embedding", total) as advance:

            def count(done: int) -> None:
                nonlocal made
                made = done
                advance(done)

            return reembed.make(db, limit=limit, progress=count, viewer=viewer)
    except KeyboardInterrupt as stop:  # which ends the connection to a server: nothing is asked
        raise Interrupted.of(
            stop, f"{made:,} of {total:,} vectors are made, and kept",
            hint="`tideline reembed` goes on from there", done=made,
        ) from stop  # fmt: skip


def finish_import(session: Session, db: Connection) -> None:
    """Make the vectors that an import has left to be made, where that does not take long."""
    choice = reembed.choice_of(db, viewer=session.viewer)
    if not choice.missing:
        return
    if choice.missing <= AT_ONCE:
        try:
            make(session, db, limit=None, total=choice.missing, viewer=session.viewer)
            return
        except UnavailableError as error:
            session.caution_of_likeness(error)
    session.note(f"{waiting(choice.missing)} by {spec_of(choice.wanted)}: `tideline reembed`")


def waiting(missing: int) -> str:
    """Return how many facts wait for vectors."""
    return "1 fact waits for a vector" if missing == 1 else f"{missing:,} facts wait for vectors"


def spec_of(name: str) -> str:
    """Return the name of vectors as a person knows it."""
    return split_name(name).spec


def form_of(name: str) -> dict[str, Any]:
    """Return the name of vectors as JSON has it."""
    parts = split_name(name)
    return {
        "embedder": parts.spec, "revision": parts.revision or None, "dims": parts.dims or None
    }  # fmt: skip
