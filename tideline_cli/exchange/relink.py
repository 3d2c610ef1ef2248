"""relink: a model reads the newest facts of one origin and says which of them belong together; and
storing the edges that a model proposed."""

from __future__ import annotations

from tideline_cli.errors import BadReplyError, ReplacedError, TidelineError
from tideline_cli.llm import prompts, reply
from tideline_cli.memory.amend import NothingToDo
from tideline_cli.memory.screening import Screen
from tideline_cli.policy import identifiers, prompt_lines, relations, secrets
from tideline_cli.policy.render import prompt_text
from tideline_cli.store import journal, links, listing
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from apsw import Connection

    from tideline_cli.llm.reply import Reference
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.relations import Pair

    Ask = Callable[[str, str], str]

MOST_CONSIDERED = 200
WINDOW = 40
_LONGEST_REASON = 200


class RelinkResult:
    """What became of a relink."""

    def __init__(self, considered: int) -> None:
        self.considered = considered
        self.windows = 0
        self.skipped = 0
        self.links = 0
        self.secrets = 0
        self.number: int | None = None
        self.batch: int | None = None
        self.failure: TidelineError | None = None


def considered(db: Connection, *, viewer: Origin) -> list[Fact]:
    """Return the newest active facts of an origin, identifiers and chunks of documents
    left out; none if there is one."""
    newest = listing.each(db, viewer=viewer, wanted=Filter(documents=()), limit=MOST_CONSIDERED)
    listed = [fact for fact in newest if not identifiers.is_withheld(fact)]
    return listed if len(listed) > 1 else []


def windows(listed: Sequence[Fact], *, size: int = WINDOW) -> list[Sequence[Fact]]:
    """Return the facts in groups, newest first; a last one of a single fact is left out."""
    groups = [listed[start : start + size] for start in range(0, len(listed), size)]
    return [group for group in groups if len(group) > 1]


def relink(
    db: Connection, *, viewer: Origin, now: int, ask: Ask, size: int = WINDOW
) -> RelinkResult:
    """Join the facts of each window by what a model says of it, in two calls a window.

    A window is skipped when a call fails or a reply cannot be read; what its first reply gave is
    kept. All of it is one batch of the journal. Edges that are there already stay as they are.
    """
    listed = considered(db, viewer=viewer)
    result = RelinkResult(len(listed))
    for group in windows(listed, size=size):
        result.windows += 1
        references: list[Reference] = []
        block = prompt_lines.lines(group)
        try:
            said = _asked(ask, block)
            references += _read(said)
            references += _read(_asked(ask, prompts.gleaning(block, said)))
        except TidelineError as error:
            result.skipped += 1
            result.failure = result.failure or error
        pairs = relations.taken(references, new=(), shown=[fact.id for fact in group])
        try:
            _join(db, pairs, result, viewer=viewer, now=now)
        except ReplacedError as error:
            done = f"{result.links:,} edges had been added to what was there before"
            raise error.after(done) from error
    return result


def _asked(ask: Ask, prompt: str) -> str:
    return reply.unechoed(ask(prompts.RELINK, prompt), prompts.RELINK, prompt)


def _read(said: str) -> list[Reference]:
    """Return the edges of a reply; raise BadReplyError for one that cannot be read."""
    references = reply.relationships(said)
    if references is None:
        raise BadReplyError(hint="no edge of it was stored; run relink again")
    return list(references)


def _join(
    db: Connection, pairs: Sequence[Pair], result: RelinkResult, *, viewer: Origin, now: int
) -> None:
    screen = Screen()
    scan_reasons((pair.reason for pair in pairs), screen)
    try:
        with journal.batch(db, verb="relink", by=viewer, now=now, resume=result.number) as batch:
            made = join(db, pairs, now=now, screen=screen)
            result.secrets += secret_count(pair.reason for pair in pairs)
            batch.note_secrets(result.secrets)
            if not made:
                raise NothingToDo
    except NothingToDo:
        return
    result.links += made
    result.number, result.batch = batch.number, batch.ordinal


def scan_reasons(reasons: Iterable[str | None], screen: Screen) -> None:
    """Scan the reasons of edges that `join` is about to store."""
    for reason in reasons:
        screen.found(_shown(reason or ""))


def secret_count(reasons: Iterable[str | None]) -> int:
    """Return how many secrets stand in the reasons of edges; `join` takes them out."""
    return sum(secrets.without(reason or "")[1] for reason in reasons)


def join(db: Connection, pairs: Iterable[Pair], *, now: int, screen: Screen) -> int:
    """Store the edges and return how many entries are new; a symmetric kind makes two.

    A reason that reads like an instruction takes its edge with it.
    """
    made = 0
    for pair in pairs:
        reason = _shown(pair.reason)
        if reason and not screen.found(reason):
            made += links.relate(
                db, pair.a, pair.kind, pair.b, reason=reason, strength=pair.strength, now=now
            )
    return made


def _shown(reason: str) -> str:
    """Return a reason as it is stored."""
    return prompt_text(secrets.without(reason)[0])[:_LONGEST_REASON].strip()
