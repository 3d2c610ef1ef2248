"""The passes of extract over a conversation: facts, items and lessons, for which a model is asked,
and identifiers, which need none; and the summary of a session, which each run words anew.

A pass is a row of requests to a model. Its cursor moves only with a reply that gives something
usable or says in an empty list that there is nothing, in the transaction that stores it. The
summary has no cursor: the turn of the one that is active says how much of the session it covers, so
an undo of it brings back where it was too.
"""

from __future__ import annotations

from tideline_cli.errors import BadReplyError, TooLongError, UnavailableError, UsageError
from tideline_cli.exchange.extract.conversation import USER, Message, flattened
from tideline_cli.exchange.extract.store_reply import TOO_MANY, store_reply
from tideline_cli.exchange.extract.types import (
    ExtractContext,
    OvertakenError,
    Proposal,
    Refusal,
    Step,
    Tally,
    kind_proposal,
)
from tideline_cli.llm import prompts, reply
from tideline_cli.memory import remember
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.secret_screening import masked
from tideline_cli.model.fact import KINDS
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import UNTRUSTED
from tideline_cli.policy import identifiers, prompt_lines
from tideline_cli.policy.grounding import UNGROUNDED, Ground, to_keep, told_apart
from tideline_cli.policy.prompt_lines import shown_id
from tideline_cli.policy.render import prompt_text
from tideline_cli.policy.salience import correcting, salient
from tideline_cli.store import listing, locks
from tideline_cli.store.connection import writing
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Final, Literal

    from apsw import Connection

    from tideline_cli.llm.reply import DistilledItem
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.source import Source
    from tideline_cli.policy.relations import Reference
    from tideline_cli.store.cursors import Pass
    from tideline_cli.store.locks import Lock

    Ask = Callable[[str, str], str]  # system prompt, prompt -> reply

MIN_CONFIDENCE = 0.55
MOST_ITEMS = 6
MOST_LESSONS = 2
MOST_FAILURES = 1
_KINDS = ("entity", "preference", "fact", "project_state", "relationship", "procedure")
_SHORTEST = 3
_LONGEST_RECORD = 20_000
MIN_NEW = 2
CANDIDATES = 10
CANDIDATE_CHARS = 200
_SHORTEST_CALL = 2_000  # characters; a model that has no room for these has none
LONGEST_MESSAGE = 20_000
_LONGEST_QUERY = 2_000
_GLANCE, _FEW = 500, 20  # characters of messages that tell the language of a conversation
_AT_ONCE = 50  # identifiers in one transaction
SUMMARY: Final = "summary"
LONGEST_SUMMARY = 2_000
"""Characters of a summary; a longer one is refused."""


@record
class Request:
    """One question to a model about the messages from `start` to `end`. said: what the user says
    in them; shown: the ids of the known facts that it lists."""

    name: Pass | Literal["summary"]
    system: str
    prompt: str
    start: int
    end: int
    said: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@record
class Distilled:
    """What a reply gives: facts, edges between them, what of it is refused, and the ids of stored
    facts that are said again."""

    proposals: tuple[Proposal, ...]
    references: tuple[Reference, ...] = ()
    refused: tuple[Refusal, ...] = ()
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
    """Put the requests of a pass to a model and store what it says. A failure ends the pass and is
    left in `tally.failure`; what came before it is done."""
    name = one.name
    start = beginning(db, context, name, len(messages))
    tally.done[name] = start
    try:
        _settle(db, context, tally, name, start)
        requests = iter(one.requests(start))
        while (request := next(requests, None)) is not None:
            distilled = answer(request, ask, one.understood, tally)
            if distilled is None:
                _settle(db, context, tally, name, request.start)
                if not _halved(context, tally):
                    return
                requests = iter(one.requests(request.start))
                continue
            store_reply(
                db, context, tally, distilled.proposals,
                step=Step(name, tally.done[name], request.end),
                references=distilled.references, shown=request.shown, known=distilled.known,
            )  # fmt: skip
            tally.refusals += distilled.refused
        if one.to_end:
            _settle(db, context, tally, name, len(messages))
    except OvertakenError:
        tally.overtaken = True
        tally.done[name] = context.done(db, name)


def _halved(context: ExtractContext, tally: Tally) -> bool:
    """Say whether the failure is that a request was too long, and a shorter one may be asked."""
    window = (tally.window or context.window) // 2
    if not isinstance(tally.failure, TooLongError) or window < _SHORTEST_CALL:
        return False
    tally.window, tally.failure = window, None
    return True


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
    distilled = understood(reply.unechoed(said, request.system, request.prompt), request)
    if distilled is None or not _is_usable(distilled):
        tally.unread += 1
        about = f" about messages up to number {request.end}" if request.end else ""
        tally.failure = BadReplyError(
            about=f"the model's reply{about}",
            hint="nothing of it was stored; the next run asks again",
        )
        return None
    tally.ran = True
    return distilled


def _is_usable(distilled: Distilled) -> bool:
    """Say whether one part of what a reply gives can be a fact; where it gives none, nothing is
    wrong with it."""
    return (
        not distilled.proposals
        or bool(distilled.known)
        or any(_can_be_fact(one.content) for one in distilled.proposals)
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


def items_pass(messages: Sequence[Message]) -> ModelPass:
    """Return the pass that asks what each message says of its author."""
    return ModelPass("items", lambda start: item_requests(messages, start), items_in, to_end=True)


def lessons_pass(messages: Sequence[Message], context: ExtractContext) -> ModelPass:
    """Return the pass that asks what follows from each correction."""
    return ModelPass(
        "lessons",
        lambda start: lesson_requests(messages, start),
        lambda text, request: lessons_in(text, request, context),
        to_end=True,
    )


def item_requests(messages: Sequence[Message], start: int) -> Iterator[Request]:
    """Yield a request for each new message of the user that speaks of its author."""
    return _requests("items", prompts.ITEMS, messages, start, salient)


def lesson_requests(messages: Sequence[Message], start: int) -> Iterator[Request]:
    """Yield a request for each new message of the user that corrects something."""
    return _requests("lessons", prompts.LESSONS, messages, start, correcting)


def items_in(text: str, request: Request) -> Distilled | None:
    """Return the items of a reply that may be stored, None when it cannot be read."""
    return _distilled(text, request, _KINDS, MOST_ITEMS, "extraction")


def lessons_in(text: str, request: Request, context: ExtractContext) -> Distilled | None:
    """Return the lessons of a reply that may be stored, None when it cannot be read."""
    return _distilled(text, request, ("lesson",), MOST_LESSONS, context.own_words)


def failure_request(record: str) -> Request:
    """Return the request about a task and the record of what was tried."""
    said = flattened([Message(USER, record)], longest=_LONGEST_RECORD).partition(" ")[2]
    return Request("items", prompts.FAILURE, prompts.failure(said), 0, 0)


def failure_in(text: str, request: Request) -> Distilled | None:
    """Return the failure that a reply describes, None when it cannot be read."""
    return _distilled(text, request, ("failure",), MOST_FAILURES, "extraction")


def _requests(
    name: Pass, system: str, messages: Sequence[Message], start: int, about: Callable[[str], str]
) -> Iterator[Request]:
    for index in range(start, len(messages)):
        said = about(told_apart(messages[index].text)[0]) if messages[index].role == USER else ""
        if said:
            prompt = flattened([replace(messages[index], text=said)])
            yield Request(name, system, prompt, index, index + 1, (said,))


def _distilled(
    text: str, request: Request, kinds: tuple[str, ...], most: int, source: Source
) -> Distilled | None:
    """Return the items of a reply that may be stored; None where it has some, and none of them is
    of a known kind and says how sure it is."""
    listed = reply.items(text)
    if listed is None:
        return None
    if listed and not any(item.kind in KINDS and item.confidence for item in listed):
        return None
    ground = Ground(request.said)
    reasons = [_unfit(item, kinds) for item in listed[:most]]
    reasons += [TOO_MANY] * (len(listed) - len(reasons))
    proposals = tuple(
        kind_proposal(
            item.kind, item.text, source, confidence=item.confidence, turn=request.end or None,
            role=USER if request.end else None,
            refusal=UNGROUNDED if request.said and not ground.bears(item.text) else "",
        )
        for item, reason in zip(listed, reasons, strict=True) if not reason
    )  # fmt: skip
    refused = (Refusal(item.text, reason) for item, reason in zip(listed, reasons, strict=True)
               if reason)  # fmt: skip
    return Distilled(proposals, refused=tuple(refused))


def _unfit(item: DistilledItem, kinds: tuple[str, ...]) -> str:
    """Return why an item is not stored, nothing for one that is."""
    if item.kind not in kinds:
        return f"of the kind {item.kind}, which was not asked for"
    if item.confidence < MIN_CONFIDENCE:
        return f"stated with a confidence below {MIN_CONFIDENCE}"
    return "too short" if len(item.text) < _SHORTEST else ""


def facts_pass(
    db: Connection, context: ExtractContext, messages: Sequence[Message], tally: Tally, *,
    min_new: int,
) -> ModelPass:  # fmt: skip
    """Return the pass over these messages; fewer than `min_new` new ones are left for later."""

    def requests(start: int) -> Iterator[Request]:
        window = tally.window or context.window
        return fact_requests(db, replace(context, window=window), messages, start, min_new=min_new)

    return ModelPass("facts", requests, facts_in, to_end=False)


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
        end = stretch(messages, start, context.window)
        new = [message for message in messages[start:end] if message.text]
        if not new:
            return
        is_small = context.window < _SHORTEST_CALL  # its model would repeat what it is shown
        known = () if db is None or is_small else _related(db, context, new)
        block = prompts.known_facts_block(prompt_lines.lines(known, longest=CANDIDATE_CHARS))
        yield Request(
            "facts",
            prompts.EXTRACTION,
            flattened(new, longest=_longest(context)) + block,
            start,
            end,
            said=tuple(message.text for message in new if message.role == USER),
            shown=tuple(fact.id for fact in known),
        )
        start = end


def facts_in(text: str, request: Request) -> Distilled | None:
    """Return what the reply of this pass gives, None when nothing of it can be used. Of the known
    facts that it says again those count that the model was shown."""
    said = reply.extracted(text)
    named = [shown_id(one, request.shown) for one in said.known]
    known = tuple(one for one in named if one in request.shown)
    if not said.parsed or (said.known and not known and not said.facts):
        return None
    ground = Ground(request.said)
    proposals = tuple(
        Proposal(
            draft.content,
            draft.segment,
            importance=draft.importance,
            corrects=bool(draft.corrects),
            turn=request.end or None,
            refusal="" if ground.bears(draft.content) else UNGROUNDED,
        )
        for draft in said.facts
    )
    refused = [Refusal(text, "no fact") for text in said.refused]
    refused += [Refusal(one, "no fact that was shown") for one in named if one not in known]
    return Distilled(proposals, said.relationships, tuple(refused), known=known)


def stretch(messages: Sequence[Message], start: int, window: int) -> int:
    """Return where the messages end that fit into one request of so many characters."""
    size = 0
    for end in range(start, len(messages)):
        size += min(len(messages[end].text), LONGEST_MESSAGE, window)
        if size > window and end > start:
            return end
    return len(messages)


def _longest(context: ExtractContext) -> int:
    """Return how many characters of a message are shown; small windows hold few messages, whole."""
    return min(LONGEST_MESSAGE, max(context.window, _SHORTEST_CALL))


def _related(
    db: Connection, context: ExtractContext, messages: Sequence[Message]
) -> tuple[Fact, ...]:
    """Return known facts that new ones may be joined to: what the messages recall, then the newest.
    They are of the scope of the conversation: what a model is shown of another project it could say
    again as a fact of this one. Nothing is counted as used, and no identifier leaves the store."""
    text = " ".join(message.text[-_LONGEST_QUERY:] for message in messages)[-_LONGEST_QUERY:]
    viewer, wanted = context.origin, Filter(scopes=(context.scope,))
    query = Query(text, limit=CANDIDATES, mode="keyword", wanted=wanted)
    hits = [hit.fact for hit in recall(db, query, viewer=viewer, now=context.now).hits]
    newest = listing.each(db, viewer=viewer, wanted=wanted, limit=CANDIDATES)
    listed = {fact.id: fact for fact in (*hits, *newest) if not identifiers.is_withheld(fact)}
    return tuple(listed.values())[:CANDIDATES]


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
    labels: Any = {
        "importance": identifiers.IMPORTANCE, "exact": True, "tags": (one.name,),
        "pinned": one.is_own and source == "owner_message",
        "others": one.owned,
        "lesser": one.mentioned if one.is_own else (), "turn": turn, "role": USER,
    }  # fmt: skip
    if one.is_own:
        return kind_proposal(identifiers.KIND, one.text, source, **labels)
    labels["others"] += one.mentioned
    return Proposal(one.text, "knowledge", source, identifiers.KIND, **labels)


def kept(messages: Iterable[Message], *, start: int = 0) -> list[Proposal]:
    """Return what the user's own messages ask to remember, or correct, in the words in which it was
    said; before the messages stand `start` others."""
    return [
        Proposal(sentence, "knowledge", turn=turn, role="user")
        for turn, message in enumerate(messages, start + 1) if message.role == USER
        for sentence in dict.fromkeys(to_keep(message.text))
    ]  # fmt: skip


def identify(
    db: Connection, context: ExtractContext, messages: Sequence[Message], tally: Tally, *,
    alone: bool,
) -> None:  # fmt: skip
    """Store the identifiers of the messages that are new to this pass; where no model is asked
    beside it, also what is to be kept as it was said."""
    start = beginning(db, context, "identifiers", len(messages))
    proposals = identified(messages[start:], context, start=start)
    proposals += kept(messages[start:], start=start) if alone else []
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


def last_summary(db: Connection, context: ExtractContext) -> Fact | None:
    """Return the active summary of the session that a model wrote, None where there is none. One
    that the owner has taken over is the owner's."""
    if not context.session:
        return None
    wanted = Filter(
        kinds=(SUMMARY,), sessions=(context.session,), sources=UNTRUSTED, scopes=(context.scope,)
    )
    return next(listing.each(db, viewer=context.origin, wanted=wanted, limit=1), None)


def covered_by_summary(db: Connection | None, context: ExtractContext, count: int) -> int:
    """Return how many messages the summary covers; 0 when there are fewer now. Of a conversation
    that went on in another branch, those that both have."""
    before = None if db is None else last_summary(db, context)
    done = (before.turn or 0) if before is not None else 0
    if db is not None and done and context.marks:
        done = min(done, context.done_here(db, SUMMARY))
    return 0 if done > count else done


def next_summary_request(
    db: Connection | None, context: ExtractContext, messages: Sequence[Message], *, min_new: int
) -> Request | None:
    """Return the request about the next stretch of what is new, None where too little is."""
    start = covered_by_summary(db, context, len(messages))
    if sum(bool(message.text) for message in messages[start:]) < min_new:
        return None
    end = stretch(messages, start, max(context.window, _SHORTEST_CALL))
    before = None if db is None or start == 0 else last_summary(db, context)
    so_far = "" if before is None else prompts.summary_block(prompt_text(masked(before.content)))
    said = flattened(messages[start:end], longest=_longest(context))
    return Request("summary", prompts.SUMMARY, said + so_far, start, end)


def summarise(
    db: Connection, context: ExtractContext, messages: Sequence[Message], tally: Tally, *,
    min_new: int, ask: Ask,
) -> None:  # fmt: skip
    """Ask for the summary, stretch by stretch, and let each replace the one before it. A failure is
    left in `tally.failure`; what came before it is done."""
    least = min_new
    while (request := next_summary_request(db, context, messages, min_new=least)) is not None:
        before = last_summary(db, context)
        distilled = answer(request, ask, summary_in, tally)
        if distilled is None and _halved(context, tally):
            context = replace(context, window=tally.window)
            continue
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
                context.put_here(db, SUMMARY, request.end)
        covered = covered_by_summary(db, context, len(messages))
        if tally.changes() == stored or covered < request.end:
            return  # nothing moved on: refused, blocked, or worded as before
        least = 1


def summary_in(text: str, request: Request) -> Distilled | None:
    """Return the summary that a reply gives, None when it gives no usable one."""
    said = reply.summary(text)
    if said is None or len(said) > LONGEST_SUMMARY:
        return None
    return Distilled((kind_proposal(SUMMARY, said, "extraction", turn=request.end),))
