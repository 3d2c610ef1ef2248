"""remember: write one fact down, unless the store knows it or policy forbids it."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory import rivals
from tideline_cli.memory.rivals import counts_beside, rule_of, twins
from tideline_cli.model.codec import dumps
from tideline_cli.model.edge import SIMILAR
from tideline_cli.model.fact import MAX_CONTENT, birth, is_restless
from tideline_cli.model.fields import LISTS, TEXTS
from tideline_cli.model.origin import UNKNOWN
from tideline_cli.model.record import Record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.spoken_days import with_day
from tideline_cli.model.text import index_terms, normalise, said_terms
from tideline_cli.policy import gate
from tideline_cli.policy.admit import Insert, Reinforce, Rival, admit
from tideline_cli.policy.sameness import MOST_SIMILAR
from tideline_cli.store import facts, journal, writes
from tideline_cli.store.connection import heat_rule, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer, IndexTerms
    from tideline_cli.policy.contradictions import ComparedFact
    from tideline_cli.policy.slots import Ended
    from tideline_cli.store.reads import Read


class Remembered(Record):
    """What became of a new fact.

    action: created, reinforced or superseded. superseded: the ids of the facts that it replaces.
    later: those of them that hold until it begins. ignored: the ids that --supersedes names and
    that are archived already. similar: the few facts nearest to it that say something else.
    elsewhen: the ids of facts that say the same at other times. before: the known fact as it was
    before a restatement. not_taken: the labels of a restatement that the known fact did not take.
    secrets: how many were taken out of it. may_contradict: the facts that it may take back.
    """

    action: str
    fact: Fact
    superseded: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    batch: int = 0
    similar: tuple[Fact, ...] = ()
    not_taken: tuple[str, ...] = ()
    later: tuple[Fact, ...] = ()
    elsewhen: tuple[str, ...] = ()
    before: Fact | None = None
    secrets: int = 0
    may_contradict: tuple[ComparedFact, ...] = ()


def remember(
    db: Connection, new: NewFact, *, fact_id: str, now: int, meant: Sequence[str] = ()
) -> Remembered:
    """Store `new` as `fact_id`, or reinforce the fact that says it already, in one transaction.
    `meant` are facts much like it by a learned embedder.

    Secrets are taken out of untrusted text. Raises UsageError for text that cannot be a fact,
    NotFoundError for a --supersedes that names no fact, and WriteBlockedError when policy refuses
    the write. A blocked write stores nothing but its reason, in the journal.
    """
    new = replace(new, content=checked_text(new.content))
    screen, gone = None, 0
    if not is_trusted(new.source):
        from tideline_cli.memory import screening  # noqa: PLC0415  trusted text needs no scan

        new, gone, screen = screening.screened(new)
    try:
        with journal.batch(db, verb="remember", by=new.origin, now=now) as batch:
            done = remember_in_batch(
                db, new, batch=batch, fact_id=fact_id, now=now, screen=screen, meant=meant,
                names_doubts=True,
            )  # fmt: skip
            batch.note_secrets(gone)
            return replace(done, secrets=gone)
    except WriteBlockedError as error:
        if new.origin != UNKNOWN:
            record_refusal(db, new, error, now=now)
        raise


def _with_doubts(
    db: Connection, done: Remembered, counts: Mapping[str, int], *, origin_number: int
) -> Remembered:
    """Return what became of a new fact with what it may contradict, of which nothing else comes. A
    fact that is named so is not named as similar too."""
    doubted = rivals.contradicted(
        db, done.fact, counts, viewer=done.fact.origin, origin_number=origin_number
    )
    named = {one.id for one in doubted}
    similar = tuple(like for like in done.similar if like.id not in named)
    return replace(done, may_contradict=doubted, similar=similar)


def remember_in_batch(
    db: Connection, new: NewFact, *, batch: journal.batch, fact_id: str, now: int,
    screen: Screen | None, heard: Container[str] = (), into: int | None = None,
    meant: Sequence[str] = (), names_doubts: bool = False,
) -> Remembered:  # fmt: skip
    """Do what `remember` does inside a batch that the caller holds open; what a new fact may
    contradict is named where it `names_doubts`.

    `screen` holds what a scan of the text has found; trusted text needs none. To restate a fact of
    `heard` does not count as a use of it. `into` is the number of the origin of `new`, where that
    is not the origin of the batch.
    """
    number = batch.origin_number if into is None else into
    new = replace(new, content=checked_text(new.content))
    check_labels(new)
    new = replace(new, metadata=with_day(new.metadata, new.content, at=now))
    fact = birth(new, fact_id=fact_id, now=now)
    if into is None:  # what is brought from elsewhere keeps the heat that it has
        fact = _warmed(db, None, fact, now=now)
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    listed = index_terms(fact.content, analyzer=analyzer)
    if fact.source == "dream":
        check_cited(db, fact)
    named = facts.named(db, new.supersedes, viewer=new.origin)
    targets = [target for target in named if target.lifecycle == "active"]
    distinct = frozenset(listed.said)
    counts, held = counts_beside(db, distinct, _slot_mates(fact), origin_number=number)
    mates = [
        Rival(mate, frozenset(said_terms(terms))) for there in held for mate, terms in there
    ]
    decision = _decided(
        db, fact, new, distinct, counts, targets, mates, number,
        [one for one in facts.named(db, meant, viewer=new.origin) if one.lifecycle == "active"],
    )  # fmt: skip
    _refuse_threats(fact, screen)
    match decision:
        case Reinforce():
            done, past = _reinforced(
                db, fact, decision, heard, targets=targets, is_own=into is None
            )
        case Insert():
            _insert(db, fact, listed, origin_number=number)
            done, past = _inserted(db, fact, decision, targets=targets, is_own=into is None)
            if names_doubts:
                done = _with_doubts(db, done, counts, origin_number=number)
    return replace(
        done, batch=batch.ordinal,
        ignored=tuple(target.id for target in named if target.lifecycle != "active"),
        superseded=tuple(one.before.id for one in past),
        later=tuple(one.after for one in past if one.after.lifecycle == "active"),
    )  # fmt: skip


def write_apart(
    db: Connection, new: NewFact, *, batch: journal.batch, fact_id: str, now: int, screen: Screen
) -> None:
    """Store `new` by the write-gate in a batch that the caller holds open, though a fact that is
    there may say nearly the same: two phone numbers share most of their words."""
    new = replace(new, metadata=with_day(new.metadata, new.content, at=now))
    fact = birth(new, fact_id=fact_id, now=now)
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    listed = index_terms(fact.content, analyzer=analyzer)
    admit(fact, frozenset(listed.said), said=new)
    _refuse_threats(fact, screen)
    _insert(db, fact, listed, origin_number=batch.origin_number)


def _insert(db: Connection, fact: Fact, listed: IndexTerms, *, origin_number: int) -> None:
    if not writes.insert(db, fact, origin_number=origin_number, terms=listed):
        raise UsageError(f"the id {fact.id} is taken", hint="leave the id out")


def _reinforced(
    db: Connection, fact: Fact, decision: Reinforce, heard: Container[str], *,
    targets: Sequence[Fact], is_own: bool,
) -> tuple[Remembered, Sequence[Ended]]:  # fmt: skip
    """Store what a restatement changes of the known fact; return that fact, and what it ends. One
    that `is_own`, and no row of a file, moves its heat."""
    from tideline_cli.store import uses  # noqa: PLC0415  a new fact has no use

    before, holder = decision.before, decision.after
    if before.id in heard:
        holder = replace(holder, access_count=before.access_count)
    if is_own:
        holder = _warmed(db, before, holder, now=fact.created_at)
    if holder.slot is not None:
        from tideline_cli.memory.succession import repeated  # noqa: PLC0415  few are in a slot

        before = facts.find(db, before.id, viewer=fact.origin)
        holder = repeated(db, before, holder, new=fact)
    writes.change(db, before, holder)
    uses.put_of(db, holder)
    holder, past = _succeed(db, holder, fact, named=targets, is_now=is_own)
    return Remembered("reinforced", holder, before=before, not_taken=decision.not_taken), past


def _warmed(db: Connection, before: Fact | None, after: Fact, *, now: int) -> Fact:
    """Return a fact that is new, or was `before`, with the heat that it has by its use."""
    if not is_restless(after, after.access_count, now=now) and heat_rule(db) is None:
        return after
    from tideline_cli.memory import heat  # noqa: PLC0415  few writes move any

    return heat.warmed(db, before, after, now=now)


def _inserted(
    db: Connection, fact: Fact, decision: Insert, *, targets: Sequence[Fact], is_own: bool
) -> tuple[Remembered, Sequence[Ended]]:
    """Link a new fact to those that it ends or resembles; return it, and what it ends."""
    fact, past = _succeed(db, fact, fact, named=targets, is_now=is_own)
    similar = _join(db, fact, decision.alike, now=fact.created_at)
    elsewhen = tuple(one.id for one in decision.elsewhen)
    action = "superseded" if past else "created"
    return Remembered(action, fact, similar=similar, elsewhen=elsewhen), past


def _decided(
    db: Connection, fact: Fact, said: NewFact, distinct: frozenset[str],
    counts: Mapping[str, int], targets: Sequence[Fact], mates: Sequence[Rival], number: int,
    meant: Sequence[Fact],
) -> Insert | Reinforce:  # fmt: skip
    """Return what becomes of a fact.

    `admit` is pure, but the twins that it is given are a lazy iterator: each one that it asks for
    is read from the store. So no more is read than the decision needs.
    """
    rule = rule_of(db)
    known = twins(
        db, fact.content, distinct, counts, viewer=fact.origin, origin_number=number, rule=rule
    )
    return admit(
        fact, distinct, said=said, targets=targets, slot_mates=mates, twins=known, rule=rule,
        meant=meant,
    )  # fmt: skip


def _succeed(
    db: Connection, holder: Fact, new: Fact, *, named: Sequence[Fact], is_now: bool
) -> tuple[Fact, Sequence[Ended]]:
    """End the facts that a fact replaces, and link it to them; return it and them."""
    if not named and holder.slot is None:
        return holder, ()
    from tideline_cli.memory.succession import replace_others  # noqa: PLC0415  most replace nothing

    return replace_others(db, holder, new, named=named, is_now=is_now)


def _join(db: Connection, fact: Fact, alike: Sequence[Fact], *, now: int) -> tuple[Fact, ...]:
    """Link a new fact to the nearest facts that are much like it, and return those."""
    if not alike:
        return ()
    from tideline_cli.store import links  # noqa: PLC0415  most are like no other

    similar = tuple(alike[:MOST_SIMILAR])
    for like in similar:
        links.add(db, links.Link(fact.id, SIMILAR, like.id, created_at=now))
    return similar


def record_refusal(db: Connection, new: NewFact, error: WriteBlockedError, *, now: int) -> None:
    """Record that a write was refused, and why."""
    journal.record_blocked(db, verb="remember", by=new.origin, now=now, reason=error.reason)


def checked_text(content: str) -> str:
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
    stated = [(getattr(new, name), name) for name in TEXTS if getattr(new, name) is not None]
    stated += [(value, name) for name in (*LISTS, "supersedes") for value in getattr(new, name)]
    if stated:
        from tideline_cli.model.short_text import storable  # noqa: PLC0415  many have no labels

        for value, name in stated:
            storable(value, name)
    if new.metadata is not None:
        try:
            dumps(new.metadata).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError("metadata cannot be stored: not valid JSON") from error


def _refuse_threats(fact: Fact, screen: Screen | None) -> None:
    if is_trusted(fact.source):
        return
    from tideline_cli.memory import screening  # noqa: PLC0415  trusted text needs no scan

    screening.refuse_untrusted(fact, screen or screening.Screen())


def _slot_mates(fact: Fact) -> Sequence[Read[list[tuple[Fact, str]]]]:
    """Return what reads the values that the slot of a fact has when the fact begins, as they were
    said: to say one again is no other value."""
    if fact.slot is None:
        return ()
    from tideline_cli.memory.succession import mates_of  # noqa: PLC0415  few are in a slot

    return (mates_of(fact, viewer=fact.origin),)


def check_cited(db: Connection, fact: Fact) -> None:
    """Raise WriteBlockedError when a pass cites a fact of an untrusted source."""
    for reference in fact.derived_from:
        try:
            cited = facts.find(db, reference.strip(), viewer=fact.origin)
        except NotFoundError:
            continue
        gate.check_descent(fact.source, (cited.source,))


def cited(db: Connection, references: Iterable[str], *, viewer: Origin) -> tuple[str, ...]:
    """Return the full ids of what is cited; raise NotFoundError for what is not there.

    A purge follows whole ids, so the beginning of an id is not stored.
    """
    return tuple(fact.id for fact in facts.named(db, references, viewer=viewer))
