"""What an edit asks for: the fact as it would be said anew, and the scan of its words."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.memory import remember
from tideline_cli.memory.screening import refusal, screen_of
from tideline_cli.memory.secret_screening import searched
from tideline_cli.model.fact import bare_name, clamped, said_again, slot_key
from tideline_cli.model.fields import TEXTS
from tideline_cli.model.record import record, replace
from tideline_cli.model.scope import scope_key
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.transitions import author

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.source import Source

_VOUCH = "read it; --vouch makes these words yours as they are"


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
    """Raise WriteBlockedError for a threat in words of an untrusted source, or in new words that
    replace them."""
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
    source = author(
        fact, text, editor=editor.source, typed=editor.typed, vouched=editor.vouched
    )
    carried = said_again(fact, source=source)
    if "metadata" in changes:
        changes = {**changes, "metadata": {**(fact.metadata or {}), **changes["metadata"]}}
    new = replace(carried, **changes)
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
