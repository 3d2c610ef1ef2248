"""What a memory is: the fact, the words that classify it, and their defaults."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.fields import LABELS
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import Record
from tideline_cli.model.source import LEAST, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from tideline_cli.model.source import Source

    Segment = Literal[
        "identity", "correction", "relationship", "preference", "project", "knowledge", "context"
    ]
    Tier = Literal["short", "long", "permanent"]
    Heat = Literal["core", "working", "peripheral"]
    Lifecycle = Literal["active", "archived", "pruned"]
    Role = Literal["user", "assistant", "system", "tool"]
    Progress = Literal["active", "blocked", "done"]
    Status = Literal["asserted", "provisional", "confirmed", "disputed", "retracted"]

TIERS: tuple[Tier, ...] = ("short", "long", "permanent")
HEATS: tuple[Heat, ...] = ("core", "working", "peripheral")
LIFECYCLES: tuple[Lifecycle, ...] = ("active", "archived", "pruned")
STATUSES: tuple[Status, ...] = ("asserted", "provisional", "confirmed", "disputed", "retracted")

PROGRESSES: tuple[Progress, ...] = ("active", "blocked", "done")
"""How far the work is that a fact is about: `--status`. The `status` of a fact says how sure it is,
its lifecycle whether it is shown."""
WORK_KINDS = ("decision", "constraint", "task", "gotcha", "insight", "lesson")
"""Kinds of facts that are about work: without another word they are active."""

ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")
"""Who spoke. A role is no source: the source says through which door a fact came and what it may
do; a role may be said by anybody, and can only take weight off."""
ROLE_WEIGHTS: Mapping[str, float] = {"assistant": 0.65, "tool": 0.65}
"""The factor in a score of what these roles say; of any other, and of none, it is 1."""

MAX_CONTENT = 8192
LARGEST_TURN = 2**53 - 1  # what every reader of JSON keeps exactly
CORE_IMPORTANCE = 0.9
CORE_USES = 15
BOTH_USES, BOTH_IMPORTANCE = 5, 0.8
COOLING_MS, COOLING_USES = 60 * 86_400_000, 3
"""A fact that is older, with fewer uses, cools down."""


class SegmentDefaults(Record):
    """What a segment gives a fact that states nothing itself (Tideline, segment table)."""

    tier: Tier
    importance: float
    decay_rate: float
    specificity: int
    protected: bool


SEGMENTS: Mapping[Segment, SegmentDefaults] = {
    "identity": SegmentDefaults("permanent", 0.85, 0.010, 5, True),
    "correction": SegmentDefaults("long", 0.80, 0.015, 5, True),
    "relationship": SegmentDefaults("long", 0.75, 0.020, 3, False),
    "preference": SegmentDefaults("long", 0.70, 0.020, 5, True),
    "project": SegmentDefaults("long", 0.65, 0.025, 3, False),
    "knowledge": SegmentDefaults("long", 0.60, 0.030, 1, False),
    "context": SegmentDefaults("short", 0.40, 0.080, 1, False),
}

# kind -> (segment it implies, importance or None for the segment's own, heat)
KINDS: Mapping[str, tuple[Segment, float | None, Heat]] = {
    "entity": ("identity", 0.90, "core"),
    "identity": ("identity", None, "core"),
    "name_memory": ("identity", None, "core"),
    "preference": ("preference", 0.72, "working"),
    "lesson": ("correction", 0.85, "core"),
    "relationship": ("relationship", 0.65, "working"),
    "project_state": ("project", 0.65, "working"),
    "fact": ("knowledge", 0.65, "working"),
    "procedure": ("knowledge", 0.72, "working"),
    "remember": ("knowledge", 0.80, "working"),
    "manual": ("knowledge", None, "working"),
    "document": ("knowledge", None, "working"),
    "document_summary": ("knowledge", None, "working"),
    "summary": ("knowledge", 0.55, "working"),
    "skill": ("knowledge", None, "working"),
    "auto": ("context", None, "working"),
    "episode": ("context", None, "working"),
    "failure": ("context", 0.60, "working"),
    "note": ("context", 0.30, "peripheral"),
    "session": ("context", None, "working"),
    "decision": ("project", 0.75, "working"),
    "constraint": ("correction", 0.85, "core"),
    "task": ("project", 0.65, "working"),
    "gotcha": ("knowledge", 0.75, "working"),
    "insight": ("knowledge", 0.70, "working"),
}


class NewFact(Record):
    """What a writer means to remember: the labels of `fields.LABELS`, and what is about the writing
    itself. None lets the segment or the kind decide. `assumed` are
    the labels that have a value here and that the writer has not stated."""

    content: str
    segment: Segment
    source: Source
    origin: Origin
    tier: Tier | None = None
    kind: str | None = None
    title: str | None = None
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float | None = None
    slot: str | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    pinned: bool = False
    source_turn: str | None = None
    derived_from: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    supersedes: tuple[str, ...] = ()
    heat: Heat | None = None
    scope: str | None = None
    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    role: Role | None = None
    document: str | None = None
    agent: str | None = None
    progress: Progress | None = None
    assumed: tuple[str, ...] = ("segment",)


class Fact(Record):
    """A stored fact: what `fields.FIELDS` lists, in that order. Times are milliseconds UTC;
    `metadata` is None or a JSON object."""

    id: str
    content: str
    segment: Segment
    tier: Tier
    heat: Heat
    kind: str | None
    title: str | None
    tags: tuple[str, ...]
    importance: float
    decay_rate: float
    access_count: int
    last_accessed_at: int
    created_at: int
    source: Source
    origin: Origin
    lifecycle: Lifecycle
    status: Status | None
    confidence: float | None
    slot: str | None
    valid_from: int | None
    valid_to: int | None
    pinned: bool
    source_turn: str | None
    derived_from: tuple[str, ...]
    metadata: Mapping[str, Any] | None
    scope: str | None
    session: str | None
    turn: int | None
    speaker: str | None
    role: Role | None
    document: str | None
    agent: str | None
    progress: Progress | None
    statement: Mapping[str, Any] | None


def birth(new: NewFact, *, fact_id: str, now: int) -> Fact:
    """Return the fact that `new` becomes at `now`, with every default filled in."""
    defaults = SEGMENTS[new.segment]
    of_kind = KINDS.get(new.kind) if new.kind else None
    fallback = defaults.importance if of_kind is None or of_kind[1] is None else of_kind[1]
    importance = clamped(new.importance, fallback)
    tier = new.tier or defaults.tier
    labels: dict[str, Any] = {name: getattr(new, name) for name in LABELS} | {
        "tier": tier,
        "importance": importance,
        "confidence": None if new.confidence is None else clamped(new.confidence, 1.0),
        "slot": slot_key(new.slot) if new.slot else None,
        "scope": _scope_key(new.scope) if new.scope else None,
        "session": bare_name(new.session),
        "speaker": bare_name(new.speaker),
        "document": bare_name(new.document),
        "agent": bare_name(new.agent),
        "progress": new.progress or usual_progress(new.kind),
    }
    return Fact(
        id=fact_id,
        content=new.content,
        heat="core"
        if new.pinned
        else new.heat or initial_heat(new.segment, new.kind, tier, importance),
        decay_rate=defaults.decay_rate,
        access_count=0,
        last_accessed_at=now,
        created_at=now,
        source=new.source,
        origin=new.origin,
        lifecycle="active",
        status=None,
        statement=None,
        **labels,
    )


def said_again(fact: Fact, *, source: Source, assumed: tuple[str, ...] = ("segment",)) -> NewFact:
    """Return what somebody says who says a fact anew, with every label that it has."""
    labels: dict[str, Any] = {name: getattr(fact, name) for name in LABELS}
    return NewFact(
        content=fact.content, source=source, origin=fact.origin, assumed=assumed, **labels
    )


def initial_heat(segment: Segment, kind: str | None, tier: Tier, importance: float) -> Heat:
    """Return the temperature a fact starts with."""
    if tier == "permanent" or importance >= CORE_IMPORTANCE:
        return "core"
    if kind is not None and kind in KINDS:
        return KINDS[kind][2]
    return "core" if segment in ("identity", "correction") else "working"


def has_ended(fact: Fact, *, now: int) -> bool:
    """Say whether an active fact holds no longer."""
    return fact.lifecycle == "active" and fact.valid_to is not None and fact.valid_to <= now


def is_restless(fact: Fact, uses: int, *, now: int) -> bool:
    """Say whether the heat of a fact may move once it has so many uses; `ranking.heat` decides."""
    if fact.heat == "core":
        return False
    if fact.pinned or fact.tier == "permanent":
        return True
    is_warm = uses >= CORE_USES or fact.importance >= CORE_IMPORTANCE
    if is_warm or (uses >= BOTH_USES and fact.importance >= BOTH_IMPORTANCE):
        return True
    if fact.heat == "working":
        return uses < COOLING_USES and now - fact.created_at > COOLING_MS
    return uses >= COOLING_USES


def usual_progress(kind: str | None) -> Progress | None:
    """Return how far the work of a kind is where nobody says: it is active. None for all others."""
    return "active" if kind in WORK_KINDS else None


def clamped(value: float | None, fallback: float) -> float:
    """Return `value` within 0..1, or `fallback` when it is missing or not finite."""
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return fallback
    return min(1.0, max(0.0, value))


def trust(source: Source, confidence: float | None) -> float:
    """Return the weight of the source times the confidence (1 when none is stated), 0..1.

    Source: Tideline, trust table.
    """
    standing = STANDING.get(source)
    weight = LEAST if standing is None else standing.weight
    return weight if confidence is None else weight * clamped(confidence, 1.0)


def role_weight(role: str | None) -> float:
    """Return the factor in a score of what a role says, above 0 and at most 1."""
    return ROLE_WEIGHTS.get(role, 1.0) if role else 1.0


def slot_key(text: str) -> str:
    """Return a slot name in lower case and in NFC, runs of other characters than letters, with
    their marks, and digits as `_`.

    Raises UsageError when no letter or digit is left.
    """
    from tideline_cli.model.unicode_forms import composed, is_mark  # noqa: PLC0415  few are in a slot

    text = composed(text).lower()
    spaced = "".join(char if char.isalnum() or is_mark(char) else " " for char in text)
    key = "_".join(spaced.split())
    if not any(map(str.isalnum, key)):
        raise UsageError(f"not a slot name: {text!r}", hint="a slot needs letters or digits")
    return key


def _scope_key(text: str) -> str | None:
    from tideline_cli.model.scope import scope_key  # noqa: PLC0415  many have no scopes

    return scope_key(text)


def bare_name(text: str | None) -> str | None:
    """Return the name of a session, speaker, document or agent, stripped; None for nothing."""
    return (text or "").strip() or None
