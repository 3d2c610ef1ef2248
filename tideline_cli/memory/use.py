"""One use of one fact that a person has chosen, without a recall that found it."""

from __future__ import annotations

from tideline_cli.memory.query import Recalled
from tideline_cli.memory.recall import write_back
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

_CHOSEN = Breakdown(None, (), 0.0, 0.0, 0.0, "lexical")


def count_choice(db: Connection, fact: Fact, *, viewer: Origin, now: int) -> None:
    """Count the use as that of a recall: best effort, and where its heat may move, that too."""
    seq = facts.number_of(db, fact.id, viewer=viewer)
    write_back(db, Recalled((Hit(fact, 0.0, _CHOSEN),), (seq,), None), touch=True, now=now)
