"""`remember --dedup`: what a new fact is like by its meaning, and what is said of that."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.memory import dedup, remember
from tideline_cli.memory.secret_screening import secretless
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import NewFact


def by_meaning(
    session: Session, db: Connection, new: NewFact, stated: str | None
) -> tuple[NewFact, tuple[str, ...]]:
    """Return the fact with what it replaces, and the facts that it may restate by its meaning."""
    return all_by_meaning(session, db, [new], stated)[0]


def all_by_meaning(
    session: Session, db: Connection, news: Sequence[NewFact], stated: str | None
) -> list[tuple[NewFact, tuple[str, ...]]]:
    """Return facts of the origin of the call with what each replaces, and the facts that it may
    restate by its meaning.

    Where a setting asks for this and it cannot be done, or the embedder cannot be had, the user is
    told, and words alone decide. An option that cannot be followed is an error.
    """
    how = stated or session.setting("dedup", "exact")
    plain: list[tuple[NewFact, tuple[str, ...]]] = [(new, ()) for new in news]
    said = [_asked(new) for new in news]
    try:
        found = dedup.likened_all(db, said, viewer=session.viewer, how=how, now=session.now)
    except UnavailableError as error:
        session.caution("dedup", f"compared by words alone: {error.message}", hint=error.hint)
        return plain
    except UsageError as error:
        if stated is not None:
            raise
        session.caution(
            "dedup", f"compared by words alone: the setting dedup is {how}, and the embedder of "
            "this file is not learned", hint=error.hint,
        )  # fmt: skip
        return plain
    if waiting := max((one.waiting for one in found), default=0):
        session.note(f"{waiting:,} or more facts have no vector yet and were not compared; "
                     "`tideline reembed` makes them")  # fmt: skip
    return [
        (replace(new, supersedes=(*new.supersedes, *one.replaces)), one.meant)
        for new, one in zip(news, found, strict=True)
    ]


def _asked(new: NewFact) -> NewFact:
    """Return a fact as the embedder is asked for it, which may be over the network."""
    said = replace(new, content=remember.checked_text(new.content))
    return said if is_trusted(said.source) else secretless(said)[0]
