"""`remember --dedup`: what a new fact is like by its meaning, and what is said of that."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.memory import dedup, remember
from tideline_cli.memory.secret_screening import secretless
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import NewFact


def by_meaning(
    session: Session, db: Connection, new: NewFact, stated: str | None
) -> tuple[NewFact, tuple[str, ...]]:
    """Return the fact with what it replaces, and the facts that it may restate by its meaning.

    Where a setting asks for this and it cannot be done, or the embedder cannot be had, the user is
    told, and words alone decide. An option that cannot be followed is an error.
    """
    how = stated or session.setting("dedup", "exact")
    said = replace(new, content=remember.checked_text(new.content))
    if not is_trusted(said.source):
        said, _ = secretless(said)  # an embedder may be asked over the network
    try:
        found = dedup.likened(db, said, how=how, now=session.now)
    except UnavailableError as error:
        session.caution("dedup", f"compared by words alone: {error.message}", hint=error.hint)
        return new, ()
    except UsageError as error:
        if stated is not None:
            raise
        session.caution(
            "dedup", f"compared by words alone: the setting dedup is {how}, and the embedder of "
            "this file is not learned", hint=error.hint,
        )  # fmt: skip
        return new, ()
    if found.waiting:
        session.note(f"{found.waiting:,} or more facts have no vector yet and were not compared; "
                     "`tideline reembed` makes them")  # fmt: skip
    return replace(new, supersedes=(*new.supersedes, *found.replaces)), found.meant
