"""What the filters that list, export and forget share ask of facts."""

from __future__ import annotations

from tideline_cli.cli.shared_options import Filters, narrowed, said_by
from tideline_cli.errors import NotFoundError
from tideline_cli.model.fact import slot_key
from tideline_cli.store import history
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.cli.shared_options import Said


def wanted(
    session: Session, db: Connection | None, options: Filters, *, lifecycle: str | None = "active"
) -> Filter:
    """Return what a call asks of facts; raise NotFoundError for a batch that is not there, and
    UsageError for a span without an instant."""
    asked = narrowed(options)
    return Filter(
        lifecycle=lifecycle, slots=tuple(map(slot_key, options.slot)), sources=options.source,
        heats=options.heat, pinned=options.pinned,
        batch=None if options.batch is None else _number(session, db, options.batch),
        scopes=session.scopes(options.scope, everything=options.all_scopes),
        lasts_at=session.now if "active" in options.progress else None, **asked,
    )  # fmt: skip


def labelled(session: Session, options: Said) -> Filter:
    """Return what a call that counts labels asks of facts: their scope, and who said them where."""
    return Filter(
        lifecycle=None, scopes=session.scopes(options.scope, everything=options.all_scopes),
        **said_by(options),
    )


def is_given(options: Filters) -> bool:
    """Say whether a call names any filter: something that leaves facts out."""
    narrowing = (option.name for option in Filters.ALL if option.name != "all_scopes")
    return any(getattr(options, name) not in (None, False, ()) for name in narrowing)


def _number(session: Session, db: Connection | None, ordinal: int) -> int:
    found = None if db is None else history.find(db, ordinal, viewer=session.viewer)
    if found is None:
        raise NotFoundError(f"no batch {ordinal}", hint="`tideline history` lists them")
    return found.number
