"""What a memory says to a hook: the block for a prompt, or for a conversation that begins. It is
read alone: nothing is counted, made or stored."""

from __future__ import annotations

from tideline_cli.memory import silence
from tideline_cli.memory.context import (
    AUTO_FACTS,
    context_block,
    dated,
    masked_hits,
    newest_first,
)
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record, replace
from tideline_cli.policy.render import with_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Query
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin

LONGEST = 8_000
"""Characters of an answer, as it is printed: above 10,000 clients cut it open, or write it into a
file of their own."""
MOST_CHARS = 6_000  # of a block, whatever the settings say
_BEYOND = 20  # given facts that a question looks past


@record
class Reply:
    """A block, and the facts whose lines are in it."""

    text: str
    ids: tuple[str, ...]


def found(
    db: Connection, query: Query, *, viewer: Origin, now: int, given: Collection[str]
) -> Sequence[Hit]:
    """Return the facts that are worth saying to a prompt and were not given before."""
    most = min(query.limit, AUTO_FACTS)
    further = replace(query, limit=most + min(len(given), _BEYOND))
    said, _ = silence.told(db, further, viewer=viewer, now=now)
    return [hit for hit in newest_first(db, said, viewer=viewer) if hit.fact.id not in given][:most]


def block_of(
    hits: Sequence[Hit], *, key: str, max_chars: int, style: str, show_secrets: bool, now: int,
    dates_ms: int,
) -> Reply:  # fmt: skip
    """Return the block of some facts, without their secrets unless those are asked for. Its fence
    is of the facts and of a key of the memory, so that the same facts are the same text, and none
    of them can know it."""
    told = "\n".join(
        f"{fact.id} {with_title(fact.title, fact.content)}" for fact in (hit.fact for hit in hits)
    )
    fence = blake2b(told.encode(), key=key.encode()[:64], digest_size=8).hexdigest()
    shown = dated(hits if show_secrets else masked_hits(hits), now=now, after_ms=dates_ms)
    made = context_block(
        shown, max_chars=min(max_chars, MOST_CHARS), max_tokens=None, fence=fence, style=style
    )
    return Reply(made.text, (*made.facts, *made.blocked))
