"""What facts are derived from: whole ids, and no pass launders untrusted words."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError
from tideline_cli.policy import gate
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin


def check_cited(db: Connection, fact: Fact) -> None:
    """Raise WriteBlockedError when a pass cites a fact of an untrusted source. A fact that is not
    there is passed over."""
    for reference in fact.derived_from:
        try:
            cited = facts.find(db, reference.strip(), viewer=fact.origin)
        except NotFoundError:
            continue
        gate.check_descent(fact.source, (cited.source,))


def cited(db: Connection, references: Iterable[str], *, viewer: Origin) -> tuple[str, ...]:
    """Return the full ids of what is cited; raise NotFoundError for what is not there.

    A purge follows whole ids, so the beginning of an id is not stored.
    """
    return tuple(fact.id for fact in facts.named(db, references, viewer=viewer))
