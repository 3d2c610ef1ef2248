"""One row of a file to one fact: every value checked, unknown keys kept in the metadata.

A file that nobody vouches for states no merit of its rows: see `worth_of`.
"""

from __future__ import annotations

from functools import cache

from tideline_cli.errors import UsageError
from tideline_cli.exchange.importer.cells import (
    BY_FORM,
    KEYS,
    REASON,
    STATED,
    cell_text,
    count,
    flag,
    instants,
    past,
    rate,
    strings,
    unit,
    with_progress,
    word,
)
from tideline_cli.memory.remember import checked_text
from tideline_cli.model import codec, ulid, utterance
from tideline_cli.model.fact import (
    HEATS,
    KINDS,
    LIFECYCLES,
    PROGRESSES,
    ROLES,
    SEGMENTS,
    STATUSES,
    TIERS,
    Fact,
    bare_name,
    clamped,
    initial_heat,
    slot_key,
    usual_progress,
)
from tideline_cli.model.fields import FIELDS, NAMES, SAID
from tideline_cli.model.instant import EARLIEST_MS, LATEST_MS
from tideline_cli.model.lean import blake2b
from tideline_cli.model.origin import UNKNOWN, Origin, parse_origin
from tideline_cli.model.record import record
from tideline_cli.model.saying import Times, as_told
from tideline_cli.model.scope import scope_key
from tideline_cli.model.short_text import one_of
from tideline_cli.model.source import SOURCES, is_trusted, parse_source
from tideline_cli.model.spoken_days import with_day
from tideline_cli.policy.gate import confined
from tideline_cli.policy.periods import STATEMENT
from tideline_cli.policy.sameness import APART

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact, Heat, Segment, Status, Tier
    from tideline_cli.model.source import Source

_REASONS = ("faded", "merged", "superseded", "forgotten", "unknown")
_UNASKED = ("faded", "merged")
_TIMED = frozenset(("created_at", *STATED))
_PLAIN = tuple(
    (field.name, BY_FORM[field.form])
    for field in FIELDS
    if field.is_label and not field.is_merit and field.form in BY_FORM
)
"""The labels that are taken as a row states them; of the slot and the scope their keys."""
_UNSTATED: dict[str, Any] = {name: read({}, name) for name, read in _PLAIN}
ORIGINAL_ID = "original_id"  # the metadata key that keeps an id which was not taken
_CLAIMS = tuple(field.name for field in FIELDS if field.is_merit)
_CLAIMED = frozenset(_CLAIMS)
_FIELDS = _CLAIMED - {"last_accessed_at", "tier"}
_LIMITED = _CLAIMED | {"created_at", "document"}
"""The keys of a row whose values may be limited: see `was_limited`."""


@record
class ImportContext:
    """What holds for every row of one import: whom rows without an origin belong to, when it is,
    whether the owner vouches for the file, and the agent that brings it in. Times that files tell
    of their rows (`are_dated`) are no part of what a row says: a later change of the file makes no
    other fact of it. Where the ids are those of a program that keeps the list (`are_kept`), a row
    with another text under an id replaces what stood there. An import of the same `name` goes on
    with one that did not come to its end."""

    origin: Origin
    now: int
    trusted: bool
    agent: str | None = None
    are_dated: bool = False
    are_kept: bool = False
    name: str | None = None


def fact_from(row: Mapping[str, Any], context: ImportContext, *, repeat: int = 0) -> Fact:
    """Return the fact that a row states; raise UsageError naming what is wrong with it.

    An id is taken from a file that is vouched for, if it is a ULID; any other is kept in the
    metadata, and one is made of it. A row without an id gets one made of what it says; `repeat`
    tells equal rows of one file apart. So the same row is the same fact in a second run. No time
    but that of validity lies after the import.
    """
    content = row.get("content")
    if not isinstance(content, str):
        raise UsageError("no text", hint='a row needs "content"')
    content = checked_text(content)
    if "status" in row:
        row = with_progress(row)
    if _tells(row):
        row = _with_utterance(row)
    source = _source(row, context)
    origin = _origin(row, context)
    kind = word(row, "kind", tuple(KINDS))
    segment, tier = _class(row, kind, source, context)
    stated = None
    if not _TIMED.isdisjoint(row):
        stated, *_ = (past(row, name, context.now) for name in ("created_at", *STATED))
    created_at = context.now if stated is None else stated
    # Most rows state few labels: 2 us a row.
    values = _UNSTATED | {name: read(row, name) for name, read in _PLAIN if name in row}
    own_id, metadata = cell_text(row, "id"), metadata_of(row)
    if stated is not None and not own_id:  # a row with an id is a fact as it is
        metadata = with_day(metadata, content, at=stated)
    if own_id and not (context.trusted and ulid.is_ulid(own_id)):
        metadata = (metadata or {}) | {ORIGINAL_ID: own_id}
        own_id = minted_id(origin, own_id)
    worth = worth_of(row, segment, kind, tier, trusted=context.trusted)
    used = last_used(row, created_at, trusted=context.trusted, now=context.now)
    values |= {
        "content": content, "segment": segment, "tier": tier, "heat": worth.heat, "kind": kind,
        "importance": worth.importance, "decay_rate": worth.decay_rate,
        "access_count": worth.access_count, "last_accessed_at": used, "created_at": created_at,
        "source": source, "origin": origin,
        "lifecycle": word(row, "lifecycle", LIFECYCLES) or "active", "status": worth.status,
        "confidence": worth.confidence,
        "slot": slot_key(values["slot"]) if values["slot"] else None, "pinned": worth.pinned,
        "scope": scope_key(values["scope"]) if values["scope"] else None,
        "session": bare_name(values["session"]), "speaker": bare_name(values["speaker"]),
        "role": word(row, "role", ROLES), "agent": _agent(row, values["agent"], context),
        "document": bare_name(values["document"]) if context.trusted else None,
        "progress": word(row, "progress", PROGRESSES) or usual_progress(kind),
        "metadata": metadata, "statement": _statement(row) if values["slot"] else None,
    }  # fmt: skip
    values["id"] = own_id or made_id(values, None if context.are_dated else stated, repeat)
    return Fact(*[values[name] for name in NAMES])  # twice as fast as by name


def _statement(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a row says that was said of a value of a slot; raise UsageError for no times."""
    stated = row.get("statement")
    if stated is None:
        return None
    if not isinstance(stated, dict) or not all(
        _are_words(at) if name == "words" else name in STATEMENT and _is_time(at)
        for name, at in stated.items()
    ):
        raise UsageError("statement is not an object of times in milliseconds")
    return dict(stated)


def _is_time(at: object) -> bool:
    return isinstance(at, int) and EARLIEST_MS <= at <= LATEST_MS


def _are_words(words: object) -> bool:
    """Say whether these are times of when something was said, from when and, or not, to when."""
    return isinstance(words, list) and all(
        isinstance(word, list) and len(word) == 3 and _is_time(word[0]) and _is_time(word[1])
        and (word[2] is None or _is_time(word[2])) for word in words
    )  # fmt: skip


def _agent(row: Mapping[str, Any], stated: str | None, context: ImportContext) -> str | None:
    """Return which program wrote a fact: whichever the row names, else the one that imports. A row
    of an export, which names its origin, comes back as it was."""
    if stated is None and row.get("origin") is None:
        return context.agent
    return bare_name(stated)


def _tells(row: Mapping[str, Any]) -> bool:
    """Say whether a row may state where or by whom it was said."""
    telling = utterance.TELLING
    if telling.isdisjoint(row):
        return False
    return any(row[name] is not None for name in telling & row.keys())


def _with_utterance(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with where and by whom it was said under the names of the fields. What stands
    there and is nothing of the kind is kept in the metadata."""
    found, rest = utterance.utterance_in(row)
    misplaced = {name: rest.pop(name) for name in SAID if name in rest}
    kept = {name: value for name, value in misplaced.items() if value not in (None, "")}
    metadata = rest.get("metadata")
    if kept and isinstance(metadata, dict | None):
        rest["metadata"] = {**(metadata or {}), **kept}
    return rest | found


def _origin(row: Mapping[str, Any], context: ImportContext) -> Origin:
    named = cell_text(row, "origin")
    if not named:
        return context.origin
    origin = parse_origin(named)
    if origin == UNKNOWN:
        raise UsageError("an unknown origin may not write")
    if origin != context.origin and not context.origin.is_owner:
        raise UsageError("only the owner may write into another origin")
    return origin


def _class(
    row: Mapping[str, Any], kind: str | None, source: Source, context: ImportContext
) -> tuple[Segment, Tier]:
    """Return segment and tier; a file that nobody vouches for gets neither what its source may
    not author nor permanence."""
    segment: Any = word(row, "segment", tuple(SEGMENTS)) or (
        KINDS[kind][0] if kind else "knowledge"
    )
    if not context.trusted:
        segment = confined(segment, source)
    tier: Any = word(row, "tier", TIERS) or SEGMENTS[segment].tier
    return segment, tier if context.trusted else SEGMENTS[segment].tier


def minted_id(origin: Origin, stated: str) -> str:
    """Return the ULID that stands for an id which a file states and which is not taken as it is."""
    said = "\x1f".join((origin.key, "id", stated))
    return ulid.from_bytes(blake2b(said.encode(), digest_size=16).digest())


def vouched_id(origin: Origin, taken: str) -> str:
    """Return the ULID of a row that is vouched for where an untrusted fact has taken its id."""
    said = "\x1f".join((origin.key, "vouched", taken))
    return ulid.from_bytes(blake2b(said.encode(), digest_size=16).digest())


def made_id(values: Mapping[str, Any], stated: int | None, repeat: int) -> str:
    """Return a ULID that depends on what a row says alone; its time is the stated one, if any. Rows
    of one text, origin and time are told apart by where they were said, and by all by which two
    statements differ."""
    apart = [f"{name}={values[name]}" for name in APART if values[name] is not None]
    said = (
        values["origin"].key, values["content"], values["source_turn"] or "", *apart, str(stated),
        str(repeat),
    )  # fmt: skip
    digest = bytearray(blake2b("\x1f".join(said).encode(), digest_size=16).digest())
    if stated is not None and 0 <= stated < 1 << 48:
        digest[:6] = stated.to_bytes(6, "big")
    return ulid.from_bytes(bytes(digest))


def times_of(row: Mapping[str, Any], fact: Fact, context: ImportContext) -> Times:
    """Return when a row says that its state was stated, and when it was last said. A row that says
    nothing of it was stated when it was made, or when it ended."""
    changed, said = (past(row, name, context.now) for name in STATED)
    end = fact.valid_to
    is_gone = as_told(fact).lifecycle != "active"
    if changed is None and is_gone and end is not None and end <= context.now:
        changed = end
    return Times(max(changed or 0, fact.created_at), max(said or 0, fact.created_at))


def is_to_come(row: Mapping[str, Any], context: ImportContext) -> bool:
    """Say whether a row was made, or states something, at a time to come: its clock was wrong."""
    times = (instants(row, name) for name in _TIMED)
    return any(at is not None and at > context.now for at in times)


def reason_of(row: Mapping[str, Any], context: ImportContext) -> str | None:
    """Return why a row says that its fact is archived. A file that nobody vouches for may not say
    that nobody asked for it, since such facts are announced."""
    reason = row.get(REASON)
    if reason not in _REASONS or row.get("lifecycle") in (None, "active"):
        return None
    return None if reason in _UNASKED and not context.trusted else str(reason)


def links_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the edges that a row states; raise UsageError when they are none."""
    links = row.get("links")
    if links is None:
        return []
    if not isinstance(links, list) or not all(
        isinstance(link, dict)
        and isinstance(link.get("kind"), str)
        and isinstance(link.get("target"), str)
        for link in links
    ):
        raise UsageError("links is not a list of objects with kind and target")
    return links


def replaced_by(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a row names as superseded by it; raise UsageError where that is no list."""
    named = row.get("supersedes")
    return strings({"supersedes": [named]} if isinstance(named, str) else row, "supersedes")


def _source(row: Mapping[str, Any], context: ImportContext) -> Source:
    stated = row.get("source")
    if stated is not None:
        stated = parse_source(one_of(str(stated), SOURCES, "source"))
    if context.trusted:
        return stated or ("owner_message" if context.origin.is_owner else "channel_message")
    return "retrieved_document"


def metadata_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    stated = row.get("metadata")
    if stated is not None and not isinstance(stated, dict):
        raise UsageError("metadata is not an object")
    if row.keys() <= KEYS and not stated:
        return stated
    metadata = dict(stated or {}) | {key: row[key] for key in row if key not in KEYS}
    try:
        codec.dumps(metadata).encode()
    except (ValueError, RecursionError) as error:
        raise UsageError("metadata cannot be stored: not valid JSON") from error
    return metadata


@record
class Worth:
    """What a fact is worth: all that lets it rank higher or stay longer."""

    importance: float
    confidence: float | None
    decay_rate: float
    heat: Heat
    status: Status | None
    pinned: bool
    access_count: int


def worth_of(
    row: Mapping[str, Any], segment: Segment, kind: str | None, tier: Tier, *, trusted: bool
) -> Worth:
    """Return what a row says that it is worth. One that nobody vouches for may say that it is worth
    less than its segment, and no more: it was never used, is not pinned, and fades as others do."""
    if _CLAIMED.isdisjoint(row):
        return _unclaimed(segment, kind if trusted else None, tier)
    defaults = SEGMENTS[segment]
    importance = clamped(unit(row, "importance", clamp=True, default=None), defaults.importance)
    confidence = unit(row, "confidence", clamp=True, default=None)
    decay = rate(row, defaults.decay_rate)
    heat: Any = word(row, "heat", HEATS)
    status: Any = word(row, "status", STATUSES)
    uses, pinned = count(row, "access_count"), flag(row, "pinned")
    if trusted:
        heat = heat or ("core" if pinned else initial_heat(segment, kind, tier, importance))
        return Worth(importance, confidence, decay, heat, status, pinned, uses)
    importance = min(importance, defaults.importance)
    heat = initial_heat(segment, None, tier, importance)
    confidence = None if confidence is None or confidence >= 1 else confidence
    decay = max(decay, defaults.decay_rate)
    return Worth(importance, confidence, decay, heat, None, False, 0)


@cache  # of few arguments, and of nearly every row
def _unclaimed(segment: Segment, kind: str | None, tier: Tier) -> Worth:
    """Return what a fact is worth of which a row claims nothing."""
    defaults = SEGMENTS[segment]
    heat = initial_heat(segment, kind, tier, defaults.importance)
    return Worth(defaults.importance, None, defaults.decay_rate, heat, None, False, 0)


def last_used(row: Mapping[str, Any], created_at: int, *, trusted: bool, now: int) -> int:
    """Return when a fact was used last; of one that nobody vouches for, when it was made."""
    if "last_accessed_at" not in row:
        return created_at
    used = past(row, "last_accessed_at", now)
    return used if used is not None and trusted else created_at


def was_limited(row: Mapping[str, Any], fact: Fact, *, trusted: bool, now: int) -> bool:
    """Say whether the row claimed more for its fact than it was given."""
    if _LIMITED.isdisjoint(row):
        return False
    for name in ("created_at", "last_accessed_at"):
        if getattr(fact, name) == now and (instants(row, name, 0) or 0) > now:
            return True
    row = with_progress(row)
    claimed = [name for name in _CLAIMS if row.get(name) is not None]
    if row.get("document") and fact.document is None:
        return True
    if trusted or not claimed:
        return False
    stated = worth_of(row, fact.segment, fact.kind, fact.tier, trusted=True)
    used = last_used(row, fact.created_at, trusted=True, now=now)
    return (
        any(getattr(stated, name) != getattr(fact, name) for name in claimed if name in _FIELDS)
        or row.get("tier", fact.tier) not in (None, fact.tier)
        or used > fact.last_accessed_at
    )


def was_confined(row: Mapping[str, Any], fact: Fact) -> bool:
    """Say whether the row named a segment that its source may not author."""
    return row.get("segment") not in (None, fact.segment) and not is_trusted(fact.source)
