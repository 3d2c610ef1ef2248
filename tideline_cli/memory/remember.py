"""remember: write one fact down, unless the store knows it or policy forbids it."""

from __future__ import annotations

from math import ceil, comb

from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.model.codec import dumps
from tideline_cli.model.fact import MAX_CONTENT, birth
from tideline_cli.model.origin import UNKNOWN
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import jaccard, normalise, storable, terms
from tideline_cli.policy import gate
from tideline_cli.policy.admit import Insert, Reinforce, Rival, admit
from tideline_cli.policy.sameness import SAME_TERMS
from tideline_cli.ranking.bm25 import at_least
from tideline_cli.store import facts, fts, journal, links, uses, writes
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.source import Source
    from tideline_cli.model.text import Analyzer

_MAX_LEAVES = 300
_RARE = 64
_PROBES = 8  # terms to ask for beyond those that a twin may miss


@record
class Remembered:
    """What became of a new fact. `action` is created, reinforced or superseded; `ignored` are
    the --supersedes references that name no active fact of this origin."""

    action: str
    fact: Fact
    superseded: tuple[str, ...]
    ignored: tuple[str, ...]
    batch: int


def remember(db: Connection, new: NewFact, *, fact_id: str, now: int) -> Remembered:
    """Store `new` as `fact_id`, or reinforce the fact that says it already, in one transaction.

    Raises UsageError for text that cannot be a fact and WriteBlockedError by policy; a blocked
    write leaves nothing but its reason in the journal.
    """
    try:
        with journal.batch(db, verb="remember", by=new.origin, now=now) as batch:
            return write(db, new, batch=batch, fact_id=fact_id, now=now)
    except WriteBlockedError as error:
        if new.origin != UNKNOWN:
            block(db, new, error, now=now)
        raise


def write(
    db: Connection, new: NewFact, *, batch: journal.batch, fact_id: str, now: int
) -> Remembered:
    """Do what `remember` does inside a batch that the caller holds open."""
    new = replace(new, content=checked(new.content))
    _check_labels(new)
    fact = birth(new, fact_id=fact_id, now=now)
    analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
    listed = terms(fact.content, analyzer=analyzer)
    distinct = frozenset(listed)
    if fact.source == "dream" and fact.derived_from:
        gate.check_descent(fact.source, _sources(db, fact))
    targets = facts.active(db, new.supersedes, viewer=new.origin) if new.supersedes else None
    decision = admit(
        fact,
        distinct,
        targets=targets,
        slot_mates=_slot_mates(db, fact),
        twins=_twins(db, distinct, fact, batch.origin),
    )
    _scan(fact)
    ignored = tuple(
        reference
        for reference in new.supersedes
        if not any(target.id.startswith(reference.upper()) for target in targets or ())
        and not any(target.id == reference for target in targets or ())
    )
    match decision:
        case Reinforce(before, after):
            writes.change(db, before, after)
            uses.put(
                db,
                after.id,
                access_count=after.access_count,
                last_accessed_at=after.last_accessed_at,
            )
            return Remembered("reinforced", after, (), ignored, batch.ordinal)
        case Insert(_, replaced, kinds):
            if not writes.insert(db, fact, origin=batch.origin, terms=listed):
                raise UsageError(f"the id {fact.id} is taken", hint="leave the id out")
            for old in replaced:
                writes.archive(db, old.id, now=now)
                for kind in kinds:
                    links.add(db, links.Link(fact.id, kind, old.id, created_at=now))
            action = "superseded" if replaced else "created"
            gone = tuple(old.id for old in replaced)
            return Remembered(action, fact, gone, ignored, batch.ordinal)


def block(db: Connection, new: NewFact, error: WriteBlockedError, *, now: int) -> None:
    """Record that a write was refused, and why."""
    journal.record_blocked(db, verb="remember", by=new.origin, now=now, reason=error.reason)


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


def _check_labels(new: NewFact) -> None:
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


def _scan(fact: Fact) -> None:
    if is_trusted(fact.source):
        return
    from tideline_cli.policy.threats import scan  # noqa: PLC0415  trusted text needs no scan

    found = scan(fact.content)
    if found:
        raise WriteBlockedError(
            f"threat scan: text from {fact.source} matched {', '.join(found)}",
            hint="read it; if you vouch for it, remember it as the owner",
            code="memory:threat",
            reason="threat: " + ", ".join(found),
        )


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


def _twins(db: Connection, distinct: frozenset[str], fact: Fact, origin: int) -> Iterator[Rival]:
    """Yield the active facts of this origin whose terms are nearly the same, oldest first.

    A twin holds all but a few of the terms; asking for most of the rarest ones finds every twin
    and little else.
    """
    if not distinct:
        return
    needed = ceil(SAME_TERMS * len(distinct))
    missable = len(distinct) - needed
    probes = _rarest(db, distinct, origin, missable)
    if sum(count == 0 for count, _ in probes) > missable:
        return
    share = min(_affordable(missable, needed), len(probes) - missable)
    chosen = [term for _, term in probes[: missable + share]]
    condition = at_least(dict.fromkeys(chosen, 1.0), len(chosen) - missable)
    if condition is None:
        return
    for seq, held in list(fts.holding(db, condition, origin=origin)):
        theirs = frozenset(held.split())
        if jaccard(distinct, theirs) >= SAME_TERMS:
            for twin, _ in facts.with_terms(db, [seq], viewer=fact.origin):
                yield Rival(twin, theirs)


def _rarest(
    db: Connection, distinct: frozenset[str], origin: int, missable: int
) -> list[tuple[int, str]]:
    """Return (facts that hold it, term) of some long terms, rarest first; long terms are rare.

    Counting ends when more terms are new than a twin may miss.
    """
    counted: list[tuple[int, str]] = []
    unheard = 0
    for term in sorted(distinct, key=lambda term: (-len(term), term))[: missable + _PROBES]:
        count = fts.rarity(db, term, origin=origin, enough=_RARE)
        counted.append((count, term))
        unheard += count == 0
        if unheard > missable:
            break
    return sorted(counted)


def _affordable(missable: int, needed: int) -> int:
    """Return how many terms to ask for, so that the condition stays small."""
    share = 1
    while share < needed and comb(missable + share + 1, missable) * (share + 1) <= _MAX_LEAVES:
        share += 1
    return share
