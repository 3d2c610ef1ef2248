"""extract: the passes over a conversation, each with a cursor of its own.

A pass is a row of requests to a model. Its cursor moves only with a reply that could be read, in
the transaction that stores what the reply gave.
"""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UnavailableError
from tideline_cli.exchange.extract.store import keep
from tideline_cli.exchange.extract.transcript import USER, Message, flattened
from tideline_cli.exchange.extract.types import (
    ExtractContext,
    OvertakenError,
    Proposal,
    Step,
    Tally,
    kind_proposal,
)
from tideline_cli.llm import prompts, reply
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import record
from tideline_cli.policy import identifiers, prompt_lines
from tideline_cli.store import facts, locks
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source
    from tideline_cli.policy.relations import Reference
    from tideline_cli.store.cursors import Pass

    Ask = Callable[[str, str], str]  # system prompt, prompt -> reply

MIN_NEW = 2
CANDIDATES = 10
CANDIDATE_CHARS = 200
_LONGEST_CALL = 60_000  # characters of conversation in one request
_LONGEST_MESSAGE = 20_000
_LONGEST_QUERY = 2_000
_GLANCE, _FEW = 500, 20  # characters of messages that tell the language of a conversation
_AT_ONCE = 50  # identifiers in one transaction


@record
class Request:
    """One question to a model about the messages from `start` to `end`."""

    name: Pass
    system: str
    prompt: str
    start: int
    end: int
    said: str = ""
    shown: tuple[str, ...] = ()


@record
class Answer:
    """What a reply gives."""

    proposals: tuple[Proposal, ...]
    references: tuple[Reference, ...] = ()
    refused: int = 0


def place(path: str) -> int | None:
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
    db: Connection,
    context: ExtractContext,
    name: Pass,
    messages: Sequence[Message],
    tally: Tally,
    *,
    requests: Callable[[int], Iterable[Request]],
    ask: Ask,
    understood: Callable[[str, Request], Answer | None],
    to_end: bool,
) -> None:
    """Put the requests of a pass to a model and store what it says.

    `requests` is given the number of messages done; with `to_end`, messages without a request
    are done too. A failure ends the pass and is left in `tally.failure`; what came before it is
    done.
    """
    start = beginning(db, context, name, len(messages))
    tally.done[name] = start
    try:
        _settle(db, context, tally, name, start)
        for request in requests(start):
            given = answer(request, ask, understood, tally)
            if given is None:
                _settle(db, context, tally, name, request.start)
                return
            keep(
                db, context, tally, given.proposals,
                step=Step(name, tally.done[name], request.end),
                references=given.references, shown=request.shown,
            )  # fmt: skip
            tally.refused += given.refused
        if to_end:
            _settle(db, context, tally, name, len(messages))
    except OvertakenError:
        tally.overtaken = True
        tally.done[name] = context.done(db, name)


def answer(
    request: Request,
    ask: Ask,
    understood: Callable[[str, Request], Answer | None],
    tally: Tally,
) -> Answer | None:
    """Return what a model says to one request; None, and why in `tally.failure`, when it says
    nothing that can be read."""
    try:
        said = ask(request.system, request.prompt)
    except UnavailableError as error:
        tally.failure = error
        return None
    given = understood(reply.unechoed(said, request.system, request.prompt), request)
    if given is None:
        tally.unread += 1
        about = f" about messages up to number {request.end}" if request.end else ""
        tally.failure = TidelineError(
            f"the model's reply{about} is not the JSON that was asked for",
            hint="nothing of it was stored; the next run asks again",
            code="bad_reply",
        )
        return None
    tally.ran = True
    return given


def _settle(db: Connection, context: ExtractContext, tally: Tally, name: Pass, count: int) -> None:
    """Put a cursor where it belongs, if it is elsewhere: after a compaction, or before messages
    that needed no request."""
    before = context.done(db, name)
    if before != count:
        keep(db, context, tally, (), step=Step(name, before, count))


# The pass over whole stretches of a conversation.


def fact_requests(
    db: Connection | None,
    context: ExtractContext,
    messages: Sequence[Message],
    start: int,
    *,
    min_new: int,
) -> Iterator[Request]:
    """Yield the requests about new messages: one, or several where one would be too long."""
    if sum(bool(message.text) for message in messages[start:]) < min_new:
        return
    while start < len(messages):
        end = _stretch(messages, start)
        new = [message for message in messages[start:end] if message.text]
        if not new:
            return
        known = () if db is None else _related(db, new, viewer=context.origin, now=context.now)
        block = prompts.known_facts_block(prompt_lines.lines(known, longest=CANDIDATE_CHARS))
        yield Request(
            "facts",
            prompts.EXTRACTION,
            flattened(new, longest=_LONGEST_MESSAGE) + block,
            start,
            end,
            shown=tuple(fact.id for fact in known),
        )
        start = end


def drafted(text: str, request: Request) -> Answer | None:  # noqa: ARG001  one shape for all passes
    """Return what the reply of this pass gives, None when it cannot be read."""
    said = reply.extracted(text)
    if not said.parsed:
        return None
    return Answer(
        tuple(
            Proposal(
                draft.content,
                draft.segment,  # type: ignore[arg-type]  # an unknown one is refused when stored
                importance=draft.importance,
                corrects=bool(draft.corrects),
            )
            for draft in said.facts
        ),
        said.relationships,
    )


def _stretch(messages: Sequence[Message], start: int) -> int:
    size = 0
    for end in range(start, len(messages)):
        size += min(len(messages[end].text), _LONGEST_MESSAGE)
        if size > _LONGEST_CALL and end > start:
            return end
    return len(messages)


def _related(
    db: Connection, messages: Sequence[Message], *, viewer: Origin, now: int
) -> tuple[Fact, ...]:
    """Return known facts that new ones may be joined to: what the messages recall, then the
    newest. Nothing is counted as used, and no identifier leaves the store."""
    text = " ".join(message.text[-_LONGEST_QUERY:] for message in messages)[-_LONGEST_QUERY:]
    query = Query(text, limit=CANDIDATES, mode="keyword")
    hits = [hit.fact for hit in recall(db, query, viewer=viewer, now=now).hits]
    newest = facts.each(db, viewer=viewer, wanted=Filter(), limit=CANDIDATES)
    listed = {fact.id: fact for fact in (*hits, *newest) if not identifiers.is_withheld(fact)}
    return tuple(listed.values())[:CANDIDATES]


# The pass that needs no model.


def identified(messages: Iterable[Message], context: ExtractContext) -> list[Proposal]:
    """Return the identifiers that the user's own messages state, each once."""
    source = context.own_words
    said = [message.text for message in messages if message.role == USER]
    around = " ".join(text[:_GLANCE] for text in said[:_FEW])
    found: dict[tuple[str, str], identifiers.Identifier] = {}
    for one in (one for text in said for one in identifiers.found(text, around)):
        known = found.get((one.name, one.value))
        if known is None or (one.is_own and not known.is_own):
            found[one.name, one.value] = one
    return [_identifier(one, source) for one in found.values()]


def _identifier(one: identifiers.Identifier, source: Source) -> Proposal:
    """Return the proposal for an identifier: of the owner's identity only what is the owner's."""
    given: Any = {
        "importance": identifiers.IMPORTANCE, "exact": True, "tags": (one.name,),
        "pinned": one.is_own and source == "owner_message",
        "others": one.owned,
        "lesser": one.mentioned if one.is_own else (),
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
    proposals = identified(messages[start:], context)
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
            keep(db, context, tally, part, step=step)
    except OvertakenError:
        tally.overtaken = True
        tally.done["identifiers"] = context.done(db, "identifiers")
    tally.identifiers = tally.stored - already

