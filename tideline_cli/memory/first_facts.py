"""The facts that a conversation begins with, before anything is asked: pinned ones, and the
strongest."""

from __future__ import annotations

from tideline_cli.memory.silence import NOT_UNASKED
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.source import TRUSTED
from tideline_cli.ranking.decay import strength_at
from tideline_cli.store import facts, lasting, newest, visibility
from tideline_cli.store.facts import Filter, narrowing
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.origin import Origin

MOST = 8
_SAID = (*TRUSTED, "extraction", "compaction")
"""No tool and no document speaks before it is asked."""
_OF_LATE = 300  # facts among which the strongest are looked for, the newest and those used last
_USED_MS = 30 * DAY_MS
_UNASKED = Breakdown(None, (), 1.0, 1.0, 1.0, "lexical")


def first_facts(
    db: Connection, *, viewer: Origin, now: int, scopes: tuple[str | None, ...] | None
) -> tuple[Hit, ...]:
    """Return the first facts of a conversation. The same memory gives them in the same order, so
    that caches of prompts stay good: by when they were made, pinned ones first."""
    wanted = Filter(scopes=scopes, sources=_SAID, documents=())
    with snapshot(db):
        seqs = lasting.immune_numbers(
            db, viewer=viewer, now=now, wanted=wanted, limit=_OF_LATE
        )
        if len(seqs) < _OF_LATE:
            seqs += _of_late(db, viewer=viewer, now=now, wanted=wanted)
        read = facts.among(db, [*dict.fromkeys(seqs)], viewer=viewer, wanted=wanted, now=now)
    kept = [fact for fact in read.values() if fact.kind not in NOT_UNASKED]
    kept.sort(key=lambda fact: (
        not fact.pinned, -strength_at(fact, now=now), -fact.importance, fact.created_at, fact.id
    ))  # fmt: skip
    chosen = sorted(kept[:MOST], key=lambda fact: (not fact.pinned, fact.created_at, fact.id))
    return tuple(Hit(fact, fact.importance, _UNASKED) for fact in chosen)


def _of_late(db: Connection, *, viewer: Origin, now: int, wanted: Filter) -> list[int]:
    choice = newest.Choice(*narrowing(wanted, valid_at=now), "active")
    number = visibility.number(db, viewer)
    made = newest.numbers(db, choice, origin_number=number, limit=_OF_LATE)
    return made + lasting.used_numbers(
        db, viewer=viewer, now=now, since=now - _USED_MS, wanted=wanted, limit=_OF_LATE
    )
