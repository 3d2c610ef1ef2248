"""The constraints that a context begins with: active ones of the owner, under a heading and with a
share of the budget of their own."""

from __future__ import annotations

from tideline_cli.memory.context import Frame, Room, frame_of, lines_of
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.record import record, replace
from tideline_cli.store import facts, lasting
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.context import ContextBlock
    from tideline_cli.model.origin import Origin

MOST_SHARE = 0.3
KIND = "constraint"
OWN = ("owner_message", "user_instruction")
"""Nobody else lays a constraint on the work of the owner."""
_HEADING, _REST = "## Constraints", "## Memory"
_UNASKED = Breakdown(None, (), 1.0, 1.0, 1.0, "lexical")


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
    seqs = lasting.open_numbers(db, KIND, viewer=viewer, now=now, wanted=wanted)
    read = facts.get(db, seqs, viewer=viewer)
    return {
        seq: Hit(read[seq], read[seq].importance, _UNASKED) for seq in seqs if seq in read
    }


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
