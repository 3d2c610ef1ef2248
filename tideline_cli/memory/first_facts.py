"""The facts that a block begins with before anything is asked: of a conversation the pinned ones
and the strongest; of a context the constraints, under a heading and with room of their own."""

from __future__ import annotations

from tideline_cli.memory.context import Frame, Room, frame_of, lines_of
from tideline_cli.memory.silence import NOT_UNASKED
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import TRUSTED
from tideline_cli.ranking.decay import strength_at
from tideline_cli.store import facts, listing, visibility
from tideline_cli.store.connection import snapshot
from tideline_cli.store.facts import Filter, narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.context import ContextBlock
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
        seqs = listing.immune_numbers(db, viewer=viewer, now=now, wanted=wanted, limit=_OF_LATE)
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
    choice = listing.Choice(*narrowing(wanted, valid_at=now), "active")
    number = visibility.number(db, viewer)
    made = listing.newest_numbers(db, choice, origin_number=number, limit=_OF_LATE)
    return made + listing.used_numbers(
        db, viewer=viewer, now=now, since=now - _USED_MS, wanted=wanted, limit=_OF_LATE
    )


MOST_SHARE = 0.3
KIND = "constraint"
OWN = ("owner_message", "user_instruction")
"""Nobody else lays a constraint on the work of the owner."""
_HEADING, _REST = "## Constraints", "## Memory"


@record
class Budget:
    """What a block may take, and its form: see `context.context_block`. `share` is that of the
    constraints, `MOST_SHARE` at most."""

    max_chars: int
    max_tokens: int | None
    fence: str | None
    is_xml: bool = False
    share: float = MOST_SHARE
    style: str = "segment"


def standing(
    db: Connection, *, viewer: Origin, now: int, scopes: Sequence[str | None] | None
) -> dict[int, Hit]:
    """Return by number the active constraints of the owner that hold now in these scopes, the
    weightiest first."""
    seen = None if scopes is None else tuple(scopes)
    wanted = Filter(scopes=seen, sources=OWN)
    seqs = listing.open_numbers(db, KIND, viewer=viewer, now=now, wanted=wanted)
    read = facts.get(db, seqs, viewer=viewer)
    return {seq: Hit(read[seq], read[seq].importance, _UNASKED) for seq in seqs if seq in read}


def block(constraints: Sequence[Hit], hits: Sequence[Hit], budget: Budget) -> ContextBlock:
    """Return the block of the hits, led by the constraints as far as their share of the budget
    holds them. A hit that stands among the constraints is not said twice."""
    share = min(budget.share, MOST_SHARE)
    tokens = None if budget.max_tokens is None else int(budget.max_tokens * share)
    tags = ("<constraints>\n", "\n</constraints>") if budget.is_xml else (f"{_HEADING}\n", "")
    own = Frame(*tags, budget.is_xml)
    led = lines_of(constraints, own, Room(own, int(budget.max_chars * share), tokens))
    said = {*led.facts, *led.blocked}
    rest = [hit for hit in hits if hit.fact.id not in said]
    frame = frame_of(budget.fence, is_xml=budget.is_xml)
    if led.text:
        frame = _leading(led.text, frame, budget)
    made = lines_of(rest, frame, Room(frame, budget.max_chars, budget.max_tokens), budget.style)
    return _joined(led, made, budget)


def _leading(text: str, frame: Frame, budget: Budget) -> Frame:
    """Return a frame that begins with the constraints."""
    if budget.is_xml:
        opening = "<memory>\n"
        return replace(frame, head=f"{opening}{text}\n{frame.head.removeprefix(opening)}")
    between = "" if budget.fence else f"{_REST}\n"  # a fence has a heading of its own
    return replace(frame, head=f"{text}\n\n{between}{frame.head}")


def _joined(led: ContextBlock, made: ContextBlock, budget: Budget) -> ContextBlock:
    """Return what both parts hold as one block."""
    text = made.text or (f"<memory>\n{led.text}\n</memory>" if budget.is_xml else led.text)
    return replace(
        made,
        text=text if made.text or led.text else "",
        constraints=led.facts,
        blocked=(*led.blocked, *made.blocked),
        cut=(*led.cut, *made.cut),
        truncated=led.truncated or made.truncated,
        constraints_left_out=led.left_out,
    )
