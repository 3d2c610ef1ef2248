"""How a pass of extract runs over a conversation: it asks a model, and has a cursor of its own.

A pass is a row of requests to a model. Its cursor moves only with a reply that gives something
usable or says in an empty list that there is nothing, in the transaction that stores it.
"""

from __future__ import annotations

from tideline_cli.errors import BadReplyError, UnavailableError, UsageError
from tideline_cli.exchange.extract.store_reply import store_reply
from tideline_cli.exchange.extract.types import ExtractContext, OvertakenError, Step, Tally
from tideline_cli.llm import reply
from tideline_cli.memory import remember
from tideline_cli.model.record import record
from tideline_cli.store import locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal

    from apsw import Connection

    from tideline_cli.exchange.extract.transcript import Message
    from tideline_cli.exchange.extract.types import Proposal
    from tideline_cli.policy.relations import Reference
    from tideline_cli.store.cursors import Pass
    from tideline_cli.store.locks import Lock

    Ask = Callable[[str, str], str]  # system prompt, prompt -> reply


@record
class Request:
    """One question to a model about the messages from `start` to `end`."""

    name: Pass | Literal["summary"]
    system: str
    prompt: str
    start: int
    end: int
    said: str = ""
    shown: tuple[str, ...] = ()


@record
class Distilled:
    """What a reply gives: facts, edges between them, how many of its parts are refused, and the
    ids of stored facts that are said again."""

    proposals: tuple[Proposal, ...]
    references: tuple[Reference, ...] = ()
    refused: int = 0
    known: tuple[str, ...] = ()


@record
class ModelPass:
    """A pass that asks a model.

    requests: what to ask, given the number of messages done. understood: what a reply to a request
    gives, None where it cannot be read. to_end: messages without a request are done too.
    """

    name: Pass
    requests: Callable[[int], Iterable[Request]]
    understood: Callable[[str, Request], Distilled | None]
    to_end: bool


def place(path: str) -> Lock | None:
    """Return a lock on one of the places for extractions on this memory file, None when all are
    taken; `locks.release` gives it back."""
    for name in locks.EXTRACT:
        lock = locks.attempt(path, name)
        if lock is not None:
            return lock
    return None


def beginning(db: Connection, context: ExtractContext, name: Pass, count: int) -> int:
    """Return how many messages a pass has done; 0 when there are fewer now than it has done, as
    after a compaction."""
    done = context.done(db, name)
    return 0 if done > count else done


def run(
    db: Connection, context: ExtractContext, one: ModelPass, messages: Sequence[Message],
    tally: Tally, *, ask: Ask,
) -> None:  # fmt: skip
    """Put the requests of a pass to a model and store what it says.

    A failure ends the pass and is left in `tally.failure`; what came before it is done.
    """
    name = one.name
    start = beginning(db, context, name, len(messages))
    tally.done[name] = start
    try:
        _settle(db, context, tally, name, start)
        for request in one.requests(start):
            given = answer(request, ask, one.understood, tally)
            if given is None:
                _settle(db, context, tally, name, request.start)
                return
            store_reply(
                db, context, tally, given.proposals,
                step=Step(name, tally.done[name], request.end),
                references=given.references, shown=request.shown, known=given.known,
            )  # fmt: skip
            tally.refused += given.refused
        if one.to_end:
            _settle(db, context, tally, name, len(messages))
    except OvertakenError:
        tally.overtaken = True
        tally.done[name] = context.done(db, name)


def answer(
    request: Request,
    ask: Ask,
    understood: Callable[[str, Request], Distilled | None],
    tally: Tally,
) -> Distilled | None:
    """Return what a model says to one request; None, and why in `tally.failure`, when it says
    nothing that can be read."""
    try:
        said = ask(request.system, request.prompt)
    except UnavailableError as error:
        tally.failure = error
        return None
    given = understood(reply.unechoed(said, request.system, request.prompt), request)
    if given is None or not _is_usable(given):
        tally.unread += 1
        about = f" about messages up to number {request.end}" if request.end else ""
        tally.failure = BadReplyError(
            about=f"the model's reply{about}",
            hint="nothing of it was stored; the next run asks again",
        )
        return None
    tally.ran = True
    return given


def _is_usable(given: Distilled) -> bool:
    """Say whether one part of what a reply gives can be a fact; where it gives none, nothing is
    wrong with it."""
    return (
        not given.proposals
        or bool(given.known)
        or any(_can_be_fact(one.content) for one in given.proposals)
    )


def _can_be_fact(content: str) -> bool:
    try:
        remember.checked_text(content)
    except UsageError:
        return False
    return True


def _settle(db: Connection, context: ExtractContext, tally: Tally, name: Pass, count: int) -> None:
    """Put a cursor where it belongs, if it is elsewhere: after a compaction, or before messages
    that needed no request."""
    before = context.done(db, name)
    if before != count:
        store_reply(db, context, tally, (), step=Step(name, before, count))
