"""edit: a new wording or new labels of a fact, as a fact that supersedes it."""

from __future__ import annotations

from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory import remember
from tideline_cli.memory.amend import NothingToDo, check_active
from tideline_cli.memory.screening import refusal, screened
from tideline_cli.model.fact import NewFact, clamped, slot_key
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.amend import author
from tideline_cli.policy.gate import may_touch
from tideline_cli.store import facts, journal, uses, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source

_COMPARED = (
    "content", "segment", "tier", "kind", "title", "tags", "importance", "confidence", "slot",
    "valid_from", "valid_to", "metadata", "source",
)  # fmt: skip
_VOUCH = "read it; --vouch makes these words yours as they are"
_TAKEN = {True: "vouched for the words", False: "new words in the place of those"}


@record
class Editor:
    """Who edits: the source of what they say, whether they have typed the new text, and whether
    they vouch for words that an untrusted source has said."""

    source: Source
    typed: bool
    vouched: bool = False


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
    editor: Editor,
    fact_id: str,
    viewer: Origin,
    now: int,
) -> Edited:
    """Replace an active fact by one with `changes` (fields of NewFact).

    What is not changed is carried over, links excepted: they stay where they were made; and so does
    the source, unless the words are new (see `policy.amend.author`). Metadata is added to what
    there is; an empty slot or title is none. A fact that moves into another slot replaces what that
    slot held, if its source may. When the text stays, status and use stay too. The words of an
    untrusted fact are scanned, old or new, unless the editor vouches for them.
    """
    _, seen = facts.find(db, reference, viewer=viewer)
    check_active(seen, "be edited")
    screen = _look(seen, changes, editor)
    kept: Fact | None = None
    new: NewFact | None = None
    try:
        with journal.batch(db, verb="edit", by=viewer, now=now) as batch:
            _, kept = facts.find(db, reference, viewer=viewer)
            check_active(kept, "be edited")
            new = _revised(kept, changes, editor)
            if all(getattr(kept, name) == getattr(new, name) for name in _COMPARED):
                raise NothingToDo
            _refuse_threats(kept, new, editor, screen)
            mates = [] if new.slot in (None, kept.slot) else _holders(db, new, viewer=viewer)
            new = _asking(replace(new, supersedes=(kept.id, *mates)), kept)
            done = remember.write(db, new, batch=batch, fact_id=fact_id, now=now, screen=screen)
            fact = done.fact
            if is_trusted(new.source) and not is_trusted(kept.source):
                batch.explain(f"{_TAKEN[editor.vouched]} of {kept.source}: {kept.id} is {fact.id}")
            if done.action == "superseded" and fact.content == kept.content:
                fact = _with_standing(db, fact, kept, new)
            return Edited(done.action, fact, done.superseded, done.batch)
    except NothingToDo:
        assert kept is not None  # noqa: S101  for the type checker: raised after it was found
        return Edited("unchanged", kept, (), None)
    except WriteBlockedError as error:
        if new is not None:
            journal.record_blocked(db, verb="edit", by=viewer, now=now, reason=error.reason)
        raise


def _asking(new: NewFact, kept: Fact) -> NewFact:
    """Return what an untrusted fact asks for when it is written anew: not the pin or permanence
    that it was given; `_with_standing` carries those over."""
    if is_trusted(new.source) or new.segment != kept.segment:
        return new
    tier = None if new.tier == kept.tier == "permanent" else new.tier
    return replace(new, tier=tier, pinned=False)


def _with_standing(db: Connection, fact: Fact, kept: Fact, asked: NewFact) -> Fact:
    """Let a fact whose labels alone have changed keep what it has: status, use, and what its owner
    gave it against fading."""
    standing = replace(
        fact,
        tier=fact.tier if asked.tier is not None else kept.tier,
        pinned=kept.pinned,
        heat="core" if kept.pinned else fact.heat,
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


def _look(fact: Fact, changes: Mapping[str, Any], editor: Editor) -> Screen:
    """Scan what an edit of an untrusted fact is about to store, whoever says it then."""
    new = _revised(fact, changes, editor)
    said_by = new.source if is_trusted(fact.source) or editor.vouched else fact.source
    return screened([replace(new, source=said_by)])


def _refuse_threats(fact: Fact, new: NewFact, editor: Editor, screen: Screen) -> None:
    """Raise WriteBlockedError for a threat in what replaces the words of an untrusted fact; what
    stays untrusted is looked at by `remember.write`."""
    if is_trusted(fact.source) or editor.vouched or not is_trusted(new.source):
        return
    found = screen.found(new.content)
    if found:
        raise refusal(found, f"the new text of a fact from {fact.source}", _VOUCH)


def _revised(fact: Fact, changes: Mapping[str, Any], editor: Editor) -> NewFact:
    text = remember.checked(changes.get("content", fact.content))
    source = author(
        fact, text, editor=editor.source, typed=editor.typed, vouched=editor.vouched
    )
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
        content=text,
        importance=clamped(new.importance, fact.importance),
        confidence=confidence,
        slot=slot_key(new.slot) if new.slot else None,
        title=new.title or None,
    )


def _holders(db: Connection, new: NewFact, *, viewer: Origin) -> list[str]:
    assert new.slot is not None  # noqa: S101  for the type checker: asked only for a slot
    mates = [mate for mate, _ in facts.in_slot(db, new.slot, viewer=viewer)]
    return [mate.id for mate in mates if may_touch(new.source, mate.source)]
