"""Edges that a model proposed, into the store."""

from __future__ import annotations

from tideline_cli.policy import secrets
from tideline_cli.policy.render import prompt_text
from tideline_cli.store import links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.memory.screening import Screen
    from tideline_cli.policy.relations import Pair

_LONGEST_REASON = 200


def scan_reasons(reasons: Iterable[str | None], screen: Screen) -> None:
    """Scan the reasons of edges that `join` is about to store."""
    for reason in reasons:
        screen.found(_shown(reason or ""))


def secret_count(reasons: Iterable[str | None]) -> int:
    """Return how many secrets stand in the reasons of edges; `join` takes them out."""
    return sum(secrets.without(reason or "")[1] for reason in reasons)


def join(db: Connection, pairs: Iterable[Pair], *, now: int, screen: Screen) -> int:
    """Store the edges and return how many entries are new; a symmetric kind makes two.

    A reason that reads like an instruction takes its edge with it.
    """
    made = 0
    for pair in pairs:
        reason = _shown(pair.reason)
        if reason and not screen.found(reason):
            made += links.relate(
                db, pair.a, pair.kind, pair.b, reason=reason, strength=pair.strength, now=now
            )
    return made


def _shown(reason: str) -> str:
    """Return a reason as it is stored."""
    return prompt_text(secrets.without(reason)[0])[:_LONGEST_REASON].strip()
