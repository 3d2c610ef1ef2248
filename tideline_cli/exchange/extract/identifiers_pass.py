"""The pass of extract that needs no model: identifiers in the user's own messages."""

from __future__ import annotations

from tideline_cli.exchange.extract.passes import beginning
from tideline_cli.exchange.extract.store_reply import store_reply
from tideline_cli.exchange.extract.transcript import USER, Message
from tideline_cli.exchange.extract.types import (
    ExtractContext,
    OvertakenError,
    Proposal,
    Step,
    Tally,
    kind_proposal,
)
from tideline_cli.policy import identifiers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.source import Source

_GLANCE, _FEW = 500, 20  # characters of messages that tell the language of a conversation
_AT_ONCE = 50  # identifiers in one transaction


def identified(
    messages: Iterable[Message], context: ExtractContext, *, start: int = 0
) -> list[Proposal]:
    """Return the identifiers that the user's own messages state, each once; before the messages
    stand `start` others."""
    source = context.own_words
    said = [
        (turn, message.text)
        for turn, message in enumerate(messages, start + 1) if message.role == USER
    ]  # fmt: skip
    around = " ".join(text[:_GLANCE] for _, text in said[:_FEW])
    found: dict[tuple[str, str], tuple[identifiers.Identifier, int]] = {}
    for turn, text in said:
        for one in identifiers.found(text, around):
            known = found.get((one.name, one.value))
            if known is None or (one.is_own and not known[0].is_own):
                found[one.name, one.value] = one, turn
    return [_identifier(one, source, turn) for one, turn in found.values()]


def _identifier(one: identifiers.Identifier, source: Source, turn: int) -> Proposal:
    """Return the proposal for an identifier: of the owner's identity only what is the owner's."""
    given: Any = {
        "importance": identifiers.IMPORTANCE, "exact": True, "tags": (one.name,),
        "pinned": one.is_own and source == "owner_message",
        "others": one.owned,
        "lesser": one.mentioned if one.is_own else (), "turn": turn, "role": USER,
    }  # fmt: skip
    if one.is_own:
        return kind_proposal(identifiers.KIND, one.text, source, **given)
    given["others"] += one.mentioned
    return Proposal(one.text, "knowledge", source, identifiers.KIND, **given)


def identify(
    db: Connection, context: ExtractContext, messages: Sequence[Message], tally: Tally
) -> None:
    """Store the identifiers of the messages that are new to this pass."""
    start = beginning(db, context, "identifiers", len(messages))
    proposals = identified(messages[start:], context, start=start)
    before = context.done(db, "identifiers")
    tally.done["identifiers"] = start
    if not proposals and before == len(messages):
        return
    already = tally.stored
    try:
        for first in range(0, max(1, len(proposals)), _AT_ONCE):
            part = proposals[first : first + _AT_ONCE]
            last = first + _AT_ONCE >= len(proposals)
            step = Step("identifiers", before, len(messages) if last else before)
            store_reply(db, context, tally, part, step=step)
    except OvertakenError:
        tally.overtaken = True
        tally.done["identifiers"] = context.done(db, "identifiers")
    tally.identifiers = tally.stored - already
