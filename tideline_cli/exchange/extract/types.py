"""What the passes of an extraction hand to one another: proposals, steps, and outcomes."""

from __future__ import annotations

from tideline_cli.model.fact import KINDS
from tideline_cli.model.record import record, replace
from tideline_cli.policy import secrets
from tideline_cli.store import cursors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.errors import TidelineError
    from tideline_cli.exchange.extract.conversation import Message
    from tideline_cli.model.fact import Role, Segment
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source
    from tideline_cli.store.cursors import Marked, Pass


LONGEST_CALL = 60_000  # characters of conversation in one request


@record
class ExtractContext:
    """Whose conversation it is, which one, when, and how a new fact is named.

    session: its name, which stays while it grows. cursor: the name of its cursors, if that is
    another; it tells conversations apart that begin with the same message. first: the name that
    the cursors had when it was a single message. scope, agent: those of the facts that are found.
    title: what the conversation is called. said: when each message was said, where that is known.
    marks: of each message what tells it and all before it from those of another branch; none where
    there are no branches. window: characters of conversation in one request.
    """

    session: str
    origin: Origin
    now: int
    new_id: Callable[[], str]
    trust_owner: bool = False
    cursor: str = ""
    first: str = ""
    scope: str | None = None
    agent: str | None = None
    title: str | None = None
    said: tuple[int | None, ...] = ()
    marks: tuple[str, ...] = ()
    window: int = LONGEST_CALL

    def said_at(self, turn: int | None) -> int:
        """Return when the message of a number was said; now where nobody knows, never later."""
        at = self.said[turn - 1] if turn and turn <= len(self.said) else None
        return self.now if at is None else min(at, self.now)

    def done(self, db: Connection, name: Pass) -> int:
        """Return how many messages a pass has done."""
        if self.marks:
            return self.done_here(db, name)
        done = cursors.stored(db, self.cursor or self.session, name, viewer=self.origin)
        if done is not None or not self.first:
            return done or 0
        return min(1, cursors.done(db, self.first, name, viewer=self.origin))

    def put(self, db: Connection, name: Pass, count: int) -> None:
        """Set how many messages a pass has done; needs an open transaction."""
        if self.marks:
            self.put_here(db, name, count)
            return
        cursors.put(db, self.cursor or self.session, name, count, viewer=self.origin)

    def done_here(self, db: Connection, name: Marked) -> int:
        """Return how many messages of this branch a pass has done."""
        return cursors.marked(db, self.cursor or self.session, name, self.marks, viewer=self.origin)

    def put_here(self, db: Connection, name: Marked, count: int) -> None:
        """Set how many messages of this branch a pass has done; needs an open transaction."""
        cursors.put_marked(
            db, self.cursor or self.session, name, count, self.marks, viewer=self.origin
        )

    @property
    def own_words(self) -> Source:
        """Return the source of what the owner said, if the user vouches for it."""
        is_owner = self.trust_owner and self.origin.is_owner
        return "owner_message" if is_owner else "extraction"


@record
class Proposal:
    """A fact that may be stored.

    exact: only the very same text is the same, as of a phone number, or one of `others`; it takes
    the place of one of `lesser`, which say less. corrects: it takes something back, so what it
    resembles is not the same. turn, role: the number of the message that says it, from 1, and who
    wrote that; of a stretch of messages the number of the last one.
    refusal: why it may not be stored, empty where it may.
    supersedes: it is the one fact of its kind in the session, and takes the place of these, which
    are all that there are.
    """

    content: str
    segment: Segment
    source: Source = "extraction"
    kind: str | None = None
    importance: float | None = None
    confidence: float | None = None
    corrects: bool = False
    exact: bool = False
    pinned: bool = False
    tags: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    lesser: tuple[str, ...] = ()
    turn: int | None = None
    role: Role | None = None
    supersedes: tuple[str, ...] | None = None
    refusal: str = ""


@record
class Refusal:
    """What a reply gives and is not stored, and why: the scan for attacks, or another reason."""

    text: str
    reason: str
    is_blocked: bool = False


@record
class Step:
    """How far a pass comes by a transaction: from `before` messages to `after`."""

    name: Pass
    before: int
    after: int


class OvertakenError(Exception):
    """Another process has done these messages meanwhile."""


class Tally:
    """What became of an extraction so far, and the batch of the journal that it is."""

    def __init__(self) -> None:
        self.stored = 0
        self.reinforced = 0
        self.refusals: list[Refusal] = []
        self.secrets = 0
        self.unread = 0
        self.links = 0
        self.identifiers = 0
        self.ran = False
        self.facts: list[str] = []
        self.done: dict[Pass, int] = {}
        self.number: int | None = None
        self.batch: int | None = None
        self.window = 0  # characters that the model has room for, where it said so
        self.failure: TidelineError | None = None
        self.overtaken = False
        self.secrets_before = 0  # of the conversations before it in the same batch

    @property
    def refused(self) -> int:
        return len(self.refusals) - self.blocked

    @property
    def blocked(self) -> int:
        return sum(one.is_blocked for one in self.refusals)

    def following(self) -> Tally:
        """Return the tally of the next conversation, which goes on in the same batch."""
        after = Tally()
        after.number, after.batch = self.number, self.batch
        after.secrets_before = self.secrets_before + self.secrets
        return after

    def changes(self) -> int:
        """Return a number that grows by whatever a transaction changes."""
        return self.stored + self.reinforced + self.links


def kind_proposal(kind: str, text: str, source: Source, **labels: Any) -> Proposal:
    """Return a proposal in the segment that its kind implies."""
    return Proposal(text, KINDS[kind][0], source, kind, **labels)


def without_secrets(messages: Sequence[Message], start: int, tally: Tally) -> list[Message]:
    """Return the messages, those from `start` on without passwords, keys and card numbers, which
    `tally` counts."""
    listed = list(messages[:start])
    for message in messages[start:]:
        text, count = secrets.without(message.text)
        tally.secrets += count
        listed.append(replace(message, text=text) if count else message)
    return listed
