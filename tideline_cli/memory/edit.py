"""edit: a new wording or new labels of a fact, as a fact that supersedes it."""

from __future__ import annotations

from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory import remember
from tideline_cli.memory.amend import NothingToDo, check_active
from tideline_cli.memory.screening import screened
from tideline_cli.model.fact import NewFact, clamped, slot_key
from tideline_cli.model.record import record, replace
from tideline_cli.store import facts, journal, uses, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source

_COMPARED = (
    "content", "segment", "tier", "kind", "title", "tags", "importance", "confidence", "slot",
    "valid_from", "valid_to", "metadata",
)  # fmt: skip


@record
class Edited:
    """The fact as it is now, and what it superseded; `action` is superseded or unchanged, and
    `batch` None when nothing changed."""

    action: str
    fact: Fact
    superseded: tuple[str, ...]
    batch: int | None


def edit(
    db: Connection,
    reference: str,
    changes: Mapping[str, Any],
    *,
    source: Source,
    fact_id: str,
    viewer: Origin,
    now: int,
) -> Edited:
    """Replace an active fact by one with `changes` (fields of NewFact), said by `source`.

    What is not changed is carried over, links excepted: they stay where they were made. Metadata
    is added to what there is; an empty slot or title is none. A fact that moves into another slot
    replaces what that slot held. When the text stays, status and use stay too.
    """
    _, seen = facts.find(db, reference, viewer=viewer)
    check_active(seen, "be edited")
    screen = screened([_revised(seen, changes, source)])
    kept: Fact | None = None
    new: NewFact | None = None
    try:
        with journal.batch(db, verb="edit", by=viewer, now=now) as batch:
            _, kept = facts.find(db, reference, viewer=viewer)
            check_active(kept, "be edited")
            new = _revised(kept, changes, source)
            if all(getattr(kept, name) == getattr(new, name) for name in _COMPARED):
                raise NothingToDo
            mates = [] if new.slot in (None, kept.slot) else _holders(db, new, viewer=viewer)
            new = replace(new, supersedes=(kept.id, *mates))
            done = remember.write(db, new, batch=batch, fact_id=fact_id, now=now, screen=screen)
            fact = done.fact
            if done.action == "superseded" and fact.content == kept.content:
                fact = _with_standing(db, fact, kept)
            return Edited(done.action, fact, done.superseded, done.batch)
    except NothingToDo:
        assert kept is not None  # noqa: S101  for the type checker: raised after it was found
        return Edited("unchanged", kept, (), None)
    except WriteBlockedError as error:
        if new is not None:
            journal.record_blocked(db, verb="edit", by=viewer, now=now, reason=error.reason)
        raise


def _with_standing(db: Connection, fact: Fact, kept: Fact) -> Fact:
    """Let a fact whose labels alone have changed keep what it has earned: status and use."""
    standing = replace(
        fact,
        status=kept.status,
        access_count=kept.access_count,
        last_accessed_at=kept.last_accessed_at,
    )
    writes.change(db, fact, standing)
    if kept.access_count:
        uses.put(
            db, fact.id, access_count=kept.access_count, last_accessed_at=kept.last_accessed_at
        )
    return standing


def _revised(fact: Fact, changes: Mapping[str, Any], source: Source) -> NewFact:
    carried = NewFact(
        fact.content,
        fact.segment,
        source,
        fact.origin,
        tier=fact.tier,
        kind=fact.kind,
        title=fact.title,
        tags=fact.tags,
        importance=fact.importance,
        confidence=fact.confidence,
        slot=fact.slot,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        pinned=fact.pinned,
        source_turn=fact.source_turn,
        derived_from=fact.derived_from,
        metadata=fact.metadata,
    )
    if "metadata" in changes:
        changes = {**changes, "metadata": {**(fact.metadata or {}), **changes["metadata"]}}
    new = replace(carried, **changes)
    if new.valid_from is not None and new.valid_to is not None and new.valid_to <= new.valid_from:
        raise UsageError("valid-to is not after valid-from", hint="a fact holds until valid-to")
    confidence = None if new.confidence is None else clamped(new.confidence, 1.0)
    return replace(
        new,
        content=remember.checked(new.content),
        importance=clamped(new.importance, fact.importance),
        confidence=confidence,
        slot=slot_key(new.slot) if new.slot else None,
        title=new.title or None,
    )


def _holders(db: Connection, new: NewFact, *, viewer: Origin) -> list[str]:
    assert new.slot is not None  # noqa: S101  for the type checker: asked only for a slot
    return [mate.id for mate, _ in facts.in_slot(db, new.slot, viewer=viewer)]
