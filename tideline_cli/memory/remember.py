"""remember: write one fact down, unless the store knows it or policy forbids it."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory.twins import rule_of, twins
from tideline_cli.model.codec import dumps
from tideline_cli.model.edge import SIMILAR
from tideline_cli.model.fact import MAX_CONTENT, birth
from tideline_cli.model.origin import UNKNOWN
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import normalise, storable, terms
from tideline_cli.policy import gate
from tideline_cli.policy.admit import Insert, Like, Reinforce, Rival, admit
from tideline_cli.store import facts, journal, links, uses, writes
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from apsw import Connection

    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source
    from tideline_cli.model.text import Analyzer

_MOST_SIMILAR = 3
_LABELS = (
    "tier", "kind", "title", "tags", "importance", "confidence", "slot", "valid_from", "valid_to",
    "pinned", "source_turn", "derived_from", "metadata",
)  # fmt: skip


@record
class Remembered:
    """What became of a new fact. `action` is created, reinforced or superseded; `ignored` are
    the facts that --supersedes names and that are archived already, by id, `similar` the newest
    facts that are much like it and say something else, `not_taken` the labels given with a
    restatement that the fact that says it already did not take."""

    action: str
    fact: Fact
    superseded: tuple[str, ...]
    ignored: tuple[str, ...]
    batch: int
    similar: tuple[Like, ...] = ()
    not_taken: tuple[str, ...] = ()


def remember(db: Connection, new: NewFact, *, fact_id: str, now: int) -> Remembered:
    """Store `new` as `fact_id`, or reinforce the fact that says it already, in one transaction.

    Raises UsageError for text that cannot be a fact, NotFoundError for a --supersedes that names
    none, and WriteBlockedError by policy; a blocked write leaves nothing but its reason in the
    journal.
    """
    new = replace(new, content=checked(new.content))
    screen = _screen(new)
    try:
        with journal.batch(db, verb="remember", by=new.origin, now=now) as batch:
            return write(db, new, batch=batch, fact_id=fact_id, now=now, screen=screen)
    except WriteBlockedError as error:
        if new.origin != UNKNOWN:
            block(db, new, error, now=now)
        raise


def write(
    db: Connection, new: NewFact, *, batch: journal.batch, fact_id: str, now: int,
    screen: Screen | None, heard: Container[str] = (), into: int | None = None,
) -> Remembered:  # fmt: skip
    """Do what `remember` does inside a batch that the caller holds open. `screen` has looked at
    the text before; trusted text needs none. To restate a fact of `heard` is no use of it.
    `into` is the number of the origin of `new`, where that is not the batch's."""
    number = batch.origin if into is None else into
    new = replace(new, content=checked(new.content))
    check_labels(new)
    fact = birth(new, fact_id=fact_id, now=now)
    analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
    listed = terms(fact.content, analyzer=analyzer)
    distinct = frozenset(listed)
    if fact.source == "dream" and fact.derived_from:
        gate.check_descent(fact.source, _sources(db, fact))
    named = facts.named(db, new.supersedes, viewer=new.origin)
    targets = [target for target in named if target.lifecycle == "active"]
    rule = rule_of(db)
    decision = admit(
        fact,
        distinct,
        targets=targets or None,
        slot_mates=_slot_mates(db, fact),
        twins=twins(db, fact.content, distinct, viewer=fact.origin, origin=number, rule=rule),
        rule=rule,
    )
    _refuse_threats(fact, screen)
    ignored = tuple(target.id for target in named if target.lifecycle != "active")
    match decision:
        case Reinforce(before, after):
            if before.id in heard:
                after = replace(after, access_count=before.access_count)
            _reinforce(db, before, after)
            left = _not_taken(new, fact, after)
            return Remembered("reinforced", after, (), ignored, batch.ordinal, not_taken=left)
        case Insert():
            if not writes.insert(db, fact, origin=number, terms=listed):
                raise UsageError(f"the id {fact.id} is taken", hint="leave the id out")
            similar = _join(db, decision, now=now)
            action = "superseded" if decision.replaced else "created"
            gone = tuple(old.id for old in decision.replaced)
            return Remembered(action, fact, gone, ignored, batch.ordinal, similar)


def _not_taken(new: NewFact, fact: Fact, after: Fact) -> tuple[str, ...]:
    """Return the labels that were given with a fact and that differ from those of the fact that
    says the same."""
    return tuple(
        name
        for name in _LABELS
        if getattr(new, name) not in (None, (), False)
        and getattr(fact, name) != getattr(after, name)
    )


def _reinforce(db: Connection, before: Fact, after: Fact) -> None:
    writes.change(db, before, after)
    uses.put(
        db, after.id, access_count=after.access_count, last_accessed_at=after.last_accessed_at
    )


def _join(db: Connection, decision: Insert, *, now: int) -> tuple[Like, ...]:
    """Archive what a new fact replaces, link it to that and to the newest that are much like it;
    return those."""
    new_id = decision.fact.id
    for old in decision.replaced:
        writes.archive(db, old.id, now=now)
        for kind in decision.link_kinds:
            links.add(db, links.Link(new_id, kind, old.id, created_at=now))
    similar = decision.alike[-_MOST_SIMILAR:][::-1]
    for like in similar:
        links.add(db, links.Link(new_id, SIMILAR, like.fact.id, created_at=now))
    return similar


def block(db: Connection, new: NewFact, error: WriteBlockedError, *, now: int) -> None:
    """Record that a write was refused, and why."""
    journal.record_blocked(db, verb="remember", by=new.origin, now=now, reason=error.reason)


def cited(db: Connection, references: Iterable[str], *, viewer: Origin) -> tuple[str, ...]:
    """Return the full ids of what is cited; raise NotFoundError for what is not there.

    A purge follows whole ids, so the beginning of one is not kept.
    """
    return tuple(fact.id for fact in facts.named(db, references, viewer=viewer))


def checked(content: str) -> str:
    """Return the text as it is stored; raise UsageError when it cannot be a fact."""
    text = normalise(content)
    if not text[:1].isalnum() and not any(char.isalnum() or ord(char) > 0x2BFF for char in text):
        raise UsageError(
            "nothing to remember: the text is empty or punctuation only", hint="say it in words"
        )
    if len(text) > MAX_CONTENT:
        raise UsageError(
            f"the text has {len(text):,} characters; a fact may have {MAX_CONTENT:,}",
            hint="split it into single facts",
        )
    return text


def check_labels(new: NewFact) -> None:
    """Raise UsageError for a label that cannot be stored or would not come back from an export."""
    for name in ("title", "slot", "source_turn"):
        value = getattr(new, name)
        if value is not None:
            storable(value, name)
    for name in ("tags", "derived_from", "supersedes"):
        for value in getattr(new, name):
            storable(value, name)
    if new.metadata is not None:
        try:
            dumps(new.metadata).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError("metadata cannot be stored: not valid JSON") from error


def _screen(new: NewFact) -> Screen | None:
    """Return what the scan finds in an untrusted text."""
    if is_trusted(new.source):
        return None
    from tideline_cli.memory import screening  # noqa: PLC0415  trusted text needs no scan

    return screening.screened([new])


def _refuse_threats(fact: Fact, screen: Screen | None) -> None:
    if is_trusted(fact.source):
        return
    from tideline_cli.memory import screening  # noqa: PLC0415  trusted text needs no scan

    found = (screen or screening.Screen()).found(fact.content)
    if found:
        hint = "read it; if you vouch for it, remember it as the owner"
        raise screening.refusal(found, f"text from {fact.source}", hint)


def _sources(db: Connection, fact: Fact) -> Iterator[Source]:
    """Yield who said the facts that this one cites; what is not there says nothing."""
    for reference in fact.derived_from:
        try:
            yield facts.find(db, reference, viewer=fact.origin)[1].source
        except NotFoundError:
            continue


def _slot_mates(db: Connection, fact: Fact) -> list[Rival]:
    if fact.slot is None:
        return []
    return [
        Rival(mate, frozenset(held.split()))
        for mate, held in facts.in_slot(db, fact.slot, viewer=fact.origin)
    ]
