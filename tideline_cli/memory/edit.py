"""edit: other labels of a fact, in place; or a new wording, as a fact that supersedes it."""

from __future__ import annotations

from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory import heat, remember
from tideline_cli.memory.amend import NothingToDo, check_active
from tideline_cli.memory.rivals import stating
from tideline_cli.memory.screening import refusal, screen_of
from tideline_cli.memory.secret_screening import searched
from tideline_cli.memory.succession import give_way, repaint
from tideline_cli.model.edge import SUPERSEDES
from tideline_cli.model.fact import bare_name, clamped, said_again, slot_key
from tideline_cli.model.fields import LABELS, TEXTS
from tideline_cli.model.record import record, replace
from tideline_cli.model.scope import scope_key
from tideline_cli.model.source import is_trusted
from tideline_cli.model.spoken_days import with_day_of
from tideline_cli.model.text import index_terms
from tideline_cli.policy import gate, survivor
from tideline_cli.policy.periods import as_said, ended, holds_from, statement_of
from tideline_cli.policy.slots import Ended, moved_in, same_place, told_anew
from tideline_cli.policy.transitions import author
from tideline_cli.store import facts, journal, statements, uses, writes
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source
    from tideline_cli.model.text import Analyzer, IndexTerms

_COMPARED = ("content", "source", *LABELS)
_TAKEN = {True: "vouched for the words", False: "new words in the place of those"}
_VOUCH = "read it; --vouch makes these words yours as they are"


@record
class Edited:
    """The fact as it is now, and what it superseded.

    action: superseded, reinforced (another fact had these words already), changed (labels alone)
    or unchanged. batch: None when nothing changed. later: those of the superseded that still hold,
    each with the time when they end. secrets: how many were taken out of the changes.
    """

    action: str
    fact: Fact
    superseded: tuple[str, ...]
    batch: int | None
    later: tuple[tuple[str, int], ...] = ()
    secrets: int = 0


def edit(
    db: Connection, reference: str, changes: Mapping[str, Any], *, editor: Editor, fact_id: str,
    viewer: Origin, now: int, since: int | None = None,
) -> Edited:  # fmt: skip
    """Give an active fact `changes` (fields of NewFact): labels in place, words by a new fact.

    A new wording corrects the past as well: it holds since the old one began. Where `since` or
    `valid_from` is given, it holds from then on, and the old one held until then. Where another
    active fact has these words already, for the same time, that one is reinforced instead. All that
    is not changed is carried over, except links. The source is carried over too, unless the words
    are new (see `policy.transitions.author`). Metadata is added to what there is; an empty slot or
    title removes it. A fact that moves into another slot replaces what that holds, if its source
    may. The words of an untrusted fact are scanned, old or new, unless the editor vouches for them.
    """
    if since is not None:
        changes = {**changes, "valid_from": since}
    seen = as_said(facts.find(db, reference, viewer=viewer))
    check_active(seen, "be edited")
    changes, gone = without_secrets(seen, changes, editor)
    screen = scan_edit(seen, changes, editor)
    kept: Fact | None = None
    new: NewFact | None = None
    try:
        with journal.batch(db, verb="edit", by=viewer, now=now) as batch:
            kept = facts.find(db, reference, viewer=viewer)
            check_active(kept, "be edited")
            new = revised(as_said(kept), changes, editor)
            if all(getattr(as_said(kept), name) == getattr(new, name) for name in _COMPARED):
                raise NothingToDo
            remember.check_labels(new)
            refuse_edit(kept, new, editor, screen)
            new = without_grants(new, kept)
            if (new.content, new.source) != (kept.content, kept.source):
                done = _reword(
                    db, kept, new, changes, editor, batch=batch, fact_id=fact_id, now=now
                )
            else:
                if since is not None:
                    hint = "--valid-from says since when a fact holds"
                    raise UsageError("--from needs a new wording", hint=hint)
                done = _relabel(db, kept, new, changes, batch=batch, now=now)
            batch.note_secrets(gone)
            return replace(done, secrets=gone)
    except NothingToDo:
        assert kept is not None  # noqa: S101  for the type checker: raised after it was found
        return Edited("unchanged", kept, (), None)
    except WriteBlockedError as error:
        if new is not None:
            journal.record_blocked(db, verb="edit", by=viewer, now=now, reason=error.reason)
        raise


def _relabel(
    db: Connection, kept: Fact, new: NewFact, changes: Mapping[str, Any], *,
    batch: journal.batch, now: int,
) -> Edited:  # fmt: skip
    """Change labels in place. The fact keeps its pin, and its tier unless the edit names one. A
    fact that moves into another slot is said there now."""
    after = survivor.relabelled(as_said(kept), new)
    is_moved = not same_place(kept, after)
    is_timed = not changes.keys().isdisjoint(("valid_from", "valid_to"))
    after = told_anew(kept, after, **(moved_in(now=now, is_timed=is_timed) if is_moved else {}))
    gate.check(after.segment, after.source, ())
    gate.check_permanence(after.source, new.tier or "long", new.pinned, None)
    writes.change(db, kept, after)
    if is_moved and kept.slot is not None:
        repaint(db, kept, now=now, by=None)
    gone: list[Ended] = []
    if after.slot is not None:
        after, gone = repaint(db, after, now=now, by=after, is_said=is_moved)
    return _edited("changed", after, gone, batch)


def _reword(
    db: Connection, kept: Fact, new: NewFact, changes: Mapping[str, Any], editor: Editor, *,
    batch: journal.batch, fact_id: str, now: int,
) -> Edited:  # fmt: skip
    """Store the new words in the place of the old ones. Where another fact has the new words
    already, that one takes the place."""
    old, since = as_said(kept), changes.get("valid_from")
    said = survivor.reworded(old, new, fact_id=fact_id, now=now, since=since)
    gate.check(said.segment, said.source, [kept.source])
    gate.check_permanence(said.source, said.tier, said.pinned, None)
    known = _known(db, said, kept, origin_number=batch.origin_number)
    if known is not None:
        joined = survivor.joined(as_said(known), said, changes, edited=kept)
        fact = heat.warmed(db, known, told_anew(known, joined), now=now)
        writes.change(db, known, fact)
        uses.put_of(db, fact)
    else:
        if said.slot is not None and since is None:
            said = _corrected(db, said, kept, now=now)
        fact = _stored(db, said, kept, new, origin_number=batch.origin_number)
    is_painted = same_place(fact, kept) and since is not None and holds_from(old) < since
    after = kept if is_painted else ended(old, at=holds_from(said), now=now)
    edited = Ended(kept, after, fact, SUPERSEDES)
    give_way(db, [edited], now=now)
    is_moved = not same_place(fact, kept)
    if kept.slot is not None and is_moved:
        repaint(db, kept, now=now, by=None)
    gone = [edited]
    if fact.slot is not None:
        fact, more = repaint(db, fact, now=now, by=fact, linked={kept.id}, is_said=is_moved)
        shown = {one.before.id: one for one in more}
        gone = [shown.pop(kept.id, edited), *shown.values()]
    if is_trusted(fact.source) and not is_trusted(kept.source):
        batch.explain(f"{_TAKEN[editor.vouched]} of {kept.source}: {kept.id} is {fact.id}")
    return _edited("superseded" if known is None else "reinforced", fact, gone, batch)


def _corrected(db: Connection, said: Fact, kept: Fact, *, now: int) -> Fact:
    """Return the new wording of a value as one that was said when the old one was: a correction is
    no later word than what has come into the slot since. Who vouches for it says it now."""
    if not same_place(said, kept) or is_trusted(said.source) != is_trusted(kept.source):
        return told_anew(kept, said, **moved_in(now=now, is_timed=False))
    times = statements.times(db, viewer=kept.origin, ids=[kept.id]).get(kept.id)
    known = statement_of(kept)
    moved = {"at": known.get("at", kept.created_at)}
    last = max(known.get("said", 0), times.said_at if times else 0)
    return told_anew(kept, said, **(moved | {"said": last} if last else moved))


def _edited(action: str, fact: Fact, gone: Sequence[Ended], batch: journal.batch) -> Edited:
    later = tuple(
        (end.after.id, end.after.valid_to)
        for end in gone
        if end.after.lifecycle == "active" and end.after.valid_to is not None
    )
    return Edited(action, fact, tuple(end.before.id for end in gone), batch.ordinal, later)


def _known(db: Connection, said: Fact, kept: Fact, *, origin_number: int) -> Fact | None:
    """Return another active fact of the same trust that says the new words already."""
    distinct = frozenset(_terms(db, said).said)
    found = stating(db, said.content, distinct, viewer=said.origin, origin_number=origin_number)
    return next(
        (
            fact
            for fact in found
            if fact.id != kept.id
            and is_trusted(fact.source) == is_trusted(said.source) and survivor.is_known(said, fact)
        ),
        None,
    )


def _stored(db: Connection, said: Fact, kept: Fact, new: NewFact, *, origin_number: int) -> Fact:
    """Store a new wording, which with the old words keeps status, use, tier and pin."""
    if not writes.insert(db, said, origin_number=origin_number, terms=_terms(db, said)):
        raise UsageError(f"the id {said.id} is taken", hint="leave the id out")
    if said.content != kept.content:
        return said
    standing = replace(
        said,
        tier=said.tier if new.tier is not None else kept.tier,
        pinned=kept.pinned,
        heat="core" if kept.pinned else said.heat,
        status=kept.status,
        access_count=kept.access_count,
        last_accessed_at=kept.last_accessed_at,
    )
    writes.change(db, said, standing)
    if kept.access_count:
        uses.put_of(db, standing)
    return standing


def _terms(db: Connection, fact: Fact) -> IndexTerms:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return index_terms(fact.content, analyzer=analyzer)


@record
class Editor:
    """Who edits: the source of what they say, whether they have typed the new text, and whether
    they vouch for words that an untrusted source has said."""

    source: Source
    typed: bool
    vouched: bool = False


def without_grants(new: NewFact, kept: Fact) -> NewFact:
    """Return an untrusted fact that is written anew without the pin and the permanence that it was
    granted. It keeps both only as long as its words stay."""
    if is_trusted(new.source) or new.segment != kept.segment:
        return new
    tier = None if new.tier == kept.tier == "permanent" else new.tier
    return replace(new, tier=tier, pinned=False)


def without_secrets(
    fact: Fact, changes: Mapping[str, Any], editor: Editor
) -> tuple[Mapping[str, Any], int]:
    """Return the changes with marks in the place of secrets, and how many those were, where nobody
    vouches for the words; else the changes as they are."""
    if is_trusted(revised(fact, changes, editor).source):
        return changes, 0
    return searched(changes)


def scan_edit(fact: Fact, changes: Mapping[str, Any], editor: Editor) -> Screen:
    """Scan what an edit of an untrusted fact is about to store, whoever the new author is."""
    new = revised(fact, changes, editor)
    said_by = new.source if is_trusted(fact.source) or editor.vouched else fact.source
    return screen_of([replace(new, source=said_by)])


def refuse_edit(fact: Fact, new: NewFact, editor: Editor, screen: Screen) -> None:
    """Raise WriteBlockedError for a threat in untrusted words, or in words that replace them."""
    if is_trusted(new.source) and (is_trusted(fact.source) or editor.vouched):
        return
    found = screen.found(new.content)
    if found and is_trusted(new.source):
        raise refusal(found, f"the new text of a fact from {fact.source}", _VOUCH)
    if found:
        raise refusal(found, f"text from {new.source}", _VOUCH)


def revised(fact: Fact, changes: Mapping[str, Any], editor: Editor) -> NewFact:
    """Return the fact as its editor says it: with `changes`, and with all else that it has."""
    text = remember.checked_text(changes.get("content", fact.content))
    source = author(fact, text, editor=editor.source, typed=editor.typed, vouched=editor.vouched)
    carried = said_again(fact, source=source)
    if "metadata" in changes:
        changes = {**changes, "metadata": {**(fact.metadata or {}), **changes["metadata"]}}
    new = replace(carried, **changes)
    if text != fact.content:
        day = with_day_of(new.metadata, text, before=fact.content, at=fact.created_at)
        new = replace(new, metadata=day)
    if new.valid_from is not None and new.valid_to is not None and new.valid_to <= new.valid_from:
        raise UsageError("valid-to is not after valid-from", hint="a fact holds until valid-to")
    confidence = None if new.confidence is None else clamped(new.confidence, 1.0)
    given: dict[str, Any] = {name: getattr(new, name) or None for name in TEXTS}  # empty is none
    given["slot"] = slot_key(new.slot) if new.slot else None
    given["scope"] = scope_key(new.scope) if new.scope else None
    names = ("session", "speaker", "document", "agent")
    given |= {name: bare_name(getattr(new, name)) for name in names}
    if given["session"] is None and "session" in changes and "turn" not in changes:
        given["turn"] = None  # it was the place in the session
    importance = clamped(new.importance, fact.importance)
    return replace(new, content=text, importance=importance, confidence=confidence, **given)
