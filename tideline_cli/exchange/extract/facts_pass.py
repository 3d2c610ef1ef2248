"""The pass of extract that reads whole stretches of a conversation: facts, and edges of them."""

from __future__ import annotations

from tideline_cli.exchange.extract.passes import Distilled, ModelPass, Request
from tideline_cli.exchange.extract.transcript import Message, flattened
from tideline_cli.exchange.extract.types import ExtractContext, Proposal
from tideline_cli.llm import prompts, reply
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.policy import identifiers, prompt_lines
from tideline_cli.store import listing
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact

MIN_NEW = 2
CANDIDATES = 10
CANDIDATE_CHARS = 200
_LONGEST_CALL = 60_000  # characters of conversation in one request
LONGEST_MESSAGE = 20_000
_LONGEST_QUERY = 2_000


def facts_pass(
    db: Connection, context: ExtractContext, messages: Sequence[Message], *, min_new: int
) -> ModelPass:
    """Return the pass over these messages; fewer than `min_new` new ones are left for later."""

    def requests(start: int) -> Iterator[Request]:
        return fact_requests(db, context, messages, start, min_new=min_new)

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
        end = stretch(messages, start)
        new = [message for message in messages[start:end] if message.text]
        if not new:
            return
        known = () if db is None else _related(db, context, new)
        block = prompts.known_facts_block(prompt_lines.lines(known, longest=CANDIDATE_CHARS))
        yield Request(
            "facts",
            prompts.EXTRACTION,
            flattened(new, longest=LONGEST_MESSAGE) + block,
            start,
            end,
            shown=tuple(fact.id for fact in known),
        )
        start = end


def facts_in(text: str, request: Request) -> Distilled | None:
    """Return what the reply of this pass gives, None when nothing of it can be used. Of the known
    facts that it says again those count that the model was shown."""
    said = reply.extracted(text)
    known = tuple(one for one in said.known if one in request.shown)
    if not said.parsed or (said.known and not known and not said.facts):
        return None
    return Distilled(
        tuple(
            Proposal(
                draft.content,
                draft.segment,
                importance=draft.importance,
                corrects=bool(draft.corrects),
                turn=request.end or None,
            )
            for draft in said.facts
        ),
        said.relationships,
        said.refused + len(said.known) - len(known),
        known=known,
    )


def stretch(messages: Sequence[Message], start: int) -> int:
    """Return where the messages end that fit into one request."""
    size = 0
    for end in range(start, len(messages)):
        size += min(len(messages[end].text), LONGEST_MESSAGE)
        if size > _LONGEST_CALL and end > start:
            return end
    return len(messages)


def _related(
    db: Connection, context: ExtractContext, messages: Sequence[Message]
) -> tuple[Fact, ...]:
    """Return known facts that new ones may be joined to: what the messages recall, then the
    newest. They are of the scope of the conversation: what a model is shown of another project it
    could say again as a fact of this one. Nothing is counted as used, and no identifier leaves the
    store."""
    text = " ".join(message.text[-_LONGEST_QUERY:] for message in messages)[-_LONGEST_QUERY:]
    viewer, wanted = context.origin, Filter(scopes=(context.scope,))
    query = Query(text, limit=CANDIDATES, mode="keyword", wanted=wanted)
    hits = [hit.fact for hit in recall(db, query, viewer=viewer, now=context.now).hits]
    newest = listing.each(db, viewer=viewer, wanted=wanted, limit=CANDIDATES)
    listed = {fact.id: fact for fact in (*hits, *newest) if not identifiers.is_withheld(fact)}
    return tuple(listed.values())[:CANDIDATES]
