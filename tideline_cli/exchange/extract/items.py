"""extract, message by message: what one says of its author, what it corrects, what failed."""

from __future__ import annotations

from tideline_cli.exchange.extract.passes import Distilled, ModelPass, Request
from tideline_cli.exchange.extract.transcript import USER, Message, flattened
from tideline_cli.exchange.extract.types import ExtractContext, kind_proposal
from tideline_cli.llm import prompts, reply
from tideline_cli.model.fact import KINDS
from tideline_cli.policy.salience import are_in_one_script, correcting, salient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tideline_cli.exchange.extract.types import Proposal
    from tideline_cli.llm.reply import DistilledItem
    from tideline_cli.model.source import Source
    from tideline_cli.store.cursors import Pass

MIN_CONFIDENCE = 0.55
MOST_ITEMS = 6
MOST_LESSONS = 2
MOST_FAILURES = 1
_KINDS = ("entity", "preference", "fact", "project_state", "relationship", "procedure")
_SHORTEST = 3
_LONGEST_RECORD = 20_000


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
    return Request("items", prompts.FAILURE, prompts.failure(said), 0, 0, said=record)


def failure_in(text: str, request: Request) -> Distilled | None:
    """Return the failure that a reply describes, None when it cannot be read."""
    return _distilled(text, request, ("failure",), MOST_FAILURES, "extraction")


def _requests(
    name: Pass,
    system: str,
    messages: Sequence[Message],
    start: int,
    about: Callable[[str], str],
) -> Iterator[Request]:
    for index in range(start, len(messages)):
        said = about(messages[index].text) if messages[index].role == USER else ""
        if said:
            yield Request(name, system, flattened([Message(USER, said)]), index, index + 1, said)


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
    proposals: tuple[Proposal, ...] = tuple(
        kind_proposal(
            item.kind, item.text, source, confidence=item.confidence, turn=request.end or None,
            role=USER if request.end else None,
        )
        for item in listed[:most]
        if _is_fit(item, kinds, request.said)
    )
    return Distilled(proposals, refused=len(listed) - len(proposals))


def _is_fit(item: DistilledItem, kinds: tuple[str, ...], said: str) -> bool:
    return (
        item.kind in kinds
        and item.confidence >= MIN_CONFIDENCE
        and len(item.text) >= _SHORTEST
        and are_in_one_script(said, item.text)
    )
