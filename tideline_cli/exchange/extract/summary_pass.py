"""The summary of a session: one fact, which each run words anew with what has been said since.

It has no cursor: the turn of the summary that is active says how much of the session it covers. So
an undo of a summary brings back where it was too.
"""

from __future__ import annotations

from tideline_cli.exchange.extract import passes
from tideline_cli.exchange.extract.conversation import flattened
from tideline_cli.exchange.extract.passes import LONGEST_MESSAGE, Distilled, Request, stretch
from tideline_cli.exchange.extract.store_reply import store_reply
from tideline_cli.exchange.extract.types import OvertakenError, kind_proposal
from tideline_cli.llm import prompts, reply
from tideline_cli.memory.secret_screening import masked
from tideline_cli.model.record import replace
from tideline_cli.model.source import UNTRUSTED
from tideline_cli.policy.render import prompt_text
from tideline_cli.store import listing
from tideline_cli.store.facts import Filter
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from apsw import Connection

    from tideline_cli.exchange.extract.conversation import Message
    from tideline_cli.exchange.extract.passes import Ask
    from tideline_cli.exchange.extract.types import ExtractContext, Tally
    from tideline_cli.model.fact import Fact

KIND: Final = "summary"
LONGEST = 2_000
"""Characters of a summary; a longer one is refused."""


def last(db: Connection, context: ExtractContext) -> Fact | None:
    """Return the active summary of the session that a model wrote, None where there is none. One
    that the owner has taken over is the owner's."""
    if not context.session:
        return None
    wanted = Filter(
        kinds=(KIND,), sessions=(context.session,), sources=UNTRUSTED, scopes=(context.scope,)
    )
    return next(listing.each(db, viewer=context.origin, wanted=wanted, limit=1), None)


def covered(db: Connection | None, context: ExtractContext, count: int) -> int:
    """Return how many messages the summary covers; 0 when there are fewer now. Of a conversation
    that went on in another branch, those that both have."""
    before = None if db is None else last(db, context)
    done = (before.turn or 0) if before is not None else 0
    if db is not None and done and context.marks:
        done = min(done, context.done_here(db, KIND))
    return 0 if done > count else done


def next_request(
    db: Connection | None, context: ExtractContext, messages: Sequence[Message], *, min_new: int
) -> Request | None:
    """Return the request about the next stretch of what is new, None where too little is."""
    start = covered(db, context, len(messages))
    if sum(bool(message.text) for message in messages[start:]) < min_new:
        return None
    end = stretch(messages, start)
    before = None if db is None or start == 0 else last(db, context)
    so_far = "" if before is None else prompts.summary_block(prompt_text(masked(before.content)))
    said = flattened(messages[start:end], longest=LONGEST_MESSAGE)
    return Request("summary", prompts.SUMMARY, said + so_far, start, end)


def summarise(
    db: Connection, context: ExtractContext, messages: Sequence[Message], tally: Tally, *,
    min_new: int, ask: Ask,
) -> None:  # fmt: skip
    """Ask for the summary, stretch by stretch, and let each replace the one before it.

    A failure is left in `tally.failure`; what came before it is done.
    """
    least = min_new
    while (request := next_request(db, context, messages, min_new=least)) is not None:
        before = last(db, context)
        distilled = passes.answer(request, ask, summary_in, tally)
        if distilled is None:
            return
        known = () if before is None else (before.id,)
        proposals = [replace(one, supersedes=known) for one in distilled.proposals]
        stored = tally.changes()
        try:
            store_reply(db, context, tally, proposals, step=None)
        except OvertakenError:
            tally.overtaken = True
            return
        if context.marks and tally.changes() != stored:
            with writing(db):
                context.put_here(db, KIND, request.end)
        if tally.changes() == stored or covered(db, context, len(messages)) < request.end:
            return  # nothing moved on: refused, blocked, or worded as before
        least = 1


def summary_in(text: str, request: Request) -> Distilled | None:
    """Return the summary that a reply gives, None when it gives no usable one."""
    said = reply.summary(text)
    if said is None or len(said) > LONGEST:
        return None
    return Distilled((kind_proposal(KIND, said, "extraction", turn=request.end),))
