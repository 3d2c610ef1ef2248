"""What the facts that a pass makes are derived from: no pass launders untrusted words."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError
from tideline_cli.policy import gate
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.fact import Fact


def check_cited(db: Connection, fact: Fact) -> None:
    """Raise WriteBlockedError when a pass cites a fact of an untrusted source. A fact that is not
    there is passed over."""
    for reference in fact.derived_from:
        try:
            cited = facts.find(db, reference.strip(), viewer=fact.origin)
        except NotFoundError:
            continue
        gate.check_descent(fact.source, (cited.source,))
