"""What is said where documents that a call names have no hit: which of them are not there."""

from __future__ import annotations

from tideline_cli.memory import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session


def note(session: Session, db: Connection | None, names: Sequence[str] | None) -> None:
    """Name the documents that are not there, with those that may have been meant."""
    if db is None or not names:
        return
    for error in library.unknown(db, names, viewer=session.viewer):
        session.note(f"{error.message}; {error.hint}")
