"""Edges that a model proposed, into the store."""

from __future__ import annotations

from tideline_cli.policy.render import prompt_text
from tideline_cli.policy.threats import scan
from tideline_cli.store import links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.policy.relations import Pair

_LONGEST_REASON = 200


def join(db: Connection, pairs: Iterable[Pair], *, now: int) -> int:
    """Store the edges, both ways each, and return how many entries are new.

    A reason that reads like an instruction takes its edge with it.
    """
    made = 0
    for pair in pairs:
        reason = prompt_text(pair.reason)[:_LONGEST_REASON].strip()
        if reason and not scan(reason):
            made += links.relate(
                db, pair.a, pair.kind, pair.b, reason=reason, strength=pair.strength, now=now
            )
    return made
